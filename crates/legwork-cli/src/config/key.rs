//! All keys of `legwork.toml`: their names and meanings, and what a project may set.

use super::expects::Expects;

/// A key of `legwork.toml`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key {
    /// The table that it belongs to; empty for the top level.
    pub(crate) table: &'static str,
    pub(crate) name: &'static str,
    /// Its meaning, in one line.
    pub(crate) help: &'static str,
    pub(crate) expects: Expects,
    /// An example: a line, or a table.
    pub(crate) example: &'static str,
    /// The environment variable that takes precedence over it.
    pub(crate) variable: Option<&'static str>,
    /// The flag that takes precedence over both.
    pub(crate) flag: Option<&'static str>,
    pub(crate) project: Project,
}

/// The table of the limits of an execution.
pub(crate) const BUDGET: &str = "budget";

/// What a project's file may do with a key: a repository may be hostile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Project {
    /// Set it.
    May,
    /// Set it to less than the user does.
    Tightens,
    /// Nothing, because it could do this.
    Never(&'static str),
}

const fn key(name: &'static str, expects: Expects, help: &'static str) -> Key {
    let project = Project::Never("");
    Key { table: "", name, help, expects, example: "", variable: None, flag: None, project }
}

/// A key of the table of limits.
const fn limit(name: &'static str, expects: Expects, help: &'static str) -> Key {
    Key { table: BUDGET, project: Project::Tightens, ..key(name, expects, help) }
}

/// All keys, in the order of the help.
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
            "The base URL of models whose provider has none in [providers]",
        )
    },
    Key {
        example: r#"store = "sqlite:~/work/sessions.db""#,
        variable: Some("LEGWORK_STORE"),
        flag: Some("--store"),
        project: Project::Never("it could read your sessions, or hide them from you"),
        ..key(
            "store",
            Expects::Store,
            "The store of sessions, such as sqlite:PATH or postgres://HOST/DATABASE",
        )
    },
    Key {
        example: r#"sandbox = "auto""#,
        variable: Some("LEGWORK_SANDBOX"),
        flag: Some("--sandbox"),
        project: Project::Never("it could let commands do all that you may"),
        ..key("sandbox", Expects::Sandbox, "The sandbox of commands")
    },
    Key {
        example: r#"network = ["api.example.com", "*.npmjs.org"]"#,
        variable: Some("LEGWORK_NETWORK"),
        flag: Some("--network"),
        project: Project::Never("it could let commands send away what they read"),
        ..key(
            "network",
            Expects::Network,
            "The network that commands in a sandbox may reach: \"off\", \"all\", or a list of hosts",
        )
    },
    Key {
        example: r#"approve = "writes""#,
        variable: Some("LEGWORK_APPROVE"),
        flag: Some("--approve"),
        project: Project::Tightens,
        ..key(
            "approve",
            Expects::AskFor,
            "When you are asked before a tool call runs; a project's file may only have you asked \
             more often",
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
            "Additional paths that the agent may use; with :ro only for reading",
        )
    },
    Key {
        example: r#"trust = ["~/work/*", "/srv/ci/site"]"#,
        flag: Some("--trust"),
        project: Project::Never("it could trust itself"),
        ..key(
            "trust",
            Expects::Folders,
            "Projects that are trusted without a question; PATH/* is all below PATH",
        )
    },
    Key {
        example: r#"max_write = "2GiB""#,
        variable: Some("LEGWORK_MAX_WRITE"),
        flag: Some("--max-write"),
        project: Project::Never("it could let commands fill your disk"),
        ..key("max_write", Expects::Bytes, "Kill a command that writes more than this to disk")
    },
    Key {
        example: r#"retry_for = "10m""#,
        variable: Some("LEGWORK_RETRY_FOR"),
        flag: Some("--retry-for"),
        project: Project::Never("it could make a run wait, or give up early"),
        ..key(
            "retry_for",
            Expects::Duration,
            "How long failed requests to the model are retried; 0s disables retries",
        )
    },
    Key {
        example: r#"retry_max_wait = "30s""#,
        variable: Some("LEGWORK_RETRY_MAX_WAIT"),
        project: Project::Never("it could make a run wait, or flood your server"),
        ..key(
            "retry_max_wait",
            Expects::Duration,
            "The maximum wait between two retries, unless the server asks for a longer one",
        )
    },
    Key {
        example: r#"color = "auto""#,
        variable: Some("LEGWORK_COLOR"),
        flag: Some("--color"),
        project: Project::Never("it is a matter of your terminal"),
        ..key("color", Expects::Color, "When to use colours on a terminal")
    },
    Key {
        example: r#"notify = 'notify-send "Legwork: $LEGWORK_STATUS" "$LEGWORK_TASK"'"#,
        project: Project::Never("it could run a program with all your rights"),
        ..key(
            "notify",
            Expects::Text,
            "A line for the shell, run when a run ends or waits for you; LEGWORK_STATUS, \
             LEGWORK_SESSION, LEGWORK_TASK and LEGWORK_DIR say what happened",
        )
    },
    Key {
        example: r#"telemetry = "http://127.0.0.1:4318""#,
        variable: Some("OTEL_EXPORTER_OTLP_ENDPOINT"),
        project: Project::Never("it could send what your agents do to another server"),
        ..key(
            "telemetry",
            Expects::Text,
            "The collector that traces and metrics are sent to, over OTLP and HTTP",
        )
    },
    Key {
        example: r#"telemetry_content = "on""#,
        project: Project::Never("it could send what you say to another server"),
        ..key(
            "telemetry_content",
            Expects::Content,
            "Whether traces say what was said: tasks, answers, and calls with their results",
        )
    },
    Key {
        example: "steps = 100",
        variable: Some("LEGWORK_MAX_STEPS"),
        flag: Some("--max-steps"),
        ..limit("steps", Expects::Count, "Stop after this many steps")
    },
    Key {
        example: "tool_calls = 200",
        variable: Some("LEGWORK_MAX_TOOL_CALLS"),
        flag: Some("--max-tool-calls"),
        ..limit("tool_calls", Expects::Count, "Stop before more tool calls than this begin")
    },
    Key {
        example: "tokens = 1_000_000",
        variable: Some("LEGWORK_MAX_TOKENS"),
        flag: Some("--max-tokens"),
        ..limit(
            "tokens",
            Expects::Count,
            "Stop before more input and output tokens than this are used",
        )
    },
    Key {
        example: "input_tokens = 900_000",
        variable: Some("LEGWORK_MAX_INPUT_TOKENS"),
        flag: Some("--max-input-tokens"),
        ..limit("input_tokens", Expects::Count, "Stop before more input tokens than this are used")
    },
    Key {
        example: "output_tokens = 100_000",
        variable: Some("LEGWORK_MAX_OUTPUT_TOKENS"),
        flag: Some("--max-output-tokens"),
        ..limit(
            "output_tokens",
            Expects::Count,
            "Stop before more output tokens than this are used",
        )
    },
    Key {
        example: "usd = 2.50",
        variable: Some("LEGWORK_MAX_USD"),
        flag: Some("--max-usd"),
        ..limit("usd", Expects::Money, "Stop before more US dollars than this are spent")
    },
    Key {
        example: r#"time = "30m""#,
        variable: Some("LEGWORK_MAX_TIME"),
        flag: Some("--max-time"),
        ..limit(
            "time",
            Expects::TimeLimit,
            "Stop after this much active time; waiting for a person does not count",
        )
    },
    Key {
        example: "[keys.openai]\ncommand = \"pass show openai\"",
        project: Project::Never("it could run a program, or send your key to another server"),
        ..key(
            "keys",
            Expects::Keys,
            "The source of a provider's key: one of env = NAME, file = PATH, command = TEXT or LIST",
        )
    },
    Key {
        example: "[providers.my]\nbase_url = \"http://10.0.0.7:8000/v1\"",
        project: Project::Never("it could send your key to another server"),
        ..key("providers", Expects::Providers, "The base URL of a provider")
    },
    Key {
        example: "[models.\"my:big\"]\ncontext_window = 128_000\nmax_output = 8_192\n\
                  price = { input = 0.40, output = 1.60, cache_read = 0.04 }\n\
                  can = [\"tools\", \"images\"]\ncannot = [\"thinking\"]",
        project: Project::Never("it could make a limit on cost useless"),
        ..key(
            "models",
            Expects::Models,
            "What is known of a model, in place of what is shipped: tokens of its window and of \
             an answer, its price in US dollars for a million tokens, and its abilities",
        )
    },
    Key {
        example: "[bounds]\nanswer_bytes = 8_388_608\nanswer_time = \"1h\"",
        project: Project::Never("it could let a server fill your memory and disk"),
        ..key("bounds", Expects::Bounds, "The bounds of the size and the time of a model's answer")
    },
    Key {
        example: "[web]\nallow = [\"docs.rs\", \"*.rust-lang.org\"]\ndeny = [\"ads.example.com\"]",
        project: Project::Never("it could let the agent send away what it reads"),
        ..key(
            "web",
            Expects::Web,
            "The hosts that `fetch` reads, of those that `network` includes: only those of `allow`, \
             none of `deny`",
        )
    },
    Key {
        example: "[mcp.memory]\ncommand = [\"mcp-server-memory\"]\n\
                  env = { MEMORY_FILE_PATH = \"memory.json\" }\n\n\
                  [mcp.docs]\nurl = \"https://mcp.example.com/mcp\"\n\
                  headers = { Authorization = { env = \"DOCS_TOKEN\" } }",
        project: Project::May,
        ..key(
            "mcp",
            Expects::Mcp,
            "MCP servers whose tools the agent has: `command` is started in the sandbox with \
             `env`, or `url` is asked with `headers`, or with what `legwork mcp login` was granted \
             (`client_id`, `client_secret`, `scopes`), `transport = \"sse\"` for servers of before 2025; `tools` and `except` choose of its tools, \
             `resources` adds its resources and prompts, `sampling` lets it ask the model, `timeout` limits a call, `trusted` \
             believes what it says of its tools; a project's file names commands only",
        )
    },
    Key {
        example: "[permissions]\nallow = [\"bash(cargo test:*)\", \"edit(src/**)\"]\n\
                  ask = [\"bash(git push:*)\"]\ndeny = [\"write(.github/**)\"]",
        flag: Some("--approve"),
        project: Project::Tightens,
        ..key(
            "permissions",
            Expects::Permissions,
            "Rules for calls, as TOOL or TOOL(PATTERN): those of `deny` never run, those of `ask` \
             need your approval each time, those of `allow` need none with `approve`; a project's \
             file may only ask and deny",
        )
    },
    Key {
        example: "[search]\nprovider = \"brave\"",
        project: Project::Never("it could send your searches and your key to another server"),
        ..key(
            "search",
            Expects::Search,
            "The engine of `web_search`: `provider` is brave, tavily or searxng, `base_url` its \
             server; its key is in [keys.PROVIDER], or BRAVE_API_KEY and the like",
        )
    },
];

/// The keys of a table `[keys.PROVIDER]`.
pub(super) const OF_KEYS: [&str; 3] = ["env", "file", "command"];
/// The keys of a table `[providers.NAME]`.
pub(super) const OF_PROVIDERS: [&str; 1] = ["base_url"];
/// The keys of a table `[models."PROVIDER:NAME"]`.
pub(super) const OF_MODELS: [&str; 5] = ["context_window", "max_output", "price", "can", "cannot"];
/// The keys of a `price` in it.
pub(super) const OF_PRICE: [&str; 6] =
    ["input", "output", "cache_read", "cache_write", "cache_write_1h", "above"];
/// The keys of an entry of `above` in that.
pub(super) const OF_TIER: [&str; 6] =
    ["input_tokens", "input", "output", "cache_read", "cache_write", "cache_write_1h"];

/// The keys of the table `[web]`.
pub(super) const OF_WEB: [&str; 2] = ["allow", "deny"];
/// The keys of the table `[search]`.
pub(super) const OF_SEARCH: [&str; 2] = ["provider", "base_url"];

/// The keys of a table `[mcp.NAME]`.
pub(super) const OF_MCP: [&str; 14] = [
    "command",
    "env",
    "url",
    "transport",
    "headers",
    "client_id",
    "client_secret",
    "scopes",
    "trusted",
    "tools",
    "except",
    "resources",
    "sampling",
    "timeout",
];

/// The keys of the table `[permissions]`.
pub(super) const OF_PERMISSIONS: [&str; 3] = ["allow", "ask", "deny"];

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
    /// The key of a name in a table; the table is empty for the top level.
    pub(crate) fn of(table: &str, name: &str) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.table == table && key.name == name)
    }

    /// The name with that of its table, such as `budget.steps`.
    pub(crate) fn path(&self) -> String {
        match self.table {
            "" => self.name.to_owned(),
            table => format!("{table}.{}", self.name),
        }
    }
}

/// A suggestion of the known name that is most similar.
pub(super) fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    let known: Vec<_> = known.into_iter().collect();
    // The flag of `steps` is `--max-steps`.
    let short = name.strip_prefix("max_").unwrap_or(name);
    let within = known.iter().copied().find(|known| short.len() > 2 && known.contains(short));
    let alike = || legwork::core::nearest::nearest(name, known.iter().copied());
    match within.or_else(alike) {
        Some(best) => format!("did you mean `{best}`?"),
        None if known.is_empty() => "there are none here".to_owned(),
        None => "`legwork config show` lists what there is".to_owned(),
    }
}
