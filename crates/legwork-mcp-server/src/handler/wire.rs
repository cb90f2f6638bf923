//! What a service has and says, in the types of the protocol.

use legwork_core::{EffectClass, Timestamp, ToolSpec};
use rmcp::model::{
    CacheScope, CallToolResult, CompletionInfo, ErrorCode, ErrorData, InputRequests, JsonObject,
    PromptArgument, PromptsCapability, ResourceTemplate, ResourcesCapability, ServerCapabilities,
    TaskStatus, ToolAnnotations, ToolsCapability,
};
use serde_json::{Value, json};

use crate::question::{Question, Questions};
use crate::service::{About, Error, Prompt, Reply, Resource, Service};
use crate::task::{Status, Task};

/// How often a client should ask for a task, in milliseconds.
const POLL: u64 = 1_000;
/// The most values of a completion.
const VALUES: usize = CompletionInfo::MAX_VALUES;

/// The caching hints of lists: nobody keeps them, as what a service has may change at any time.
pub(super) const NOT_KEPT: (Option<u64>, Option<CacheScope>) = (Some(0), Some(CacheScope::Private));

/// What a server announces that it has.
pub(super) fn capabilities(service: &dyn Service, about: &About) -> ServerCapabilities {
    let mut all = ServerCapabilities::default();
    // The one channel of changes is for all lists.
    let listed = service.changes().map(|_| true);
    let mut tools = ToolsCapability::default();
    tools.list_changed = listed;
    all.tools = Some(tools);
    if about.resources {
        let mut resources = ResourcesCapability::default();
        (resources.list_changed, resources.subscribe) = (listed, listed);
        all.resources = Some(resources);
    }
    if about.prompts {
        let mut prompts = PromptsCapability::default();
        prompts.list_changed = listed;
        all.prompts = Some(prompts);
    }
    all.completions = about.completes.then(JsonObject::new);
    all.logging = about.logs.then(JsonObject::new);
    if about.tasks {
        all.extensions = ServerCapabilities::builder().enable_tasks().build().extensions;
    }
    all
}

pub(super) fn tool(spec: &ToolSpec) -> rmcp::model::Tool {
    let schema = spec.parameters.as_object().cloned().unwrap_or_default();
    let tool = rmcp::model::Tool::new(spec.name.to_string(), spec.description.to_string(), schema);
    let hints = ToolAnnotations::new();
    tool.annotate(match spec.effect {
        EffectClass::ReadOnly => hints.read_only(true),
        EffectClass::Idempotent => hints.read_only(false).idempotent(true),
        EffectClass::Once(_) => hints.read_only(false),
    })
}

pub(super) fn resource(resource: Resource) -> rmcp::model::Resource {
    let Resource { uri, name, description, media_type } = resource;
    let mut made = rmcp::model::Resource::new(uri, name);
    (made.description, made.mime_type) = (description, media_type);
    made
}

pub(super) fn template(resource: Resource) -> ResourceTemplate {
    let Resource { uri, name, description, media_type } = resource;
    let mut made = ResourceTemplate::new(uri, name);
    (made.description, made.mime_type) = (description, media_type);
    made
}

pub(super) fn prompt(prompt: Prompt) -> rmcp::model::Prompt {
    let Prompt { name, description, arguments } = prompt;
    let argument = |(name, description): (String, String)| {
        PromptArgument::new(name).with_description(description).with_required(true)
    };
    let arguments: Vec<_> = arguments.into_iter().map(argument).collect();
    rmcp::model::Prompt::new(name, Some(description), Some(arguments))
}

pub(super) fn result(reply: Reply) -> CallToolResult {
    let content = reply.content.into_iter().map(|content| content.0).collect();
    let mut result = CallToolResult::success(content);
    (result.structured_content, result.is_error) = (reply.value, Some(reply.is_error));
    result
}

pub(super) fn object(value: &impl serde::Serialize) -> Result<JsonObject, ErrorData> {
    match serde_json::to_value(value) {
        Ok(Value::Object(fields)) => Ok(fields),
        _ => Err(internal("a value that is no object")),
    }
}

pub(super) fn described(task: &Task) -> rmcp::model::Task {
    let status = match &task.status {
        Status::Working(_) => TaskStatus::Working,
        Status::Asks(_) => TaskStatus::InputRequired,
        Status::Done(_) => TaskStatus::Completed,
        Status::Failed(_) => TaskStatus::Failed,
        Status::Cancelled => TaskStatus::Cancelled,
    };
    let (created, updated) = (date(task.created), date(task.updated));
    let about = rmcp::model::Task::new(task.id.clone(), status, created, updated);
    let about = about.with_poll_interval_ms(POLL);
    match &task.status {
        Status::Working(what) if !what.is_empty() => about.with_status_message(what.clone()),
        Status::Failed(why) => about.with_status_message(why.clone()),
        _ => about,
    }
}

/// A time as a date of ISO 8601.
pub(crate) fn date(at: Timestamp) -> String {
    at.to_string().replace(" UTC", "Z").replacen(' ', "T", 1)
}

/// Questions as requests of the protocol.
pub(super) fn requests(questions: &Questions) -> Result<InputRequests, ErrorData> {
    let request = |(key, question): (&String, &Question)| {
        let request = question.to_request();
        let request = request.map_err(|error| internal(error.to_string()))?;
        Ok((key.clone(), request))
    };
    questions.iter().map(request).collect()
}

pub(super) fn internal(why: impl Into<String>) -> ErrorData {
    ErrorData::internal_error(why.into(), None)
}

/// An error of a service as one of the protocol.
pub(super) fn to_data(error: Error) -> ErrorData {
    match error {
        Error::Invalid(why) => ErrorData::invalid_params(why, None),
        Error::NoResource(uri) => ErrorData::resource_not_found(
            format!("there is no resource {uri}"),
            Some(json!({"uri": uri})),
        ),
        Error::Lacks(ability) => {
            let required = json!({"requiredCapabilities": ability.capabilities()});
            let code = ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY;
            ErrorData::new(code, format!("the client lacks {ability}"), Some(required))
        }
        Error::Asks(_) => internal("this request cannot ask the client"),
        Error::Internal(why) => internal(why),
    }
}

/// The values of a completion, or the first of them if there are too many.
pub(super) fn completion(mut values: Vec<String>) -> Result<CompletionInfo, ErrorData> {
    let total = values.len();
    values.truncate(VALUES);
    let (known, has_more) = (u32::try_from(total).ok(), total > VALUES);
    CompletionInfo::with_pagination(values, known, has_more).map_err(internal)
}
