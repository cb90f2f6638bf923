//! A model in one string: its name, and options of how it is asked.
//!
//! ```
//! use legwork_models::Named;
//!
//! let named: Named = "openai:gpt-5-mini?thinking=high&temperature=0.2".parse()?;
//! assert_eq!(named.name, "openai:gpt-5-mini");
//! assert_eq!(named.settings.temperature, Some(0.2));
//! # Ok::<(), legwork_models::named::Error>(())
//! ```

use std::fmt;
use std::str::FromStr;

use legwork_core::inference::{ThinkingLevel, ToolChoice};
use legwork_core::nearest::nearest;
use legwork_core::{ModelRequest, ModelSettings, Role};
use percent_encoding::percent_decode_str;

/// The option, and the field, for an answer that is made in the background.
pub(crate) const BACKGROUND: &str = "background";

/// The option, and the field, for a request that goes on from the response before.
pub(crate) const PREVIOUS: &str = "previous_response_id";

/// The value of [`PREVIOUS`] with which the response is found in the transcript.
pub(crate) const AUTO: &str = "auto";

/// The options, with what their values are, for messages.
pub const OPTIONS: &[(&str, &str)] = &[
    ("thinking", "off, minimal, low, medium, high, or a number of tokens"),
    ("temperature", "a number of 0 or more"),
    ("top_p", "a number above 0 and at most 1"),
    ("max_output", "a number of tokens above 0"),
    ("tool_choice", "auto, none, required, or the name of a tool"),
    ("parallel_calls", "true or false"),
    ("seed", "a whole number"),
    ("stop", "a text at which an answer ends"),
    (BACKGROUND, "true or false"),
    (PREVIOUS, "auto"),
];

/// A model's name, and the settings that its options make: `provider:model?option=value&..`.
///
/// The options are [`OPTIONS`]; `stop` may be given several times. Values are encoded as in a URL
/// where they have `&`, `%`, or white space. What an API does not know is refused when it is
/// asked, before a request is sent.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Named {
    /// The name without the options.
    pub name: String,
    /// The settings; the model in them is not set.
    pub settings: ModelSettings,
}

/// Why an option cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no option of this name.
    #[error("there is no option `{option}` of a model; {}", hint(.option))]
    Unknown {
        /// The option.
        option: String,
    },
    /// The value is not one of the option's.
    #[error("the option `{option}` of a model cannot be `{value}`: it is {expected}")]
    Value {
        /// The option.
        option: &'static str,
        /// The value.
        value: String,
        /// What it should be.
        expected: &'static str,
    },
    /// The option is given more than once.
    #[error("the option `{option}` of a model is given twice: leave one out")]
    Twice {
        /// The option.
        option: &'static str,
    },
    /// It is not an option and a value.
    #[error("`{part}` is no option of a model: write it as option=value, such as thinking=high")]
    NoValue {
        /// What stands between `?` or `&` and the next `&`.
        part: String,
    },
}

fn hint(option: &str) -> String {
    let all = OPTIONS.iter().map(|(name, _)| *name);
    let known = all.clone().collect::<Vec<_>>().join(", ");
    match nearest(option, all) {
        Some(near) => format!("did you mean `{near}`? There are {known}"),
        None => format!("there are {known}"),
    }
}

impl FromStr for Named {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let Some((name, options)) = text.split_once('?') else {
            return Ok(Self { name: text.to_owned(), settings: ModelSettings::default() });
        };
        let (mut settings, mut seen) = (ModelSettings::default(), Vec::new());
        for part in options.split('&') {
            let Some((option, value)) = part.split_once('=') else {
                return Err(Error::NoValue { part: part.to_owned() });
            };
            let decoded = |text| percent_decode_str(text).decode_utf8_lossy().into_owned();
            let option = set(&mut settings, &decoded(option), &decoded(value))?;
            if option != "stop" && seen.contains(&option) {
                return Err(Error::Twice { option });
            }
            seen.push(option);
        }
        Ok(Self { name: name.to_owned(), settings })
    }
}

/// Its name, without the options.
impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Sets one option in settings, by its name and a value as it is written; the name comes back.
///
/// # Errors
/// When there is no such option, or the value is not one of its values.
pub fn set(settings: &mut ModelSettings, option: &str, value: &str) -> Result<&'static str, Error> {
    let known = OPTIONS.iter().find(|(name, _)| *name == option);
    let &(option, expected) = known.ok_or_else(|| Error::Unknown { option: option.to_owned() })?;
    let wrong = || Error::Value { option, value: value.to_owned(), expected };
    match option {
        "thinking" => settings.thinking = Some(thinking(value).ok_or_else(wrong)?),
        "temperature" => {
            settings.temperature = Some(number(value, |n| n >= 0.0).ok_or_else(wrong)?);
        }
        "top_p" => {
            settings.top_p = Some(number(value, |n| n > 0.0 && n <= 1.0).ok_or_else(wrong)?);
        }
        "max_output" => {
            let most = value.parse().ok().filter(|most| *most > 0);
            settings.max_output = Some(most.ok_or_else(wrong)?);
        }
        "tool_choice" => settings.tool_choice = Some(choice(value).ok_or_else(wrong)?),
        "parallel_calls" => {
            settings.parallel_calls = Some(value.parse().map_err(|_| wrong())?);
        }
        "seed" => settings.seed = Some(value.parse().map_err(|_| wrong())?),
        BACKGROUND => {
            let value: bool = value.parse().map_err(|_| wrong())?;
            settings.extra.insert(option.to_owned(), value.into());
        }
        PREVIOUS if value != AUTO => return Err(wrong()),
        PREVIOUS => drop(settings.extra.insert(option.to_owned(), AUTO.into())),
        _ if value.is_empty() => return Err(wrong()),
        _ => settings.stop.push(value.to_owned()),
    }
    Ok(option)
}

fn thinking(value: &str) -> Option<ThinkingLevel> {
    match ThinkingLevel::from(value) {
        ThinkingLevel::Other(tokens) => {
            let is_number = tokens.parse::<u64>().is_ok_and(|tokens| tokens > 0);
            is_number.then_some(ThinkingLevel::Other(tokens))
        }
        level => Some(level),
    }
}

fn number(value: &str, fits: impl Fn(f64) -> bool) -> Option<f64> {
    value.parse().ok().filter(|number: &f64| number.is_finite() && fits(*number))
}

fn choice(value: &str) -> Option<ToolChoice> {
    Some(match value {
        "" => return None,
        "auto" => ToolChoice::Auto,
        "none" => ToolChoice::None,
        "required" => ToolChoice::Required,
        tool => ToolChoice::Named(tool.to_owned()),
    })
}

/// The settings of `own`, and of `others` where it sets nothing; the model is that of `own`.
#[must_use]
pub fn filled(own: ModelSettings, others: &ModelSettings) -> ModelSettings {
    let mut extra = others.extra.clone();
    extra.extend(own.extra);
    ModelSettings {
        model: own.model,
        max_output: own.max_output.or(others.max_output),
        temperature: own.temperature.or(others.temperature),
        thinking: own.thinking.or_else(|| others.thinking.clone()),
        tool_choice: own.tool_choice.or_else(|| others.tool_choice.clone()),
        parallel_calls: own.parallel_calls.or(others.parallel_calls),
        top_p: own.top_p.or(others.top_p),
        seed: own.seed.or(others.seed),
        stop: if own.stop.is_empty() { others.stop.clone() } else { own.stop },
        extra,
    }
}

/// The same request with settings where it sets nothing.
///
/// A request that chooses a tool of its own, as one for an answer with a type does, keeps that. A
/// call is demanded of no answer to the result of one: that would never end.
pub(crate) fn with_defaults(mut request: ModelRequest, others: &ModelSettings) -> ModelRequest {
    let settings = filled((*request.settings).clone(), others);
    if request.settings.tool_choice.is_none()
        && request.tool_choice == ToolChoice::Auto
        && !request.tools.is_empty()
        && request.messages().last().is_none_or(|message| message.role != Role::Tool)
        && let Some(choice) = &others.tool_choice
    {
        request.tool_choice = choice.clone();
    }
    if request.settings.max_output.is_none()
        && let Some(most) = others.max_output
    {
        request.max_output = Some(request.max_output.map_or(most, |clamped| clamped.min(most)));
    }
    request.settings = settings.into();
    request
}

#[cfg(test)]
mod tests;
