//! A tool of a server.

use std::sync::Arc;

use legwork_core::{ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, Tool, ToolContext};
use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest, RequestId, ServerResult};
use rmcp::service::{PeerRequestOptions, ServiceError};
use serde_json::{Map, Value};

use crate::connection::{Connections, Live, said};
use crate::{fault, result};

/// A tool of a server, under the name that a model reads.
pub(crate) struct RemoteTool {
    pub(crate) spec: Arc<ToolSpec>,
    /// Its name on the server, and the server's.
    pub(crate) name: String,
    pub(crate) server: Arc<str>,
    pub(crate) connections: Arc<Connections>,
}

impl Tool for RemoteTool {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            match cx.arguments::<Map<String, Value>>(call) {
                Ok(arguments) => self.ask(arguments, cx).await,
                Err(outcome) => outcome,
            }
        })
    }

    fn chain(&self) -> Vec<Arc<str>> {
        vec![Arc::clone(&self.server)]
    }
}

impl RemoteTool {
    async fn ask(&self, arguments: Map<String, Value>, cx: &ToolContext) -> ToolOutcome {
        let live = match self.connections.live().await {
            Ok(live) => live,
            Err(error) => return self.failed(&error.to_string()),
        };
        let params = CallToolRequestParams::new(self.name.clone()).with_arguments(arguments);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let options = PeerRequestOptions::no_options();
        let asked = match live.peer.send_cancellable_request(request, options).await {
            Ok(asked) => asked,
            Err(error) => return self.unanswered(&error, &live).await,
        };
        let followed = self.connections.handler.calls.follow(asked.progress_token.clone(), cx);
        let mut open = Open { live: Some(Arc::clone(&live)), id: asked.id.clone() };
        let answer = asked.await_response().await;
        open.live = None;
        drop(followed);
        let result = match answer {
            Ok(ServerResult::CallToolResult(result)) => result::outcome(result),
            Ok(_) => self.failed("it asks for something that this client does not offer"),
            Err(error) => return self.unanswered(&error, &live).await,
        };
        self.connections.works();
        result
    }

    async fn unanswered(&self, error: &ServiceError, live: &Live) -> ToolOutcome {
        if let Some(why) = fault::of_request(error) {
            return self.failed(&why);
        }
        let said = said("it said last", live.end().await);
        self.failed(&format!(
            "it ended during the call, which may or may not have had an effect{said}"
        ))
    }

    fn failed(&self, why: &str) -> ToolOutcome {
        ToolOutcome::failed(format!("the server `{}`: {why}", self.server))
    }
}

/// A call in progress; dropping it notifies the server that it is cancelled.
struct Open {
    live: Option<Arc<Live>>,
    id: RequestId,
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(live) = self.live.take() {
            live.cancel(self.id.clone());
        }
    }
}
