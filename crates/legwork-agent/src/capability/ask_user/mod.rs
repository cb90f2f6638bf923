//! The capability that lets an agent ask a person.

mod asker;
mod question;
mod tool;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use legwork_port::Tool;

pub use asker::{Asker, Asking, asking};
pub use question::{CHOICES, Question, Refused};
pub use tool::{AskUser, TOOL};

use crate::agent::builder::Builder;
use crate::capability::{Capability, Resolved};

/// Gives an agent the tool `ask_user`: a question to a person, with choices or without.
///
/// The call waits for its answer as for any result from outside: where nobody is there to answer,
/// the session rests (`awaiting_input`), and any process with access to the store answers it with
/// [`Question::answer`], days later. [`asking`] makes an approver of whatever asks people in the
/// process of the run. The time that a person takes is no time at work.
///
/// ```
/// # use legwork_testkit::{ScriptedModel, Turn};
/// use legwork_agent::Agent;
/// use legwork_agent::capability::ask_user::{AskUser, Question, asking};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let ask = serde_json::json!({"question": "Which one?", "choices": ["red", "green"]});
/// # let model = ScriptedModel::new([Turn::call("ask_user", ask), Turn::text("Green it is.")]);
/// // A program's own way to ask: a dialog, a message in a chat; here the last choice is taken.
/// let person = asking(async |question: Question| question.choices.last().cloned());
/// let agent = Agent::builder(model).capability(AskUser).approver(person).build()?;
/// assert_eq!(agent.run("Paint the door.").await?.text(), "Green it is.");
/// # Ok(())
/// # }
/// ```
impl Capability for AskUser {
    fn name(&self) -> &str {
        TOOL
    }

    fn about(&self) -> &str {
        ABOUT
    }

    fn install(&self, builder: Builder) -> Builder {
        builder.tools([Arc::new(*self) as Arc<dyn Tool>])
    }

    fn section(&self, agent: &Resolved<'_>) -> Option<String> {
        agent.has_tool(TOOL).then(|| SECTION.to_owned())
    }
}

/// What it gives an agent.
pub(super) const ABOUT: &str = "Asks a person a question, and waits for the answer.";

/// What the model is told of it.
const SECTION: &str = "Ask a person with `ask_user` only what you can neither find out nor sensibly \
    decide: the answer may take long. Ask before you begin what depends on it.";
