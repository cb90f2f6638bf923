//! A run asked for, and what came of it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use legwork_core::{AgentState, Message, OnDoubt, SessionId};
use legwork_port::{BoxFuture, Observer};

pub use legwork_runtime::Run;
use legwork_runtime::open::{Active, Opening, Setup, Target, Task};
use legwork_runtime::{Ancestry, Control, Error, Timers, WaitPolicy};

use crate::agent::Agent;
use crate::agent::stream::RunStream;

/// A run asked for: a future that is awaited, spawned or joined with others. Or take its
/// events with [`RunRequest::stream`], or its steps with [`RunRequest::open`].
///
/// As a future it gives a run that completed. One that failed, met a limit, was cancelled or
/// waits for an answer is [`Error::Unfinished`], which says why and how to go on, and holds
/// the run; [`RunRequest::outcome`] gives that run as a value.
///
/// Nothing happens before it is first polled. Dropping it leaves the session resumable.
///
/// ```
/// # use legwork_agent::{Agent, Error};
/// # use legwork_testkit::{ScriptedModel, Turn};
/// use futures_util::future::join_all;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Error> {
/// # let model = ScriptedModel::new(vec![Turn::text("done"); 4]);
/// let agent = Agent::builder(model).build()?;
/// let task = tokio::spawn(agent.run("Sort the mail."));
/// let runs = join_all(["one", "two", "three"].map(|task| agent.run(task))).await;
/// for run in runs {
///     assert_eq!(run?.text(), "done");
/// }
/// assert_eq!(task.await.expect("it does not panic")?.text(), "done");
/// # Ok(())
/// # }
/// ```
#[must_use = "a run does nothing until it is polled"]
pub struct RunRequest(Phase);

/// How far a run that was asked for has come.
enum Phase {
    Asked(Box<Asked>),
    /// It was polled.
    Running(BoxFuture<'static, Result<Run, Error>>),
}

/// What is asked for, and of whom.
struct Asked {
    agent: Agent,
    opening: Opening,
    /// The session and the other one, where it was asked for in two.
    other: Option<(SessionId, SessionId)>,
}

impl Asked {
    /// What the execution is opened with.
    fn checked(self) -> Result<(Setup, Opening), Error> {
        if let Some((session, other)) = self.other {
            return Err(Error::OtherSession { session, other });
        }
        let keeps = self.agent.services().sessions.keeps || self.opening.ancestry.is_some();
        if let Target::Session(session) = &self.opening.target
            && !keeps
        {
            // It would begin anew each time, and what was said before would be lost unnoticed.
            return Err(Error::NoStore(session.clone()));
        }
        Ok((self.agent.0.setup.clone(), self.opening))
    }
}

impl RunRequest {
    pub(crate) fn start(agent: Agent, input: Vec<Message>) -> Self {
        Self::new(agent, Task::Start(input), None)
    }

    pub(crate) fn resume(agent: Agent, session: SessionId) -> Self {
        Self::new(agent, Task::Resume, Some(session))
    }

    pub(crate) fn new(agent: Agent, task: Task, session: Option<SessionId>) -> Self {
        let waits = WaitPolicy::default().on_doubt(agent.0.parts.builder.on_doubt);
        let control = Control::default();
        let (observers, ancestry) = (Vec::new(), None);
        let target = session.map_or(Target::New, Target::Session);
        let opening = Opening { task, target, observers, control, waits, ancestry };
        Self(Phase::Asked(Box::new(Asked { agent, opening, other: None })))
    }

    /// The same with a change. One that was polled already cannot be changed any more: it is
    /// left, and gives an error.
    fn with(mut self, change: impl FnOnce(&mut Asked)) -> Self {
        match &mut self.0 {
            Phase::Asked(asked) => change(asked),
            Phase::Running(run) => *run = Box::pin(std::future::ready(Err(Error::Begun))),
        }
        self
    }

    /// Whether it was polled as a future.
    pub(crate) fn is_polled(&self) -> bool {
        matches!(self.0, Phase::Running(_))
    }

    /// At a place in a tree of agents, in place of the root: what it uses is held and charged
    /// in the accounts above.
    pub fn below(self, ancestry: Ancestry) -> Self {
        self.with(|asked| asked.opening.ancestry = Some(ancestry))
    }

    /// In this session, new or not, instead of a new one with a random name. An execution that
    /// was left in progress there, such as by a process that was killed, ends as cancelled;
    /// [`RunRequest::or_resume`] goes on with it instead. With a state of
    /// another session ([`RunRequest::on_state`]) the run is [`Error::OtherSession`]; without a
    /// store and without a state it is [`Error::NoStore`].
    pub fn in_session(self, session: impl Into<SessionId>) -> Self {
        let session = session.into();
        self.with(|asked| match &asked.opening.target {
            Target::State(state) if *state.session() != session => {
                asked.other = Some((session, state.session().clone()));
            }
            Target::State(_) => {}
            _ => asked.opening.target = Target::Session(session),
        })
    }

    /// Goes on with what the session has: the task is given only to one without executions.
    ///
    /// So a job that is named by its session may be asked for any number of times, such as by a
    /// queue that delivers it again after a crash: an execution that is in progress goes on, and
    /// one that ended is given as it ended, unless it can be resumed.
    ///
    /// ```
    /// # use legwork_agent::{Agent, Error};
    /// # use legwork_agent::memory::MemoryStore;
    /// # use legwork_testkit::{ScriptedModel, Turn};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Error> {
    /// # let model = ScriptedModel::new([Turn::text("sorted")]);
    /// # let store = std::sync::Arc::new(MemoryStore::new());
    /// # let agent = Agent::builder(model).store_in(store).build()?;
    /// for _delivery in 0..2 {
    ///     let run = agent.run("Sort the mail.").in_session("job-17").or_resume().await?;
    ///     assert_eq!(run.text(), "sorted");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn or_resume(self) -> Self {
        self.with(|asked| {
            let task = std::mem::replace(&mut asked.opening.task, Task::Resume);
            asked.opening.task = match task {
                Task::Start(input) => Task::StartOrResume(input),
                task => task,
            };
        })
    }

    /// On this state instead of what the store has. So a program without a store goes on with
    /// a conversation: with the state of the run before ([`Run::into_state`]).
    pub fn on_state(self, state: AgentState) -> Self {
        self.with(|asked| match &asked.opening.target {
            Target::Session(session) if session != state.session() => {
                asked.other = Some((session.clone(), state.session().clone()));
            }
            _ => asked.opening.target = Target::State(state),
        })
    }

    /// Watched by an observer, too: beside those of the agent, and those given before.
    pub fn observer(self, observer: impl Observer + 'static) -> Self {
        self.with(|asked| asked.opening.observers.push(Arc::new(observer)))
    }

    /// Under a control that somebody else holds too.
    pub fn control(self, control: Control) -> Self {
        self.with(|asked| asked.opening.control = control)
    }

    /// With this answer to calls in doubt, whatever their tools say.
    pub fn on_doubt(self, on_doubt: OnDoubt) -> Self {
        self.with(|asked| asked.opening.waits.on_doubt = Some(on_doubt))
    }

    /// With this choice while all calls that wait do so for a time.
    pub fn timers(self, timers: Timers) -> Self {
        self.with(|asked| asked.opening.waits.timers = timers)
    }

    /// Whatever comes of the run, to match on [`Run::end`]: one that failed, met a limit, was
    /// cancelled or waits for an answer is no error here.
    ///
    /// ```
    /// # use legwork_agent::{Agent, Error, continuation::End};
    /// # use legwork_core::Budget;
    /// # use legwork_testkit::{ScriptedModel, Turn};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Error> {
    /// # let model = ScriptedModel::new([Turn::text("done")]);
    /// # let agent = Agent::builder(model).budget(Budget::unlimited().steps(0)).build()?;
    /// let run = agent.run("Sort the mail.").outcome().await?;
    /// match run.end() {
    ///     End::Completed => println!("{}", run.text()),
    ///     End::Waiting(calls) => println!("{} calls wait for an answer", calls.len()),
    ///     other => println!("{other}; to go on, {}", run.next_action()),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the run could not begin, or what happened could not be journaled.
    pub async fn outcome(self) -> Result<Run, Error> {
        whatever(self.await)
    }

    /// Gives the events of the run as they come, and its result last. Of a run that was
    /// polled before, only the result.
    pub fn stream(self) -> RunStream {
        RunStream::new(self)
    }

    /// Takes the claim and loads the session; then steps can be made one at a time.
    ///
    /// # Errors
    /// When the session is in use, its store unusable, or it says no to the task, and when
    /// the run was polled already.
    pub async fn open(self) -> Result<Active, Error> {
        match self.0 {
            Phase::Asked(asked) => {
                let (setup, opening) = asked.checked()?;
                Active::open(setup, opening).await
            }
            Phase::Running(_) => Err(Error::Begun),
        }
    }
}

impl Future for RunRequest {
    type Output = Result<Run, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if let Phase::Running(run) = &mut self.0 {
            return run.as_mut().poll(cx);
        }
        let begun = Phase::Running(Box::pin(std::future::pending()));
        if let Phase::Asked(asked) = std::mem::replace(&mut self.0, begun) {
            self.0 = Phase::Running(Box::pin(async move {
                let (setup, opening) = asked.checked()?;
                let services = Arc::clone(&setup.services);
                let active = Active::open(setup, opening).await?;
                services.completed(active.run_to_end().await?)
            }));
        }
        self.poll(cx)
    }
}

/// What came of a run, completed or not.
pub(crate) fn whatever(result: Result<Run, Error>) -> Result<Run, Error> {
    match result {
        Err(Error::Unfinished(unfinished)) => Ok(unfinished.into_run()),
        result => result,
    }
}
