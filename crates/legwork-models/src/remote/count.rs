//! The tokens of a request, counted by the provider.

use std::pin::pin;

use bytes::Bytes;
use http::Request;
use legwork_core::ModelRequest;
use legwork_port::model::{Count, Error, Kind};
use serde_json::{Map, Value};

use super::HttpModel;
use super::failure::Tried;
use super::protocol::Protocol;
use super::question::ask;
use crate::answer::Streaming;
use crate::http::{Limits, Watch, with_body};
use crate::wire::{Counted, Counting};

/// Codes of errors that say that a model is not known: of OpenAI, and of AWS.
const UNKNOWN: [&str; 2] = ["model_not_found", "ResourceNotFoundException"];

/// Where tokens are counted.
pub(super) struct Counter {
    pub(super) counting: Counting,
    /// A request without its body.
    pub(super) template: Request<()>,
    /// The address as messages show it.
    pub(super) address: String,
}

impl HttpModel {
    /// The body with which the provider is asked how many tokens a request has.
    pub(super) fn count_body(
        &self,
        counter: &Counter,
        request: &ModelRequest,
    ) -> Result<Bytes, Error> {
        let filled = self.defaults.as_ref().map(|others| self.filled(request.clone(), others));
        let request = filled.as_ref().unwrap_or(request);
        let body = self.body_in(request, self.frame(Streaming::No))?;
        let not_encoded = |error: serde_json::Error| {
            let message = format!("asking {}: the request is no JSON: {error}", self.name);
            Error::new(Kind::BadRequest, message)
        };
        let body: Map<String, Value> = serde_json::from_slice(&body).map_err(not_encoded)?;
        let model = self.name.split_once(':').map_or("", |(_, model)| model);
        let counted = Counted { provider: &self.head.provider, model, body };
        let body = serde_json::to_vec(&(counter.counting.body)(counted)).map_err(not_encoded)?;
        Ok(Bytes::from(body))
    }

    /// Asks once, within the time of a first byte; none if the server does not count.
    pub(super) async fn counted(
        &self,
        counter: &Counter,
        body: Bytes,
    ) -> Result<Option<Count>, Error> {
        let tried = self.tried(&counter.address);
        let limit = self.timeouts.first_byte;
        let asking = async {
            let mut is_renewed = false;
            loop {
                let mut request = with_body(&counter.template, body.clone());
                let Some(access) = &self.access else {
                    return ask(&*self.clock, &self.client, request, tried, self.bounds).await;
                };
                let used = access.open(&mut request, &body, &*self.clock).await;
                let used = used.map_err(|problem| tried.not_allowed(&problem))?;
                let answer = ask(&*self.clock, &self.client, request, tried, self.bounds).await;
                let Err(error) = &answer else { return answer };
                let (status, name) = (error.status.unwrap_or_default(), error.code.as_deref());
                if is_renewed || !access.renews(&used, status, name.unwrap_or_default()) {
                    return answer;
                }
                is_renewed = true;
            }
        };
        let mut watch = Watch::new(&*self.clock, Limits::of_wait(limit));
        let answer = watch.next(pin!(asking)).await;
        match answer.unwrap_or_else(|_| Err(tried.too_slow(limit))) {
            Ok(answer) => match answer.pointer(counter.counting.number).and_then(Value::as_u64) {
                Some(tokens) => Ok(Some(Count::Exact(tokens))),
                None => Err(self.free(tried.no_count())),
            },
            Err(error) if self.counts_nothing(counter, &error) => Ok(None),
            Err(error) => Err(self.free(error)),
        }
    }

    /// Whether a server has nothing at the path: it speaks the API without counting.
    ///
    /// The same status says that the model is not known. Such an error has a code for it (OpenAI,
    /// AWS) or names the model (Anthropic, Google); one about the path may name it as a part of
    /// that.
    fn counts_nothing(&self, counter: &Counter, error: &Error) -> bool {
        match error.status {
            Some(405 | 501) => true,
            Some(404) => {
                let said = self.tried(&counter.address).in_short(error);
                let model = self.name.split_once(':').map_or("", |(_, model)| model);
                let is_code = error.code.as_deref().is_some_and(|code| UNKNOWN.contains(&code));
                let path = counter.template.uri().path();
                !is_code && (said.contains(path) || !names(said, model))
            }
            _ => false,
        }
    }

    /// The same error of a request that costs nothing.
    fn free(&self, error: Error) -> Error {
        self.masked(Error { charged_attempts: 0, ..error })
    }

    pub(super) fn tried<'a>(&'a self, address: &'a str) -> Tried<'a> {
        let protocol = Protocol::Inference(self.api);
        Tried { protocol, model: &self.name, address, proxy: self.client.proxy() }
    }
}

/// Whether a text has a model's name, and not as a part of a longer word.
fn names(text: &str, model: &str) -> bool {
    let (text, model) = (text.to_ascii_lowercase(), model.to_ascii_lowercase());
    let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let is_word = |at: usize| {
        let (before, rest) = text.split_at(at);
        let after = rest.get(model.len()..).and_then(|rest| rest.chars().next());
        is_end(before.chars().next_back()) && is_end(after)
    };
    !model.is_empty() && text.match_indices(&model).any(|(at, _)| is_word(at))
}
