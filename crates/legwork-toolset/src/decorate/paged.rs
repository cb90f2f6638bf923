//! Tools whose results come in pages.

use std::sync::Arc;

use legwork_core::message::ResultPart;
use legwork_core::tool::Output;
use legwork_core::{EffectClass, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{Admission, AdmittedCall, BoxFuture, Tool, ToolContext};
use serde_json::{Map, Value, json};

use super::decorated::Decorator;
use super::layered::Layered;

/// Bytes of the note of a page, at most.
const NOTE: u64 = 512;
/// The argument with which a model reads on.
const OFFSET: &str = "offset";

/// Each result comes in pages of so many bytes.
pub(super) struct Paged(usize);

impl Paged {
    pub(super) fn new(bytes: usize) -> Self {
        // Less than a character has would never end.
        Self(bytes.max(4))
    }
}

impl Decorator for Paged {
    fn tool(&self, set: &Arc<str>, tool: &Arc<dyn Tool>) -> Option<Arc<dyn Tool>> {
        let layered = Layered::new(set, tool, format!("paged({})", self.0).into());
        let Some(spec) = with_offset(&tool.spec(), self.0) else { return Some(Arc::new(layered)) };
        let (tool, chain) = (Arc::clone(tool), layered.chain());
        Some(Arc::new(Pages { tool, spec: Arc::new(spec), chain, bytes: self.0 }))
    }
}

/// The spec of a tool with one more argument; none if it stays as it is.
fn with_offset(spec: &ToolSpec, bytes: usize) -> Option<ToolSpec> {
    if spec.effect != EffectClass::ReadOnly {
        return None;
    }
    let mut parameters = spec.parameters.as_object()?.clone();
    let properties = parameters.entry("properties").or_insert_with(|| Map::new().into());
    let properties = properties.as_object_mut().filter(|all| !all.contains_key(OFFSET))?;
    let description = "Where to read on in a result that was cut, in bytes; 0 by default.";
    let schema = json!({"type": "integer", "minimum": 0, "description": description});
    properties.insert(OFFSET.to_owned(), schema);
    // A page is never cut.
    let max_result = spec.max_result.map(|most| most.max(bytes as u64 + NOTE));
    Some(ToolSpec { parameters: parameters.into(), max_result, ..spec.clone() })
}

/// A tool whose results come in pages.
struct Pages {
    tool: Arc<dyn Tool>,
    spec: Arc<ToolSpec>,
    chain: Vec<Arc<str>>,
    bytes: usize,
}

impl Tool for Pages {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            let asked = match cx.arguments::<Value>(call) {
                Ok(asked) => asked,
                Err(outcome) => return outcome,
            };
            let Some((offset, own)) = split(&asked) else {
                return self.page(self.tool.call(call, cx).await, 0);
            };
            let own = ToolCall { arguments: own.to_string().into(), ..call.clone() };
            self.page(self.tool.call(&own, cx).await, offset)
        })
    }

    fn admit(&self, call: &AdmittedCall<'_>) -> Admission {
        match split(call.arguments) {
            None => self.tool.admit(call),
            Some((_, own)) => {
                let arguments = own.to_string().into();
                let its = ToolCall { arguments, ..call.call.clone() };
                self.tool.admit(&AdmittedCall { call: &its, arguments: &own, ..*call })
            }
        }
    }

    fn resource(&self, arguments: &Value) -> Option<String> {
        self.tool.resource(arguments)
    }

    fn chain(&self) -> Vec<Arc<str>> {
        self.chain.clone()
    }
}

/// The offset of a call, and the arguments that the tool itself knows; none if it has no offset.
fn split(arguments: &Value) -> Option<(usize, Value)> {
    let mut own = arguments.as_object()?.clone();
    // A whole number may be written with a fraction of zero.
    let offset = own.remove(OFFSET)?;
    let offset = offset.as_u64().or_else(|| offset.as_f64().map(|offset| offset as u64))?;
    Some((usize::try_from(offset).unwrap_or(usize::MAX), Value::Object(own)))
}

impl Pages {
    /// The page of a result that begins at an offset. Images and files come with each page.
    fn page(&self, outcome: ToolOutcome, offset: usize) -> ToolOutcome {
        let ToolOutcome::Ok(Output(parts)) = outcome else { return outcome };
        let is_text = |part: &ResultPart| matches!(part, ResultPart::Text(_) | ResultPart::Json(_));
        let texts = parts.iter().filter(|part| is_text(part)).map(ResultPart::text);
        let text = texts.collect::<Vec<_>>().join("\n");
        if offset == 0 && text.len() <= self.bytes {
            return ToolOutcome::Ok(Output(parts));
        }
        let rest = text.split_at(text.floor_char_boundary(offset)).1;
        let begins = text.len() - rest.len();
        let shown = rest.split_at(rest.floor_char_boundary(self.bytes)).0;
        let (ends, of) = (begins + shown.len(), text.len());
        let note = match ends < of {
            true => format!(
                "[Bytes {begins} to {ends} of {of} are shown. To read on, call it again with the same \
                 arguments and `{OFFSET}`: {ends}.]"
            ),
            false => format!("[Bytes {begins} to {ends} of {of} are shown: this is the end.]"),
        };
        let media = parts.into_iter().filter(|part| !is_text(part));
        let page = [shown.to_owned(), note].map(ResultPart::Text);
        ToolOutcome::parts(page.into_iter().chain(media))
    }
}
