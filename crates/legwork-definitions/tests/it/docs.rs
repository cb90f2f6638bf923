//! What docs/agents.md shows is what is read.

use std::fs;

use legwork_definitions::{AgentDefinition, Format, Skill};

const DOCS: &str = include_str!("../../../../docs/agents.md");

/// The one block of a language.
fn block(language: &str) -> &'static str {
    let (_, rest) = DOCS.split_once(&format!("\n```{language}\n")).unwrap();
    rest.split_once("\n```\n").unwrap().0
}

#[test]
fn the_three_examples_say_the_same() {
    let [markdown, yaml, json] = Format::ALL.map(|format| {
        let language = ["markdown", "yaml", "json"][format as usize];
        AgentDefinition::parse(block(language), format).unwrap()
    });
    assert_eq!(markdown, json);
    assert_eq!(format!("{}\n", markdown.instructions), yaml.instructions);
    assert_eq!(markdown, yaml.with_instructions(&*markdown.instructions));
}

#[test]
fn the_skill_is_one() {
    let here = tempfile::tempdir().unwrap();
    let folder = here.path().join("pdf-files");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("SKILL.md"), block("skill")).unwrap();
    let (skill, warnings) = Skill::read(&folder).unwrap();
    assert_eq!(warnings, []);
    assert!(skill.render("'a b.pdf'").unwrap().starts_with("Run `pdftotext \"a b.pdf\" -`"));
}

#[test]
fn each_field_is_in_the_table() {
    let schema = AgentDefinition::schema();
    for field in schema.as_value()["properties"].as_object().unwrap().keys() {
        assert!(DOCS.contains(&format!("\n| `{field}` | ")), "{field}");
    }
}
