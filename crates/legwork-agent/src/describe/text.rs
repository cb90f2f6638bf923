//! A description for a terminal.

use legwork_port::Ability;

use super::words::{self, clean};
use super::{CriterionKind, Description, Hook, Named, Tool};

/// How wide the names of facts are.
const NAME: usize = 14;
/// How many characters are shown of what something says of itself.
pub(super) const ABOUT: usize = 100;

pub(super) fn render(of: &Description) -> String {
    let mut out = Out(String::new());
    let version = of.version.as_ref().map(|version| format!(" (version {version})"));
    out.line(&format!("agent {}{}", of.id, version.unwrap_or_default()));
    facts(of, &mut out);
    out.section("tools", of.tools.iter().map(tool));
    if let Some(why) = &of.tools_unknown {
        out.line(&format!("  others are not known: {why}"));
    }
    out.section("hooks, in the order they run", of.hooks.iter().map(hook));
    let criteria = of.criteria.iter().map(|criterion| match criterion.kind {
        CriterionKind::Ordinary => (criterion.name.clone(), String::new(), None),
        CriterionKind::Limit | CriterionKind::Calls => {
            (criterion.name.clone(), "limit".to_owned(), None)
        }
    });
    out.section("criteria", criteria);
    out.section("capabilities", of.capabilities.iter().map(named));
    out.section("subagents", of.subagents.iter().map(named));
    out.0
}

fn facts(of: &Description, out: &mut Out) {
    out.fact("definition", of.definition.as_str());
    out.fact("model", &model(of));
    if let Some(prices) = &of.model.prices {
        out.fact("price", &words::prices(prices));
    }
    if let Some(settings) = settings(of) {
        out.fact("settings", &settings);
    }
    if !of.other_models.is_empty() {
        out.fact("other models", &of.other_models.join(", "));
    }
    out.fact("driver", &of.driver);
    out.fact("budget", &budget(of));
    let prompt = &of.instructions;
    if prompt.characters == 0 {
        out.fact("instructions", "none");
        return;
    }
    out.fact("instructions", &format!("{} characters", words::grouped(prompt.characters as u64)));
    for line in &prompt.first_lines {
        out.line(&format!("    {line}"));
    }
    if prompt.more_lines > 0 {
        out.line(&format!("    ({} more lines)", prompt.more_lines));
    }
}

/// The model with what is known of its size.
pub(super) fn model(of: &Description) -> String {
    let mut parts = vec![of.model.name.clone()];
    let tokens = |what: &str, number: u64| format!("{what} {} tokens", words::grouped(number));
    parts.extend(of.model.context_window.map(|window| tokens("a window of", window)));
    parts.extend(of.model.most_output.map(|most| tokens("answers up to", most)));
    if of.model.cannot.iter().any(|ability| ability == Ability::Tools.name()) {
        parts.push("calls no tools".to_owned());
    }
    parts.join(", ")
}

/// The settings that were made; none if there are none.
pub(super) fn settings(of: &Description) -> Option<String> {
    let max_output = of.model.max_output.map(|most| format!("max_output {}", words::grouped(most)));
    let temperature = of.model.temperature.map(|degree| format!("temperature {degree}"));
    let extra = of.model.extra.iter().map(|(name, value)| format!("{name} {value}"));
    let all: Vec<_> = max_output.into_iter().chain(temperature).chain(extra).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// The limits, or that there are none.
pub(super) fn budget(of: &Description) -> String {
    match of.budget.words.is_empty() {
        true => "unlimited".to_owned(),
        false => of.budget.words.join(", "),
    }
}

/// What there is to know of a tool beside what it does.
pub(super) fn details(tool: &Tool) -> String {
    let mut parts = vec![words::effect(tool.effect).to_owned(), words::mode(tool.mode).to_owned()];
    parts.extend(tool.timeout.map(|most| format!("at most {}", words::length(most))));
    parts.extend(tool.from.as_ref().map(|from| format!("from {from}")));
    parts.join("; ")
}

/// What there is to know of a hook beside when it runs.
pub(super) fn hook_details(hook: &Hook) -> String {
    let mut parts = vec![format!("priority {}", hook.priority)];
    parts.extend(hook.gate.then(|| "a gate".to_owned()));
    parts.extend(hook.inherited.then(|| "goes along to subagents".to_owned()));
    parts.extend(hook.timeout.map(|most| format!("at most {}", words::length(most))));
    parts.join("; ")
}

type Row = (String, String, Option<String>);

fn tool(tool: &Tool) -> Row {
    (tool.name.clone(), words::cut(&tool.about, ABOUT), Some(details(tool)))
}

fn hook(hook: &Hook) -> Row {
    (hook.name.clone(), hook.triggers.join(", "), Some(hook_details(hook)))
}

fn named(named: &Named) -> Row {
    (named.name.clone(), words::cut(&named.about, ABOUT), None)
}

/// Lines of plain text.
struct Out(String);

impl Out {
    fn line(&mut self, line: &str) {
        let indent = line.len() - line.trim_start_matches(' ').len();
        self.0.extend(std::iter::repeat_n(' ', indent));
        self.0.push_str(clean(line).trim());
        self.0.push('\n');
    }

    fn fact(&mut self, name: &str, value: &str) {
        self.line(&format!("  {name:NAME$}{value}"));
    }

    fn section(&mut self, title: &str, rows: impl Iterator<Item = Row>) {
        let rows: Vec<_> = rows.collect();
        if rows.is_empty() {
            return;
        }
        self.0.push('\n');
        self.line(&format!("{title} ({})", rows.len()));
        let width = rows.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or_default();
        for (name, about, details) in rows {
            self.line(&format!("  {name:width$}  {about}"));
            if let Some(details) = details {
                self.line(&format!("  {:width$}  {details}", ""));
            }
        }
    }
}
