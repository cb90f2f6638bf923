//! What a server offers.

use legwork_core::ToolSpec;
use legwork_port::BoxFuture;
use serde_json::{Map, Value};
use tokio::sync::broadcast;

use crate::client::Client;
use crate::content::{Content, Contents, Said};
use crate::question::{Ability, Answers, Questions};
use crate::task::Task;

/// What a server offers: tools, and perhaps resources, prompts and tasks.
///
/// The same service is asked by all clients at once. A call is dropped when its client cancels
/// it or is gone, so what must go on has to run elsewhere, as a [`Task`].
pub trait Service: Send + Sync {
    /// What it is, and what it has. It is asked often, and must not wait.
    fn about(&self) -> About;

    /// The tools, as they are now.
    ///
    /// # Errors
    /// When they cannot be listed.
    fn tools(&self) -> BoxFuture<'_, Result<Vec<ToolSpec>, Error>>;

    /// Calls a tool.
    ///
    /// What went wrong and the model of the client should know is a reply ([`Reply::failed`]).
    ///
    /// # Errors
    /// When there is no such tool, the arguments do not fit, or the client has to be asked.
    fn call<'a>(&'a self, call: Call, client: &'a Client)
    -> BoxFuture<'a, Result<Answered, Error>>;

    /// The resources, as they are now.
    ///
    /// # Errors
    /// When they cannot be listed.
    fn resources(&self) -> BoxFuture<'_, Result<Vec<Resource>, Error>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Templates of the URIs of further resources (RFC 6570).
    ///
    /// # Errors
    /// When they cannot be listed.
    fn templates(&self) -> BoxFuture<'_, Result<Vec<Resource>, Error>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// [`Error::NoResource`] if there is none of this URI.
    fn read<'a>(
        &'a self,
        uri: &'a str,
        client: &'a Client,
    ) -> BoxFuture<'a, Result<Vec<Contents>, Error>> {
        let _ = client;
        Box::pin(async move { Err(Error::NoResource(uri.to_owned())) })
    }

    /// The prompts, as they are now.
    ///
    /// # Errors
    /// When they cannot be listed.
    fn prompts(&self) -> BoxFuture<'_, Result<Vec<Prompt>, Error>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// The messages of a prompt.
    ///
    /// # Errors
    /// When there is no such prompt, the arguments do not fit, or the client has to be asked.
    fn prompt<'a>(
        &'a self,
        call: Call,
        client: &'a Client,
    ) -> BoxFuture<'a, Result<Vec<Said>, Error>> {
        let _ = client;
        Box::pin(async move { Err(Error::invalid(format!("there is no prompt {:?}", call.name))) })
    }

    /// Values that an argument may be completed to.
    ///
    /// # Errors
    /// When there is no such argument.
    fn complete<'a>(&'a self, argument: Argument<'a>) -> BoxFuture<'a, Result<Vec<String>, Error>> {
        let _ = argument;
        Box::pin(async { Ok(Vec::new()) })
    }

    /// What changes from now on; none if nothing ever does.
    ///
    /// Called anew for each client that subscribes, and to announce whether there are changes at
    /// all. A client that is too slow for the channel is told that all may have changed.
    fn changes(&self) -> Option<broadcast::Receiver<Change>> {
        None
    }

    /// How a task stands.
    ///
    /// # Errors
    /// When there is no such task.
    fn task<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Task, Error>> {
        Box::pin(async move { Err(Error::no_task(id)) })
    }

    /// Takes answers to what a task asks; those to questions that it no longer asks are ignored.
    ///
    /// # Errors
    /// When there is no such task.
    fn answer_task<'a>(
        &'a self,
        id: &'a str,
        answers: Answers,
    ) -> BoxFuture<'a, Result<(), Error>> {
        let _ = answers;
        Box::pin(async move { Err(Error::no_task(id)) })
    }

    /// Cancels a task; one that is over stays as it is.
    ///
    /// # Errors
    /// When there is no such task.
    fn cancel_task<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async move { Err(Error::no_task(id)) })
    }
}

/// What a service is, and what it has besides tools.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct About {
    /// Its name, for programs.
    pub name: String,
    /// Its version.
    pub version: String,
    /// How it is used, for the model of a client; none if its tools say all.
    pub instructions: Option<String>,
    /// Whether it has resources.
    pub resources: bool,
    /// Whether it has prompts.
    pub prompts: bool,
    /// Whether it completes arguments.
    pub completes: bool,
    /// Whether its calls may log.
    pub logs: bool,
    /// Whether calls may become tasks.
    pub tasks: bool,
}

impl About {
    /// A service that has tools only.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { name: name.into(), version: version.into(), ..Self::default() }
    }
}

/// A call of a tool, or a request of a prompt.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Call {
    /// The name of the tool or the prompt.
    pub name: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
}

impl Call {
    pub(crate) fn new(name: String, arguments: Option<Map<String, Value>>) -> Self {
        Self { name, arguments: arguments.unwrap_or_default() }
    }

    /// A text that the arguments hold; none if they do not.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.arguments.get(name)?.as_str()
    }

    /// A text that the arguments must hold.
    ///
    /// # Errors
    /// When they do not.
    pub fn required(&self, name: &str) -> Result<&str, Error> {
        let missing = || Error::invalid(format!("{}: the argument {name:?} is missing", self.name));
        self.text(name).filter(|text| !text.trim().is_empty()).ok_or_else(missing)
    }
}

/// What a call came to.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Answered {
    /// It is done.
    Done(Reply),
    /// It goes on as this task.
    Task(Task),
}

impl From<Reply> for Answered {
    fn from(reply: Reply) -> Self {
        Self::Done(reply)
    }
}

/// The result of a call that is done.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Reply {
    /// What the model of the client reads.
    pub content: Vec<Content>,
    /// The same for programs; none if there is only the content.
    pub value: Option<Value>,
    /// Whether the call failed.
    pub is_error: bool,
}

impl Reply {
    /// A result with this content.
    pub fn of(content: impl IntoIterator<Item = Content>) -> Self {
        Self { content: content.into_iter().collect(), ..Self::default() }
    }

    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::of([Content::text(text)])
    }

    /// A failure, in words for the model of the client.
    pub fn failed(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(text) }
    }

    /// The same with a value for programs.
    #[must_use]
    pub fn with_value(self, value: Value) -> Self {
        Self { value: Some(value), ..self }
    }
}

/// A resource, or a template of some.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Resource {
    /// Its URI, or the template.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// What it is; none if its name says that.
    pub description: Option<String>,
    /// Its media type; none if it is not known.
    pub media_type: Option<String>,
}

impl Resource {
    /// A resource.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self { uri: uri.into(), name: name.into(), ..Self::default() }
    }

    /// The same with its media type.
    #[must_use]
    pub fn media_type(self, media_type: impl Into<String>) -> Self {
        Self { media_type: Some(media_type.into()), ..self }
    }

    /// The same with what it is.
    #[must_use]
    pub fn description(self, description: impl Into<String>) -> Self {
        Self { description: Some(description.into()), ..self }
    }
}

/// A prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Prompt {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Its arguments: name, and what it is.
    pub arguments: Vec<(String, String)>,
}

impl Prompt {
    /// A prompt without arguments.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self { name: name.into(), description: description.into(), ..Self::default() }
    }

    /// The same with an argument, which is required.
    #[must_use]
    pub fn argument(mut self, name: impl Into<String>, description: impl Into<String>) -> Self {
        self.arguments.push((name.into(), description.into()));
        self
    }
}

/// An argument that is to be completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Argument<'a> {
    /// The name of the prompt, or the template of the resource, whose argument it is.
    pub of: &'a str,
    /// The name of the argument.
    pub name: &'a str,
    /// What was written of its value.
    pub so_far: &'a str,
}

impl<'a> Argument<'a> {
    pub(crate) fn new(of: &'a str, name: &'a str, so_far: &'a str) -> Self {
        Self { of, name, so_far }
    }
}

/// Something that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
    /// The resource of this URI.
    Resource(String),
}

/// Why a request has no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The request cannot be answered as it is.
    #[error("{0}")]
    Invalid(String),
    /// There is no resource of this URI.
    #[error("there is no resource {0}")]
    NoResource(String),
    /// The client cannot do what the request needs.
    #[error("the client lacks a capability: {0}")]
    Lacks(Ability),
    /// The client has to answer questions first, and to send the request again; made by
    /// [`Client::ask`].
    #[error("the client has to answer questions first")]
    Asks(Box<Asks>),
    /// Something of the server failed.
    #[error("{0}")]
    Internal(String),
}

/// Questions, and what the service has to know again when they are answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Asks {
    pub(crate) questions: Questions,
    pub(crate) state: Option<Value>,
}

impl Error {
    /// The request cannot be answered as it is, for a reason in words.
    pub fn invalid(why: impl Into<String>) -> Self {
        Self::Invalid(why.into())
    }

    pub(crate) fn no_task(id: &str) -> Self {
        Self::Invalid(format!("there is no task {id:?}"))
    }
}
