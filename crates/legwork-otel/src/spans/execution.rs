//! An execution: the `invoke_agent` span.

use std::borrow::Cow;
use std::time::SystemTime;

use legwork_core::error::ErrorRecord;
use legwork_core::{ModelSettings, SessionId};
use legwork_port::event::{ExecutionEnd, ExecutionStart};
use opentelemetry::trace::{SpanContext, SpanId, SpanKind, TraceState};

use super::span::{Span, time};
use crate::attributes::{
    AGENT, Attributes, CONVERSATION, FINISH, INPUT, INPUT_TOKENS, MODEL, OUTPUT, OUTPUT_TOKENS,
    Operation, PROVIDER, texts,
};
use crate::origin::{self, Ids, Sampled};
use crate::telemetry::Content;
use crate::{content, provider};

/// An execution that runs.
pub(super) struct Execution {
    session: SessionId,
    agent: Option<String>,
    settings: ModelSettings,
    task: String,
    began: SystemTime,
    ids: Ids,
    context: SpanContext,
    parent: Option<SpanContext>,
    /// Whether it had ended before: then what it used is that of two spans.
    reopened: bool,
    error: Option<String>,
}

impl Execution {
    /// Follows an execution that begins, or goes on in this process.
    ///
    /// `caller` is the call that it works for, if it is a subagent's.
    pub(super) fn begin(
        session: &SessionId,
        start: &ExecutionStart,
        caller: Option<SpanContext>,
        share: f64,
        now: SystemTime,
    ) -> Self {
        let ids = Ids::of(session, start);
        let own = ids.span("invoke_agent");
        let outer = caller.or_else(|| origin::parent(start));
        let (trace, sampled, state) = match &outer {
            Some(outer) => {
                (outer.trace_id(), Sampled::in_trace_of(outer), outer.trace_state().clone())
            }
            None => (ids.trace(), Sampled::of(ids.trace(), share), TraceState::default()),
        };
        let of = |span: SpanId| origin::context(trace, span, sampled, state.clone());
        let (context, parent, began) = match start.reopened {
            false => (of(own), outer, time(start.began)),
            // The span of before has ended: this is another one, below it.
            true => (of(ids.span(&format!("again {now:?}"))), Some(of(own)), now),
        };
        Self {
            session: session.clone(),
            agent: start.agent.as_ref().map(ToString::to_string),
            settings: start.settings.clone(),
            task: start.task.clone(),
            began,
            ids,
            context,
            parent,
            reopened: start.reopened,
            error: None,
        }
    }

    pub(super) fn session(&self) -> &SessionId {
        &self.session
    }

    /// The model of its session, as `provider:name`.
    pub(super) fn model(&self) -> &str {
        &self.settings.model
    }

    /// The settings of its session, if they are those of this model.
    pub(super) fn settings(&self, model: &str) -> Option<&ModelSettings> {
        (*self.settings.model == *model).then_some(&self.settings)
    }

    /// The span that others are below.
    pub(super) fn context(&self) -> &SpanContext {
        &self.context
    }

    /// The span of a call.
    pub(super) fn call(&self, step: Option<u32>, index: u32) -> SpanContext {
        self.below(&format!("call {} {index}", step.unwrap_or(0)))
    }

    /// A span of the execution that such words name.
    pub(super) fn below(&self, which: &str) -> SpanContext {
        let sampled = Sampled::in_trace_of(&self.context);
        let state = self.context.trace_state().clone();
        origin::context(self.context.trace_id(), self.ids.span(which), sampled, state)
    }

    pub(super) fn fail(&mut self, error: &ErrorRecord) {
        self.error = Some(error.kind.to_string());
    }

    pub(super) fn end(&self, end: &ExecutionEnd, now: SystemTime, content: Content) -> Span {
        let (provider, model) = provider::of(self.model());
        let used = Some(&end.used).filter(|_| !self.reopened);
        let mut attributes = Attributes::of(Operation::Agent)
            .with(PROVIDER, provider.to_owned())
            .with_some(MODEL, Some(model.to_owned()).filter(|model| !model.is_empty()))
            .with_some(AGENT, self.agent.clone())
            .with(CONVERSATION, self.session.to_string())
            .with_some(FINISH, end.finish.as_ref().map(|finish| texts([finish.to_string()])));
        if let Some(used) = used {
            attributes = attributes
                .with_count(INPUT_TOKENS, used.input)
                .with_count(OUTPUT_TOKENS, used.output);
        }
        if content == Content::On {
            let asked = Some(&self.task).filter(|task| !task.is_empty());
            let answer = Some(&end.text).filter(|text| !text.is_empty());
            attributes = attributes
                .with_some(INPUT, asked.map(|task| content::said("user", task)))
                .with_some(OUTPUT, answer.map(|text| content::answered(text, end.finish.as_ref())));
        }
        let name = match &self.agent {
            Some(agent) => format!("{} {agent}", Operation::Agent.as_str()).into(),
            None => Cow::Borrowed(Operation::Agent.as_str()),
        };
        Span {
            context: self.context.clone(),
            parent: self.parent.clone(),
            kind: SpanKind::Internal,
            name,
            began: self.began,
            ended: now.max(self.began),
            attributes,
            error: self.error.clone().map(Cow::Owned),
            inferred: None,
        }
    }
}
