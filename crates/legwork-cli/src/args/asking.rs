//! `--approve`: when a person is asked before a call runs.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// When a person is asked before a tool call runs.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, ValueEnum, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AskFor {
    /// Never: what needs approval is denied
    Never,
    /// As the tools say
    #[default]
    Ask,
    /// Before each call that can change something
    Writes,
    /// Before each call
    All,
}

/// What `--approve` names.
#[derive(Debug, Clone)]
pub(crate) enum ApproveBy {
    When(AskFor),
    /// A file with rules.
    File(PathBuf),
}

impl ApproveBy {
    pub(crate) fn word(&self) -> Option<AskFor> {
        match self {
            Self::When(when) => Some(*when),
            Self::File(_) => None,
        }
    }

    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::When(_) => None,
            Self::File(path) => Some(path),
        }
    }
}

/// Reads what `--approve` names: a word, else a file that is there.
pub(crate) fn approve_by(text: &str) -> Result<ApproveBy, String> {
    match AskFor::from_str(text, false) {
        Ok(when) => Ok(ApproveBy::When(when)),
        Err(_) if Path::new(text).exists() => Ok(ApproveBy::File(text.into())),
        Err(_) => Err(format!(
            "it is one of {}, or a file with rules, and there is no file {text}",
            crate::config::names::<AskFor>().join(", ")
        )),
    }
}
