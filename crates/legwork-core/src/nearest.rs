//! The name that was probably meant.

/// How alike a name must be to be proposed, from 0 to 1.
const ALIKE: f64 = 0.75;
/// What is longer than this is compared by its beginning.
const LONGEST: usize = 60;
/// How many names are listed.
const MOST: usize = 30;

/// The known name that is most like what was written, if any is like it at all.
///
/// Case does not count, nor whether words are joined by `-`, `_` or a blank.
pub fn nearest<'n>(written: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let written = plain(written);
    let alike = |name: &'n str| (strsim::jaro(&written, &plain(name)), name);
    let best = known.into_iter().map(alike).max_by(|(a, _), (b, _)| a.total_cmp(b));
    best.filter(|(alike, _)| *alike >= ALIKE).map(|(_, name)| name)
}

/// What to say of a name that is not known: the nearest, and all that are.
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
