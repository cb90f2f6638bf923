//! Suggestions for a misspelled name.

/// The similarity from which on a name is suggested, from 0 to 1.
const ALIKE: f64 = 0.75;
/// How many characters of a name are compared.
const LONGEST: usize = 60;
/// How many names are listed at most.
const MOST: usize = 30;

/// The known name that is most similar to a misspelled one, if any is similar enough.
///
/// Case is ignored, and `-`, `_` and a space are the same.
pub fn nearest<'n>(written: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let written = plain(written);
    let alike = |name: &'n str| (likeness(&written, &plain(name)), name);
    let best = known.into_iter().map(alike).max_by(|(a, _), (b, _)| a.total_cmp(b));
    best.filter(|(alike, _)| *alike >= ALIKE).map(|(_, name)| name)
}

/// How alike two names are, from 0 to 1.
fn likeness(written: &str, name: &str) -> f64 {
    // Of short names, `jaro` finds two that swapped letters make less alike than they look.
    let swapped = written.len() > 2 && strsim::osa_distance(written, name) == 1;
    strsim::jaro(written, name).max(if swapped { ALIKE } else { 0.0 })
}

/// The end of an error about an unknown name: the most similar known name, and all known ones.
pub fn suggestion<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    let known: Vec<_> = known.into_iter().collect();
    if known.is_empty() {
        return "there are none".to_owned();
    }
    let mut all = known.iter().take(MOST).copied().collect::<Vec<_>>().join(", ");
    if known.len() > MOST {
        all.push_str(&format!(" and {} more", known.len() - MOST));
    }
    match nearest(name, known) {
        Some(nearest) => format!("did you mean `{nearest}`? there are {all}"),
        None => format!("there are {all}"),
    }
}

fn plain(name: &str) -> String {
    let plain = |c: char| match c {
        '-' | ' ' => '_',
        c => c.to_ascii_lowercase(),
    };
    name.chars().take(LONGEST).map(plain).collect()
}
