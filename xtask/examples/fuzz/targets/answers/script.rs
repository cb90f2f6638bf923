//! What a model says, apart from the wire on which it says it.

use std::borrow::Cow;

use fastrand::Rng;
use legwork_core::{FinishReason, Part, Response};
use legwork_models::Api;
use legwork_models::answer::Ended;
use serde_json::Value;

use super::json::{Space, name, object, odd, text, value};
use super::read::{Answer, Way, read};
use super::{events, framed, laws, pieces};

/// A part of what a model says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Block {
    Text(String),
    Thinking(String),
    Refusal(String),
    Call { id: String, name: String, arguments: Value },
}

/// What a model says.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    pub(crate) id: Option<String>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) finish: FinishReason,
    /// Tokens of the input and of the output.
    pub(crate) usage: Option<(u64, u64)>,
}

/// How a wire says it.
pub(crate) struct Wire {
    pub(crate) api: Api,
    /// What it can say of a script, as one message.
    pub(crate) fit: fn(Script, Form) -> Script,
    /// The events of a stream.
    pub(crate) events: fn(&Script, &mut Rng) -> Vec<Value>,
    /// What follows the events.
    pub(crate) done: &'static str,
    /// An event that no reader knows.
    pub(crate) unknown: &'static str,
    /// A whole body.
    pub(crate) body: fn(&Script, &mut Rng) -> Value,
}

/// Whether an answer comes in events or as one body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Events,
    Body,
}

impl Script {
    fn any(random: &mut Rng) -> Self {
        let mut blocks: Vec<_> = (0..random.usize(1..7)).map(|_| Block::any(random)).collect();
        for (at, block) in blocks.iter_mut().enumerate() {
            if let Block::Call { id, .. } = block {
                id.push_str(&format!("_{at}"));
            }
        }
        let calls = blocks.iter().any(|block| matches!(block, Block::Call { .. }));
        let others =
            [FinishReason::Stop, FinishReason::Length, FinishReason::ContentFilter, "novel".into()];
        let finish = match calls {
            true => FinishReason::ToolCalls,
            false => random.choice(others).unwrap_or(FinishReason::Stop),
        };
        let usage = random.bool().then(|| (random.u64(..10_000), random.u64(..10_000)));
        Self { id: random.bool().then(|| name(random)), blocks, finish, usage }
    }

    /// The same with neighbours of one kind as one.
    pub(crate) fn merged(mut self) -> Self {
        self.blocks.dedup_by(|next, kept| match (kept, next) {
            (Block::Text(kept), Block::Text(next))
            | (Block::Thinking(kept), Block::Thinking(next))
            | (Block::Refusal(kept), Block::Refusal(next)) => {
                kept.push_str(next);
                true
            }
            _ => false,
        });
        self
    }

    /// The same with refusals as text.
    pub(crate) fn without_refusals(mut self) -> Self {
        for block in &mut self.blocks {
            if let Block::Refusal(text) = block {
                *block = Block::Text(std::mem::take(text));
            }
        }
        self
    }
}

impl Block {
    fn any(random: &mut Rng) -> Self {
        let said = text(random, 12);
        match random.u8(..8) {
            0..3 => Self::Text(said),
            3 | 4 => Self::Thinking(said),
            5 => Self::Refusal(said),
            _ => Self::Call { id: name(random), name: name(random), arguments: object(random, 3) },
        }
    }

    fn is(&self, part: &Part) -> bool {
        match (self, part) {
            (Self::Text(text), Part::Text(part)) | (Self::Refusal(text), Part::Refusal(part)) => {
                *text == part.text
            }
            (Self::Thinking(text), Part::Thinking(part)) => *text == part.text,
            (Self::Call { id, name, arguments }, Part::ToolCall(call)) => {
                let (own, parsed) = (call.id.as_str(), call.parse().ok());
                own == id && *call.name == **name && parsed.as_ref() == Some(arguments)
            }
            _ => false,
        }
    }
}

/// A text in pieces, of which the first is not empty.
pub(crate) fn cut<'t>(text: &'t str, random: &mut Rng) -> Vec<&'t str> {
    let (mut rest, mut all) = (text, Vec::new());
    while !rest.is_empty() {
        let end = rest.char_indices().nth(random.usize(1..12)).map_or(rest.len(), |(at, _)| at);
        let (piece, more) = rest.split_at(end);
        all.push(piece);
        rest = more;
        if random.u8(..16) == 0 {
            all.push("");
        }
    }
    all
}

/// The events of all blocks: those of one in order, the blocks beginning in order, and, every
/// other time, several open at once.
pub(crate) fn interleaved(blocks: Vec<Vec<Value>>, random: &mut Rng) -> Vec<Value> {
    if random.bool() {
        return blocks.concat();
    }
    let mut waiting = blocks.into_iter().map(Vec::into_iter);
    let (mut open, mut all) = (Vec::new(), Vec::new());
    loop {
        if open.is_empty() || random.u8(..3) == 0 {
            match waiting.next() {
                Some(mut block) => {
                    all.extend(block.next());
                    open.push(block);
                }
                None if open.is_empty() => return all,
                None => {}
            }
        }
        let which = random.usize(..open.len().max(1));
        match open.get_mut(which).map(Iterator::next) {
            Some(Some(event)) => all.push(event),
            Some(None) => drop(open.remove(which)),
            None => {}
        }
    }
}

/// Adds fields that no wire knows.
fn add_fields(events: &mut [Value], random: &mut Rng) {
    for event in events {
        if let Some(fields) = event.as_object_mut().filter(|_| random.u8(..6) == 0) {
            fields.insert(format!("novel_{}", name(random)), value(random, 2));
        }
    }
}

/// What a server writes.
struct Written {
    script: Script,
    form: Form,
    bytes: Vec<u8>,
}

fn written(wire: &Wire, random: &mut Rng) -> Written {
    let form = if random.u8(..4) == 0 { Form::Body } else { Form::Events };
    let script = (wire.fit)(Script::any(random), form);
    if form == Form::Body {
        let mut body = [(wire.body)(&script, random)];
        add_fields(&mut body, random);
        let text = body.iter().map(|body| odd(body, Space::Line, random));
        return Written { form, bytes: text.collect::<String>().into_bytes(), script };
    }
    let mut events = (wire.events)(&script, random);
    add_fields(&mut events, random);
    if random.u8(..3) == 0 {
        let at = random.usize(..=events.len());
        events.insert(at, serde_json::from_str(wire.unknown).unwrap_or_default());
    }
    let bytes = match wire.api {
        Api::Converse => lines(&events, random),
        _ => events::stream(&events, wire.done, random),
    };
    Written { script, form, bytes }
}

/// Events as lines, which are put into frames before they are read.
fn lines(events: &[Value], random: &mut Rng) -> Vec<u8> {
    let lines = events.iter().map(|event| odd(event, Space::Line, random) + "\n");
    lines.collect::<String>().into_bytes()
}

/// An input for a wire.
pub(crate) fn input(wire: &Wire, random: &mut Rng) -> Vec<u8> {
    written(wire, random).bytes
}

/// What a server writes comes out as it was meant, and the beginning of it as incomplete.
pub(super) fn check(wire: &Wire, random: &mut Rng) {
    let Written { script, form, bytes } = written(wire, random);
    let way = Way::usual(wire.api, form == Form::Events);
    let bytes = match way.is_framed() {
        true => Cow::Owned(framed::of_lines(&bytes)),
        false => Cow::Borrowed(&*bytes),
    };
    let answer = read(&way, &pieces(&bytes, random));
    let shown = || String::from_utf8_lossy(&bytes);
    let Ok(response) = &answer.result else { panic!("{:?} of {}", answer.result, shown()) };
    if let Some(odd) = differs(&script, response) {
        panic!("{odd} of {script:?}\nis {response:?}\nof {}", shown());
    }
    let (begun, _) = bytes.split_at(random.usize(..=bytes.len()));
    let ended = if random.bool() { Ended::Whole } else { Ended::Cut };
    let part = read(&Way { ended, ..way.clone() }, &[begun]);
    is_no_other(&way, &answer, &part, &bytes);
    if way.is_framed() && !bytes.is_empty() {
        let mut harmed = bytes.to_vec();
        if let Some(byte) = harmed.get_mut(random.usize(..bytes.len())) {
            *byte ^= 1 << random.u8(..8);
        }
        is_no_other(&way, &answer, &read(&way, &[&harmed]), &bytes);
    }
}

/// What is read of a part of an answer is no answer, incomplete, or says all.
fn is_no_other(way: &Way, whole: &Answer, part: &Answer, bytes: &[u8]) {
    laws::begins(way, whole, part);
    let (Ok(whole), Ok(part)) = (&whole.result, &part.result) else { return };
    let is_whole = part.incomplete.is_none();
    // The usage may follow what makes an answer whole.
    let same = part.message == whole.message && part.finish == whole.finish;
    assert!(
        !is_whole || same,
        "{part:?}\nis a part of {whole:?}\nof {}",
        String::from_utf8_lossy(bytes)
    );
}

/// What differs between a script and the response that came of it.
fn differs(script: &Script, response: &Response) -> Option<&'static str> {
    let parts = &response.message.parts;
    let same = parts.len() == script.blocks.len()
        && script.blocks.iter().zip(parts).all(|(block, part)| block.is(part));
    let usage = response.usage.map(|usage| (usage.input, usage.output));
    match () {
        () if !same => Some("a part"),
        () if response.incomplete.is_some() => Some("the end"),
        () if response.finish != script.finish => Some("the finish reason"),
        () if response.id != script.id => Some("the id"),
        () if usage != script.usage => Some("the usage"),
        () => None,
    }
}
