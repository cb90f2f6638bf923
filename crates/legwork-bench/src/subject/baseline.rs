//! The baseline: an agent loop written by hand, without a framework.
//!
//! A list of messages that is sent whole each time, `reqwest`, `serde_json`,
//! and nothing else: no events, no limits, no validation, no recovery.

mod ledger;
mod stream;
mod wire;

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::try_join_all;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};

use self::{
    ledger::Ledger,
    wire::{Answer, Arguments, Call, Message, Request, Response},
};
use super::{INSTRUCTIONS, Setup, Subject, TASK};
use crate::{error::Error, probe::Probe};

/// A client, a model's name and a tool.
#[derive(Clone, Debug)]
pub(crate) struct Baseline(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    client: reqwest::Client,
    url: String,
    model: String,
    streamed: bool,
    tools: Box<serde_json::value::RawValue>,
    probe: Arc<Probe>,
    ledger: Option<Mutex<Ledger>>,
}

impl Subject for Baseline {
    fn open(setup: Setup) -> Result<Self, Error> {
        let client = reqwest::Client::builder().no_proxy().tcp_nodelay(true).build()?;
        let ledger = setup.disk.as_ref().map(Ledger::create).transpose()?;
        Ok(Self(Arc::new(Parts {
            client,
            url: format!("{}/chat/completions", setup.base_url),
            model: setup.script.to_string(),
            streamed: setup.streamed,
            tools: wire::tools()?,
            probe: setup.probe,
            ledger: ledger.map(Mutex::new),
        })))
    }

    async fn run(&self) -> Result<String, Error> {
        self.with_ledger(Ledger::restart);
        let mut messages = vec![Message::system(INSTRUCTIONS), Message::user(TASK)];
        loop {
            let answer = self.infer(&messages).await?;
            let step = messages.len();
            if answer.tool_calls.is_empty() {
                let text = answer.content.clone().unwrap_or_default();
                messages.push(Message::Assistant(answer));
                self.keep(&messages, step)?;
                return Ok(text);
            }
            let results = self.call_tools(&answer.tool_calls).await?;
            messages.push(Message::Assistant(answer));
            messages.extend(results);
            self.keep(&messages, step)?;
        }
    }

    async fn recorded(&self) -> Result<Vec<usize>, Error> {
        Ok(self.with_ledger(|ledger| ledger.steps()).unwrap_or_default())
    }
}

impl Baseline {
    /// Sends the whole conversation and reads the answer.
    async fn infer(&self, messages: &[Message]) -> Result<Answer, Error> {
        let request = Request {
            model: &self.0.model,
            messages,
            tools: &self.0.tools,
            stream: self.0.streamed,
        };
        let body = serde_json::to_vec(&request).map_err(Error::json("a request"))?;
        let response = self
            .0
            .client
            .post(&self.0.url)
            .header(CONTENT_TYPE, "application/json")
            .header(AUTHORIZATION, "Bearer bench")
            .body(body)
            .send()
            .await?
            .error_for_status()?;
        if self.0.streamed {
            return stream::read(response).await;
        }
        let bytes = response.bytes().await?;
        let whole: Response = serde_json::from_slice(&bytes).map_err(Error::json("a response"))?;
        whole.first()
    }

    /// Runs the calls of one answer at once; results in call order.
    async fn call_tools(&self, calls: &[Call]) -> Result<Vec<Message>, Error> {
        if let [call] = calls {
            return Ok(vec![self.call_tool(call).await?]);
        }
        try_join_all(calls.iter().map(|call| self.call_tool(call))).await
    }

    /// Runs one call.
    async fn call_tool(&self, call: &Call) -> Result<Message, Error> {
        let Arguments { a, b } = serde_json::from_str(&call.function.arguments)
            .map_err(Error::json("the arguments of a call"))?;
        let sum = self.0.probe.add(a, b).await;
        Ok(Message::Tool { tool_call_id: call.id.clone(), content: sum.to_string() })
    }

    /// Writes the messages from `step` on, where there is a disk.
    fn keep(&self, messages: &[Message], step: usize) -> Result<(), Error> {
        let new = messages.get(step..).unwrap_or_default();
        self.with_ledger(|ledger| ledger.append(new)).unwrap_or(Ok(()))
    }

    fn with_ledger<T>(&self, act: impl FnOnce(&mut Ledger) -> T) -> Option<T> {
        let ledger = self.0.ledger.as_ref()?;
        Some(act(&mut ledger.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

#[cfg(test)]
mod tests;
