//! `legwork sessions set`: settings of a session, in whatever process it runs.

use legwork::agent::Delivery;
use legwork::core::settings::SessionSettings;
use legwork::model::Named;

use super::{Report, Standing};
use crate::args;
use crate::commands::addressed::Addressed;
use crate::commands::tell;
use crate::config::{Config, ceiling};
use crate::error::Error;
use crate::exit::Exit;
use crate::model::without_provider;
use crate::recorded;
use crate::settings;
use crate::task;

pub(crate) async fn set(args: args::Set, config: &Config) -> Result<Exit, Error> {
    let settings = of(&args, config)?;
    for (key, _) in &args.metadata {
        check_key(key)?;
    }
    let at = Addressed::find(&args.session, &args.store, config).await?;
    let mut delivered: Option<Delivery> = None;
    if !settings.is_empty() {
        delivered = Some(at.session.set(settings).await?);
    }
    for (key, value) in args.metadata {
        delivered = Some(at.session.set_metadata(key, value).await?);
    }
    let Some(delivery) = delivered else { return Ok(Exit::Done) };
    Report { at: &at, delivery, verb: "set" }.print(args.json, |standing| {
        let becomes = match standing {
            Standing::Running => {
                "sent: the process that runs the session takes it up before its \
                                  next step"
            }
            _ => "set: it applies from the next step on",
        };
        becomes.to_owned()
    })
}

/// The settings that the flags give.
fn of(args: &args::Set, config: &Config) -> Result<SessionSettings, Error> {
    let mut settings = SessionSettings::new();
    settings.reset = args.reset;
    if let Some(model) = &args.model {
        settings = settings.model(name(model, config)?);
    }
    if let Some(words) = &args.instructions {
        if words.trim().is_empty() {
            let hint = "give them as --instructions \"Answer in French\", @FILE or -; --reset takes \
                        back what was set";
            return Err(Error::usage("the instructions are empty", hint));
        }
        let message = task::message(words.clone(), &[], "legwork sessions set --instructions")?;
        settings = settings.instructions(message.text());
    }
    let limits = args.limits.budget();
    let ceiling = ceiling(config)?;
    if limits.within(&ceiling) != limits.or(&ceiling) {
        tell(
            "warning: your own settings have a lower limit, which holds unless the flag is given to \
             `legwork resume`",
        );
    }
    Ok(settings.limits(limits))
}

/// The name of a model, which has no options.
fn name(model: &str, config: &Config) -> Result<String, Error> {
    let hint = "`legwork models list` shows those of a provider";
    let named: Named =
        model.parse().map_err(|error| Error::usage(format!("--model: {error}"), hint))?;
    if named.name != model {
        let message = format!("--model {model}: options of a model cannot be set for a session");
        let hint =
            format!("give its name alone: --model {}; `legwork resume` takes options", named.name);
        return Err(Error::usage(message, hint));
    }
    match named.name.split_once(':') {
        Some((provider, name)) if !provider.is_empty() && !name.is_empty() => {}
        _ => return Err(without_provider(model, None)),
    }
    settings::check_model(&named.name, config)?;
    Ok(named.name)
}

/// Refuses the keys that the command itself keeps in the metadata.
fn check_key(key: &str) -> Result<(), Error> {
    if ![recorded::KEY, legwork::skills::KEY].contains(&key) {
        return Ok(());
    }
    let message = format!("--metadata {key}: this command keeps its own settings there");
    Err(Error::usage(message, "choose another key; `legwork resume` takes those settings as flags"))
}
