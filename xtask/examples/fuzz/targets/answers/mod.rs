//! Answers of any wire: what holds for each of them, whatever it says and however it is cut.
//!
//! `read` reads one, `laws` compares what came, `again` keeps it and sends it back, `script` says
//! what a model says, `json` writes it oddly, `framed` and `events` put it into bytes.

use std::borrow::Cow;

use fastrand::Rng;
use legwork_models::answer::Ended;

use super::pieces;
use crate::memory::Since;

mod again;
pub(super) mod events;
pub(super) mod framed;
pub(super) mod json;
mod laws;
mod read;
pub(super) mod recorded;
pub(super) mod script;

use read::{Answer, Way, read};
use script::Wire;

/// Feeds an answer of a wire, and one that its grammar makes.
pub(super) fn run(wire: &Wire, input: &[u8], random: &mut Rng) -> bool {
    let way = Way::of(wire.api, input, random);
    let bytes = match way.is_framed() {
        true => Cow::Owned(framed::of_lines(input)),
        false => Cow::Borrowed(input),
    };
    again::get_ready();
    let since = Since::now();
    let whole = read(&way, &[&bytes]);
    let (peak, most) = (since.most(), way.memory(bytes.len()));
    assert!(peak <= most, "{peak} bytes are held of {} that came, not {most}", bytes.len());
    let cut = read(&way, &pieces(&bytes, random));
    laws::same_however_cut(&whole, &cut);
    adds_up(&way, &bytes);
    prefix(&way, &bytes, &whole, random);
    if let Ok(response) = &whole.result {
        again::again(wire.api, response);
    }
    if random.bool() {
        script::check(wire, random);
    }
    whole.result.is_ok()
}

/// What is shown of an answer whose last event is ended is what becomes of it.
fn adds_up(way: &Way, bytes: &[u8]) {
    let end: &[u8] = if way.is_framed() { b"" } else { b"\n\n" };
    let ended = read(way, &[bytes, end]);
    laws::adds_up(way, &ended);
}

/// The beginning of an answer that breaks off is incomplete, and nothing in it is of another one.
fn prefix(way: &Way, bytes: &[u8], whole: &Answer, random: &mut Rng) {
    let (begun, _) = bytes.split_at(random.usize(..=bytes.len()));
    let cut = Way { ended: Ended::Cut, ..way.clone() };
    // An event that is whole without its end may go on otherwise, so it is broken here.
    let end: &[u8] = match begun.last() {
        _ if way.is_framed() || !way.is_stream() => b"",
        Some(b'\n' | b'\r') => b"data: !",
        _ => b"\ndata: !",
    };
    laws::begins(way, whole, &read(&cut, &[begun, end]));
}
