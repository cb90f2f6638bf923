//! What a model is told of an output in words.

use std::fmt::Write as _;

use serde_json::json;

use crate::output::{Error, Spec};
use crate::schema::Wrapper;

/// What a model is told of an output in words.
#[derive(Debug, Clone, Copy)]
pub struct Prompt<'a>(pub(super) &'a Spec);

impl Prompt<'_> {
    /// How to answer by calling the tool.
    pub fn of_tool(&self) -> String {
        let text = format!("Give your answer by calling the tool `{}`, once.", self.0.name);
        self.with_examples(text)
    }

    /// How to answer where the schema is given by other means: the examples, if there are any.
    pub fn of_schema(&self) -> String {
        self.with_examples(String::new())
    }

    /// How to answer with a JSON object and nothing else.
    pub fn of_object(&self) -> String {
        self.with_schema("Answer with a JSON object and nothing else. It fits this JSON Schema:")
    }

    /// How to answer with a fenced block of JSON.
    pub fn of_fence(&self) -> String {
        self.with_schema(
            "Give your answer in one block that begins with a line ```json and ends with a line \
             ```. It holds a JSON value that fits this JSON Schema:",
        )
    }

    /// How to answer with JSON in a text.
    pub fn of_text(&self) -> String {
        self.with_schema(
            "Answer with JSON that fits the JSON Schema below. Write no comments in it and nothing \
             after it. The JSON Schema:",
        )
    }

    /// What is said about an answer that cannot be taken.
    pub fn of_repair(&self, error: &Error) -> String {
        let stage = error.stage();
        format!(
            "Your answer cannot be taken ({stage}): {error}. Give the whole answer again, corrected."
        )
    }

    fn with_schema(&self, text: &str) -> String {
        self.with_examples(format!("{text}\n{}", self.0.sent.json()))
    }

    fn with_examples(&self, mut text: String) -> String {
        for example in &self.0.examples {
            let example = match self.0.wrapper.map(Wrapper::key) {
                Some(key) => json!({key: example}),
                None => example.clone(),
            };
            let gap = if text.is_empty() { "" } else { "\n\n" };
            // Writing to a string cannot fail.
            let _ = write!(text, "{gap}An example of an answer: {example}");
        }
        text
    }
}
