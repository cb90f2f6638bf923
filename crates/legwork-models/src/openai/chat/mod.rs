//! Chat Completions: `encode` writes requests, `decode` reads answers.

mod decode;
mod encode;

use legwork_core::ModelRequest;
use legwork_port::Deltas;

use crate::answer::Streaming;
use crate::answer::assembly::Assembly;
use crate::answer::json::{Read, Reader};
use crate::wire::{Body, CallIds, Frame, Head, Quirks, ThinkingBack, Wire, write};

/// The wire of Chat Completions.
pub(crate) struct Chat;

impl Wire for Chat {
    fn name(&self) -> &'static str {
        "chat"
    }

    fn title(&self) -> &'static str {
        "Chat Completions"
    }

    fn provider(&self) -> &'static str {
        "openai"
    }

    fn is_path(&self, path: &str) -> bool {
        path.ends_with("/chat/completions")
    }

    fn endpoint(&self, _model: &str, _asked: Streaming) -> String {
        "chat/completions".to_owned()
    }

    /// Besides the wire's own `n`, for only one answer is read.
    fn own_fields(&self) -> &'static [&'static str] {
        &["messages", "stream", "model", "n"]
    }

    fn head(&self, provider: &str, model: &str, quirks: &Quirks) -> Head {
        let mut start = b"{\"model\":".to_vec();
        write(&mut start, model);
        start.extend_from_slice(b",\"messages\":[");
        let thinking = match quirks.thinking_back {
            ThinkingBack::Never => "",
            ThinkingBack::WithCalls => "-thinking-with-calls",
            ThinkingBack::Always => "-thinking",
        };
        let ids = match quirks.call_ids {
            CallIds::Any => String::new(),
            CallIds::AtMost(most) => format!("-ids-{most}"),
            CallIds::Nine => "-ids-nine".to_owned(),
        };
        Head::new(&format!("chat{thinking}{ids}"), provider, start)
    }

    fn body(&self, request: &ModelRequest, frame: Frame<'_>, out: &mut Body) -> Result<(), String> {
        encode::body(request, frame, out)
    }

    fn read(&self, json: &mut Reader<'_>, into: &mut Assembly, on: &mut dyn Deltas) -> Read {
        decode::read(json, into, on)
    }

    fn read_usage(&self, json: &mut Reader<'_>, into: &mut Assembly) -> Read {
        decode::read_usage(json, into)
    }
}
