//! When a person is asked, and which calls run, are asked about, or never run (S13.16).

use std::path::{Path, PathBuf};

use legwork::agent::toolset::{Ask, AskedCall, Permissions};
use legwork::core::{EffectClass, ToolSpec};

use crate::args::{self, AskFor};
use crate::config::{Config, Rule, Source, Sourced, Verb};
use crate::error::Error;
use crate::recorded::Recorded;
use crate::shell::quoted;

/// When a person is asked, and which calls run, are asked about, or never run.
#[derive(Debug, Clone)]
pub(crate) struct Asking {
    /// When a person is asked before a call runs.
    pub(crate) when: Sourced<AskFor>,
    /// When a person would be asked without the flag.
    without_flag: AskFor,
    pub(crate) rules: Vec<Sourced<Rule>>,
    /// The file of permissions that the flag names, if it is text.
    file: Option<String>,
}

impl Asking {
    /// By all layers. A session narrows what the others say, and never loosens it.
    pub(super) fn of(
        flags: &args::Agent,
        config: &Config,
        recorded: &Recorded,
        looser: &mut Vec<String>,
    ) -> Result<Self, Error> {
        let layers = config.approve()?;
        let before = recorded.approve.filter(|before| *before > layers.value);
        let layers = layers.or(before.map(|before| Sourced::new(before, Source::Session)));
        let without_flag = layers.value;
        let word = flags.approve.as_ref().and_then(args::ApproveBy::word);
        let word = word.map(|word| Sourced::new(word, Source::Flag("--approve")));
        let when = layers.or(word).or(config.approve_of_flag());
        let mut rules = config.rules();
        for text in &recorded.rules {
            let rule: Rule = text.parse().map_err(|_| unreadable(text))?;
            if rule.verb != Verb::Allow && rules.iter().all(|known| known.value != rule) {
                rules.push(Sourced::new(rule, Source::Session));
            }
        }
        let file = flags.approve.as_ref().and_then(args::ApproveBy::file).and_then(named);
        if let (None, Some(before)) = (&file, &recorded.allowed_by) {
            looser.push(flag(before));
        }
        Ok(Self { when, without_flag, rules, file })
    }

    /// Which calls need approval. A person who is not to be asked denies those that needed it
    /// before.
    fn needs_approval(&self) -> AskFor {
        match self.when.value {
            AskFor::Never => self.without_flag,
            asks => asks,
        }
    }

    /// What becomes of the calls of a tool.
    pub(crate) fn permissions(&self, tool: &ToolSpec) -> Permissions {
        let reads = tool.effect == EffectClass::ReadOnly;
        let asks = match self.needs_approval() {
            AskFor::All if reads => Some("you asked to see each call"),
            AskFor::All | AskFor::Writes if !reads => Some("it can change something"),
            _ => None,
        };
        let permissions = Permissions::default();
        let permissions =
            asks.iter().fold(permissions, |all, why| all.otherwise(Ask::each().because(*why)));
        self.ruled(permissions)
    }

    /// The same with the rules.
    fn ruled(&self, permissions: Permissions) -> Permissions {
        self.rules.iter().fold(permissions, |all, rule| {
            let Rule { verb, calls } = rule.value.clone();
            match verb {
                Verb::Deny => all.deny(calls),
                Verb::Ask => all.ask(calls),
                Verb::Allow => all.allow(calls),
            }
        })
    }

    /// What becomes of the calls of the tools of an MCP server.
    pub(crate) fn of_servers(&self) -> Permissions {
        let permissions = match self.needs_approval() {
            AskFor::All => {
                let ask = Ask::each().because("you asked to see each call");
                Permissions::default().otherwise(ask)
            }
            AskFor::Writes => {
                let changes = |call: &AskedCall<'_>| call.spec.effect != EffectClass::ReadOnly;
                let ask = Ask::each().because("it can change something").when(changes);
                Permissions::default().otherwise(ask)
            }
            _ => Permissions::default(),
        };
        self.ruled(permissions)
    }

    /// The flag without which a run of the session is not the same; none if it is the same.
    pub(super) fn again(&self) -> Option<String> {
        if let Some(file) = &self.file {
            return Some(flag(file));
        }
        let by_flag = matches!(self.when.source, Source::Flag(_));
        (by_flag && self.when.value < self.without_flag).then(|| flag(name(self.when.value)))
    }

    /// What a session shall remember: when a person is asked if that is more often than by
    /// default, the rules of a project and of a flag that narrow, and the file that allowed calls.
    pub(super) fn record(&self) -> (Option<AskFor>, Vec<String>, Option<String>) {
        let when = Some(self.needs_approval()).filter(|asks| *asks > AskFor::default());
        // The user's own file is read again.
        let kept = |rule: &&Sourced<Rule>| {
            rule.value.verb != Verb::Allow && !matches!(rule.source, Source::User(_))
        };
        let rules = self.rules.iter().filter(kept).map(|rule| rule.value.to_string()).collect();
        let allows = |rule: &Sourced<Rule>| {
            rule.value.verb == Verb::Allow && matches!(rule.source, Source::Permissions(_))
        };
        let file = self.file.clone().filter(|_| self.rules.iter().any(allows));
        (when, rules, file)
    }
}

fn flag(value: &str) -> String {
    format!("--approve {}", quoted(value))
}

fn name(when: AskFor) -> &'static str {
    match when {
        AskFor::Never => "never",
        AskFor::Ask => "ask",
        AskFor::Writes => "writes",
        AskFor::All => "all",
    }
}

/// The whole path of a file, if it is text.
fn named(file: &Path) -> Option<String> {
    let whole: PathBuf = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    whole.to_str().map(str::to_owned)
}

fn unreadable(rule: &str) -> Error {
    Error::usage(
        format!("the session holds a permission rule that this version cannot read: {rule:?}"),
        "use a newer legwork to go on with it",
    )
}
