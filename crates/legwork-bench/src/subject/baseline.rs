//! The baseline: an agent loop written by hand, without a framework.
//!
//! A list of messages that is sent whole each time, `reqwest`, `serde_json`,
//! and nothing else: no events, no limits, no validation, no recovery.

mod bedrock;
mod chat;
mod dialect;
mod gemini;
mod ledger;
mod messages;
mod responses;
mod stream;

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::try_join_all;
use reqwest::header::CONTENT_TYPE;
use serde::Serialize;
use serde_json::value::RawValue;

use self::{
    bedrock::Bedrock,
    chat::Chat,
    dialect::{Arguments, Dialect, Frame},
    gemini::Gemini,
    ledger::Ledger,
    messages::Messages,
    responses::Responses,
};
use super::{Setup, Subject};
use crate::{api::Api, error::Error, harness::Side, probe::Probe};

/// A client, a model's name and a tool.
#[derive(Clone, Debug)]
pub(crate) struct Baseline(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    api: Api,
    client: reqwest::Client,
    url: String,
    model: String,
    streamed: bool,
    tools: Box<RawValue>,
    probe: Arc<Probe>,
    ledger: Option<Mutex<Ledger>>,
}

impl Subject for Baseline {
    const SIDE: Side = Side::Baseline;

    fn open(setup: Setup) -> Result<Self, Error> {
        match setup.api {
            Api::Chat => Self::speaking::<Chat>(setup),
            Api::Responses => Self::speaking::<Responses>(setup),
            Api::Messages => Self::speaking::<Messages>(setup),
            Api::Gemini => Self::speaking::<Gemini>(setup),
            Api::Bedrock => Self::speaking::<Bedrock>(setup),
        }
    }

    async fn run(&self) -> Result<String, Error> {
        match self.0.api {
            Api::Chat => self.play::<Chat>().await,
            Api::Responses => self.play::<Responses>().await,
            Api::Messages => self.play::<Messages>().await,
            Api::Gemini => self.play::<Gemini>().await,
            Api::Bedrock => self.play::<Bedrock>().await,
        }
    }

    async fn recorded(&self) -> Result<Vec<usize>, Error> {
        Ok(self.with_ledger(|ledger| ledger.steps()).unwrap_or_default())
    }
}

impl Baseline {
    fn speaking<D: Dialect>(setup: Setup) -> Result<Self, Error> {
        let client = reqwest::Client::builder().no_proxy().tcp_nodelay(true).build()?;
        let ledger = setup.disk.as_ref().map(Ledger::create).transpose()?;
        let model = setup.script.to_string();
        Ok(Self(Arc::new(Parts {
            api: setup.api,
            client,
            url: format!("{}/{}", setup.base_url, D::path(&model, setup.streamed)),
            model,
            streamed: setup.streamed,
            tools: D::tools()?,
            probe: setup.probe,
            ledger: ledger.map(Mutex::new),
        })))
    }

    /// The loop: asks the model until it calls no tools.
    async fn play<D: Dialect>(&self) -> Result<String, Error> {
        self.with_ledger(Ledger::restart);
        let mut messages = D::opening();
        loop {
            let answer = self.infer::<D>(&messages).await?;
            let step = messages.len();
            let calls = D::calls(&answer);
            if calls.is_empty() {
                let text = D::text(&answer);
                D::push(&mut messages, answer, &[]);
                self.keep(&messages, step)?;
                return Ok(text);
            }
            let sums = self.call_tools::<D>(&calls).await?;
            D::push(&mut messages, answer, &sums);
            self.keep(&messages, step)?;
        }
    }

    /// Sends the whole conversation and reads the answer.
    async fn infer<D: Dialect>(&self, messages: &[D::Message]) -> Result<D::Answer, Error> {
        let Parts { model, tools, streamed, .. } = &*self.0;
        let frame = Frame { model, tools, stream: *streamed };
        let body = D::body(&frame, messages).map_err(Error::json("a request"))?;
        let request = self.0.client.post(&self.0.url).header(CONTENT_TYPE, "application/json");
        let response = D::authorize(request).body(body).send().await?.error_for_status()?;
        if self.0.streamed {
            return stream::read::<D>(response).await;
        }
        D::whole(&response.bytes().await?)
    }

    /// Runs the calls of one answer at once; sums in call order.
    async fn call_tools<D: Dialect>(&self, calls: &[&D::Call]) -> Result<Vec<i64>, Error> {
        if let [call] = calls {
            return Ok(vec![self.call_tool::<D>(call).await?]);
        }
        try_join_all(calls.iter().map(|call| self.call_tool::<D>(call))).await
    }

    /// Runs one call.
    async fn call_tool<D: Dialect>(&self, call: &D::Call) -> Result<i64, Error> {
        let Arguments { a, b } =
            D::arguments(call).map_err(Error::json("the arguments of a call"))?;
        Ok(self.0.probe.add(a, b).await)
    }

    /// Writes the messages from `step` on, where there is a disk.
    fn keep<M: Serialize>(&self, messages: &[M], step: usize) -> Result<(), Error> {
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
