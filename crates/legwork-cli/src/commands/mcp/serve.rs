//! `legwork mcp serve`: an agent as a server of the Model Context Protocol.

use std::fs::{self, DirBuilder, File};
use std::io::{self, IsTerminal as _, Read as _, Write as _, stderr, stdin};
use std::os::unix::fs::DirBuilderExt as _;

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
use crate::store_address;
use crate::store_address::StoreAddress;

/// The fewest characters of a token.
const TOKEN: usize = 16;

pub(super) async fn serve(args: args::McpServe, config: &Config) -> Result<Exit, Error> {
    if args.listen.is_none() && stdin().is_terminal() {
        let hint = "name `legwork mcp serve` in the settings of the client, or give --listen";
        return Err(Error::usage("a client of the protocol starts this, not a person", hint));
    }
    let token = args.listen.map(|_| Token::of(args.token.as_deref())).transpose()?;
    let address = StoreAddress::of(&args.store, config)?;
    let control = Control::default();
    // Standard output is the client's.
    let human = Human::new(io::sink(), stderr(), Terminal::detect());
    let again = Again { store: address.flag(), settings: String::new() };
    let screen = Screen::new(human, control.clone(), again);
    signals::watch(control.clone(), screen.clone())?;
    let agents = Agents::new(Served::new(args.agent, config, address, screen).await?);
    let server = match secret()? {
        Some(secret) => Server::new(agents.clone()).secret(secret),
        None => Server::new(agents.clone()),
    };
    let served = match args.listen.zip(token) {
        None => {
            let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
            server.serve_until(input, output, &control.interrupt).await
        }
        Some((at, token)) => {
            let failed = |source| Error::System { doing: "listening to clients", source };
            let listener = TcpListener::bind(at).await.map_err(failed)?;
            let at = listener.local_addr().map_err(failed)?;
            tell(&format!("serving http://{at}/mcp; Ctrl-C ends it"));
            if let Token::Made(made) = &token {
                tell(&format!("clients send this header: Authorization: Bearer {made}"));
            }
            let access = Access::Token(token.into_text());
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

/// What clients over HTTP have to send: other programs of this machine reach the server, too, the
/// agent's own commands among them.
enum Token {
    /// The user's own.
    Given(String),
    /// For this time alone.
    Made(String),
}

impl Token {
    /// The token that a variable holds, or a new one.
    ///
    /// # Errors
    /// When the variable holds none, or one that could be guessed.
    fn of(variable: Option<&str>) -> Result<Self, Error> {
        let Some(variable) = variable else {
            let made = random()?.iter().map(|byte| format!("{byte:02x}")).collect();
            return Ok(Self::Made(made));
        };
        let token = std::env::var(variable).unwrap_or_default().trim().to_owned();
        let hint = "set it to a long random text, such as of `openssl rand -hex 32`";
        if token.is_empty() {
            return Err(Error::usage(format!("the variable {variable} holds no token"), hint));
        }
        match token.chars().count() < TOKEN {
            true => Err(Error::usage(
                format!("the token in {variable} is too short to be a secret"),
                format!("it needs {TOKEN} characters at least"),
            )),
            false => Ok(Self::Given(token)),
        }
    }

    fn into_text(self) -> String {
        match self {
            Self::Given(token) | Self::Made(token) => token,
        }
    }
}

/// The secret that seals what clients keep between two requests, the same for all servers of the
/// user; none if there is no place for it.
///
/// # Errors
/// When it cannot be read or written.
fn secret() -> Result<Option<[u8; 32]>, Error> {
    let Some(folder) = store_address::home().map(|home| home.join("mcp")) else { return Ok(None) };
    let doing = "keeping the secret of the MCP server";
    let kept = || -> io::Result<[u8; 32]> {
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        let file = folder.join("serve.key");
        if let Ok(secret) = fs::read(&file)
            && let Ok(secret) = <[u8; 32]>::try_from(secret)
        {
            return Ok(secret);
        }
        let secret = random().map_err(|error| io::Error::other(error.to_string()))?;
        let mut draft = tempfile::NamedTempFile::new_in(&folder)?;
        draft.write_all(&secret)?;
        draft.persist(&file)?;
        Ok(secret)
    };
    kept().map(Some).map_err(|source| Error::System { doing, source })
}

/// Random bytes of the system.
fn random() -> Result<[u8; 32], Error> {
    let mut bytes = [0; 32];
    let read = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    read.map_err(|source| Error::System { doing: "making a token", source })?;
    Ok(bytes)
}
