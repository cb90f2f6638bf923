//! A question of the agent, put to the person in the editor.

use legwork_agent::capability::ask_user::Question;
use legwork_agent::form::Form;
use legwork_core::AgentState;
use legwork_core::inbox::Answer;
use legwork_core::state::Pending;
use serde_json::{Value, json};

use super::Editor;
use super::approve::DENIED;

/// The field of the form.
const FIELD: &str = "answer";

/// How a question is answered that the editor has no form for.
const NEXT: &str = "The next message is the answer.";

/// What a person did with a form.
enum Filled {
    With(Value),
    Declined,
}

impl Editor {
    /// The person's answer: of a form if the editor has some, else of a list of choices. Any other
    /// question ends the turn, and the next prompt answers it.
    pub(super) async fn ask(
        &self,
        pending: &Pending,
        question: &Question,
        state: &AgentState,
    ) -> Option<Answer> {
        let call = self.waits(pending, state)?;
        let text = match (self.has_forms, question.choices.is_empty()) {
            (true, _) => self.filled(question, &call).await?,
            (false, false) if !question.free_text => self.picked(question, call).await?,
            _ => {
                self.notes(&words(question));
                return None;
            }
        };
        question.answer(pending, &text).ok().map(|answer| answer.by("editor"))
    }

    /// The answer in a form.
    async fn filled(&self, question: &Question, call: &Value) -> Option<String> {
        let mut field = json!({"type": "string", "title": "Answer", "minLength": 1});
        if let Some(field) = field.as_object_mut() {
            match question.takes_any() {
                false => drop(field.insert("enum".to_owned(), json!(question.choices))),
                true if question.choices.is_empty() => {}
                true => {
                    let offered = format!("For example: {}", question.choices.join(", "));
                    field.insert("description".to_owned(), offered.into());
                }
            }
        }
        let schema = one_field(&field);
        let Filled::With(content) = self.form(&question.text, &schema, call).await? else {
            self.dismissed();
            return None;
        };
        content.get(FIELD)?.as_str().map(str::to_owned)
    }

    /// What the person did with a form; none if they dismiss it.
    async fn form(&self, message: &str, schema: &Value, call: &Value) -> Option<Filled> {
        let params = json!({
            "sessionId": self.session,
            "toolCallId": call.get("toolCallId"),
            "mode": "form",
            "message": message,
            "requestedSchema": schema,
        });
        let mut result = self.client.ask("elicitation/create", &params).await?;
        if result.get("action").and_then(Value::as_str) == Some("decline") {
            return Some(Filled::Declined);
        }
        let content = result.get_mut("content").map(Value::take).filter(Value::is_object);
        if content.is_none() {
            self.dismissed();
        }
        content.map(Filled::With)
    }

    /// The input that a call asks for: in a form if the editor has some; else the turn ends, and
    /// the next prompt supplies it.
    pub(super) async fn fill(
        &self,
        pending: &Pending,
        form: &Form,
        state: &AgentState,
    ) -> Option<Answer> {
        let call = self.waits(pending, state)?;
        let message = format!("{} asks: {}", pending.tool, form.message);
        if !self.has_forms {
            let about = form.fields.iter().map(|field| match &field.description {
                Some(about) => format!("\n{}: {about}", field.label()),
                None => format!("\n{}", field.label()),
            });
            let how = match form.fields.len() {
                1 => NEXT,
                _ => "A message that is a JSON object with these fields is the answer.",
            };
            self.notes(&format!("{message}{}\n{how}", about.collect::<String>()));
            return None;
        }
        let text = json!({"type": "string", "title": "Answer", "minLength": 1});
        let any = || one_field(&text);
        let input = pending.input.as_ref()?;
        let schema = input.schema().cloned().unwrap_or_else(any);
        let answer = match self.form(&message, &schema, &call).await? {
            Filled::With(Value::Object(values)) => form.answer(pending, values).ok()?,
            Filled::With(_) => return None,
            Filled::Declined => Answer::deny(pending, DENIED),
        };
        Some(answer.by("editor"))
    }

    /// The answer of a list.
    async fn picked(&self, question: &Question, call: Value) -> Option<String> {
        let option = |(number, choice): (usize, &String)| json!({"optionId": format!("{number}"), "name": choice, "kind": "allow_once"});
        let options = (1..).zip(&question.choices).map(option).collect();
        self.chosen(call, options).await
    }
}

/// The schema of a form with one field.
fn one_field(field: &Value) -> Value {
    json!({"type": "object", "properties": {FIELD: field}, "required": [FIELD]})
}

/// A question that the next prompt answers.
fn words(question: &Question) -> String {
    let choices =
        (1..).zip(&question.choices).map(|(number, choice)| format!("\n{number} {choice}"));
    format!("{}{}\n{NEXT}", question.text, choices.collect::<String>())
}
