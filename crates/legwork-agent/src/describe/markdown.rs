//! A description as Markdown.

use super::words::{self, clean};
use super::{CriterionKind, Description, text};

pub(super) fn render(of: &Description) -> String {
    let mut out = format!("# {}\n\n", escaped(&of.id));
    facts(of, &mut out);
    let tools = of.tools.iter().map(|tool| {
        let (about, details) =
            (escaped(&words::cut(&tool.about, text::ABOUT)), escaped(&text::details(tool)));
        format!("{}: {about} ({details})", code(&tool.name))
    });
    section(&mut out, "Tools", tools);
    if let Some(why) = &of.tools_unknown {
        out.push_str(&format!("\nOthers are not known: {}\n", escaped(why)));
    }
    let hooks = of.hooks.iter().map(|hook| {
        let triggers: Vec<_> = hook.triggers.iter().map(|trigger| code(trigger)).collect();
        let details = text::hook_details(hook);
        format!("{} on {} ({details})", code(&hook.name), triggers.join(", "))
    });
    section(&mut out, "Hooks", hooks);
    let criteria = of.criteria.iter().map(|criterion| match criterion.kind {
        CriterionKind::Ordinary => code(&criterion.name),
        CriterionKind::Limit | CriterionKind::Calls => format!("{} (limit)", code(&criterion.name)),
    });
    section(&mut out, "Criteria", criteria);
    for (title, all) in [("Capabilities", &of.capabilities), ("Subagents", &of.subagents)] {
        let rows = all.iter().map(|one| {
            format!("{}: {}", code(&one.name), escaped(&words::cut(&one.about, text::ABOUT)))
        });
        section(&mut out, title, rows);
    }
    out
}

fn facts(of: &Description, out: &mut String) {
    let mut fact = |name: &str, value: &str| out.push_str(&format!("- {name}: {value}\n"));
    if let Some(version) = &of.version {
        fact("Version", &escaped(version));
    }
    fact("Definition", &code(of.definition.as_str()));
    fact("Model", &escaped(&text::model(of)));
    if let Some(prices) = &of.model.prices {
        fact("Price", &words::prices(prices));
    }
    if let Some(settings) = text::settings(of) {
        fact("Settings", &escaped(&settings));
    }
    if !of.other_models.is_empty() {
        fact("Other models", &escaped(&of.other_models.join(", ")));
    }
    fact("Driver", &code(&of.driver));
    fact("Budget", &text::budget(of));
    let prompt = &of.instructions;
    let characters = words::grouped(prompt.characters as u64);
    match prompt.characters {
        0 => fact("Instructions", "none"),
        _ => fact("Instructions", &format!("{characters} characters")),
    }
    if prompt.characters == 0 {
        return;
    }
    out.push('\n');
    // Each a line of its own, as in the prompt.
    let lines: Vec<_> = prompt.first_lines.iter().map(|line| escaped(line)).collect();
    out.push_str(&format!("> {}\n", lines.join("  \n> ")));
    if prompt.more_lines > 0 {
        out.push_str(&format!(">\n> ({} more lines)\n", prompt.more_lines));
    }
}

fn section(out: &mut String, title: &str, rows: impl Iterator<Item = String>) {
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return;
    }
    out.push_str(&format!("\n## {title}\n\n"));
    for row in rows {
        out.push_str(&format!("- {row}\n"));
    }
}

/// A text that means itself, whatever marks are in it.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in clean(text).trim().chars() {
        if matches!(letter, '\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' | '|' | '#' | '&' | '~')
        {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

/// A name as code; a mark in it that would end it is left out.
fn code(name: &str) -> String {
    format!("`{}`", clean(name).replace('`', ""))
}
