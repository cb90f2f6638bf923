//! What people are told, and that all of it is told at once.

use legwork_definitions::{AgentDefinition, Format, Severity};

#[track_caller]
fn told(text: &str, format: Format) -> Vec<String> {
    let problems = AgentDefinition::parse(text, format).expect_err(text);
    assert!(problems.iter().all(|problem| problem.severity == Severity::Error));
    assert!(problems.iter().all(|problem| !problem.mend.is_empty()));
    problems.iter().map(ToString::to_string).collect()
}

/// What is told of a definition that is right but for these lines.
#[track_caller]
fn of(lines: &str) -> String {
    let problems = told(&format!("name: a\ndescription: b\n{lines}"), Format::Yaml);
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems.into_iter().next().unwrap()
}

#[test]
fn each_wrong_field_says_what_it_found_and_what_mends_it() {
    for (lines, what) in [
        ("tols: []", "line 3: tols: there is no such field; did you mean `tools`?"),
        (
            "colour: red",
            "line 3: colour: there is no such field; take it out, or use one of: name, description, model, \
             capabilities, tools, denied_tools, mcp, skills, budget, metadata, instructions",
        ),
        (
            "tools: read, bash",
            "line 3: tools: found the text `read, bash`, expected a list; \
             write a list, such as `[read, search]`; `[]` for none; leave it out for all",
        ),
        (
            "tools:",
            "line 3: tools: found nothing, expected a list; \
             write a list, such as `[read, search]`; `[]` for none; leave it out for all",
        ),
        (
            "tools: [read, 1]",
            "line 3: tools[1]: found the number 1, expected text; put it in quotes",
        ),
        (
            "tools:\n  - read\n  - Bash(git:*)",
            "line 5: tools[1]: found the text `Bash(git:*)`, expected the name of a tool; \
             write one name an item, without spaces and patterns: letters, digits and `_-.:/`",
        ),
        ("denied_tools: [bash, bash]", "line 3: denied_tools[1]: is there twice; take it out"),
        (
            "mcp: git",
            "line 3: mcp: found the text `git`, expected a list; \
             write a list, such as `[git, docs]`; `[]` for none; leave it out for all",
        ),
        (
            "mcp: [git, my git]",
            "line 3: mcp[1]: found the text `my git`, expected the name of an MCP server; \
             use only letters, digits, `-` and `_`, at most 32, as in `[mcp.NAME]`",
        ),
        ("mcp: [git, git]", "line 3: mcp[1]: is there twice; take it out"),
        (
            "skills: [Pdf Files]",
            "line 3: skills[0]: found the text `Pdf Files`, expected a name; \
             use only a-z, 0-9, `-` and `_`, at most 64, such as `pdf-files`",
        ),
        (
            "model: inherit",
            "line 3: model: found the text `inherit`, expected a model; \
             write it as `provider:name`, such as `openai:gpt-5-mini`; leave it out to inherit",
        ),
        (
            "budget: 5",
            "line 3: budget: found the number 5, expected a table of fields; \
             write fields, such as `{usd: 0.5, steps: 20}`",
        ),
        (
            "budget:\n  cost: 5",
            "line 4: budget.cost: there is no such field; \
            take it out, or use one of: usd, steps, tool_calls, input_tokens, output_tokens, tokens, time",
        ),
        (
            "budget: {steps: -1}",
            "line 3: budget.steps: found the number -1, expected a whole number from 0 to 9007199254740991; \
             write such a number, or leave it out for no limit",
        ),
        (
            "budget: {usd: $5}",
            "line 3: budget.usd: found the text `$5`, expected a number; \
             write US dollars as a number, such as 0.5",
        ),
        (
            "budget: {usd: 0.0000001}",
            "line 3: budget.usd: found the number 1e-7, expected at most six decimal places; \
             round it to a millionth",
        ),
        (
            "budget: {time: 300}",
            "line 3: budget.time: found the number 300, expected a length of time; \
             write it as text, such as `90s`, `5m` or `1h 30m`",
        ),
        (
            "budget: {time: 5 apples}",
            "line 3: budget.time: found the text `5 apples`, expected a length of time; \
             write it as text, such as `90s`, `5m` or `1h 30m`",
        ),
        (
            "budget: {time: 5ns}",
            "line 3: budget.time: found the text `5ns`, expected whole microseconds; \
             write it as text, such as `90s`, `5m` or `1h 30m`",
        ),
        (
            "budget: {times: 5m}",
            "line 3: budget.times: there is no such field; did you mean `time`?",
        ),
        (
            "capabilities: [{settings: 1}]",
            "line 3: capabilities[0].name: is missing; add its name: `name: coding`",
        ),
        (
            "capabilities: [{name: web, setings: 1}]",
            "line 3: capabilities[0].setings: there is no such field; did you mean `settings`?",
        ),
        (
            "capabilities: [[web]]",
            "line 3: capabilities[0]: found a list, expected a name, or a name with settings; \
             write `- coding`, or `- {name: coding, settings: {...}}`",
        ),
        (
            "capabilities: [web, {name: web}]",
            "line 3: capabilities[1]: is there twice; take it out, or give it other settings",
        ),
        (
            "metadata: [a]",
            "line 3: metadata: found a list, expected a table of fields; \
             write fields, such as `{owner: me}`, or leave it out",
        ),
        ("instructions: yes: no", "line 3: cannot be read as YAML"),
        (
            "instructions: true",
            "line 3: instructions: found `true`, expected text; put it in quotes",
        ),
        ("\"a.b\\u001b[2J\": 1", "line 3: `a.b\\u{1b}[2J`: there is no such field"),
    ] {
        let problem = of(lines);
        assert!(problem.starts_with(what), "{lines}\n is: {problem}\nnot: {what}");
    }
}

#[test]
fn all_that_is_wrong_is_told_in_the_order_of_the_text() {
    let text = "---\nmodl: x\nname: Code Reviewer\nbudget:\n  steps: many\n  usd: -1\ntools: all\n\
                instructions: x\n---\n";
    assert_eq!(
        told(text, Format::Markdown),
        [
            "description: is missing; add a line such as `description: Reviews changes`",
            "line 2: modl: there is no such field; did you mean `model`?",
            "line 3: name: found the text `Code Reviewer`, expected a name; \
             use only a-z, 0-9, `-` and `_`, at most 64, such as `code-reviewer`",
            "line 5: budget.steps: found the text `many`, expected a whole number from 0 to 9007199254740991; \
             write such a number, or leave it out for no limit",
            "line 6: budget.usd: found the number -1, expected a number from 0 to 1000000000; \
             write US dollars as a number, such as 0.5",
            "line 7: tools: found the text `all`, expected a list; \
             write a list, such as `[read, search]`; `[]` for none; leave it out for all",
            "line 8: instructions: the instructions of Markdown are its body; \
             move them below the second line `---`",
        ]
    );
}

#[test]
fn descriptions_are_short_and_say_something() {
    for description in [String::new(), " \n\u{feff}".to_owned(), "é".repeat(1025)] {
        let made = AgentDefinition::new("a", description);
        let told = made.check().unwrap_err().to_string();
        assert!(told.starts_with("description: "), "{told}");
        assert!(made.to_json().is_err() && made.to_yaml().is_err() && made.to_markdown().is_err());
    }
    AgentDefinition::new("a", "é".repeat(1024)).check().unwrap();
}

#[test]
fn no_file_floods_who_reads_of_it() {
    let names: String = (0..5_000).map(|at| format!("tool{at}!: 1\n")).collect();
    let told = told(&format!("name: a\ndescription: b\n{names}"), Format::Yaml);
    assert_eq!(told.len(), 51);
    assert_eq!(told[50], "there are 4950 more problems; mend these first");
}
