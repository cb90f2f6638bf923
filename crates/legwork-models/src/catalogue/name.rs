//! Which rows are of a model, by its name.

/// Whether a name begins as a row says whose name ends with `*`.
pub(super) fn is_in(model: &str, row: &str) -> bool {
    row.strip_suffix('*').is_some_and(|beginning| model.starts_with(beginning))
}

/// Whether a name is of the form `provider:name`.
pub(super) fn is_whole(model: &str) -> bool {
    let named = model.split_once(':');
    named.is_some_and(|(provider, name)| !provider.is_empty() && !name.is_empty())
}

/// A name without the date at its end, if it has one.
pub(crate) fn undated(model: &str) -> Option<&str> {
    let dated = |form: &str| {
        let (name, end) = model.split_at_checked(model.len().checked_sub(form.len())?)?;
        let fits =
            |(c, form): (char, char)| if form == '0' { c.is_ascii_digit() } else { c == form };
        let is_date = end.len() == form.len() && end.chars().zip(form.chars()).all(fits);
        is_date.then_some(name)
    };
    dated("-2000-00-00").or_else(|| dated("-20000000"))
}
