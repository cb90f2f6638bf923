//! What the server needs from a request.

use hyper::Uri;
use memchr::memmem;

use crate::{api::Api, error::Error, script::Script};

/// The facts of one request that decide its answer.
#[derive(Debug)]
pub(crate) struct Facts {
    /// The API of the request.
    pub(crate) api: Api,
    /// The script of the answers.
    pub(crate) script: Script,
    /// Answers that the conversation already holds.
    pub(crate) turn: usize,
    /// Whether the client wants a stream.
    pub(crate) streamed: bool,
    /// Bytes of the request, from which its tokens are estimated.
    pub(crate) size: usize,
}

impl Facts {
    /// Finds the facts by searching the bytes of the body.
    ///
    /// Parsing a long conversation would cost the server more time than the two
    /// sides that are measured. Searching a few strings suffices for conversations
    /// that the server itself has scripted.
    ///
    /// # Errors
    /// The request names no model, or one that is not a script.
    pub(crate) fn scan(uri: &Uri, body: &[u8]) -> Result<Self, Error> {
        let api = Api::of_path(uri.path()).unwrap_or(Api::Chat);
        match api {
            Api::Gemini => return Self::of_gemini(uri.path(), body),
            Api::Bedrock => return Self::of_bedrock(uri.path(), body),
            _ => {}
        }
        let name = value(body, b"\"model\"")
            .and_then(|rest| rest.strip_prefix(b"\""))
            .and_then(|rest| rest.split(|byte| *byte == b'"').next())
            .unwrap_or_default();
        let script: Script = String::from_utf8_lossy(name).parse()?;
        let turn = match api {
            // An answer that calls tools has an item for each call.
            Api::Responses => count(body, b"\"function_call\"") / script.calls.max(1),
            _ => count(body, b"\"assistant\""),
        };
        let streamed = value(body, b"\"stream\"").is_some_and(|rest| rest.starts_with(b"true"));
        Ok(Self { api, script, turn, streamed, size: body.len() })
    }

    /// The facts of a request whose path ends with the model and the method.
    fn of_gemini(path: &str, body: &[u8]) -> Result<Self, Error> {
        let last = path.rsplit('/').next().unwrap_or_default();
        let (name, method) = last.split_once(':').unwrap_or_default();
        Ok(Self {
            api: Api::Gemini,
            script: name.parse()?,
            turn: count(body, b"\"model\""),
            streamed: method == "streamGenerateContent",
            size: body.len(),
        })
    }

    /// The facts of a request whose path ends with the model and then the operation.
    fn of_bedrock(path: &str, body: &[u8]) -> Result<Self, Error> {
        let mut segments = path.rsplit('/');
        let (operation, name) = (segments.next(), segments.next());
        Ok(Self {
            api: Api::Bedrock,
            script: name.unwrap_or_default().parse()?,
            turn: count(body, b"\"assistant\""),
            streamed: operation == Some("converse-stream"),
            size: body.len(),
        })
    }

    /// Whether the answer calls tools.
    pub(crate) const fn asks(&self) -> bool {
        self.script.asks(self.turn)
    }

    /// Tokens of the request and of the answer: about four bytes per input token, the script's
    /// output tokens.
    pub(crate) const fn tokens(&self) -> (usize, usize) {
        let output = match self.asks() {
            true => self.script.calls * 12,
            false => self.script.tokens,
        };
        (self.size / 4, output)
    }

    /// The id of a call: unique in its conversation.
    pub(crate) fn call_id(&self, index: usize) -> String {
        format!("call_{}_{index}", self.turn)
    }

    /// The arguments of a call as JSON text.
    pub(crate) fn arguments(&self, index: usize) -> String {
        format!(r#"{{"a":{},"b":{index}}}"#, self.turn)
    }
}

fn count(body: &[u8], word: &[u8]) -> usize {
    memmem::find_iter(body, word).count()
}

/// What follows the first `key` of the body, its colon and the spaces.
fn value<'a>(body: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let rest = body.get(memmem::find(body, key)? + key.len()..)?;
    Some(rest.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start())
}
