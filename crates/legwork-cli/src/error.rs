//! What goes wrong outside of an execution: what happened, and a hint what to do.

use std::io;

use legwork::agent;
use legwork::core::SessionId;
use legwork::core::error::ErrorRecord;
use legwork::port::store;
use legwork::tools::workspace;

use crate::display::advice;
use crate::exit::Exit;

/// What goes wrong outside of an execution.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The command was used wrongly.
    #[error("{message}")]
    Usage { message: String, hint: String },
    /// There is no session of that id, or of one that begins or ends so.
    #[error("there is no session {id} in {store}")]
    NoSession { id: String, store: String },
    /// Several sessions may be meant.
    #[error("{asked} names {count} sessions:{some}")]
    Ambiguous { asked: String, count: usize, some: String },
    /// The directory cannot be worked in.
    #[error(transparent)]
    Workspace(#[from] workspace::Error),
    /// A model or its server says no, outside of an execution.
    #[error("{}", .0.message)]
    Asked(Box<ErrorRecord>),
    /// An MCP server does not work.
    #[error("{message}")]
    Server { message: String, hint: String },
    /// The framework says no.
    #[error(transparent)]
    Legwork(#[from] legwork::Error),
    /// The operating system says no.
    #[error("{doing}: {source}")]
    System { doing: &'static str, source: io::Error },
}

impl From<agent::Error> for Error {
    fn from(error: agent::Error) -> Self {
        Self::Legwork(error.into())
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        Self::Legwork(error.into())
    }
}

impl Error {
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: hint.into() }
    }

    /// How the command ends with it.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Usage { .. } | Self::NoSession { .. } | Self::Ambiguous { .. } => Exit::Usage,
            Self::Workspace(_) | Self::Legwork(legwork::Error::Model { .. }) => Exit::Usage,
            Self::Legwork(legwork::Error::Agent(
                agent::Error::Refused(_)
                | agent::Error::UnknownSession(_)
                | agent::Error::NoStore(_),
            )) => Exit::Usage,
            Self::Legwork(_) | Self::Asked(_) | Self::Server { .. } | Self::System { .. } => {
                Exit::Failed
            }
        }
    }

    /// The session it is about, where it names one.
    pub(crate) fn session(&self) -> Option<&SessionId> {
        match self.as_store() {
            Some(
                store::Error::Held { session, .. }
                | store::Error::Lost { session, .. }
                | store::Error::Moved { session, .. },
            ) => Some(session),
            _ => None,
        }
    }

    /// What to do about it, in the words of the command.
    pub(crate) fn hint(&self) -> Option<String> {
        if let Some(error) = self.as_store() {
            return Some(of_store(error).to_owned());
        }
        let hint = match self {
            Self::Usage { hint, .. } | Self::Server { hint, .. } => hint,
            Self::Asked(error) => return advice::on(error),
            Self::NoSession { .. } => "see which there are with `legwork sessions list`",
            Self::Ambiguous { .. } => "give more of the id, or the end of it that is shown here",
            Self::Workspace(_) => "name another directory with --dir",
            Self::Legwork(legwork::Error::Model { .. }) => {
                "name a model with --model, such as openai:gpt-5-mini or ollama:qwen3, and give \
                 --base-url for any other server that speaks Chat Completions; `legwork help config` \
                 says how to keep both, and where keys may be"
            }
            Self::Legwork(legwork::Error::Agent(agent::Error::Refused(refusal)))
                if refusal.is_of_answer() =>
            {
                "`legwork pending` shows what waits, and how to answer it"
            }
            Self::Legwork(legwork::Error::Agent(agent::Error::Refused(_))) => {
                "`legwork resume ID` goes on with what is under way, `legwork run --session ID \
                 \"task\"` gives a finished session more to do"
            }
            _ => return None,
        };
        Some(hint.to_owned())
    }

    /// The same in the words of a chat.
    pub(crate) fn hint_in_chat(&self) -> Option<String> {
        let hint = match (self, self.as_store()) {
            (Self::Legwork(legwork::Error::Agent(agent::Error::Refused(refusal))), _) => {
                match refusal.is_of_answer() {
                    true => "/resume asks again about what waits",
                    false => "/resume asks about what waits, and goes on with what is under way",
                }
            }
            (_, Some(store::Error::Lost { .. } | store::Error::Moved { .. })) => {
                "another command went on with it; /resume goes on from there"
            }
            _ => return self.hint().map(|hint| advice::in_chat(&hint)),
        };
        Some(hint.to_owned())
    }

    pub(crate) fn as_store(&self) -> Option<&store::Error> {
        match self {
            Self::Legwork(error) => error.as_store(),
            _ => None,
        }
    }
}

fn of_store(error: &store::Error) -> &'static str {
    match error {
        store::Error::Held { .. } => {
            "wait until the other command has ended, or end it; nothing was done here"
        }
        store::Error::Lost { .. } | store::Error::Moved { .. } => {
            "another command went on with it; `legwork sessions show ID` shows how far"
        }
        store::Error::Id { .. } => {
            "`legwork sessions rm` removes a session of such an id, which no Legwork made"
        }
        store::Error::Unknown { .. } => {
            "another command removed it meanwhile; see which there are with `legwork sessions list`"
        }
        store::Error::Unreadable { .. } => "`legwork sessions show ID` shows what comes before it",
        store::Error::Newer { .. } => "use the newer legwork, or another store with --store",
        store::Error::Unusable { .. } => {
            "name another store with --store, such as sqlite:PATH, jsonl:DIR, postgres://HOST/DATABASE \
             or redis://HOST, or set LEGWORK_STORE"
        }
        _ => {
            "what was journaled is safe: set right what is wrong and give the command again, or \
             `legwork resume` for a session that has begun"
        }
    }
}
