//! `legwork mcp serve`: an agent as a server of the Model Context Protocol.

use std::io::{self, IsTerminal as _, stderr, stdin};
use std::net::SocketAddr;

use legwork::agent::Control;
use legwork::mcp_server::{Access, Agents, Server};
use tokio::net::TcpListener;

use crate::args;
use crate::commands::tell;
use crate::config::Config;
use crate::display::{Again, Human, Screen, Terminal};
use crate::error::Error;
use crate::exit::Exit;
use crate::mcp::Served;
use crate::signals;
use crate::store_address::StoreAddress;

/// The fewest characters of a token.
const TOKEN: usize = 16;

pub(super) async fn serve(args: args::McpServe, config: &Config) -> Result<Exit, Error> {
    if args.listen.is_none() && stdin().is_terminal() {
        let hint = "name `legwork mcp serve` in the settings of the client, or give --listen";
        return Err(Error::usage("a client of the protocol starts this, not a person", hint));
    }
    let access = args.listen.map(|at| access(at, args.token.as_deref())).transpose()?;
    let address = StoreAddress::of(&args.store, config)?;
    let control = Control::default();
    // Standard output is the client's.
    let human = Human::new(io::sink(), stderr(), Terminal::detect());
    let again = Again { store: address.flag(), settings: String::new() };
    let screen = Screen::new(human, control.clone(), again);
    signals::watch(control.clone(), screen.clone())?;
    let agents = Agents::new(Served::new(args.agent, config, address, screen)?);
    let server = Server::new(agents.clone());
    let served = match args.listen.zip(access) {
        None => {
            let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
            server.serve_until(input, output, &control.interrupt).await
        }
        Some((at, access)) => {
            let failed = |source| Error::System { doing: "listening to clients", source };
            let listener = TcpListener::bind(at).await.map_err(failed)?;
            let at = listener.local_addr().map_err(failed)?;
            tell(&format!("serving http://{at}/mcp; Ctrl-C ends it"));
            server.serve_http(listener, access, &control.interrupt).await
        }
    };
    // What runs is interrupted, so that it can be resumed.
    agents.end().await;
    match served {
        _ if control.interrupt.is_cancelled() => Ok(Exit::Interrupted),
        // A client that reads no longer is gone.
        Err(source) if source.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::System { doing: "speaking with the client", source })
        }
        _ => Ok(Exit::Done),
    }
}

/// Who may use the server at an address.
fn access(at: SocketAddr, variable: Option<&str>) -> Result<Access, Error> {
    let Some(variable) = variable else {
        return match at.ip().is_loopback() {
            true => Ok(Access::Local),
            false => Err(Error::usage(
                format!("{at} is reached from other machines, and no token is asked for"),
                "give --token VARIABLE, or listen to 127.0.0.1",
            )),
        };
    };
    let token = std::env::var(variable).ok().filter(|token| !token.trim().is_empty());
    let token = token.ok_or_else(|| {
        let message = format!("the variable {variable} holds no token");
        Error::usage(message, "set it to a long random text, such as of `openssl rand -hex 32`")
    })?;
    match token.chars().count() < TOKEN {
        true => Err(Error::usage(
            format!("the token in {variable} is too short to be a secret"),
            format!("it needs {TOKEN} characters at least"),
        )),
        false => Ok(Access::Token(token.trim().to_owned())),
    }
}
