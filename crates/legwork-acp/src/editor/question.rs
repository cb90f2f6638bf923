//! A question of the agent, put to the person in the editor.

use legwork_agent::capability::ask_user::Question;
use legwork_core::AgentState;
use legwork_core::inbox::Answer;
use legwork_core::state::Pending;
use serde_json::{Value, json};

use super::Editor;

/// The field of the form.
const FIELD: &str = "answer";

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
        let schema = json!({"type": "object", "properties": {FIELD: field}, "required": [FIELD]});
        let params = json!({
            "sessionId": self.session,
            "toolCallId": call.get("toolCallId"),
            "mode": "form",
            "message": question.text,
            "requestedSchema": schema,
        });
        let result = self.client.ask("elicitation/create", &params).await?;
        let answer = result.get("content").and_then(|content| content.get(FIELD)?.as_str());
        if answer.is_none() {
            self.dismissed();
        }
        answer.map(str::to_owned)
    }

    /// The answer of a list.
    async fn picked(&self, question: &Question, call: Value) -> Option<String> {
        let option = |(number, choice): (usize, &String)| json!({"optionId": format!("{number}"), "name": choice, "kind": "allow_once"});
        let options = (1..).zip(&question.choices).map(option).collect();
        self.chosen(call, options).await
    }
}

/// A question that the next prompt answers.
fn words(question: &Question) -> String {
    let choices =
        (1..).zip(&question.choices).map(|(number, choice)| format!("\n{number} {choice}"));
    let how = "The next message is the answer.";
    format!("{}{}\n{how}", question.text, choices.collect::<String>())
}
