//! The tools of a request, and which of them the model may call.

use std::collections::BTreeSet;
use std::sync::Arc;

use legwork_core::inference::{ModelRequest, ToolChoice};
use legwork_core::message::Part;
use legwork_core::tool::{ToolSpec, ToolSpecs};
use serde_json::{Value, json};

use super::CACHE_POINT;
use super::message::name;
use crate::bedrock::id::ModelId;
use crate::wire::{Frame, field, write};

/// The field `toolConfig`.
pub(super) struct Tools<'a> {
    request: &'a ModelRequest,
    frame: Frame<'a>,
    /// Whether the tools of the request are sent.
    are_sent: bool,
    /// The names of called tools, of which none is offered.
    called: BTreeSet<&'a str>,
}

impl<'a> Tools<'a> {
    /// # Errors
    /// When calls are forbidden in a conversation that holds some: the API has no such choice,
    /// and wants the tools of calls to be there.
    pub(super) fn of(request: &'a ModelRequest, frame: Frame<'a>) -> Result<Self, String> {
        let has_tools = !request.tools.is_empty();
        let may_call = request.tool_choice != ToolChoice::None;
        let called = match has_tools && may_call {
            true => BTreeSet::new(),
            false => called(request),
        };
        if has_tools && !may_call && !called.is_empty() {
            return Err("Bedrock Converse cannot forbid calls in a conversation that holds some; \
                        leave the tool choice at auto"
                .to_owned());
        }
        Ok(Self { request, frame, are_sent: has_tools && may_call, called })
    }

    /// Appends the field, unless there are no tools.
    pub(super) fn append(&self, id: &ModelId<'_>, out: &mut Vec<u8>) {
        let given = self.given("tools");
        let given = match &given {
            Some(Value::Array(given)) => given,
            Some(one) => std::slice::from_ref(*one),
            None => &[],
        };
        let start = out.len();
        out.extend_from_slice(b",\"toolConfig\":{\"tools\":[");
        let begun = out.len();
        let next = |out: &mut Vec<u8>| {
            if out.len() > begun {
                out.push(b',');
            }
        };
        if self.are_sent {
            self.request.tools.append_encoded(&self.frame.head.encoding, out, specs);
        }
        for name in &self.called {
            next(out);
            write(out, &stand_in(name));
        }
        for tool in given {
            next(out);
            write(out, tool);
        }
        if out.len() == begun {
            return out.truncate(start);
        }
        if self.are_sent && id.caches_tools() {
            next(out);
            out.extend_from_slice(CACHE_POINT);
        }
        out.push(b']');
        if let Some(choice) = self.given("toolChoice").cloned().or_else(|| self.choice()) {
            field(out, "toolChoice", &choice);
        }
        out.push(b'}');
    }

    /// What is set from outside.
    fn given(&self, key: &str) -> Option<&Value> {
        let set = |set: &'a serde_json::Map<String, Value>| set.get("toolConfig")?.get(key);
        set(&self.request.settings.extra).or_else(|| set(self.frame.extra))
    }

    fn choice(&self) -> Option<Value> {
        match &self.request.tool_choice {
            _ if !self.are_sent => None,
            ToolChoice::Auto | ToolChoice::None => None,
            ToolChoice::Required => Some(json!({"any": {}})),
            ToolChoice::Named(tool) => Some(json!({"tool": {"name": tool}})),
        }
    }
}

/// The names of the tools that were called.
fn called(request: &ModelRequest) -> BTreeSet<&str> {
    let parts = request.messages().iter().flat_map(|message| &message.parts);
    parts
        .filter_map(|part| match part {
            Part::ToolCall(call) => Some(&*call.name),
            Part::ToolResult(result) => Some(&*result.name),
            _ => None,
        })
        .collect()
}

/// A tool that was called and is no longer offered: without it the call is refused.
fn stand_in(tool: &str) -> Value {
    let schema = json!({"json": {"type": "object"}});
    json!({"toolSpec": {"name": &*name(tool), "inputSchema": schema}})
}

fn specs(specs: &ToolSpecs, out: &mut Vec<u8>) {
    for (number, spec) in specs.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        write(out, &json!({"toolSpec": tool(spec)}));
    }
}

/// A tool; an empty description is refused, so it is left out.
fn tool(spec: &Arc<ToolSpec>) -> Value {
    let schema = json!({"json": spec.parameters});
    match spec.description.trim().is_empty() {
        true => json!({"name": *spec.name, "inputSchema": schema}),
        false => {
            json!({"name": *spec.name, "description": *spec.description, "inputSchema": schema})
        }
    }
}
