//! All keys of `legwork.toml`: what they are called, mean, and who may set them.

use crate::args::Color;
use crate::args::Sandbox;

/// A key of `legwork.toml`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    /// What it means, in a line.
    pub(crate) help: &'static str,
    pub(crate) expects: Expects,
    /// A line, or a table, as it may stand in a file.
    pub(crate) example: &'static str,
    /// The variable of the environment that comes before it.
    pub(crate) variable: Option<&'static str>,
    /// The flag that comes before both.
    pub(crate) flag: Option<&'static str>,
    pub(crate) project: Project,
}

/// What a value must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expects {
    Model,
    Text,
    Store,
    Sandbox,
    Color,
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
    Prices,
    Bounds,
}

/// What a project's file may do with it: a repository may be hostile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Project {
    /// Set it.
    May,
    /// Set it to less than the user does.
    Tightens,
    /// Nothing, for it could do this.
    Never(&'static str),
}

const fn key(name: &'static str, expects: Expects, help: &'static str) -> Key {
    let project = Project::Never("");
    Key { name, help, expects, example: "", variable: None, flag: None, project }
}

/// All keys, in the order in which people read them.
pub(crate) const KEYS: &[Key] = &[
    Key {
        example: r#"model = "openai:gpt-5-mini""#,
        variable: Some("LEGWORK_MODEL"),
        flag: Some("--model"),
        project: Project::May,
        ..key("model", Expects::Model, "The model, as PROVIDER:NAME")
    },
    Key {
        example: r#"base_url = "http://127.0.0.1:8080/v1""#,
        variable: Some("OPENAI_BASE_URL"),
        flag: Some("--base-url"),
        project: Project::Never("it could send your key to another server"),
        ..key(
            "base_url",
            Expects::Text,
            "Where models are served that have no address of their own in [providers]",
        )
    },
    Key {
        example: r#"store = "sqlite:~/work/sessions.db""#,
        variable: Some("LEGWORK_STORE"),
        flag: Some("--store"),
        project: Project::Never("it could read your sessions, or hide them from you"),
        ..key("store", Expects::Store, "Where sessions live, as sqlite:PATH")
    },
    Key {
        example: r#"sandbox = "auto""#,
        variable: Some("LEGWORK_SANDBOX"),
        flag: Some("--sandbox"),
        project: Project::Never("it could let commands do all that you may"),
        ..key("sandbox", Expects::Sandbox, "What confines the commands that are run")
    },
    Key {
        example: r#"network = ["api.example.com", "*.npmjs.org"]"#,
        variable: Some("LEGWORK_NETWORK"),
        flag: Some("--network"),
        project: Project::Never("it could let commands send away what they read"),
        ..key(
            "network",
            Expects::Network,
            "The network that commands in a sandbox reach: \"off\", \"all\", or these hosts",
        )
    },
    Key {
        example: r#"allow_paths = ["~/notes", "/srv/data:ro"]"#,
        variable: None,
        flag: Some("--allow-path"),
        project: Project::Never("it could open your files to the agent"),
        ..key(
            "allow_paths",
            Expects::Paths,
            "Paths beside the working directory; with :ro they are only read",
        )
    },
    Key {
        example: r#"trust = ["~/work/*", "/srv/ci/site"]"#,
        flag: Some("--trust"),
        project: Project::Never("it could trust itself"),
        ..key(
            "trust",
            Expects::Folders,
            "Projects that are trusted without being asked about; PATH/* is all below PATH",
        )
    },
    Key {
        example: "max_steps = 100",
        variable: Some("LEGWORK_MAX_STEPS"),
        flag: Some("--max-steps"),
        project: Project::Tightens,
        ..key("max_steps", Expects::Count, "Stop after so many steps")
    },
    Key {
        example: "max_cost_usd = 2.50",
        variable: Some("LEGWORK_MAX_COST_USD"),
        flag: Some("--max-cost"),
        project: Project::Tightens,
        ..key("max_cost_usd", Expects::Money, "Stop before more US dollars are spent")
    },
    Key {
        example: "max_tokens = 1_000_000",
        variable: Some("LEGWORK_MAX_TOKENS"),
        flag: Some("--max-tokens"),
        project: Project::Tightens,
        ..key("max_tokens", Expects::Count, "Stop before more tokens go in and out")
    },
    Key {
        example: r#"max_active_time = "30m""#,
        variable: Some("LEGWORK_MAX_ACTIVE_TIME"),
        flag: Some("--max-active-time"),
        project: Project::Tightens,
        ..key(
            "max_active_time",
            Expects::TimeLimit,
            "Stop after so much active time; waits for a person do not count",
        )
    },
    Key {
        example: r#"max_write = "2GiB""#,
        variable: Some("LEGWORK_MAX_WRITE"),
        flag: Some("--max-write"),
        project: Project::Never("how much commands write to your disk is yours to say"),
        ..key("max_write", Expects::Bytes, "End a command that writes more to a disk")
    },
    Key {
        example: r#"retry_for = "10m""#,
        variable: Some("LEGWORK_RETRY_FOR"),
        flag: Some("--retry-for"),
        project: Project::Never("it could keep a run waiting, or have it give up"),
        ..key(
            "retry_for",
            Expects::Duration,
            "For how long a failed request to the model is repeated; 0s switches that off",
        )
    },
    Key {
        example: r#"retry_max_wait = "30s""#,
        variable: Some("LEGWORK_RETRY_MAX_WAIT"),
        project: Project::Never("it could keep a run waiting, or flood your server"),
        ..key(
            "retry_max_wait",
            Expects::Duration,
            "The longest wait between two of these requests, unless the server asks for more",
        )
    },
    Key {
        example: r#"color = "auto""#,
        variable: Some("LEGWORK_COLOR"),
        flag: Some("--color"),
        project: Project::Never("how your terminal looks is yours to say"),
        ..key("color", Expects::Color, "When to use colours on a terminal")
    },
    Key {
        example: "[keys.openai]\ncommand = \"pass show openai\"",
        project: Project::Never("it could run a program, or send your key to another server"),
        ..key(
            "keys",
            Expects::Keys,
            "Where a provider's key is: one of env = NAME, file = PATH, command = TEXT or LIST",
        )
    },
    Key {
        example: "[providers.my]\nbase_url = \"http://10.0.0.7:8000/v1\"",
        project: Project::Never("it could send your key to another server"),
        ..key("providers", Expects::Providers, "Where a provider of your own is served")
    },
    Key {
        example: "[prices.\"my:big\"]\ninput = 0.40\noutput = 1.60\ncached = 0.04",
        project: Project::Never("it could make a limit on cost hold nothing"),
        ..key(
            "prices",
            Expects::Prices,
            "What a model costs, in US dollars for a million tokens; cached is what input read \
             from a cache costs",
        )
    },
    Key {
        example: "[bounds]\nanswer_bytes = 8_388_608\nanswer_time = \"1h\"",
        project: Project::Never("it could let a server fill your memory and disk"),
        ..key(
            "bounds",
            Expects::Bounds,
            "How much of one answer of a model is taken in, and how long it may take",
        )
    },
];

/// The keys of a table `[keys.PROVIDER]`.
pub(super) const OF_KEYS: [&str; 3] = ["env", "file", "command"];
/// The keys of a table `[providers.NAME]`.
pub(super) const OF_PROVIDERS: [&str; 1] = ["base_url"];
/// The keys of a table `[prices."PROVIDER:NAME"]`.
pub(super) const OF_PRICES: [&str; 3] = ["input", "output", "cached"];

/// The keys of the table `[bounds]`.
pub(super) const OF_BOUNDS: [&str; 12] = [
    "answer_bytes",
    "received_bytes",
    "event_bytes",
    "events",
    "calls",
    "values",
    "nesting",
    "tokens",
    "first_byte",
    "idle",
    "silence",
    "answer_time",
];

impl Key {
    pub(crate) fn of(name: &str) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.name == name)
    }
}

/// What is known and looks most like a name, in words.
pub(super) fn nearest(name: &str, known: impl IntoIterator<Item = &'static str>) -> String {
    let known: Vec<_> = known.into_iter().collect();
    let within = known.iter().copied().find(|known| name.len() > 2 && known.contains(name));
    let alike = || legwork::core::nearest::nearest(name, known.iter().copied());
    match within.or_else(alike) {
        Some(best) => format!("did you mean `{best}`?"),
        None if known.is_empty() => "none is known here".to_owned(),
        None => "`legwork config show` lists what there is".to_owned(),
    }
}

impl Expects {
    /// The names of which a value must be one; empty where it need not be a name.
    pub(super) fn names(self) -> Vec<String> {
        match self {
            Self::Sandbox => super::names::<Sandbox>(),
            Self::Color => super::names::<Color>(),
            _ => Vec::new(),
        }
    }

    /// What a value must be, in words.
    pub(super) fn in_words(self) -> &'static str {
        match self {
            Self::Model => "text such as \"openai:gpt-5-mini\"",
            Self::Text => "text",
            Self::Store => "text such as \"sqlite:~/work/sessions.db\"",
            Self::Sandbox | Self::Color => "one of its names, as text",
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
            Self::Prices => "a table such as [prices.\"my:big\"] with `input` and `output` in it",
        }
    }
}
