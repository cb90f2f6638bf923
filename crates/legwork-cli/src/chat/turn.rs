//! A turn of a chat: an execution, steered and interrupted from the line below it.

use legwork::agent;
use legwork::agent::Control;
use legwork::agent::request::RunRequest;
use legwork::core::state::Refusal;
use legwork::core::{ExecutionStatus, Message};
use tokio::sync::mpsc::UnboundedReceiver;

use super::{Chat, Then, mention, slash};
use crate::error::Error;
use crate::keyboard::Typed;
use crate::work::work;

/// What came of what was typed while the agent worked.
#[derive(Debug, Default)]
struct Meanwhile {
    steered: bool,
    leaves: bool,
}

/// What came of one line of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heard {
    Nothing,
    Steered,
    Leaves,
}

impl Chat<'_> {
    /// Gives the agent a task, and shows how it works on it.
    pub(super) async fn task(
        &mut self,
        words: &str,
        typed: &mut UnboundedReceiver<Typed>,
    ) -> Result<Then, Error> {
        let message = self.message(words)?;
        let request = self.ready.agent.session(self.session.clone()).run(message);
        self.turn(request, typed).await
    }

    /// What is said with the files that it names; tells which these are.
    fn message(&self, words: &str) -> Result<Message, Error> {
        let told = mention::message(words, &self.settings)?;
        if !told.added.is_empty() {
            self.say(&format!("added: {}", told.added.join(", ")));
        }
        told.left_out.iter().for_each(|why| self.screen.warn(why));
        Ok(told.message)
    }

    /// Goes on where the session stands.
    pub(super) async fn go_on(
        &mut self,
        typed: &mut UnboundedReceiver<Typed>,
    ) -> Result<Then, Error> {
        let request = self.ready.agent.resume(self.session.clone());
        self.turn(request, typed).await
    }

    async fn turn(
        &mut self,
        request: RunRequest,
        typed: &mut UnboundedReceiver<Typed>,
    ) -> Result<Then, Error> {
        let mut request = Some(request);
        loop {
            let Some(next) = request.take() else { return Ok(Then::Stays) };
            let meanwhile = self.run(next, typed).await?;
            if meanwhile.leaves {
                return Ok(Then::Leaves);
            }
            // What was said after the last inference is what is to be done next.
            if meanwhile.steered && self.is_heard_later().await? {
                request = Some(self.ready.agent.resume(self.session.clone()));
            }
        }
    }

    async fn run(
        &mut self,
        request: RunRequest,
        typed: &mut UnboundedReceiver<Typed>,
    ) -> Result<Meanwhile, Error> {
        self.ready.begins(&self.screen);
        self.working.set(true);
        let control = Control::default();
        let worked = self.beside(request, &control, typed).await;
        self.working.set(false);
        self.screen.withdraws();
        self.pane.doing("");
        worked
    }

    /// Works, and takes up what is typed meanwhile.
    async fn beside(
        &self,
        request: RunRequest,
        control: &Control,
        typed: &mut UnboundedReceiver<Typed>,
    ) -> Result<Meanwhile, Error> {
        let mut meanwhile = Meanwhile::default();
        let work = work(request, &self.ready, control, &self.screen);
        tokio::pin!(work);
        self.keyboard.read();
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done.map(|_| meanwhile),
                () = self.leaves.interrupt.cancelled(), if !meanwhile.leaves => {
                    meanwhile.leaves = true;
                    control.interrupt.cancel();
                }
                next = typed.recv(), if !meanwhile.leaves => {
                    self.heard(next, control, &mut meanwhile).await;
                    // Who leaves types nothing more, and what is left to be said is written last.
                    if !meanwhile.leaves {
                        self.keyboard.read();
                    }
                }
            }
        }
    }

    /// Does what was typed while the agent works.
    async fn heard(&self, typed: Option<Typed>, control: &Control, meanwhile: &mut Meanwhile) {
        match typed {
            None | Some(Typed::End) => {
                meanwhile.leaves = true;
                control.interrupt.cancel();
            }
            Some(Typed::Interrupt | Typed::Discard) => {
                self.pane.interrupted();
                self.pane.doing("interrupting");
                control.interrupt.cancel();
            }
            Some(Typed::Line(line)) => match self.steer(&line).await {
                Ok(Heard::Nothing) => {}
                Ok(Heard::Steered) => meanwhile.steered = true,
                Ok(Heard::Leaves) => {
                    meanwhile.leaves = true;
                    control.interrupt.cancel();
                }
                Err(error) => self.screen.failed(&error),
            },
        }
        if !meanwhile.leaves && self.keyboard.asks() {
            self.screen.asks_still();
        }
    }

    /// Does a command, or tells the agent at work.
    async fn steer(&self, line: &str) -> Result<Heard, Error> {
        if line.trim().is_empty() {
            return Ok(Heard::Nothing);
        }
        let words = match slash::of(&line.replace("\\\n", "\n"), &self.commands)? {
            slash::Said::Words(words) => words,
            slash::Said::Command(command, rest) => {
                return Ok(match command.look(self, &rest).await? {
                    Then::Stays => Heard::Nothing,
                    Then::Leaves => Heard::Leaves,
                });
            }
        };
        let message = self.message(&words)?;
        self.stored().steer(message).await?;
        self.say("the agent is told before its next step");
        Ok(Heard::Steered)
    }

    /// Whether something was said that no inference has read: the agent had ended before.
    async fn is_heard_later(&self) -> Result<bool, Error> {
        let Some(state) = self.state().await? else { return Ok(false) };
        let ended = state.status() == Some(&ExecutionStatus::Completed);
        Ok(ended && state.decide_reopen(&[]).is_ok())
    }
}

/// Whether there is nothing to go on with.
pub(super) fn is_over(error: &Error) -> bool {
    let Error::Legwork(legwork::Error::Agent(agent::Error::Refused(refusal))) = error else {
        return false;
    };
    matches!(refusal, Refusal::NothingToDo { .. })
}
