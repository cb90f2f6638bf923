//! What a model is asked with: options behind its name, and flags of their own.

use legwork::core::ModelSettings;
use legwork::model::{Named, options};

use crate::args;
use crate::config::Sourced;
use crate::error::Error;

/// Takes the options off a model's name, and puts what flags say over them; what neither says is
/// that of `before`, if it is the same model that goes on.
///
/// # Errors
/// When an option, or the value of one, is not known.
pub(super) fn of(
    flags: &args::Agent,
    model: Sourced<String>,
    before: Option<&ModelSettings>,
) -> Result<(Sourced<String>, ModelSettings), Error> {
    let wrong = |from: &str, error: &options::Error| {
        Error::usage(format!("{from}: {error}"), "`legwork help config` shows the options")
    };
    let parsed = model.value.parse::<Named>();
    let Named { name, mut settings, .. } =
        parsed.map_err(|error| wrong(&model.source.to_string(), &error))?;
    let own = [("thinking", &flags.thinking), ("temperature", &flags.temperature)];
    for (option, value) in own {
        let Some(value) = value else { continue };
        let set = options::set(&mut settings, option, value);
        set.map_err(|error| wrong(&format!("--{option}"), &error))?;
    }
    let same = before.filter(|before| *before.model == *name);
    let settings = same.map_or(settings.clone(), |before| options::filled(settings, before));
    Ok((Sourced::new(name, model.source), settings))
}
