//! The layers above the files, and limits, which a project may only tighten.

use std::time::Duration;

use legwork::core::Budget;
use legwork::core::budget::MicroUsd;

use super::key::{BUDGET, Key};
use super::{Config, Source, Sourced, in_words, money};
use crate::args;
use crate::error::Error;

/// A limit; none is no limit.
pub(crate) type Limit<T> = Sourced<Option<T>>;

/// The limits of an execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Limits {
    pub(crate) steps: Limit<u64>,
    pub(crate) tool_calls: Limit<u64>,
    /// Input and output tokens together.
    pub(crate) tokens: Limit<u64>,
    pub(crate) input_tokens: Limit<u64>,
    pub(crate) output_tokens: Limit<u64>,
    pub(crate) usd: Limit<MicroUsd>,
    /// Active time: without waits for people.
    pub(crate) time: Limit<Duration>,
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
    /// When a variable of the environment has an invalid value.
    pub(crate) fn of(
        config: &Config,
        session: &Remembered,
        flags: &args::Agent,
        steps: u64,
    ) -> Result<Self, Error> {
        let session = session.0.clone().unwrap_or_else(Budget::unlimited);
        macro_rules! layered {
            ($name:ident, $default:expr, $read:ident, $session:expr, $flag:expr) => {{
                let files = config.values(|values| &values.budget.$name);
                let (environment, flag) = above(stringify!($name), $read, $flag)?;
                limit($default, files).above(environment, $session, flag)
            }};
        }
        Ok(Self {
            steps: layered!(steps, Some(steps), count, session.steps, flags.max_steps),
            tool_calls: layered!(tool_calls, None, count, session.tool_calls, flags.max_tool_calls),
            tokens: layered!(tokens, None, count, session.total_tokens, flags.max_tokens),
            input_tokens: layered!(
                input_tokens,
                None,
                count,
                session.input_tokens,
                flags.max_input_tokens
            ),
            output_tokens: layered!(
                output_tokens,
                None,
                count,
                session.output_tokens,
                flags.max_output_tokens
            ),
            usd: layered!(usd, None, usd, session.cost, flags.max_usd),
            time: layered!(
                time,
                None,
                time_limit,
                session.active_time.map(Duration::from),
                flags.max_time
            ),
        })
    }

    /// The limits as a budget.
    pub(crate) fn budget(&self) -> Budget {
        Budget {
            steps: self.steps.value,
            tool_calls: self.tool_calls.value,
            total_tokens: self.tokens.value,
            input_tokens: self.input_tokens.value,
            output_tokens: self.output_tokens.value,
            cost: self.usd.value,
            active_time: self.time.value.map(Into::into),
            ..Budget::unlimited()
        }
    }

    /// The flags that would restore those limits of a session that are higher than these.
    pub(crate) fn below(&self, session: &Remembered) -> Vec<String> {
        fn higher<T: Ord + Copy>(now: &Limit<T>, session: Option<T>) -> Option<T> {
            let by_flag = matches!(now.source, Source::Flag(_));
            session.filter(|session| !by_flag && now.value.is_some_and(|now| now < *session))
        }
        let session = session.0.clone().unwrap_or_else(Budget::unlimited);
        let usd = higher(&self.usd, session.cost);
        let time = higher(&self.time, session.active_time.map(Duration::from));
        let counts = [
            ("steps", &self.steps, session.steps),
            ("tool-calls", &self.tool_calls, session.tool_calls),
            ("tokens", &self.tokens, session.total_tokens),
            ("input-tokens", &self.input_tokens, session.input_tokens),
            ("output-tokens", &self.output_tokens, session.output_tokens),
        ];
        let counts = counts.into_iter().filter_map(|(name, now, session)| {
            Some(format!("--max-{name} {}", higher(now, session)?))
        });
        let usd = usd.map(|usd| format!("--max-usd {}", usd.to_string().trim_start_matches('$')));
        let time = time.map(|time| format!("--max-time {}", in_words(time).replace(' ', "")));
        counts.chain(usd).chain(time).collect()
    }
}

/// The limits of the user's own settings: of files and of the environment.
///
/// # Errors
/// When a variable of the environment has an invalid value.
pub(crate) fn ceiling(config: &Config) -> Result<Budget, Error> {
    fn own<T: Copy>(limit: &Limit<T>) -> Option<T> {
        limit.value.filter(|_| limit.source != Source::Default)
    }
    let (session, flags) = (Remembered::default(), args::Agent::default());
    let limits = Limits::of(config, &session, &flags, u64::MAX)?;
    Ok(Budget {
        steps: own(&limits.steps),
        tool_calls: own(&limits.tool_calls),
        total_tokens: own(&limits.tokens),
        input_tokens: own(&limits.input_tokens),
        output_tokens: own(&limits.output_tokens),
        cost: own(&limits.usd),
        active_time: own(&limits.time).map(Into::into),
        ..Budget::unlimited()
    })
}

/// A limit of the environment, and one of a flag.
type Above<T> = (Option<Sourced<T>>, Option<Sourced<T>>);

/// The limits above the files, by the name of their key.
fn above<T>(
    name: &str,
    read: impl Fn(&str) -> Result<T, String>,
    flag: Option<T>,
) -> Result<Above<T>, Error> {
    let key = Key::of(BUDGET, name);
    let environment = match key.and_then(|key| key.variable) {
        Some(variable) => variable_of(variable, read)?,
        None => None,
    };
    let source = Source::Flag(key.and_then(|key| key.flag).unwrap_or_default());
    Ok((environment, flag.map(|limit| Sourced::new(limit, source))))
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
    macro_rules! of {
        ($name:ident, $default:expr) => {
            (stringify!($name), higher($default, config.values(|values| &values.budget.$name)))
        };
    }
    let limits = [
        of!(steps, Some(steps)),
        of!(tool_calls, None),
        of!(tokens, None),
        of!(input_tokens, None),
        of!(output_tokens, None),
        of!(usd, None),
        of!(time, None),
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
pub(crate) fn time_limit(text: &str) -> Result<Duration, String> {
    let time = super::duration(text).ok().filter(|time| *time >= Duration::from_micros(1));
    time.ok_or_else(|| "must be a length of time above 0 such as 90s, 10m or 1h 30m".to_owned())
}

#[cfg(test)]
mod tests;
