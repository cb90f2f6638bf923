//! The smallest piece of a conversation that stays whole: calls stay with their results.

use std::sync::Arc;

use legwork_core::event::ResultKey;
use legwork_core::message::{ResultPart, Role, Text, Thinking, ToolResult};
use legwork_core::{Message, Part, Seq, ToolCall};
use serde_json::Value;

/// A message, or an assistant message with the results of all its calls.
///
/// Units are made from a settled transcript, and each change of one keeps its calls with their
/// results; so whatever a transform does with units, a call never parts from its result. A
/// clone shares everything.
#[derive(Debug, Clone)]
pub struct Unit(Arc<Inner>);

#[derive(Debug, Clone)]
struct Inner {
    ordinal: usize,
    entry: Seq,
    head: Arc<Message>,
    results: Vec<Arc<Message>>,
    weight: u64,
    is_held: bool,
    opens_turn: bool,
}

impl Unit {
    pub(crate) fn new(ordinal: usize, entry: Seq, head: Arc<Message>) -> Self {
        let weight = head.weight();
        let (results, is_held, opens_turn) = (Vec::new(), false, false);
        Self(Arc::new(Inner { ordinal, entry, head, results, weight, is_held, opens_turn }))
    }

    /// The same with one more message of results.
    pub(crate) fn answered_by(mut self, result: Arc<Message>) -> Self {
        let inner = Arc::make_mut(&mut self.0);
        inner.weight += result.weight();
        inner.results.push(result);
        self
    }

    pub(crate) fn held(mut self) -> Self {
        if !self.0.is_held {
            Arc::make_mut(&mut self.0).is_held = true;
        }
        self
    }

    pub(crate) fn opening_a_turn(mut self) -> Self {
        Arc::make_mut(&mut self.0).opens_turn = true;
        self
    }

    /// Its position in the order of the conversation; it stays the same when others are left out.
    pub fn ordinal(&self) -> usize {
        self.0.ordinal
    }

    /// The journal entry of its first message: for calls, the one of the response.
    pub fn entry(&self) -> Seq {
        self.0.entry
    }

    /// Its first message.
    pub fn head(&self) -> &Arc<Message> {
        &self.0.head
    }

    /// All its messages: the first one, then its results.
    pub fn messages(&self) -> impl Iterator<Item = &Arc<Message>> {
        std::iter::once(&self.0.head).chain(&self.0.results)
    }

    /// How many messages it has: at least one.
    pub fn count(&self) -> usize {
        1 + self.0.results.len()
    }

    /// An estimate of what a model reads of it, in bytes of text.
    pub fn weight(&self) -> u64 {
        self.0.weight
    }

    /// Whether a user says it; what a program says by itself does not count.
    pub fn is_user(&self) -> bool {
        self.0.head.role == Role::User && self.0.head.app.is_none()
    }

    /// Whether no transform may leave it out or shorten it: it is pinned, it is the first task,
    /// or it is the summary of what came before.
    pub fn is_held(&self) -> bool {
        self.0.is_held
    }

    /// Whether a user begins a new task here: before it, the model had answered.
    pub fn opens_turn(&self) -> bool {
        self.0.opens_turn
    }

    /// Its calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &Arc<ToolCall>> {
        self.0.head.tool_calls()
    }

    /// Whether it has calls.
    pub fn has_calls(&self) -> bool {
        self.calls().next().is_some()
    }

    /// Its results, each with its key, in call order.
    pub fn results(&self) -> impl Iterator<Item = (ResultKey, &ToolResult)> {
        let results = self.0.results.iter().flat_map(|message| &message.parts);
        let results = results.filter_map(|part| match part {
            Part::ToolResult(result) => Some(result),
            _ => None,
        });
        (0..).zip(results).map(|(index, result)| (self.key(index), result))
    }

    /// The key of the result at an index.
    pub fn key(&self, index: u32) -> ResultKey {
        ResultKey { entry: self.0.entry, index }
    }

    /// The same with other contents of some results; none if no result is changed.
    ///
    /// `change` returns the new parts of a result. The result of a call stays its result.
    pub fn with_results(
        &self,
        mut change: impl FnMut(ResultKey, &ToolResult) -> Option<Vec<ResultPart>>,
    ) -> Option<Self> {
        let mut index = 0;
        let results = self.0.results.iter().map(|message| {
            let parts = changed(&message.parts, |part| {
                let Part::ToolResult(result) = part else { return None };
                index += 1;
                let parts = change(self.key(index - 1), result)?;
                Some(Part::ToolResult(ToolResult { parts, ..result.clone() }))
            });
            parts.map(|parts| with_parts(message, parts))
        });
        let results: Vec<_> = results.collect();
        if results.iter().all(Option::is_none) {
            return None;
        }
        let before = self.0.results.iter().cloned();
        let results = results.into_iter().zip(before).map(|(new, old)| new.unwrap_or(old));
        Some(self.made_of(Arc::clone(&self.0.head), results.collect()))
    }

    /// The same with other texts, in its results and arguments too; none if none is changed.
    ///
    /// What a provider attached to a part whose text changes is dropped: a signature does not
    /// fit the new text.
    pub fn map_texts(&self, change: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        let new = |message: &Arc<Message>| {
            let parts = changed(&message.parts, |part| map_part(part, change))?;
            Some(with_parts(message, parts))
        };
        let all: Vec<_> = self.messages().map(new).collect();
        if all.iter().all(Option::is_none) {
            return None;
        }
        let mut all = all
            .into_iter()
            .zip(self.messages())
            .map(|(new, old)| new.unwrap_or_else(|| Arc::clone(old)));
        let head = all.next()?;
        Some(self.made_of(head, all.collect()))
    }

    /// The same without its calls, their results, and the reasoning that led to them.
    ///
    /// None if nothing else is in it.
    pub fn without_calls(&self) -> Option<Self> {
        let stays = |part: &&Part| {
            let is_blank = part.as_text().is_some_and(|text| text.trim().is_empty());
            !is_blank && !matches!(part, Part::ToolCall(_) | Part::Thinking(_) | Part::Other(_))
        };
        let parts: Vec<_> = self.0.head.parts.iter().filter(stays).cloned().collect();
        if parts.is_empty() {
            return None;
        }
        Some(self.made_of(with_parts(&self.0.head, parts), Vec::new()))
    }

    fn made_of(&self, head: Arc<Message>, results: Vec<Arc<Message>>) -> Self {
        let weight = head.weight() + results.iter().map(|message| message.weight()).sum::<u64>();
        Self(Arc::new(Inner { head, results, weight, ..(*self.0).clone() }))
    }

    /// Whether both are one value in memory.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Whether both say the same at the same place.
    pub(crate) fn says(&self, other: &Self) -> bool {
        let (one, two) = (&*self.0, &*other.0);
        let place = (one.ordinal, one.entry, one.is_held, one.opens_turn);
        let same = |(one, two): (&Arc<Message>, &Arc<Message>)| Arc::ptr_eq(one, two) || one == two;
        self.is(other)
            || place == (two.ordinal, two.entry, two.is_held, two.opens_turn)
                && self.count() == other.count()
                && self.messages().zip(other.messages()).all(same)
    }
}

/// The parts with some of them changed; none if none is.
fn changed(parts: &[Part], mut change: impl FnMut(&Part) -> Option<Part>) -> Option<Vec<Part>> {
    let new: Vec<_> = parts.iter().map(&mut change).collect();
    if new.iter().all(Option::is_none) {
        return None;
    }
    Some(new.into_iter().zip(parts).map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect())
}

fn with_parts(message: &Arc<Message>, parts: Vec<Part>) -> Arc<Message> {
    Arc::new((**message).clone().with_parts(parts))
}

fn map_part(part: &Part, change: &dyn Fn(&str) -> Option<String>) -> Option<Part> {
    let text = |text: &Text| change(&text.text).map(Text::from);
    Some(match part {
        Part::Text(said) => Part::Text(text(said)?),
        Part::Refusal(said) => Part::Refusal(text(said)?),
        Part::Thinking(thinking) => {
            let text = change(&thinking.text)?;
            Part::Thinking(Thinking { text, id: None, provider: None })
        }
        Part::ToolCall(call) => {
            let arguments = change(&call.arguments)?.into();
            Part::ToolCall(Arc::new(ToolCall { arguments, ..(**call).clone() }))
        }
        Part::ToolResult(result) => {
            let new: Vec<_> = result.parts.iter().map(|part| map_result(part, change)).collect();
            if new.iter().all(Option::is_none) {
                return None;
            }
            let parts = new.into_iter().zip(&result.parts);
            let parts = parts.map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect();
            Part::ToolResult(ToolResult { parts, ..result.clone() })
        }
        Part::Other(value) => {
            let mut value = value.clone();
            map_value(&mut value, change).then_some(Part::Other(value))?
        }
        _ => return None,
    })
}

fn map_result(part: &ResultPart, change: &dyn Fn(&str) -> Option<String>) -> Option<ResultPart> {
    match part {
        ResultPart::Text(text) => change(text).map(ResultPart::Text),
        ResultPart::Json(value) => {
            let mut value = value.clone();
            map_value(&mut value, change).then_some(ResultPart::Json(value))
        }
        _ => None,
    }
}

/// Changes each text of a value, keys too; false if none was changed.
fn map_value(value: &mut Value, change: &dyn Fn(&str) -> Option<String>) -> bool {
    match value {
        Value::String(text) => match change(text) {
            Some(new) => {
                *text = new;
                true
            }
            None => false,
        },
        Value::Array(items) => {
            items.iter_mut().fold(false, |any, item| map_value(item, change) | any)
        }
        Value::Object(fields) => {
            let old = std::mem::take(fields);
            let mut any = false;
            for (key, mut field) in old {
                any |= map_value(&mut field, change);
                let new = change(&key);
                any |= new.is_some();
                fields.insert(new.unwrap_or(key), field);
            }
            any
        }
        _ => false,
    }
}
