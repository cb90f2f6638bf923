//! The matrix: what `cargo xtask requests` prints, and what its test checks against the official
//! schemas.
//!
//! Read in this order: `wire` (who is asked), `answers` (what it said before), `conversation`
//! (what cases are made of), and the cases, a file for each kind.

use legwork_core::inference::ModelRequest;
use legwork_models::answer::Streaming;
use serde_json::{Value, json};

mod answers;
mod content;
mod conversation;
mod handoff;
mod provider_tools;
mod settings;
mod streamed;
mod structured;
mod thinking;
mod tools;
mod wire;

pub(crate) use wire::Wire;

/// A request, or why the product makes none.
struct Case {
    name: String,
    request: Result<ModelRequest, String>,
    streaming: Streaming,
}

impl Case {
    fn new(name: impl Into<String>, request: ModelRequest) -> Self {
        Self { name: name.into(), request: Ok(request), streaming: Streaming::No }
    }

    /// What the product refuses before there is a request.
    fn refused(name: impl Into<String>, reason: String) -> Self {
        Self { name: name.into(), request: Err(reason), streaming: Streaming::No }
    }

    /// The same with an answer that is a stream.
    fn streamed(self) -> Self {
        let name = format!("streamed_{}", self.name);
        Self { name, streaming: Streaming::Yes, ..self }
    }
}

/// What is sent in a case, or why nothing is.
pub(crate) struct Line<'w> {
    pub(crate) wire: &'w Wire,
    pub(crate) case: String,
    pub(crate) body: Result<Value, String>,
}

impl Line<'_> {
    /// The line as it is printed.
    pub(crate) fn to_json(&self) -> Value {
        let mut line = json!({"wire": self.wire.api.name(), "case": self.case});
        if let Some(fields) = line.as_object_mut() {
            let provider = self.wire.provider.map(|provider| provider.name.into());
            fields.extend(provider.map(|name| ("provider".to_owned(), name)));
            let (key, value) = match &self.body {
                Ok(body) => ("body", body.clone()),
                Err(reason) => ("refused", reason.clone().into()),
            };
            fields.insert(key.to_owned(), value);
        }
        line
    }
}

/// The matrix on a wire.
pub(crate) fn lines(wire: &Wire) -> Result<Vec<Line<'_>>, String> {
    let kinds = [
        content::cases(),
        tools::cases(wire)?,
        thinking::cases(wire)?,
        handoff::cases(wire)?,
        provider_tools::cases(wire)?,
        settings::cases(),
        structured::cases(wire)?,
        streamed::cases(wire)?,
    ];
    kinds.into_iter().flatten().map(|case| line(wire, case)).collect()
}

fn line(wire: &Wire, case: Case) -> Result<Line<'_>, String> {
    let Case { name, request, streaming } = case;
    let sent = request.and_then(|request| {
        wire.model.body(&request, streaming).map_err(|refused| refused.message)
    });
    let body = match sent {
        Ok(bytes) => {
            let read = serde_json::from_slice(&bytes);
            Ok(read.map_err(|error| format!("{}, {name}: {error}", wire.api))?)
        }
        Err(reason) => Err(reason),
    };
    Ok(Line { wire, case: name, body })
}
