//! The methods of the protocol, answered by a service.

// Levels of logs and subscriptions of the revision of 2025.
#![expect(deprecated, reason = "clients of the revision of 2025 have no other way")]

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_port::Cancellation;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestMethod,
    CompleteRequestParams, CompleteResult, ConstString, CreateTaskResult, DetailedTask, ErrorData,
    GetPromptRequestMethod, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    GetTaskParams, GetTaskResult, Implementation, InputRequiredResult, ListPromptsRequestMethod,
    ListPromptsResult, ListResourceTemplatesRequestMethod, ListResourceTemplatesResult,
    ListResourcesRequestMethod, ListResourcesResult, ListToolsResult, LoggingLevel,
    PaginatedRequestParams, ReadResourceRequestMethod, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Reference, ServerConfig, SetLevelRequestMethod,
    SetLevelRequestParams, SubscribeRequestMethod, SubscribeRequestParams, SubscriptionFilter,
    TaskPayload, UnsubscribeRequestMethod, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use tokio::sync::broadcast::Receiver;

use crate::client::{self, Client};
use crate::question::Answers;
use crate::sealed::Seal;
use crate::service::{About, Answered, Argument, Asks, Call, Change, Error, Service};
use crate::task::Status;

mod changes;
#[cfg(test)]
mod tests;
mod wire;

pub(crate) use wire::date;
use wire::{NOT_KEPT, internal, object, requests, result, to_data};

/// Answers one connection, or one request where requests have no connection.
#[derive(Clone)]
pub(crate) struct Handler {
    service: Arc<dyn Service>,
    seal: Seal,
    /// Raised when the client is gone.
    gone: Cancellation,
    /// Raised when no handler of the connection is left.
    over: Arc<CancelOnDrop>,
    connection: Arc<Mutex<Connection>>,
}

/// Cancels when it is dropped.
pub(crate) struct CancelOnDrop(pub(crate) Cancellation);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// What is known of a connection.
#[derive(Default)]
struct Connection {
    /// The least level of messages that a client of the revision of 2025 set.
    level: Option<LoggingLevel>,
    /// The URIs of the resources that such a client watches.
    watched: HashSet<String>,
    /// The changes since each subscription that is being opened was accepted.
    opening: VecDeque<Receiver<Change>>,
}

/// Nothing that panics runs while it is locked.
fn locked(connection: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Handler {
    pub(crate) fn new(service: Arc<dyn Service>, seal: Seal, gone: Cancellation) -> Self {
        let over = Arc::new(CancelOnDrop(gone.child()));
        Self { service, seal, gone, over, connection: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        locked(&self.connection)
    }

    /// Refuses a method of something that the service does not have.
    fn requires<M: ConstString>(&self, has: impl Fn(&About) -> bool) -> Result<(), ErrorData> {
        match has(&self.service.about()) {
            true => Ok(()),
            false => Err(ErrorData::method_not_found::<M>()),
        }
    }

    /// The same for the methods that watch a resource.
    fn watches<M: ConstString>(&self) -> Result<(), ErrorData> {
        self.requires::<M>(|about| about.resources && self.service.changes().is_some())
    }

    /// The client of a request, with what it says of an earlier round of the same request.
    fn client(
        &self,
        of: &str,
        answers: Option<Answers>,
        state: Option<&str>,
        context: RequestContext<RoleServer>,
    ) -> Result<Client, Error> {
        let state = state.map(|state| self.seal.open(of, state)).transpose()?;
        // A server that does not announce messages must not send any.
        let level = match self.service.about().logs {
            true => client::level(&context, self.lock().level),
            false => None,
        };
        Ok(Client::new(context, answers, state, level))
    }

    /// What a service says, unless the client cancels the request or is gone.
    async fn unless_cancelled<T>(
        &self,
        context: &RequestContext<RoleServer>,
        answer: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let cancelled = || Error::Internal("the request was cancelled".to_owned());
        tokio::select! {
            biased;
            () = context.ct.cancelled() => Err(cancelled()),
            () = self.gone.cancelled() => Err(cancelled()),
            answer = answer => answer,
        }
    }

    /// The result that asks a client.
    fn asks(&self, of: &str, asks: &Asks) -> Result<InputRequiredResult, ErrorData> {
        let state = asks.state.as_ref().map(|state| self.seal.seal(of, state)).transpose();
        let requests = requests(&asks.questions)?;
        Ok(InputRequiredResult::new(Some(requests), state.map_err(to_data)?))
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let about = self.service.about();
        let config = ServerConfig::new(wire::capabilities(self.service.as_ref(), &about))
            .with_server_info(Implementation::new(about.name, about.version));
        match about.instructions {
            Some(instructions) => config.with_instructions(instructions),
            None => config,
        }
    }

    async fn ping(&self, _context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.requires::<SetLevelRequestMethod>(|about| about.logs)?;
        self.lock().level = Some(request.level);
        Ok(())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.unless_cancelled(&context, self.service.tools()).await;
        let tools = tools.map_err(to_data)?.iter().map(wire::tool).collect();
        let mut listed = ListToolsResult::with_all_items(tools);
        (listed.ttl_ms, listed.cache_scope) = NOT_KEPT;
        Ok(listed)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let of = format!("tools/call {}", request.name);
        let state = request.request_state.as_deref();
        let client = self.client(&of, request.input_responses, state, context.clone());
        let client = client.map_err(to_data)?;
        let call = Call::new(request.name.into_owned(), request.arguments);
        let answered = self.unless_cancelled(&context, self.service.call(call, &client)).await;
        Ok(match answered {
            Ok(Answered::Done(reply)) => result(reply).into(),
            Ok(Answered::Task(task)) => CreateTaskResult::new(wire::described(&task)).into(),
            Err(Error::Asks(asks)) => self.asks(&of, &asks)?.into(),
            Err(error) => return Err(to_data(error)),
        })
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.requires::<ListResourcesRequestMethod>(|about| about.resources)?;
        let resources = self.unless_cancelled(&context, self.service.resources()).await;
        let resources = resources.map_err(to_data)?.into_iter().map(wire::resource).collect();
        let mut listed = ListResourcesResult::with_all_items(resources);
        (listed.ttl_ms, listed.cache_scope) = NOT_KEPT;
        Ok(listed)
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.requires::<ListResourceTemplatesRequestMethod>(|about| about.resources)?;
        let templates = self.unless_cancelled(&context, self.service.templates()).await;
        let templates = templates.map_err(to_data)?.into_iter().map(wire::template).collect();
        let mut listed = ListResourceTemplatesResult::with_all_items(templates);
        (listed.ttl_ms, listed.cache_scope) = NOT_KEPT;
        Ok(listed)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.requires::<ReadResourceRequestMethod>(|about| about.resources)?;
        let of = format!("resources/read {}", request.uri);
        let state = request.request_state.as_deref();
        let client = self.client(&of, request.input_responses, state, context.clone());
        let client = client.map_err(to_data)?;
        let read = self.service.read(&request.uri, &client);
        match self.unless_cancelled(&context, read).await {
            Ok(contents) => {
                let contents = contents.into_iter().map(|contents| contents.0).collect();
                let read = ReadResourceResult::new(contents);
                Ok(read.with_ttl_ms(0).with_cache_scope(CacheScope::Private).into())
            }
            Err(Error::Asks(asks)) => Ok(self.asks(&of, &asks)?.into()),
            Err(error) => Err(to_data(error)),
        }
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.requires::<ListPromptsRequestMethod>(|about| about.prompts)?;
        let prompts = self.unless_cancelled(&context, self.service.prompts()).await;
        let prompts = prompts.map_err(to_data)?.into_iter().map(wire::prompt).collect();
        let mut listed = ListPromptsResult::with_all_items(prompts);
        (listed.ttl_ms, listed.cache_scope) = NOT_KEPT;
        Ok(listed)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.requires::<GetPromptRequestMethod>(|about| about.prompts)?;
        let of = format!("prompts/get {}", request.name);
        let state = request.request_state.as_deref();
        let client = self.client(&of, request.input_responses, state, context.clone());
        let client = client.map_err(to_data)?;
        let call = Call::new(request.name, request.arguments);
        match self.unless_cancelled(&context, self.service.prompt(call, &client)).await {
            Ok(said) => {
                let messages = said.into_iter().map(|said| said.0).collect();
                Ok(GetPromptResult::new(messages).into())
            }
            Err(Error::Asks(asks)) => Ok(self.asks(&of, &asks)?.into()),
            Err(error) => Err(to_data(error)),
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.requires::<CompleteRequestMethod>(|about| about.completes)?;
        let of = match &request.r#ref {
            Reference::Prompt(prompt) => &prompt.name,
            Reference::Resource(resource) => &resource.uri,
            _ => return Err(to_data(Error::invalid("nothing of this kind is completed"))),
        };
        let argument = Argument::new(of, &request.argument.name, &request.argument.value);
        let values = self.unless_cancelled(&context, self.service.complete(argument)).await;
        wire::completion(values.map_err(to_data)?).map(CompleteResult::new)
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        // It is acknowledged next, and what changes from then on must be passed on.
        self.lock().opening.extend(self.service.changes());
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let changes = self.lock().opening.pop_front();
        match changes {
            Some(changes) => changes::pass_on(&context, changes).await,
            None => context.cancelled().await,
        }
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watches::<SubscribeRequestMethod>()?;
        self.lock().watched.insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watches::<UnsubscribeRequestMethod>()?;
        self.lock().watched.remove(&request.uri);
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let Some(changes) = self.service.changes() else { return };
        // It holds no handler, so that it ends with the last one.
        let notifier = changes::Notifier {
            peer: context.peer,
            about: self.service.about(),
            connection: Arc::clone(&self.connection),
        };
        tokio::spawn(notifier.run(changes, self.over.0.clone()));
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let task = self.unless_cancelled(&context, self.service.task(&request.task_id)).await;
        let task = task.map_err(to_data)?;
        let about = wire::described(&task);
        let payload = match task.status {
            Status::Working(_) => TaskPayload::Working,
            Status::Asks(questions) => {
                TaskPayload::InputRequired { input_requests: requests(&questions)? }
            }
            Status::Done(reply) => TaskPayload::Completed { result: object(&result(reply))? },
            Status::Failed(why) => TaskPayload::Failed { error: object(&internal(why))? },
            Status::Cancelled => TaskPayload::Cancelled,
        };
        Ok(GetTaskResult::new(DetailedTask::new(about, payload)))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let answered = self.service.answer_task(&request.task_id, request.input_responses);
        self.unless_cancelled(&context, answered).await.map_err(to_data)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let cancelled = self.service.cancel_task(&request.task_id);
        self.unless_cancelled(&context, cancelled).await.map_err(to_data)
    }
}
