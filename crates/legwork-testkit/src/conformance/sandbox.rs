//! What every sandbox must keep, as far as its words go.
//!
//! What commands can do inside of one is another suite, which starts them:
//! `legwork_tools::sandbox::probe`.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use legwork_port::Sandbox;
use legwork_port::sandbox::Confined;

use super::{Outcome, Violations, ensure, run};

/// How many commands are confined at once.
const AT_ONCE: usize = 8;

/// Checks the promises of the port on sandboxes that `make` makes, all of which work here, with
/// an empty directory as the workspace.
///
/// # Errors
/// The promises that were not kept.
pub async fn check<S: Sandbox + 'static>(
    make: impl AsyncFn() -> S,
    workspace: &Path,
) -> Result<(), Violations> {
    run!(Subject { sandbox: Arc::new(make().await), workspace } =>
        promises::it_has_a_name_and_rules,
        promises::the_command_is_kept_word_for_word,
        promises::commands_are_confined_at_once,
        promises::what_it_does_not_hold_stays_the_same,
        promises::notes_are_given_once,
        promises::a_command_that_never_starts_leaves_nothing_to_wait_for,
        promises::a_refusal_says_why,
    )
}

struct Subject<'a> {
    sandbox: Arc<dyn Sandbox>,
    workspace: &'a Path,
}

impl Subject<'_> {
    /// Confines a command with a word that is that word alone; off the runtime's threads, as
    /// the tools do.
    async fn confine(&self, word: &str) -> Result<Confined, String> {
        let sandbox = Arc::clone(&self.sandbox);
        let (workspace, command) = (self.workspace.to_owned(), command(word));
        let confined = tokio::task::spawn_blocking(move || sandbox.confine(&workspace, command));
        let confined = confined.await.map_err(|error| error.to_string())?;
        confined.map_err(|error| format!("it refuses: {error}"))
    }
}

fn command(word: &str) -> Vec<OsString> {
    ["/bin/echo", "two words", word].map(OsString::from).into()
}

/// Whether a line ends with the command, or has it as one word.
fn has(line: &[OsString], command: &[OsString]) -> bool {
    line.ends_with(command)
        || line.iter().any(|word| {
            let word = word.to_string_lossy();
            command.iter().all(|part| word.contains(&*part.to_string_lossy()))
        })
}

mod promises {
    use super::*;

    pub(super) async fn it_has_a_name_and_rules(subject: &Subject<'_>) -> Outcome {
        let (name, rules) = (subject.sandbox.name(), subject.sandbox.rules());
        ensure!(!name.trim().is_empty(), "its name is empty");
        ensure!(!rules.trim().is_empty(), "the rules for the model are empty");
        ensure!(
            subject.sandbox.rules() == rules,
            "the rules for the model change from call to call"
        );
        Ok(())
    }

    pub(super) async fn the_command_is_kept_word_for_word(subject: &Subject<'_>) -> Outcome {
        let word = "$HOME `id` \"quoted\" 'single' \\ * \n;";
        let confined = subject.confine(word).await?;
        let line = &confined.command;
        ensure!(has(line, &command(word)), "{line:?} has not {:?}", command(word));
        Ok(())
    }

    pub(super) async fn commands_are_confined_at_once(subject: &Subject<'_>) -> Outcome {
        let words: Vec<_> = (0..AT_ONCE).map(|number| format!("number {number}")).collect();
        let confined = words.iter().map(|word| subject.confine(word));
        for (confined, word) in futures_util::future::join_all(confined).await.iter().zip(&words) {
            let line = &confined.as_ref().map_err(Clone::clone)?.command;
            ensure!(has(line, &command(word)), "{line:?} is not the line of {word:?}");
        }
        Ok(())
    }

    pub(super) async fn what_it_does_not_hold_stays_the_same(subject: &Subject<'_>) -> Outcome {
        subject.confine("a").await?;
        let first = subject.sandbox.gaps();
        subject.confine("b").await?;
        let then = subject.sandbox.gaps();
        ensure!(first == then, "it named {first:?} after a command, {then:?} after another");
        ensure!(first.iter().all(|gap| !gap.trim().is_empty()), "a gap has no words: {first:?}");
        Ok(())
    }

    pub(super) async fn notes_are_given_once(subject: &Subject<'_>) -> Outcome {
        drop(subject.confine("a").await?);
        subject.sandbox.notes();
        let again = subject.sandbox.notes();
        ensure!(again.is_empty(), "notes are given twice: {again:?}");
        Ok(())
    }

    pub(super) async fn a_command_that_never_starts_leaves_nothing_to_wait_for(
        subject: &Subject<'_>,
    ) -> Outcome {
        let confined = subject.confine("a").await?;
        let dropped = tokio::task::spawn_blocking(move || drop(confined)).await;
        dropped.map_err(|error| format!("it panics when it is cleaned up: {error}"))?;
        subject.confine("b").await.map(drop)
    }

    pub(super) async fn a_refusal_says_why(subject: &Subject<'_>) -> Outcome {
        let missing = subject.workspace.join("is not there");
        let sandbox = Arc::clone(&subject.sandbox);
        let tried = tokio::task::spawn_blocking(move || sandbox.confine(&missing, command("a")));
        match tried.await.map_err(|error| format!("it panics without a workspace: {error}"))? {
            Ok(_) => Ok(()),
            Err(error) => {
                ensure!(!error.to_string().trim().is_empty(), "the refusal says nothing");
                Ok(())
            }
        }
    }
}
