//! The three formats of a definition.

use std::path::Path;

/// How a definition is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Markdown with YAML front matter; the body is the instructions.
    Markdown,
    /// YAML.
    Yaml,
    /// JSON.
    Json,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Markdown, Self::Yaml, Self::Json];

    /// The format of a file, by the ending of its name: `md`, `yaml`, `yml` or `json`.
    ///
    /// Upper case is read too. None for any other ending.
    pub fn of(path: impl AsRef<Path>) -> Option<Self> {
        let ending = path.as_ref().extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "md" => Some(Self::Markdown),
            "yaml" | "yml" => Some(Self::Yaml),
            "json" => Some(Self::Json),
            _ => None,
        }
    }

    /// The ending that a file of this format is given.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Yaml => "yaml",
            Self::Json => "json",
        }
    }
}

#[cfg(test)]
mod tests;
