//! The name that was probably meant.

/// How alike a name must be to be proposed, from 0 to 1.
const ALIKE: f64 = 0.7;

/// The name that is most like what was typed, if any is like it at all.
pub(crate) fn nearest<'n>(
    typed: &str,
    names: impl IntoIterator<Item = &'n str>,
) -> Option<&'n str> {
    let typed = typed.to_lowercase();
    let alike = |name: &'n str| (strsim::jaro(&typed, &name.to_lowercase()), name);
    let best = names.into_iter().map(alike).max_by(|(a, _), (b, _)| a.total_cmp(b));
    best.filter(|(alike, _)| *alike >= ALIKE).map(|(_, name)| name)
}

#[cfg(test)]
mod tests;
