//! An inference: a `chat` span, or an `embeddings` span.

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use legwork_core::budget::Amounts;
use legwork_core::error::ErrorRecord;
use legwork_core::{Response, Seq, Usage};
use opentelemetry::trace::SpanKind;

use super::execution::Execution;
use super::span::{Inferred, Span};
use crate::attributes::{
    Attributes, CACHE_READ, CACHE_WRITE, CONVERSATION, FINISH, FIRST_CHUNK, INPUT_TOKENS,
    MAX_TOKENS, MODEL, OUTPUT, OUTPUT_TOKENS, Operation, PROVIDER, REASONING, RESPONSE,
    RESPONSE_MODEL, SEED, STOP, STREAM, TEMPERATURE, TOP_P, texts,
};
use crate::telemetry::Content;
use crate::{content, provider};

/// Which inference it is: the entry that reserved it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Step(Seq),
    /// One that is no step, such as a summary.
    Auxiliary(Seq),
    Embeddings(Seq),
}

/// An inference under way.
pub(super) struct Inference {
    kind: Kind,
    model: String,
    began: SystemTime,
    ended: Option<SystemTime>,
    usage: Option<Usage>,
    charged: Option<(u64, u64)>,
    error: Option<String>,
    response: Option<Responded>,
    /// When the last piece came, and the times between pieces.
    last: Option<SystemTime>,
    pieces: Vec<Duration>,
}

/// What came of it.
struct Responded {
    id: Option<String>,
    model: Option<String>,
    finish: String,
    output: Option<String>,
}

impl Inference {
    pub(super) fn begin(kind: Kind, model: &str, began: SystemTime) -> Self {
        Self {
            kind,
            model: model.to_owned(),
            began,
            ended: None,
            usage: None,
            charged: None,
            error: None,
            response: None,
            last: None,
            pieces: Vec::new(),
        }
    }

    pub(super) fn began(&self) -> SystemTime {
        self.began
    }

    pub(super) fn is_step(&self, id: Seq) -> bool {
        self.kind == Kind::Step(id)
    }

    /// A piece of the answer came.
    pub(super) fn piece(&mut self, now: SystemTime) {
        let before = self.last.replace(now).unwrap_or(self.began);
        self.pieces.push(now.duration_since(before).unwrap_or_default());
    }

    /// The pieces that came are those of an attempt that failed.
    pub(super) fn discard(&mut self) {
        self.last = None;
        self.pieces.clear();
    }

    pub(super) fn respond(&mut self, response: &Response, content: Content) {
        self.response = Some(Responded {
            id: response.id.clone(),
            model: response.model.as_deref().map(str::to_owned),
            finish: response.finish.to_string(),
            output: (content == Content::On).then(|| content::of_response(response)),
        });
    }

    pub(super) fn end(
        &mut self,
        ended: SystemTime,
        usage: Option<Usage>,
        error: Option<&ErrorRecord>,
    ) {
        (self.ended, self.usage) = (Some(ended), usage);
        self.error = error.map(|error| error.kind.to_string());
    }

    /// What the budget was charged for it, failed attempts included.
    pub(super) fn charge(&mut self, charged: &Amounts) {
        self.charged = Some((charged.input, charged.output));
    }

    /// The span of it; none if it did not end.
    pub(super) fn into_span(self, execution: &Execution, content: Content) -> Option<Span> {
        let ended = self.ended?;
        let (operation, seq) = match self.kind {
            Kind::Step(seq) | Kind::Auxiliary(seq) => (Operation::Chat, seq),
            Kind::Embeddings(seq) => (Operation::Embeddings, seq),
        };
        let (provider, model) = provider::of(&self.model);
        let (provider, model) = (provider.to_owned(), model.to_owned());
        let mut attributes =
            Attributes::of(operation).with(PROVIDER, provider.clone()).with(MODEL, model.clone());
        if operation == Operation::Chat {
            attributes = self.of_chat(execution, attributes, content);
        }
        let usage = self.usage.map(|usage| (usage.input, usage.output));
        let tokens = self.charged.or(usage);
        if let Some((input, output)) = tokens {
            attributes = attributes.with_count(INPUT_TOKENS, input);
            if operation == Operation::Chat {
                attributes = attributes.with_count(OUTPUT_TOKENS, output);
            }
        }
        let (input, output) = tokens.unwrap_or_default();
        let response_model = self.response.and_then(|response| response.model);
        let name = format!("{} {model}", operation.as_str()).into();
        let operation = operation.as_str();
        let pieces = self.pieces;
        let inferred =
            Inferred { operation, provider, model, response_model, input, output, pieces };
        Some(Span {
            context: execution.below(&format!("inference {seq}")),
            parent: Some(execution.context().clone()),
            kind: SpanKind::Client,
            name,
            began: self.began,
            ended: ended.max(self.began),
            attributes,
            error: self.error.map(Cow::Owned),
            inferred: Some(inferred),
        })
    }

    fn of_chat(
        &self,
        execution: &Execution,
        attributes: Attributes,
        content: Content,
    ) -> Attributes {
        let mut attributes = attributes.with(CONVERSATION, execution.session().to_string());
        if let Some(settings) = execution.settings(&self.model) {
            let most = settings.max_output.map(|most| i64::try_from(most).unwrap_or(i64::MAX));
            let stop = Some(&settings.stop).filter(|stop| !stop.is_empty());
            attributes = attributes
                .with_some(MAX_TOKENS, most)
                .with_some(TEMPERATURE, settings.temperature)
                .with_some(TOP_P, settings.top_p)
                .with_some(SEED, settings.seed)
                .with_some(STOP, stop.map(texts));
        }
        if let Some(response) = &self.response {
            attributes = attributes
                .with_some(RESPONSE, response.id.clone())
                .with_some(RESPONSE_MODEL, response.model.clone())
                .with(FINISH, texts([response.finish.clone()]));
            if content == Content::On {
                attributes = attributes.with_some(OUTPUT, response.output.clone());
            }
        }
        if let Some(first) = self.pieces.first() {
            attributes = attributes.with(STREAM, true).with(FIRST_CHUNK, first.as_secs_f64());
        }
        let Some(usage) = self.usage else { return attributes };
        let parts = [
            (CACHE_READ, usage.cache_read),
            (CACHE_WRITE, usage.cache_write),
            (REASONING, usage.reasoning),
        ];
        let parts = parts.into_iter().filter(|(_, count)| *count > 0);
        parts.fold(attributes, |attributes, (name, count)| attributes.with_count(name, count))
    }
}
