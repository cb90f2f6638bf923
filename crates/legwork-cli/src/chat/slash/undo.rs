//! `/undo`: takes back what the agent did in the last turn, or from a step on.

use legwork::agent::undo::UndoFrom;

use crate::chat::Chat;
use crate::commands::undo::{Undoes, told};
use crate::error::Error;
use crate::toolset::workspace;

pub(super) async fn undo(chat: &Chat<'_>, step: &str) -> Result<(), Error> {
    let from = match step {
        "" => UndoFrom::LastExecution,
        step => UndoFrom::Step(step.parse().map_err(|_| {
            let hint = "give the number of a step, as `legwork sessions show` tells it";
            Error::usage(format!("{step} is not a step"), hint)
        })?),
    };
    if chat.state().await?.is_none() {
        chat.say("nothing was said yet");
        return Ok(());
    }
    let workspace = workspace(&chat.settings, |warning| chat.say(&warning))?;
    let undoes = Undoes::new(&workspace, None);
    let plan = chat.stored().undo_by(from, |call| undoes.of(call)).await?;
    told::stays(&plan).iter().for_each(|line| chat.say(line));
    let refused = told::refused(&plan);
    if !refused.is_empty() {
        refused.iter().for_each(|line| chat.say(line));
        chat.say("nothing was changed");
        return Ok(());
    }
    let undone = plan.run().await?;
    told::done(&undone).iter().for_each(|line| chat.say(line));
    told::stopped(&undone).iter().for_each(|line| chat.say(line));
    Ok(())
}
