//! Files of agents and of skills: what is read is written so that it is read as the same.

use std::path::Path;

use fastrand::Rng;
use legwork_definitions::{AgentDefinition, Format, Location, Problem, Skill, SkillCatalog};

use super::ground::folder;
use super::{MIB, Target, texts};

pub(super) const TARGET: Target = Target {
    name: "agents",
    seeds,
    grammar: None,
    words: &[
        "---\n",
        "\n---\n",
        "name: a\n",
        "description: b\n",
        "tools: [read]\n",
        "budget: {usd: 0.5, steps: 20}\n",
        "capabilities:\n- name: web\n  settings: {a: 1}\n",
        "metadata: {a: [1, {b: null}]}\n",
        "instructions: |\n  x\n",
        "allowed-tools: Bash(git:*) Read\n",
        "&a [*a, *a]",
        "&x ",
        "*x, ",
        "<<: *x\n",
        "!!binary ",
        "!tag ",
        "? - \n: \n",
        "%YAML 1.1\n",
        "\"name\":\"a\",",
        "$ARGUMENTS $1",
        "|2-\n",
        ">+\n",
        ".nan",
        "0o17",
        "1_000",
        "'",
        "\\u",
    ],
    longest: MIB + 16,
    memory: 64 * MIB,
    one_of: 1,
    run,
};

fn seeds() -> Vec<Vec<u8>> {
    texts([
        "---\nname: reviewer\ndescription: Reviews\nmodel: openai:gpt-5-mini\ntools: [read, list]\n\
         budget:\n  usd: 0.5\n  steps: 30\n---\n\nRead first.\n\nSay what breaks.\n",
        "name: reviewer\ndescription: 'Reviews: all'\ntools: []\ndenied_tools:\n- bash\n\
         mcp: [git]\nskills: [pdf]\nbudget: {usd: 0.5, time: 3s, tool_calls: 4}\ncapabilities:\n- coding\n\
         - name: web\n  settings: {depth: [1, 2, {a: null}]}\nmetadata: {owner: me, n: 1.5}\n\
         instructions: |\n  Read the change.\n\n  Say what.\n",
        "{\"name\":\"a\",\"description\":\"b\",\"tools\":[\"read\"],\"budget\":{\"usd\":0.5,\
         \"input_tokens\":9007199254740991},\"metadata\":{\"a\":[1,{\"b\":null}]},\
         \"instructions\":\"x\\ny\"}",
        "---\r\nname: pdf\r\ndescription: Fills forms\r\nlicense: MIT\r\ncompatibility: any\r\n\
         allowed-tools: Bash(git:*) Read\r\nmetadata:\r\n  a: \"1\"\r\n---\r\nUse $ARGUMENTS and $1.\r\n",
        "name: a\ndescription: b\ntools:\n- read1\n- read2\nskills:\n- s1\nmetadata:\n  k1: 1\n  k2:\n\
         \x20   j1: 2\ncapabilities:\n- c1\n- name: d1\n  settings: {a1: 1}\n",
        "{\n\"name\":\"a\",\n\"description\":\"b\",\n\"tools\":[\n\"read1\",\n\"read\"],\n\
         \"metadata\":{\n\"k1\":1,\n\"k\":2}}\n",
        "name: &a x\ndescription: *a\nmetadata: {b: &b [1, 2], c: [*b, *b, *b]}\n",
    ])
}

fn run(input: &[u8], random: &mut Rng) -> bool {
    if random.u8(..16) == 0 {
        skill(input);
    }
    let Ok(text) = std::str::from_utf8(input) else { return false };
    let mut taken = false;
    for format in [Format::Markdown, Format::Yaml, Format::Json] {
        match AgentDefinition::parse(text, format) {
            Ok(read) => {
                same(&read);
                taken = true;
            }
            Err(problems) => {
                // YAML ends a line with a lone CR, too.
                let lines = text.chars().filter(|c| "\r\n".contains(*c)).count() as u64 + 1;
                hold(problems.iter(), lines);
            }
        }
    }
    taken
}

/// In each format it is the same, if it can be written.
fn same(read: &AgentDefinition) {
    for format in [Format::Markdown, Format::Yaml, Format::Json] {
        let text = match read.write(format) {
            Ok(text) => text,
            // Written out it may be larger than a file may be.
            Err(problems) => {
                let large = |problem: &Problem| problem.message.contains("larger than 1 MiB");
                assert!(problems.iter().all(large), "it was read, but is not written: {problems}");
                continue;
            }
        };
        match AgentDefinition::parse(&text, format) {
            Ok(again) => assert!(again == *read, "{format:?}: {again:?} is not {read:?}\n{text}"),
            Err(problems) => panic!("{format:?} is not read again: {problems}\n{text}"),
        }
    }
}

/// Problems are few, short, of one line each, and lie in the text.
fn hold<'p>(problems: impl Iterator<Item = &'p Problem>, lines: u64) {
    for (number, problem) in problems.enumerate() {
        let told = problem.to_string();
        assert!(number <= 50 && told.len() < 4_096, "{number}: {} bytes", told.len());
        assert!(!told.contains(char::is_control), "{told:?} is not one line");
        assert!(
            problem.line.is_none_or(|line| line <= lines),
            "line {:?} of {lines}",
            problem.line
        );
    }
}

/// The same bytes as a skill in a folder.
fn skill(input: &[u8]) {
    let base = folder();
    let place = base.path().join("pdf");
    let made =
        std::fs::create_dir(&place).and_then(|()| std::fs::write(place.join(Skill::FILE), input));
    assert!(made.is_ok(), "no skill: {made:?}");
    let catalog = SkillCatalog::load(&[Location::project(base.path())]);
    hold(catalog.problems().iter(), u64::MAX);
    for (name, found) in catalog.iter() {
        assert!(Path::new(name).components().count() == 1, "{name:?}");
        let rendered = found.value.render("a \"b c\" $1");
        assert!(rendered.is_err() || rendered.is_ok_and(|text| text.len() < 64 * MIB), "it grows");
        let _ = (found.value.body(), found.value.files());
    }
}
