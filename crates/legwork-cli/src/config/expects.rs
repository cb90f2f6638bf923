//! What the value of a key must be.

use crate::args::{AskFor, Color, Content, Sandbox};

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expects {
    Model,
    Text,
    Store,
    Sandbox,
    Color,
    Content,
    Network,
    Paths,
    Folders,
    Count,
    Money,
    Duration,
    Bytes,
    TimeLimit,
    Keys,
    Providers,
    Models,
    Bounds,
    Web,
    Search,
    AskFor,
    Permissions,
    Mcp,
}

impl Expects {
    /// The names that a value may have; empty if it is not a name.
    pub(super) fn names(self) -> Vec<String> {
        match self {
            Self::Sandbox => super::names::<Sandbox>(),
            Self::Color => super::names::<Color>(),
            Self::Content => super::names::<Content>(),
            Self::AskFor => super::names::<AskFor>(),
            _ => Vec::new(),
        }
    }

    /// The type of a value, in words.
    pub(super) fn in_words(self) -> &'static str {
        match self {
            Self::Model => "text such as \"openai:gpt-5-mini\"",
            Self::Text => "text",
            Self::Store => "text such as \"sqlite:~/work/sessions.db\"",
            Self::Sandbox | Self::Color | Self::Content | Self::AskFor => {
                "one of its names, as text"
            }
            Self::Network => "\"off\", \"all\", or a list of hosts such as [\"api.example.com\"]",
            Self::Paths => "a list of paths such as [\"~/notes\", \"/srv/data:ro\"]",
            Self::Folders => "a list of folders such as [\"~/work/*\", \"/srv/ci/site\"]",
            Self::Count => "a whole number from 1 on",
            Self::Money => "an amount above 0 such as 2.50",
            Self::Bytes => "a size as text, such as \"500MB\" or \"10GiB\"",
            Self::Duration => "a length of time as text, such as \"10m\" or \"90s\"",
            Self::TimeLimit => "a length of time above 0 as text, such as \"30m\" or \"90s\"",
            Self::Keys => "a table such as [keys.openai] with `env`, `file` or `command` in it",
            Self::Providers => "a table such as [providers.my] with `base_url` in it",
            Self::Bounds => "a table such as [bounds] with `answer_bytes` or `answer_time` in it",
            Self::Web => "a table such as [web] with lists of hosts, `allow` or `deny`, in it",
            Self::Search => "a table such as [search] with `provider` in it",
            Self::Permissions => {
                "a table such as [permissions] with lists of rules, `allow`, `ask` or `deny`, in it"
            }
            Self::Mcp => "a table such as [mcp.memory] with `command` or `url` in it",
            Self::Models => "a table such as [models.\"my:big\"] with `context_window` in it",
        }
    }
}
