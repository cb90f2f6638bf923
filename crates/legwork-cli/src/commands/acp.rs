//! `legwork acp`: an agent inside an editor.

use std::io::{self, IsTerminal as _, stderr, stdin};

use legwork::acp::Server;
use legwork::agent::Control;

use crate::acp::Editors;
use crate::args;
use crate::config::Config;
use crate::display::{Again, Human, Screen, Terminal};
use crate::error::Error;
use crate::exit::Exit;
use crate::signals;
use crate::store_address::StoreAddress;

pub(crate) async fn acp(args: args::Acp, config: &Config) -> Result<Exit, Error> {
    if stdin().is_terminal() {
        let hint = "name `legwork acp` in the settings of the editor; `legwork chat` is for people";
        return Err(Error::usage("an editor starts this, not a person", hint));
    }
    if args.agent.dir.is_some() {
        let hint = "leave --dir out: the editor names the directory of each session";
        return Err(Error::usage("the directory is the editor's", hint));
    }
    let address = StoreAddress::of(&args.store, config)?;
    let control = Control::default();
    // Standard output is the editor's.
    let human = Human::new(io::sink(), stderr(), Terminal::detect());
    let again = Again { store: address.flag(), settings: String::new() };
    let screen = Screen::new(human, control.clone(), again);
    signals::watch(control.clone(), screen.clone())?;
    let editors = Editors::new(args.agent, config, address, screen)?;
    let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
    let served = Server::new(editors).serve_until(input, output, &control.interrupt).await;
    match served {
        // An editor that reads no longer is gone.
        Err(source) if source.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::System { doing: "speaking with the editor", source })
        }
        _ if control.interrupt.is_cancelled() => Ok(Exit::Interrupted),
        _ => Ok(Exit::Done),
    }
}
