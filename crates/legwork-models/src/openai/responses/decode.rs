//! Events and bodies, read into an assembly.

use std::borrow::Cow;

use legwork_core::FinishReason;
use legwork_port::Deltas;
use serde_json::Value;

use crate::answer::ApiError;
use crate::answer::assembly::{Assembly, Form, Level, Words};
use crate::answer::call::Piece;
use crate::answer::json::{Read, Reader};
use crate::answer::repeated::Run;

mod item;

#[cfg(test)]
mod tests;

use item::{CONTENT, Came, place};

type Sink<'s> = &'s mut dyn Deltas;

/// Reads one event of a stream, or a whole body.
pub(super) fn read(json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    match into.form {
        Form::Body => response(json, into, on),
        Form::Chunks => {
            let begin = json.at();
            let event = Event::read(json, into)?;
            event.act(begin, json, into, on)
        }
    }
}

/// Reads what an answer used, and nothing else of it.
pub(super) fn read_usage(json: &mut Reader<'_>, into: &mut Assembly) -> Read {
    let mut position = json.object()?;
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "usage" => into.usage(json)?,
            "response" => read_usage(json, into)?,
            _ => json.skip()?,
        }
    }
    Ok(())
}

/// An event, whose fields come in any order.
#[derive(Default)]
struct Event<'a> {
    kind: Cow<'a, str>,
    delta: Cow<'a, str>,
    /// The length of the delta in the JSON source.
    written: usize,
    /// The index of the item.
    output: u64,
    /// The index of the text in the item.
    inner: u64,
    /// Where the value begins that events other than deltas hold.
    value: Option<usize>,
}

impl<'a> Event<'a> {
    fn read(json: &mut Reader<'a>, into: &mut Assembly) -> Read<Self> {
        let (mut position, mut event) = (json.object()?, Self::default());
        while let Some(key) = json.key(&mut position)? {
            match &*key {
                "type" => event.kind = json.text()?,
                "delta" => (event.delta, event.written) = written(json)?,
                "output_index" => event.output = json.count()?.unwrap_or(0),
                "content_index" | "summary_index" => event.inner = json.count()?.unwrap_or(0),
                "item" | "response" | "text" | "refusal" | "arguments" => {
                    json.peek();
                    event.value = Some(json.at());
                    json.skip()?;
                }
                "error" => error(into, &json.json()?),
                _ => json.skip()?,
            }
        }
        Ok(event)
    }

    /// Takes up what it says; an unknown event says nothing.
    fn act(&self, begin: usize, json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
        into.recognised = into.recognised || self.kind.starts_with("response.");
        let at = place(self.output, self.inner);
        let thought = place(self.output, CONTENT | self.inner);
        let (delta, written) = (&*self.delta, self.written);
        match &*self.kind {
            "response.output_text.delta" => into.words_at(at, Words::Text, delta, written, on),
            "response.refusal.delta" => into.words_at(at, Words::Refusal, delta, written, on),
            "response.reasoning_summary_text.delta" => {
                into.words_at(at, Words::Thinking, delta, written, on);
            }
            "response.reasoning_text.delta" => {
                into.words_at(thought, Words::Thinking, delta, written, on);
            }
            "response.function_call_arguments.delta" => {
                // A call that was not announced comes with its item.
                if into.arguments_so_far(at).is_some() {
                    into.call(Piece::new(at, "", "").with_arguments(delta, written), on);
                }
            }
            "error" if into.error.is_none() => return self.failed(begin, json, into),
            _ => return self.other(json, into, on),
        }
        Ok(())
    }

    /// An event that is an error itself.
    fn failed(&self, begin: usize, json: &mut Reader<'_>, into: &mut Assembly) -> Read {
        let end = json.at();
        json.rewind(begin);
        let mut body = json.json()?;
        json.rewind(end);
        // The type of the event says nothing about the error.
        if let Some(fields) = body.as_object_mut() {
            fields.remove("type");
        }
        error(into, &body);
        Ok(())
    }

    /// Events other than deltas: what they hold may have been streamed already.
    fn other(&self, json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
        let Some(value) = self.value else { return Ok(()) };
        let end = json.at();
        json.rewind(value);
        let at = place(self.output, self.inner);
        let thought = place(self.output, CONTENT | self.inner);
        match &*self.kind {
            "response.output_text.done" => whole(at, Words::Text, json, into, on)?,
            "response.refusal.done" => whole(at, Words::Refusal, json, into, on)?,
            "response.reasoning_summary_text.done" => {
                whole(at, Words::Thinking, json, into, on)?;
            }
            "response.reasoning_text.done" => whole(thought, Words::Thinking, json, into, on)?,
            "response.function_call_arguments.done" => {
                let (arguments, written) = written(json)?;
                Came { text: &arguments, written }.add_arguments(at, into, on);
            }
            "response.output_item.added" => announced(self.output, json, into, on)?,
            "response.output_item.done" => item::read(self.output, json, into, on)?,
            "response.created" => begun(json, into)?,
            "response.completed" | "response.incomplete" | "response.failed" => {
                response(json, into, on)?;
                into.sort_by_index();
                into.done = true;
            }
            _ => {}
        }
        json.rewind(end);
        Ok(())
    }
}

/// Text, and its length in the JSON source: a journal needs about as many bytes.
fn written<'a>(json: &mut Reader<'a>) -> Read<(Cow<'a, str>, usize)> {
    let begin = json.at();
    let text = json.text()?;
    Ok((text, json.at() - begin))
}

/// The whole text of a part, of which the deltas may have brought a part or all.
fn whole(at: u64, kind: Words, json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    let (text, written) = written(json)?;
    Came { text: &text, written }.add_words(at, kind, into, on);
    Ok(())
}

/// An item that begins: a call has its name, and all else follows.
fn announced(output: u64, json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    if json.field("type")? != "function_call" {
        return Ok(());
    }
    let (id, name) = (json.field("call_id")?, json.field("name")?);
    into.call(Piece::new(place(output, 0), id, name), on);
    Ok(())
}

/// A response that begins: who answers, in case that nothing more comes.
fn begun(json: &mut Reader<'_>, into: &mut Assembly) -> Read {
    let (id, model) = (json.field("id")?, json.field("model")?);
    into.id(&id);
    into.answered_by(&model);
    Ok(())
}

fn error(into: &mut Assembly, body: &Value) {
    if !body.is_null() {
        into.error = Some(ApiError::from_event(body));
    }
}

/// Whether a field of a response says again what the request said.
fn is_echo(key: &str) -> bool {
    matches!(
        key,
        "background"
            | "frequency_penalty"
            | "include"
            | "input"
            | "instructions"
            | "max_output_tokens"
            | "max_tool_calls"
            | "metadata"
            | "object"
            | "parallel_tool_calls"
            | "presence_penalty"
            | "prompt_cache_key"
            | "prompt_cache_retention"
            | "reasoning"
            | "safety_identifier"
            | "store"
            | "temperature"
            | "text"
            | "tool_choice"
            | "tools"
            | "top_logprobs"
            | "top_p"
            | "truncation"
            | "user"
    )
}

/// A whole response.
fn response(json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    let (mut status, mut reason) = (Cow::Borrowed(""), Cow::Borrowed(""));
    let mut position = json.object()?;
    let mut run = Run::new(into.repeated.as_ref());
    loop {
        if run.skip(json, &position) {
            continue;
        }
        let begin = json.at();
        let Some(key) = json.key(&mut position)? else { break };
        match &*key {
            "output" => output(json, into, on)?,
            // Null says nothing, again and again.
            _ if json.peek() == b'n' => {
                json.skip()?;
                run.note(begin, json);
            }
            "id" => into.id(&json.text()?),
            "usage" => into.usage(json)?,
            "error" => error(into, &json.json()?),
            "model" => into.answered_by(&json.text()?),
            "status" => status = json.text()?,
            "incomplete_details" => {
                reason = json.field("reason")?;
                json.skip()?;
            }
            key if is_echo(key) => {
                json.skip()?;
                run.note(begin, json);
            }
            // A journal knows when an answer came, and the request what it followed.
            "completed_at" | "created_at" | "previous_response_id" => json.skip()?,
            _ => into.merge(Level::Top, &key, json.json()?),
        }
    }
    run.end(json);
    if status == "failed" && into.error.is_none() {
        into.error = Some(ApiError::from_event(&Value::from("the response failed")));
    }
    let calls = into.has_calls();
    if let Some(finish) = finish_reason(&status, &reason, calls) {
        into.end_with(finish);
    }
    Ok(())
}

/// The items of a response, unless events brought them.
fn output(json: &mut Reader<'_>, into: &mut Assembly, on: Sink<'_>) -> Read {
    into.recognised = true;
    if into.has_finished() {
        return json.skip();
    }
    let (mut position, mut index) = (json.array()?, 0);
    while json.item(&mut position)? {
        item::read(index, json, into, on)?;
        index += 1;
    }
    Ok(())
}

/// Why a response of a status ended.
fn finish_reason(status: &str, reason: &str, calls: bool) -> Option<FinishReason> {
    Some(match (status, reason) {
        ("", _) => return None,
        ("completed" | "complete", _) if calls => FinishReason::ToolCalls,
        ("completed" | "complete", _) => FinishReason::Stop,
        ("incomplete", "max_output_tokens") => FinishReason::Length,
        (status, "") => FinishReason::from(status),
        (_, reason) => FinishReason::from(reason),
    })
}
