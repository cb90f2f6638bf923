//! Resources and prompts of a server, as tools.

use std::sync::Arc;
use std::time::Duration;

use legwork_core::message::ResultPart;
use legwork_core::{EffectClass, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, Tool, ToolContext};
use rmcp::model::{
    GetPromptRequestParams, GetPromptResponse, PromptMessage, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities,
};
use rmcp::service::{Peer, RoleClient, ServiceError};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::connection::Connections;
use crate::effect::Trust;
use crate::{fault, listing, result};

/// A way to use the resources or prompts of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Offer {
    ListResources,
    ReadResource,
    ListPrompts,
    GetPrompt,
}

impl Offer {
    /// What a server with these capabilities offers.
    pub(crate) fn of(capabilities: &ServerCapabilities) -> Vec<Self> {
        let resources = capabilities.resources.as_ref();
        let resources = resources.map(|_| [Self::ListResources, Self::ReadResource]);
        let prompts = capabilities.prompts.as_ref().map(|_| [Self::ListPrompts, Self::GetPrompt]);
        resources.into_iter().chain(prompts).flatten().collect()
    }

    /// Its name, as if it were a tool of the server.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ListResources => "list_resources",
            Self::ReadResource => "read_resource",
            Self::ListPrompts => "list_prompts",
            Self::GetPrompt => "get_prompt",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::ListResources => {
                "Lists the resources of the server: their addresses, and templates of addresses."
            }
            Self::ReadResource => "Reads a resource of the server, by its address.",
            Self::ListPrompts => "Lists the prompts of the server, with their arguments.",
            Self::GetPrompt => "Gets a prompt of the server: instructions for a task.",
        }
    }

    fn parameters(self) -> Value {
        let properties = match self {
            Self::ListResources | Self::ListPrompts => json!({}),
            Self::ReadResource => json!({"uri": {"type": "string"}}),
            Self::GetPrompt => json!({
                "name": {"type": "string"},
                "arguments": {"type": "object", "additionalProperties": {"type": "string"}},
            }),
        };
        let required = match self {
            Self::ListResources | Self::ListPrompts => json!([]),
            Self::ReadResource => json!(["uri"]),
            Self::GetPrompt => json!(["name"]),
        };
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }

    /// The spec under a name that a model reads.
    pub(crate) fn spec(self, name: String, trust: Trust, limit: Duration) -> ToolSpec {
        let spec = ToolSpec::new(name, self.description(), self.parameters());
        let spec = spec.timeout(limit).tag("mcp");
        match trust {
            Trust::Trusted => spec.effect(EffectClass::ReadOnly).tag("read-only"),
            // What a server does to answer is its own affair.
            Trust::Untrusted => spec,
        }
    }
}

/// An offer of a server as a tool.
pub(crate) struct OfferTool {
    pub(crate) offer: Offer,
    pub(crate) spec: Arc<ToolSpec>,
    pub(crate) server: Arc<str>,
    pub(crate) connections: Arc<Connections>,
}

impl Tool for OfferTool {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            match self.connections.handler.unasked(self.answer(call, cx)).await {
                Ok(parts) => ToolOutcome::parts(parts),
                Err(Unanswered::Outcome(outcome)) => outcome,
                Err(Unanswered::Why(why)) => {
                    ToolOutcome::failed(format!("the server `{}`: {why}", self.server))
                }
            }
        })
    }

    fn chain(&self) -> Vec<Arc<str>> {
        vec![Arc::clone(&self.server)]
    }
}

/// Why there is no answer.
enum Unanswered {
    Outcome(ToolOutcome),
    Why(String),
}

impl From<ServiceError> for Unanswered {
    fn from(error: ServiceError) -> Self {
        Self::Why(
            fault::of_request(&error).unwrap_or_else(|| "it ended during the call".to_owned()),
        )
    }
}

impl From<legwork_port::toolset::Error> for Unanswered {
    fn from(error: legwork_port::toolset::Error) -> Self {
        Self::Why(error.to_string())
    }
}

#[derive(Deserialize)]
struct Address {
    uri: String,
}

#[derive(Deserialize)]
struct Wanted {
    name: String,
    #[serde(default)]
    arguments: Option<Map<String, Value>>,
}

impl OfferTool {
    async fn answer(
        &self,
        call: &ToolCall,
        cx: &ToolContext,
    ) -> Result<Vec<ResultPart>, Unanswered> {
        let live = self.connections.live().await?;
        let peer = &live.peer;
        let parts = match self.offer {
            Offer::ListResources => listed(json!({
                "resources": listing::resources(peer).await?,
                "templates": listing::templates(peer).await?,
            })),
            Offer::ListPrompts => listed(json!({"prompts": listing::prompts(peer).await?})),
            Offer::ReadResource => {
                let Address { uri } = cx.arguments(call).map_err(Unanswered::Outcome)?;
                read(peer, uri).await?
            }
            Offer::GetPrompt => {
                let wanted = cx.arguments(call).map_err(Unanswered::Outcome)?;
                get(peer, wanted).await?
            }
        };
        self.connections.works();
        Ok(parts)
    }
}

fn listed(all: Value) -> Vec<ResultPart> {
    vec![ResultPart::Json(all)]
}

async fn read(peer: &Peer<RoleClient>, uri: String) -> Result<Vec<ResultPart>, Unanswered> {
    match peer.read_resource_once(ReadResourceRequestParams::new(uri)).await? {
        ReadResourceResponse::Complete(result) => {
            let parts: Vec<_> = result.contents.into_iter().map(result::embedded).collect();
            Ok(result::or_nothing(parts))
        }
        _ => {
            Err(Unanswered::Why("it asks for something that this client does not offer".to_owned()))
        }
    }
}

async fn get(peer: &Peer<RoleClient>, wanted: Wanted) -> Result<Vec<ResultPart>, Unanswered> {
    let params = GetPromptRequestParams::new(wanted.name);
    let params = match wanted.arguments {
        Some(arguments) => params.with_arguments(arguments),
        None => params,
    };
    match peer.get_prompt_once(params).await? {
        GetPromptResponse::Complete(result) => {
            let parts: Vec<_> = result.messages.into_iter().flat_map(said).collect();
            Ok(result::or_nothing(parts))
        }
        _ => {
            Err(Unanswered::Why("it asks for something that this client does not offer".to_owned()))
        }
    }
}

/// A message of a prompt: who says it, and what.
fn said(message: PromptMessage) -> [ResultPart; 2] {
    let PromptMessage { role, content, .. } = message;
    let role = format!("[{role:?}]").to_lowercase();
    [ResultPart::Text(role), result::part(content)]
}
