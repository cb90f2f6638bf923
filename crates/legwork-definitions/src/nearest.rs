//! The name that was probably meant.

/// How alike a name must be to be proposed, from 0 to 1.
const ALIKE: f64 = 0.75;

/// The known name that is most like what was written, if any is like it at all.
///
/// Case does not count, nor whether words are joined by `-`, `_` or a blank.
pub fn nearest<'n>(written: &str, known: &[&'n str]) -> Option<&'n str> {
    // What is far longer than any field is like none of them.
    let plain: String = written.chars().take(40).map(plain).collect();
    let alike = |name: &&'n str| (strsim::jaro(&plain, name), *name);
    let best = known.iter().map(alike).max_by(|(a, _), (b, _)| a.total_cmp(b));
    best.filter(|(alike, _)| *alike >= ALIKE).map(|(_, name)| name)
}

fn plain(c: char) -> char {
    match c {
        '-' | ' ' => '_',
        c => c.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests;
