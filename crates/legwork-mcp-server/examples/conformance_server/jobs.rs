//! The tools whose calls become tasks, which the extension for tasks is tested with.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use legwork_core::{Timestamp, ToolSpec};
use legwork_mcp_server::Error;
use legwork_mcp_server::client::Client;
use legwork_mcp_server::question::{Ability, Answers, Question, Questions, accepted};
use legwork_mcp_server::service::{Answered, Call, Reply};
use legwork_mcp_server::task::{Status, Task};
use serde_json::json;
use uuid::Uuid;

use crate::asking::text_form;

/// A tool: its name, what it does, and its only argument with the type of it.
type Offered = (&'static str, &'static str, Option<(&'static str, &'static str)>);

const TOOLS: &[Offered] = &[
    ("greet", "Greets, and is never a task", Some(("name", "string"))),
    ("slow_compute", "Takes some seconds", Some(("seconds", "number"))),
    ("failing_job", "Fails after a second", None),
    ("protocol_error_job", "Fails without a result", None),
    ("confirm_delete", "Asks before it deletes a file", Some(("filename", "string"))),
    ("multi_input", "Asks two questions at once", None),
    ("test_tool_with_task", "Asks for a name, and then becomes a task", None),
];

/// The tools of this module.
pub(crate) fn specs() -> Vec<ToolSpec> {
    let spec = |(name, what, argument): &Offered| {
        let properties = match argument {
            Some((argument, kind)) => json!({*argument: {"type": kind}}),
            None => json!({}),
        };
        ToolSpec::new(*name, *what, json!({"type": "object", "properties": properties}))
    };
    TOOLS.iter().map(spec).collect()
}

/// Whether a tool is of this module.
pub(crate) fn is_one(tool: &str) -> bool {
    TOOLS.iter().any(|(name, ..)| *name == tool)
}

/// The tasks by their ids.
#[derive(Default)]
pub(crate) struct Jobs(Mutex<BTreeMap<String, Job>>);

/// A task, whose status follows from the time that has passed.
struct Job {
    created: Duration,
    updated: Duration,
    /// How long it takes from `created` on.
    takes: Duration,
    /// What it still asks.
    asks: Questions,
    end: Status,
}

impl Jobs {
    pub(crate) async fn call(&self, call: &Call, client: &Client) -> Result<Answered, Error> {
        match call.name.as_str() {
            "greet" => Ok(Reply::text(format!("Hello, {}!", call.required("name")?)).into()),
            "slow_compute" if !client.can(Ability::Tasks) => {
                tokio::time::sleep(seconds(call)?).await;
                Ok(computed().into())
            }
            // The others are nothing but tasks.
            _ if !client.can(Ability::Tasks) => Err(Error::Lacks(Ability::Tasks)),
            _ => {
                let (id, job) = (Uuid::new_v4().to_string(), job(call, client).await?);
                let task = job.task(&id);
                self.lock().insert(id, job);
                Ok(Answered::Task(task))
            }
        }
    }

    pub(crate) fn get(&self, id: &str) -> Result<Task, Error> {
        self.lock().get(id).map(|job| job.task(id)).ok_or_else(|| unknown(id))
    }

    pub(crate) fn answer(&self, id: &str, answers: &Answers) -> Result<(), Error> {
        let mut jobs = self.lock();
        let job = jobs.get_mut(id).ok_or_else(|| unknown(id))?;
        job.asks.retain(|key, _| !answers.contains_key(key));
        job.updated = now();
        Ok(())
    }

    pub(crate) fn cancel(&self, id: &str) -> Result<(), Error> {
        let mut jobs = self.lock();
        let job = jobs.get_mut(id).ok_or_else(|| unknown(id))?;
        if !job.is_over() {
            job.asks.clear();
            (job.takes, job.end, job.updated) = (Duration::ZERO, Status::Cancelled, now());
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Job>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Job {
    fn new(takes: Duration, end: Status) -> Self {
        let created = now();
        Self { created, updated: created, takes, asks: Questions::new(), end }
    }

    fn asking(questions: impl IntoIterator<Item = (String, Question)>) -> Self {
        let done = Self::new(Duration::ZERO, Status::Done(Reply::text("answered")));
        Self { asks: questions.into_iter().collect(), ..done }
    }

    fn is_over(&self) -> bool {
        self.asks.is_empty() && now() >= self.created + self.takes
    }

    fn task(&self, id: &str) -> Task {
        let status = match self.is_over() {
            true => self.end.clone(),
            false if self.asks.is_empty() => Status::Working("working".to_owned()),
            false => Status::Asks(self.asks.clone()),
        };
        Task::new(id, stamp(self.created), stamp(self.updated), status)
    }
}

/// The task that a call becomes.
async fn job(call: &Call, client: &Client) -> Result<Job, Error> {
    Ok(match call.name.as_str() {
        "slow_compute" => Job::new(seconds(call)?, Status::Done(computed())),
        "failing_job" => {
            Job::new(Duration::from_secs(1), Status::Done(Reply::failed("The job failed")))
        }
        "protocol_error_job" => {
            Job::new(Duration::from_millis(200), Status::Failed("The job broke".to_owned()))
        }
        "confirm_delete" => {
            let file = call.text("filename").unwrap_or("the file");
            Job::asking([("confirm".to_owned(), confirm(file))])
        }
        "multi_input" => Job::asking(
            ["first", "second"].map(|key| (key.to_owned(), text_form("A name?", "name"))),
        ),
        _ => Job::new(Duration::ZERO, Status::Done(greeting(client).await?)),
    })
}

/// How long a call of `slow_compute` takes.
fn seconds(call: &Call) -> Result<Duration, Error> {
    let seconds = call.arguments.get("seconds").and_then(|seconds| seconds.as_f64());
    let seconds = Duration::try_from_secs_f64(seconds.unwrap_or(1.0));
    seconds.map_err(|error| Error::invalid(error.to_string()))
}

fn computed() -> Reply {
    Reply::text("computed")
}

/// Greets the person, who is asked for the name before the call becomes a task.
async fn greeting(client: &Client) -> Result<Reply, Error> {
    let question = text_form("What is your name?", "name");
    let questions = Questions::from([("user_name".to_owned(), question)]);
    let answers = client.ask(questions, None).await?;
    let fields = answers.get("user_name").and_then(accepted);
    let name = fields.and_then(|fields| fields.get("name")).and_then(|name| name.as_str());
    Ok(Reply::text(format!("Hello, {}!", name.unwrap_or("nobody"))))
}

fn confirm(file: &str) -> Question {
    let schema = json!({
        "type": "object",
        "properties": {"confirm": {"type": "boolean"}},
        "required": ["confirm"],
    });
    Question::form(format!("Delete {file}?"), &schema)
}

fn unknown(id: &str) -> Error {
    Error::invalid(format!("there is no task {id:?}"))
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

fn stamp(at: Duration) -> Timestamp {
    Timestamp(u64::try_from(at.as_millis()).unwrap_or_default())
}
