//! The name that was probably meant.

/// How alike two names are at least, from 0 to 1, to be taken for each other.
const ALIKE: f64 = 0.5;
/// What is longer than this is compared by its beginning.
const LONGEST: usize = 60;
/// How many names are listed.
const MOST: usize = 30;

/// What to say of a name that is not known: the nearest, and all that are.
pub fn suggestion<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    let known: Vec<_> = known.into_iter().collect();
    if known.is_empty() {
        return "there are none".to_owned();
    }
    let name: String = name.chars().take(LONGEST).collect();
    let likeness = |known: &str| strsim::normalized_damerau_levenshtein(&name, known);
    let scored = known.iter().map(|known| (likeness(known), known));
    let best = scored.max_by(|(a, _), (b, _)| a.total_cmp(b));
    let mut all = known.iter().take(MOST).copied().collect::<Vec<_>>().join(", ");
    if known.len() > MOST {
        all.push_str(&format!(" and {} more", known.len() - MOST));
    }
    match best.filter(|(likeness, _)| *likeness >= ALIKE) {
        Some((_, nearest)) => format!("did you mean `{nearest}`? there are {all}"),
        None => format!("there are {all}"),
    }
}
