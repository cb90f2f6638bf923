//! The dialects of JSON Schema that providers take.

use std::fmt;

/// A dialect of JSON Schema, as the documentation of a provider describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Dialect {
    /// JSON Schema as it is.
    #[default]
    Full,
    /// The strict mode of OpenAI's structured outputs: each property is required, no others are
    /// allowed, and some keywords are missing.
    OpenAi,
    /// Anthropic's structured outputs, and Bedrock's: no bounds, no recursion, no further
    /// properties.
    Anthropic,
    /// The subset of JSON Schema that Gemini takes; references are written out.
    Gemini,
}

impl Dialect {
    /// The dialect of a model's provider, by the name `provider:model`; full if it is unknown.
    pub fn of_model(name: &str) -> Self {
        match name.split(':').next().unwrap_or_default() {
            "openai" | "openai-responses" | "azure" => Self::OpenAi,
            // Bedrock takes a subset of JSON Schema for all makers' models, and refuses the rest.
            "anthropic" | "bedrock" => Self::Anthropic,
            "google" | "gemini" | "vertex" => Self::Gemini,
            _ => Self::Full,
        }
    }

    /// Keywords that are copied; structural ones are rewritten one by one.
    pub(super) fn keeps(self, keyword: &str) -> bool {
        let everywhere = ["description", "title", "enum"];
        let of_its_own: &[&str] = match self {
            Self::Full => return true,
            Self::OpenAi => &[
                "const",
                "pattern",
                "multipleOf",
                "minimum",
                "maximum",
                "exclusiveMinimum",
                "exclusiveMaximum",
                "minItems",
                "maxItems",
            ],
            Self::Anthropic => &["const", "default"],
            Self::Gemini => {
                &["minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength", "pattern"]
            }
        };
        everywhere.contains(&keyword) || of_its_own.contains(&keyword)
    }

    /// Formats of strings and numbers that are known; others only annotate.
    pub(super) fn knows_format(self, format: &str) -> bool {
        let of_text =
            ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
        match self {
            Self::Full => true,
            Self::OpenAi => of_text.contains(&format),
            Self::Anthropic => of_text.contains(&format) || format == "uri",
            Self::Gemini => ["int32", "int64", "float", "double", "date-time"].contains(&format),
        }
    }

    /// Whether references to definitions are known.
    pub(super) fn has_references(self) -> bool {
        self != Self::Gemini
    }

    /// Whether a definition may refer to itself.
    pub(super) fn has_recursion(self) -> bool {
        matches!(self, Self::Full | Self::OpenAi)
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full => "JSON Schema",
            Self::OpenAi => "OpenAI",
            Self::Anthropic => "Anthropic",
            Self::Gemini => "Gemini",
        })
    }
}
