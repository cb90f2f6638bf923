//! Tools by the words that describe them.

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_core::ToolSpec;

/// How much a word tells by where it stands: in the name, a tag, the name of an argument, the
/// description.
const WEIGHTS: [f64; 4] = [6.0, 4.0, 1.5, 2.0];

/// The least length of a word that is found by its beginning.
const BEGINNING: usize = 3;

/// Tools by the words that describe them.
pub(super) struct SearchIndex {
    names: Vec<String>,
    /// For each word, the tools that have it and how much it tells of them.
    words: BTreeMap<String, Vec<(usize, f64)>>,
}

impl SearchIndex {
    pub(super) fn of(specs: &[Arc<ToolSpec>]) -> Self {
        let mut words: BTreeMap<String, Vec<(usize, f64)>> = BTreeMap::new();
        for (at, spec) in specs.iter().enumerate() {
            for (word, weight) in weighted(spec) {
                words.entry(word).or_default().push((at, weight));
            }
        }
        let names = specs.iter().map(|spec| spec.name.to_lowercase()).collect();
        Self { names, words }
    }

    /// The indexes of the tools that match a query, the best first; of equal ones in their order.
    pub(super) fn find(&self, query: &str) -> Vec<usize> {
        let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
        for word in words(query) {
            // Of a tool that has several words which begin so, the best counts.
            let mut best: BTreeMap<usize, f64> = BTreeMap::new();
            for (known, tools) in self.words.range(word.clone()..) {
                let is_same = *known == word;
                if !is_same && (word.len() < BEGINNING || !known.starts_with(&word)) {
                    break;
                }
                // A word of few tools tells more than one of many.
                let rarity = (1.0 + self.names.len() as f64 / tools.len() as f64).ln();
                let share = if is_same { rarity } else { rarity / 2.0 };
                for (at, weight) in tools {
                    let score = best.entry(*at).or_default();
                    *score = score.max(weight * share);
                }
            }
            for (at, score) in best {
                *scores.entry(at).or_default() += score;
            }
        }
        let asked = query.trim().to_lowercase();
        if let Some(at) = self.names.iter().position(|name| *name == asked) {
            scores.insert(at, f64::INFINITY);
        }
        let mut found: Vec<_> = scores.into_iter().collect();
        found.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        found.into_iter().map(|(at, _)| at).collect()
    }
}

/// The words of a tool, each with the most that it tells.
fn weighted(spec: &ToolSpec) -> BTreeMap<String, f64> {
    let [name, tag, argument, description] = WEIGHTS;
    let arguments = spec.parameters.get("properties").and_then(|all| all.as_object());
    let arguments = arguments.into_iter().flat_map(|all| all.keys());
    let texts = [(&*spec.name, name), (&*spec.description, description)].into_iter();
    let texts = texts
        .chain(spec.tags.iter().map(|text| (text.as_str(), tag)))
        .chain(arguments.map(|text| (text.as_str(), argument)));
    let mut all = BTreeMap::new();
    for (text, weight) in texts {
        for word in words(text) {
            let most: &mut f64 = all.entry(word).or_default();
            *most = most.max(weight);
        }
    }
    all
}

/// The words of a text in lower case, without the `s` at the end of a plural; `readFile` and
/// `read_file` are two words each.
fn words(text: &str) -> Vec<String> {
    let mut split = String::with_capacity(text.len());
    let mut was_lower = false;
    for c in text.chars() {
        if c.is_uppercase() && was_lower {
            split.push(' ');
        }
        was_lower = c.is_lowercase();
        split.extend(c.to_lowercase());
    }
    let words = split.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let singular = words.map(|word| match word.strip_suffix('s') {
        Some(stem) if stem.len() > 2 && !stem.ends_with('s') => stem,
        _ => word,
    });
    singular.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
