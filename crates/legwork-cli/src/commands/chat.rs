//! `legwork chat`: a conversation with an agent, kept open.

use std::io::{IsTerminal as _, stderr, stdin};

use crate::args;
use crate::chat;
use crate::config::Config;
use crate::error::Error;
use crate::exit::Exit;

pub(crate) async fn chat(args: args::Chat, config: &Config) -> Result<Exit, Error> {
    if !stdin().is_terminal() || !stderr().is_terminal() {
        let hint = "give a task without one: legwork run \"task\"";
        return Err(Error::usage("a chat needs a terminal", hint));
    }
    chat::chat(args, config).await
}
