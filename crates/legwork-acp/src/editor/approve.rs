//! Asking the person in the editor about calls that wait.

use std::sync::atomic::Ordering;

use legwork_agent::capability::ask_user::Question;
use legwork_agent::form::Form;
use legwork_core::approval::Remember;
use legwork_core::inbox::{Answer, Verdict};
use legwork_core::state::{Pending, PendingReason};
use legwork_core::{AgentState, ToolCall};
use legwork_port::{Approver, BoxFuture};
use serde_json::{Value, json};

use super::{Editor, Shown, change};
use crate::wire::update::text_block;

/// What the model reads of a call that was denied.
pub(super) const DENIED: &str = "The user said no.";

/// A choice that the editor offers.
struct Choice {
    id: &'static str,
    kind: &'static str,
    name: String,
    verdict: Verdict,
}

impl Choice {
    fn new(
        (id, kind): (&'static str, &'static str),
        name: impl Into<String>,
        verdict: Verdict,
    ) -> Self {
        Self { id, kind, name: name.into(), verdict }
    }
}

impl Approver for Editor {
    fn answer<'a>(
        &'a self,
        pending: &'a Pending,
        state: &'a AgentState,
    ) -> BoxFuture<'a, Option<Answer>> {
        Box::pin(async move {
            if let Some(question) = Question::of(pending) {
                return self.ask(pending, &question, state).await;
            }
            if let Some(form) = Form::of(pending) {
                return self.fill(pending, &form, state).await;
            }
            let choices = match pending.reason {
                PendingReason::Approval => self.approval(pending),
                PendingReason::Doubt => doubt(),
                _ => return None,
            };
            self.permission(pending, state, choices).await
        })
    }
}

impl Editor {
    /// The choices where a call needs approval.
    fn approval(&self, pending: &Pending) -> Vec<Choice> {
        let remembering = |remember| Answer::approve_and_remember(pending, remember).verdict;
        let yes = Answer::approve(pending).verdict;
        let mut choices = vec![Choice::new(("allow_once", "allow_once"), "Allow", yes)];
        // Where its policy does not ask, each such call is asked about, whatever was approved.
        if pending.of_policy {
            let remembers = match self.workplace() {
                Some(workplace) => workplace.remembers(pending),
                None => None,
            };
            if let Some(Remember::Rule(rule)) = remembers {
                let (name, rule) = (format!("Always allow {rule}"), Remember::Rule(rule));
                choices.push(Choice::new(("allow_rule", "allow_always"), name, remembering(rule)));
            }
            let name = format!("Always allow {}", pending.tool);
            let tool = remembering(Remember::Tool);
            choices.push(Choice::new(("allow_tool", "allow_always"), name, tool));
        }
        let no = Answer::deny(pending, DENIED).verdict;
        choices.push(Choice::new(("reject_once", "reject_once"), "Reject", no));
        choices
    }

    /// Asks which choice it is to be; none if the person chose none.
    async fn permission(
        &self,
        pending: &Pending,
        state: &AgentState,
        choices: Vec<Choice>,
    ) -> Option<Answer> {
        let call = self.waits(pending, state)?;
        let option = |choice: &Choice| json!({"optionId": choice.id, "name": choice.name, "kind": choice.kind});
        let options = choices.iter().map(option).collect();
        let chosen = self.chosen(call, options).await?;
        let choice = choices.into_iter().find(|choice| choice.id == chosen)?;
        Some(Answer::new(&pending.id, choice.verdict).by("editor"))
    }

    /// Has the person choose an option; none if they dismiss it.
    pub(super) async fn chosen(&self, call: Value, options: Vec<Value>) -> Option<String> {
        let params = json!({"sessionId": self.session, "toolCall": call, "options": options});
        let result = self.client.ask("session/request_permission", &params).await?;
        let outcome = result.get("outcome")?;
        let chosen = outcome.get("optionId").and_then(Value::as_str).map(str::to_owned);
        if chosen.is_none() {
            self.dismissed();
        }
        chosen
    }

    pub(super) fn dismissed(&self) {
        self.is_dismissed.store(true, Ordering::Relaxed);
    }

    /// Shows that a call waits; gives the call as the request for permission names it.
    pub(super) fn waits(&self, pending: &Pending, state: &AgentState) -> Option<Value> {
        let slot = state.call(pending.index)?;
        let call = ToolCall::new(slot.call.id.clone(), &*pending.tool, &*pending.arguments);
        let agent = state.facts().parent.as_ref().and(state.facts().agent.as_ref());
        let of = agent.map(ToString::to_string).unwrap_or_default();
        let begun = self.begun(&of, &call, "pending");
        let shown = Shown { content: Some(self.proposed(pending, begun.input.as_ref())), ..begun };
        let (title, kind, input) = (shown.title.clone(), shown.kind, shown.input.clone());
        let (locations, content) = (shown.locations.clone(), shown.content.clone());
        let id = self.shows_call(state.session(), &call, shown);
        Some(json!({
            "toolCallId": id,
            "title": title,
            "kind": kind,
            "status": "pending",
            "locations": locations,
            "content": content,
            "rawInput": input,
        }))
    }

    /// What the call would do, and why it is asked about.
    fn proposed(&self, pending: &Pending, input: Option<&Value>) -> Vec<Value> {
        let workplace = self.workplace();
        let before = |path: &str| workplace.as_ref().and_then(|place| place.text_of(path));
        let absolute = |path: &str| self.absolute(path);
        let mut content =
            input.map_or_else(Vec::new, |input| change::proposed(input, before, absolute));
        let command = input.and_then(|input| input.get("command")).and_then(Value::as_str);
        let doubt = (pending.reason == PendingReason::Doubt)
            .then_some("It was running when the process died: it may or may not have happened.");
        let texts = command.into_iter().chain(pending.explanation.as_deref()).chain(doubt);
        content.extend(texts.map(|text| json!({"type": "content", "content": text_block(text)})));
        content
    }
}

/// The choices where a call is in doubt.
fn doubt() -> Vec<Choice> {
    vec![
        Choice::new(("run_again", "allow_once"), "Run it again", Verdict::RunAgain),
        Choice::new(("tell", "reject_once"), "Tell the agent that it was cut off", Verdict::Tell),
    ]
}
