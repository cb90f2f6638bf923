//! A server for tests, and connections to it.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use legwork_mcp::{Connect, Connected, Error, connect};
use legwork_port::BoxFuture;
use legwork_testkit::Gate;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelledNotificationParam,
    ContentBlock, DiscoverResult, ErrorCode, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, Implementation, ListPromptsResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, Prompt, PromptMessage, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource,
    ResourceContents, Role, ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
    ToolAnnotations,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler, ServiceExt as _};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::{asking, prompting};

/// A server with tools that tests change; clones share it.
#[derive(Clone)]
pub(crate) struct Fixture(pub(crate) Arc<Shared>);

pub(crate) struct Shared {
    versions: Vec<ProtocolVersion>,
    /// Whether it knows the question which revisions it speaks.
    is_asked: AtomicBool,
    /// Whether it never lists its tools.
    pub(crate) is_silent: AtomicBool,
    pub(crate) tools: Mutex<Vec<Tool>>,
    /// The calls that came, by the names of their tools.
    pub(crate) called: Mutex<Vec<String>>,
    /// Holds the call `slow`.
    pub(crate) gate: Gate,
    /// Calls whose cancellation the server was told.
    pub(crate) cancelled: Gate,
    /// Opens when the server is told that a call is cancelled.
    pub(crate) told: Gate,
    /// Whether the client said that the model may be asked, for each call of `samples`.
    pub(crate) offered: Mutex<Vec<bool>>,
    /// Opens when a call of `asks` begins.
    pub(crate) asks: Gate,
    pub(crate) connections: AtomicUsize,
    changes: tokio::sync::watch::Sender<u32>,
    line: Mutex<Option<JoinHandle<()>>>,
}

pub(crate) fn tool(name: &'static str, schema: Value) -> Tool {
    let Value::Object(schema) = schema else { panic!("a schema is an object") };
    Tool::new(name, format!("Does {name}."), schema)
}

fn hinted(tool: Tool, read_only: Option<bool>, idempotent: Option<bool>) -> Tool {
    let hints = ToolAnnotations::from_raw(None, read_only, None, idempotent, None);
    tool.with_annotations(hints)
}

impl Fixture {
    /// One that speaks these revisions.
    pub(crate) fn of(versions: &[ProtocolVersion]) -> Self {
        let any = || json!({"type": "object"});
        let tools = vec![
            hinted(
                tool("echo", json!({"properties": {"text": {"type": "string"}}})),
                Some(true),
                None,
            ),
            hinted(tool("again", any()), None, Some(true)),
            tool("steps", any()),
            tool("slow", any()),
            tool("told", any()),
            tool("more", any()),
            tool("dies", any()),
            tool("asks", any()),
            tool("visits", any()),
            tool("hurries", any()),
            tool("samples", any()),
            tool("samples_on", any()),
        ];
        Self(Arc::new(Shared {
            versions: versions.to_vec(),
            is_asked: AtomicBool::new(true),
            is_silent: AtomicBool::new(false),
            tools: Mutex::new(tools),
            called: Mutex::default(),
            offered: Mutex::default(),
            gate: Gate::new(),
            cancelled: Gate::new(),
            told: Gate::new(),
            asks: Gate::new(),
            connections: AtomicUsize::new(0),
            changes: tokio::sync::watch::Sender::new(0),
            line: Mutex::default(),
        }))
    }

    pub(crate) fn new() -> Self {
        Self::of(&[ProtocolVersion::V_2026_07_28, ProtocolVersion::V_2025_11_25])
    }

    /// One that was written before 2026: it does not know how to be asked for its revisions.
    pub(crate) fn legacy() -> Self {
        let fixture = Self::new();
        fixture.0.is_asked.store(false, Ordering::SeqCst);
        fixture
    }

    /// One that says itself that it speaks the older revision only.
    pub(crate) fn restricted() -> Self {
        Self::of(&[ProtocolVersion::V_2025_11_25])
    }

    pub(crate) fn connections(&self) -> usize {
        self.0.connections.load(Ordering::SeqCst)
    }

    pub(crate) fn called(&self) -> Vec<String> {
        self.0.called.lock().unwrap().clone()
    }

    /// Its process dies, as far as the other side can see.
    pub(crate) fn die(&self) {
        self.0.line.lock().unwrap().as_ref().unwrap().abort();
    }

    async fn does(
        &self,
        request: &CallToolRequestParams,
        cx: &RequestContext<RoleServer>,
    ) -> String {
        match &*request.name {
            "steps" => {
                let token = cx.meta.get_progress_token().unwrap();
                for step in 1..=3 {
                    let progress = ProgressNotificationParam::new(token.clone(), f64::from(step));
                    cx.peer.notify_progress(progress.with_total(3.0)).await.unwrap();
                }
            }
            "slow" => tokio::select! {
                () = self.0.gate.pass() => {}
                () = cx.ct.cancelled() => self.0.cancelled.open(),
            },
            // Another call: it ends when that of `slow` was cancelled.
            "told" => self.0.cancelled.pass().await,
            "more" => {
                self.0.tools.lock().unwrap().push(tool("new", json!({"type": "object"})));
                self.0.changes.send_modify(|count| *count += 1);
                if cx.protocol_version().is_none_or(|version| version.has_initialize()) {
                    cx.peer.notify_tool_list_changed().await.unwrap();
                }
            }
            "dies" => {
                self.die();
                std::future::pending::<()>().await;
            }
            _ => {}
        }
        json!(request.arguments).to_string()
    }
}

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let tools = ServerCapabilities::builder().enable_tools().enable_tool_list_changed();
        ServerConfig::new(tools.enable_resources().enable_prompts().build())
            .with_server_info(Implementation::new("fixture", "1"))
            .with_instructions("Ask twice a day.")
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.0.versions.clone().into()
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        match self.0.is_asked.load(Ordering::SeqCst) {
            true => {
                let (versions, info) = (self.0.versions.clone(), self.get_info());
                Ok(DiscoverResult::from_server_info(versions, info))
            }
            false => Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "server/discover", None)),
        }
    }

    async fn on_cancelled(
        &self,
        _: CancelledNotificationParam,
        _: NotificationContext<RoleServer>,
    ) {
        self.0.told.open();
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if self.0.is_silent.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        // Pages of four.
        let from = page.and_then(|page| page.cursor).map_or(0, |from| from.parse().unwrap());
        let all = self.0.tools.lock().unwrap().clone();
        let page = all.iter().skip(from).take(4).cloned().collect();
        let mut result = ListToolsResult::with_all_items(page);
        result.next_cursor = (from + 4 < all.len()).then(|| (from + 4).to_string());
        Ok(result)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![Resource::new("tide://dover", "dover")]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match &*request.uri {
            "tide://dover" => {
                let contents = vec![ResourceContents::text("high at 14:07", &request.uri)];
                Ok(ReadResourceResult::new(contents).into())
            }
            _ => Err(ErrorData::resource_not_found("no such port", None)),
        }
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(vec![Prompt::new("plan", Some("Plans."), None)]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let text = format!("{} {}", request.name, json!(request.arguments));
        let messages = vec![PromptMessage::new_text(Role::User, text)];
        Ok(GetPromptResult::new(messages).into())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.0.called.lock().unwrap().push(request.name.to_string());
        if request.name == "again" {
            return Err(ErrorData::invalid_params("no such day", None));
        }
        if request.name.starts_with("samples") {
            self.0.offered.lock().unwrap().push(prompting::is_offered(&cx));
            return Ok(prompting::answer(&request, &cx).await);
        }
        if matches!(&*request.name, "asks" | "visits" | "hurries") {
            return Ok(asking::answer(&request, &cx, &self.0).await);
        }
        let text = self.does(&request, &cx).await;
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }

    fn accepted_subscription_filter(
        &self,
        asked: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(asked.clone())
    }

    async fn listen(&self, cx: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.0.changes.subscribe();
        loop {
            tokio::select! {
                () = cx.cancelled() => return Ok(()),
                changed = changes.changed() => {
                    changed.unwrap();
                    cx.sink().notify_tool_list_changed().await.unwrap();
                }
            }
        }
    }
}

impl Connect for Fixture {
    fn target(&self) -> String {
        "a fixture".to_owned()
    }

    fn connect(&self) -> BoxFuture<'_, Result<Connected, Error>> {
        Box::pin(async {
            self.0.connections.fetch_add(1, Ordering::SeqCst);
            let (client, mut near) = tokio::io::duplex(1 << 16);
            let (mut far, server) = tokio::io::duplex(1 << 16);
            let fixture = self.clone();
            tokio::spawn(async move {
                // A client that goes before it is ready is no error here.
                let Ok(running) = fixture.serve(tokio::io::split(server)).await else { return };
                let _ = running.waiting().await;
            });
            // Between them is what is cut when it dies.
            let line = tokio::spawn(async move {
                let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
            });
            *self.0.line.lock().unwrap() = Some(line);
            let (from, to) = tokio::io::split(client);
            Ok(Connected::streams(from, to, Words))
        })
    }
}

struct Words;

impl connect::Peer for Words {
    fn end(self: Box<Self>) -> BoxFuture<'static, String> {
        Box::pin(async { "I am done for".to_owned() })
    }
}
