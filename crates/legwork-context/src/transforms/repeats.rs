//! Refers to an earlier result where a result says the same again.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use legwork_core::Digest;
use legwork_core::message::{ResultPart, ToolResult};

use crate::transform::{Cx, Extended, Transform};
use crate::unit::Unit;
use crate::view::View;

/// Refers to an earlier result where a result says the same again, or nearly.
///
/// The same is the same text but for white space, whichever call gave it. Nearly the same is a
/// result of the same call (tool and arguments) of whose lines at most a tenth differ: these
/// lines are shown, so nothing is lost. The earlier result stays as it is.
#[derive(Debug, Clone, Copy)]
pub struct RemoveRepeats {
    above: usize,
}

impl Default for RemoveRepeats {
    fn default() -> Self {
        Self { above: 512 }
    }
}

impl RemoveRepeats {
    /// Results of more than 512 bytes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Results of more than so many bytes.
    #[must_use]
    pub const fn above(self, bytes: usize) -> Self {
        Self { above: bytes }
    }
}

/// A result that later ones may refer to.
#[derive(Debug, Clone)]
struct Earlier {
    words: String,
    unit: Unit,
    index: usize,
}

impl Earlier {
    fn text(&self) -> Option<Cow<'_, str>> {
        self.unit.results().nth(self.index).map(|(_, result)| result.text())
    }
}

#[derive(Clone, Default)]
struct Seen {
    results: Vec<Earlier>,
    by_text: BTreeMap<Digest, usize>,
    by_call: BTreeMap<(String, String), usize>,
}

impl Transform for RemoveRepeats {
    fn name(&self) -> &str {
        "remove_repeats"
    }

    fn priority(&self) -> i32 {
        700
    }

    fn extend(&self, view: &mut View, added: Range<usize>, _: &Cx<'_>) -> Extended {
        let mut seen: Seen = view.memory();
        for index in added {
            let Some(unit) = view.get(index).cloned() else { break };
            let shorter = unit.with_results(|key, result| {
                let text = self.text_of(result)?;
                seen.look(&unit, key.index, &text)
            });
            if let Some(shorter) = shorter {
                view.shorten(index, shorter);
            }
        }
        view.keep(seen);
        Extended::Done
    }
}

impl RemoveRepeats {
    /// The text of a result that is long enough and nothing but text.
    fn text_of(self, result: &ToolResult) -> Option<String> {
        let is_text = |part: &ResultPart| matches!(part, ResultPart::Text(_) | ResultPart::Json(_));
        let text = result.text();
        let counts = text.len() > self.above && result.parts.iter().all(is_text);
        counts.then(|| text.into_owned())
    }
}

impl Seen {
    /// What is shown in place of a result; none if it is shown, and later ones may refer to it.
    fn look(&mut self, unit: &Unit, index: u32, text: &str) -> Option<Vec<ResultPart>> {
        let place = usize::try_from(index).ok()?;
        let call = unit.calls().nth(place)?;
        let words_alone: Vec<_> = text.split_whitespace().collect();
        let same = Digest::of_bytes(words_alone.join(" ").as_bytes());
        let key = ((*call.name).to_owned(), (*call.arguments).to_owned());
        let words = super::call_words::of(unit, index)?;
        if !unit.is_held() {
            let earlier = |at: &usize| self.results.get(*at);
            if let Some(earlier) = self.by_text.get(&same).and_then(earlier) {
                return said(format!("[the same as the result of {} above]", earlier.words));
            }
            let nearly = self.by_call.get(&key).and_then(earlier);
            if let Some(lines) = nearly.and_then(|earlier| differing(&earlier.text()?, text)) {
                return said(format!(
                    "[the same as the last result of {words} that is shown above, but for these lines \
                     (- gone, + new)]\n{lines}"
                ));
            }
        }
        let at = self.results.len();
        self.results.push(Earlier { words, unit: unit.clone(), index: place });
        self.by_text.insert(same, at);
        self.by_call.insert(key, at);
        None
    }
}

fn said(text: String) -> Option<Vec<ResultPart>> {
    Some(vec![ResultPart::Text(text)])
}

/// The lines that only one of two texts has; none if these are too many.
fn differing(old: &str, new: &str) -> Option<String> {
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    old.lines().for_each(|line| *counts.entry(line).or_default() -= 1);
    new.lines().for_each(|line| *counts.entry(line).or_default() += 1);
    let differ: i64 = counts.values().map(|count| count.abs()).sum();
    let all = i64::try_from(new.lines().count()).unwrap_or(i64::MAX);
    if differ == 0 || differ > all / 10 {
        return None;
    }
    let mut lines = String::new();
    let mut show = |text: &str, sign: i64| {
        for line in text.lines() {
            let Some(count) = counts.get_mut(line).filter(|count| **count * sign > 0) else {
                continue;
            };
            *count -= sign;
            lines.push_str(if sign < 0 { "- " } else { "+ " });
            lines.push_str(line);
            lines.push('\n');
        }
    };
    show(old, -1);
    show(new, 1);
    Some(lines)
}
