//! The layers above the files, and limits, which a project may only tighten.

use std::time::Duration;

use legwork::core::Budget;
use legwork::core::budget::MicroUsd;

use super::{Config, Source, Sourced, money};
use crate::args;
use crate::error::Error;

/// A limit; none is no limit.
pub(crate) type Limit<T> = Sourced<Option<T>>;

/// The limits of an execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Limits {
    pub(crate) steps: Limit<u64>,
    pub(crate) cost: Limit<MicroUsd>,
    /// Input and output tokens together.
    pub(crate) tokens: Limit<u64>,
    /// Without waits for people.
    pub(crate) active_time: Limit<Duration>,
}

/// The limits that a session remembers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Remembered(Option<Budget>);

impl Remembered {
    pub(crate) fn of(budget: &Budget) -> Self {
        Self(Some(budget.clone()))
    }
}

impl Limits {
    /// The limits by all layers.
    ///
    /// # Errors
    /// When a variable of the environment has a value that is none.
    pub(crate) fn of(
        config: &Config,
        session: &Remembered,
        flags: &args::Agent,
        steps: u64,
    ) -> Result<Self, Error> {
        let session = session.0.clone().unwrap_or_else(Budget::unlimited);
        Ok(Self {
            steps: limit(Some(steps), config.values(|values| &values.max_steps)).above(
                variable_of("LEGWORK_MAX_STEPS", count)?,
                session.steps,
                flags.max_steps.map(|steps| Sourced::new(steps, Source::Flag("--max-steps"))),
            ),
            cost: limit(None, config.values(|values| &values.max_cost_usd)).above(
                variable_of("LEGWORK_MAX_COST_USD", usd)?,
                session.cost,
                flags.max_cost.map(|cost| Sourced::new(cost, Source::Flag("--max-cost"))),
            ),
            tokens: limit(None, config.values(|values| &values.max_tokens)).above(
                variable_of("LEGWORK_MAX_TOKENS", count)?,
                session.total_tokens,
                flags.max_tokens.map(|tokens| Sourced::new(tokens, Source::Flag("--max-tokens"))),
            ),
            active_time: limit(None, config.values(|values| &values.max_active_time)).above(
                variable_of("LEGWORK_MAX_ACTIVE_TIME", active_time)?,
                session.active_time.map(Duration::from),
                flags
                    .max_active_time
                    .map(|time| Sourced::new(time, Source::Flag("--max-active-time"))),
            ),
        })
    }
}

impl Limits {
    /// The flags that would restore those limits of a session that are higher than these.
    pub(crate) fn below(&self, session: &Remembered) -> Vec<String> {
        fn is_below<T: Ord + Copy>(now: &Limit<T>, session: Option<T>) -> Option<T> {
            let by_flag = matches!(now.source, Source::Flag(_));
            session.filter(|session| !by_flag && now.value.is_some_and(|now| now < *session))
        }
        let session = session.0.clone().unwrap_or_else(Budget::unlimited);
        let time = session.active_time.map(Duration::from);
        [
            is_below(&self.steps, session.steps).map(|steps| format!("--max-steps {steps}")),
            is_below(&self.cost, session.cost)
                .map(|cost| format!("--max-cost {}", cost.to_string().trim_start_matches('$'))),
            is_below(&self.tokens, session.total_tokens).map(|most| format!("--max-tokens {most}")),
            is_below(&self.active_time, time)
                .map(|time| format!("--max-active-time {}s", time.as_secs())),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// The limit of the files: the user's, and the project's where that is smaller.
pub(crate) fn limit<T: Ord + Copy>(default: Option<T>, files: [Option<Sourced<T>>; 2]) -> Limit<T> {
    let [user, project] = files;
    let own = Sourced::new(default, Source::Default).or(user.map(|limit| limit.map(Some)));
    match project {
        Some(project) if own.value.is_none_or(|own| project.value < own) => project.map(Some),
        _ => own,
    }
}

/// The limits of the project's file that are not taken, for they are no lower.
pub(crate) fn not_taken(config: &Config, steps: u64) -> Vec<(&'static str, Source)> {
    fn higher<T: Ord + Copy>(default: Option<T>, files: [Option<Sourced<T>>; 2]) -> Option<Source> {
        let [user, project] = files;
        let project = project?;
        let own = limit(default, [user, None]).value?;
        (project.value > own).then_some(project.source)
    }
    let limits = [
        ("max_steps", higher(Some(steps), config.values(|values| &values.max_steps))),
        ("max_cost_usd", higher(None, config.values(|values| &values.max_cost_usd))),
        ("max_tokens", higher(None, config.values(|values| &values.max_tokens))),
        ("max_active_time", higher(None, config.values(|values| &values.max_active_time))),
    ];
    limits.into_iter().filter_map(|(key, source)| Some((key, source?))).collect()
}

impl<T> Limit<T> {
    /// The same with the layers above the files. The session's own values only replace the
    /// built-in defaults: they raise no limit that the user set.
    fn above(
        self,
        environment: Option<Sourced<T>>,
        session: Option<T>,
        flag: Option<Sourced<T>>,
    ) -> Self
    where
        T: Ord + Copy,
    {
        let now = self.or(environment.map(|limit| limit.map(Some)));
        let most = now.value.filter(|_| now.source != Source::Default);
        let session = session.filter(|limit| most.is_none_or(|most| *limit <= most));
        let session = session.map(|limit| Sourced::new(limit, Source::Session));
        now.or(flag.or(session).map(|limit| limit.map(Some)))
    }
}

/// A variable of the environment that is set to something.
///
/// # Errors
/// When it is no text.
pub(crate) fn text_variable(name: &'static str) -> Result<Option<String>, Error> {
    let Some(value) = std::env::var_os(name).filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    let text = value.into_string();
    text.map(Some).map_err(|_| wrong(name, "is no UTF-8 text"))
}

/// The value of a variable of the environment.
///
/// # Errors
/// When it is none.
pub(crate) fn variable_of<T>(
    name: &'static str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<Sourced<T>>, Error> {
    let Some(text) = text_variable(name)? else { return Ok(None) };
    match read(&text) {
        Ok(value) => Ok(Some(Sourced::new(value, Source::Environment(name)))),
        Err(problem) => Err(wrong(name, &problem)),
    }
}

fn wrong(name: &str, problem: &str) -> Error {
    Error::usage(format!("{name} {problem}"), format!("set {name} right, or unset it"))
}

/// A whole number from 1 on.
pub(crate) fn count(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "must be a whole number from 1 on".to_owned())
}

/// An amount of US dollars.
pub(crate) fn usd(text: &str) -> Result<MicroUsd, String> {
    let usd = text.parse().ok().and_then(money);
    usd.ok_or_else(|| "must be an amount above 0, such as 2.50".to_owned())
}

/// A length of time that limits something.
pub(crate) fn active_time(text: &str) -> Result<Duration, String> {
    let time = super::duration(text).ok().filter(|time| *time >= Duration::from_micros(1));
    time.ok_or_else(|| "must be a length of time above 0 such as 90s, 10m or 1h 30m".to_owned())
}

#[cfg(test)]
mod tests;
