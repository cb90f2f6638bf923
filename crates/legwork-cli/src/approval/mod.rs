//! Asking the person at the terminal about calls that wait.

mod editor;
mod filled;
mod lines;
mod shown;
mod unasked;

use std::io;
use std::sync::Arc;

use legwork::agent::form::Form;
use legwork::capability::ask_user;
use legwork::core::approval::Remember;
use legwork::core::inbox::{Answer, Verdict};
use legwork::core::state::{Pending, PendingReason};
use legwork::core::{AgentState, Digest, ExecutionStatus};
use legwork::port::{Approver, BoxFuture};
use legwork::tools::Workspace;
use serde_json::Value;
use tokio::sync::Mutex;

use self::lines::Lines;
pub(crate) use self::shown::{about, always};
pub(crate) use self::unasked::Unasked;
use self::unasked::words_for;
use crate::args::AskFor;
use crate::display::{Question, Screen};
use crate::notify::Notify;
use crate::settings::variable;

/// How often an answer that cannot be understood is asked for again.
const TRIES: usize = 5;
/// What the model reads of a call that was denied without words.
const DENIED: &str = "The user said no.";

/// Asks the person at the terminal, or answers for a person who is not to be asked.
pub(crate) struct Person {
    screen: Arc<Screen>,
    workspace: Workspace,
    when: AskFor,
    /// What confines commands, for the question.
    walls: String,
    /// What is told when a question is asked.
    notify: Option<Notify>,
    asked: Mutex<Asked>,
}

/// What the person is asked.
struct Asked {
    lines: Lines,
    /// The call that was asked about last; its question may still stand.
    last: Option<Digest>,
}

/// What a line says.
#[derive(Debug, PartialEq, Eq)]
enum Said {
    Yes,
    /// No, with words for the model.
    No(String),
    Edit,
    /// Yes, and do not ask again about calls like this one.
    Always,
    /// Yes, and do not ask again about the tool.
    Tool,
    /// Run it again.
    Again,
    /// Tell the model that it was cut off.
    Tell,
    /// Leave it for later.
    Later,
    Unclear,
}

/// What a call that waits asks the person at the terminal.
enum Asks {
    /// A question of the agent.
    Question(ask_user::Question),
    /// Input that its body asked for.
    Input(Form),
    /// Whether it is to run.
    Decision,
}

impl Asks {
    /// What a call asks; none if it waits for something else.
    fn of(pending: &Pending) -> Option<Self> {
        if let Some(question) = ask_user::Question::of(pending) {
            return Some(Self::Question(question));
        }
        match pending.reason {
            PendingReason::Approval | PendingReason::Doubt => Some(Self::Decision),
            _ => Form::of(pending).map(Self::Input),
        }
    }
}

impl Person {
    pub(crate) fn new(
        screen: &Arc<Screen>,
        workspace: Workspace,
        when: AskFor,
        walls: String,
    ) -> Self {
        let asked = Asked { lines: Lines::of(screen.keyboard()), last: None };
        let (screen, asked) = (Arc::clone(screen), Mutex::new(asked));
        Self { screen, workspace, when, walls, notify: None, asked }
    }

    /// The same, with a program that is told when a question is asked.
    pub(crate) fn notified(self, notify: Option<Notify>) -> Self {
        Self { notify, ..self }
    }

    fn notify(&self, pending: &Pending, state: &AgentState) {
        let status = match pending.reason {
            PendingReason::Approval => ExecutionStatus::AwaitingApproval,
            _ => ExecutionStatus::AwaitingInput,
        };
        let told = self.notify.as_ref().map(|notify| notify.tell(state, status.as_str()));
        if let Some(Err(why)) = told {
            self.screen.warn(&why);
        }
    }

    async fn ask(&self, pending: &Pending, asks: &Asks, state: &AgentState) -> Option<Answer> {
        let mut asked = self.asked.lock().await;
        let answer = match asks {
            Asks::Question(question) => {
                self.ask_question(&mut asked, pending, question, state).await
            }
            Asks::Input(form) => self.fill(&mut asked, pending, form, state).await,
            Asks::Decision => self.answer_of(&mut asked, pending, state).await,
        };
        asked.lines.done();
        answer
    }

    /// Shows a question, unless it stands already.
    fn show(
        &self,
        asked: &mut Asked,
        question: &Question,
        pending: &Pending,
        state: &AgentState,
    ) -> io::Result<()> {
        if asked.last.as_ref() == Some(&pending.digest) && self.screen.asks() {
            return Ok(());
        }
        asked.lines.discard();
        self.screen.question(question)?;
        asked.last = Some(pending.digest.clone());
        self.notify(pending, state);
        Ok(())
    }

    /// The arguments as the person's editor left them.
    async fn edited(&self, arguments: &str) -> Result<Option<Value>, String> {
        self.screen.lends();
        let edited = editor::edited(arguments).await;
        self.screen.takes();
        edited
    }

    async fn answer_of(
        &self,
        asked: &mut Asked,
        pending: &Pending,
        state: &AgentState,
    ) -> Option<Answer> {
        let always = shown::always(pending);
        let question = shown::question(pending, state, &self.workspace, &self.walls);
        self.show(asked, &question, pending, state).ok()?;
        for _ in 0..TRIES {
            let line = asked.lines.next().await?;
            self.screen.answered();
            let said = said(&line, &pending.reason);
            let answer = match said {
                Said::Yes => Answer::approve(pending),
                Said::No(words) => Answer::deny(pending, words),
                Said::Always if let Some(always) = always.clone().filter(|_| pending.of_policy) => {
                    Answer::approve_and_remember(pending, always)
                }
                Said::Tool if pending.of_policy => {
                    Answer::approve_and_remember(pending, Remember::Tool)
                }
                Said::Again => Answer::new(&pending.id, Verdict::RunAgain),
                Said::Tell => Answer::new(&pending.id, Verdict::Tell),
                Said::Later => return None,
                Said::Edit => match self.edited(&pending.arguments).await {
                    Ok(Some(arguments)) => Answer::approve_with(pending, &arguments),
                    // Who only looked has agreed to nothing.
                    looked => {
                        let why = looked.err().unwrap_or_else(|| "nothing was changed".to_owned());
                        self.screen.warn(&why);
                        self.screen.question(&question.again()).ok()?;
                        continue;
                    }
                },
                Said::Unclear | Said::Always | Said::Tool => {
                    self.screen.question(&question.again()).ok()?;
                    continue;
                }
            };
            return Some(answer);
        }
        None
    }

    /// The person's answer to a question of the agent.
    async fn ask_question(
        &self,
        asked: &mut Asked,
        pending: &Pending,
        question: &ask_user::Question,
        state: &AgentState,
    ) -> Option<Answer> {
        let shown = shown::asked(question, state);
        self.show(asked, &shown, pending, state).ok()?;
        for _ in 0..TRIES {
            let line = asked.lines.next().await?;
            self.screen.answered();
            match question.answer(pending, &line) {
                Ok(answer) => return Some(answer),
                Err(ask_user::Refused::Empty) => return None,
                Err(refused) => {
                    let lines = vec![refused.to_string()];
                    self.screen.question(&Question { lines, ..shown.clone() }).ok()?;
                }
            }
        }
        None
    }
}

impl Approver for Person {
    fn answer<'a>(
        &'a self,
        pending: &'a Pending,
        state: &'a AgentState,
    ) -> BoxFuture<'a, Option<Answer>> {
        Box::pin(async move {
            if self.when == AskFor::Never
                && let Some(words) = words_for(pending)
            {
                return Some(Answer::deny(pending, words).by("--approve never"));
            }
            let asks = Asks::of(pending).filter(|_| self.screen.can_ask())?;
            let answer = self.ask(pending, &asks, state).await?;
            Some(match variable("USER") {
                Some(user) => answer.by(user),
                None => answer,
            })
        })
    }
}

/// What a line says of a call that waits for this reason.
fn said(line: &str, reason: &PendingReason) -> Said {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let word = word.trim_end_matches([':', ',']).to_lowercase();
    if *reason == PendingReason::Doubt {
        return match word.as_str() {
            "r" | "run" => Said::Again,
            "t" | "tell" => Said::Tell,
            "" | "l" | "later" => Said::Later,
            _ => Said::Unclear,
        };
    }
    match (word.as_str(), rest.trim()) {
        ("y" | "yes", "") => Said::Yes,
        ("n" | "no", "") => Said::No(DENIED.to_owned()),
        ("n" | "no", words) => Said::No(format!("The user said no: {words}")),
        ("e" | "edit", "") => Said::Edit,
        ("a" | "always", "") => Said::Always,
        ("t" | "tool", "") => Said::Tool,
        ("" | "l" | "later", "") => Said::Later,
        _ => Said::Unclear,
    }
}

#[cfg(test)]
mod tests;
