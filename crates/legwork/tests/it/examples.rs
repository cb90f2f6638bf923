//! The examples: each runs, prints what it should, and is read in one look.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Lines that an example has at most.
const LINES: usize = 80;

/// Examples with tests of their own.
const ELSEWHERE: [&str; 7] = [
    "chat_of_three",
    "clerk",
    "collaboration",
    "embeddings",
    "keyed",
    "own_settings",
    "workers_on_postgres",
];

/// Examples that run by themselves, and what they print, line by line.
const PRINT: &[(&str, &[&str])] = &[
    ("hello_agent", &["17 + 25 = 42", "completed in 2 steps"]),
    (
        "budget_over_a_tree",
        &[
            "cheap: The agent `cheap` did not finish (stopped). Stopping (cost_limit): the limit of $0.10 leaves no room: $0.00 used, $0.37 wanted.",
            "dear: done",
            "done: the whole tree used $0.90",
        ],
    ),
    (
        "agent_from_markdown",
        &[
            "tools[0]: there is no tool `count_word`; did you mean `count_words`?",
            "clerk by scripted:small",
            "Six.",
        ],
    ),
    (
        "typed_answers",
        &[
            "ToolCall: Paris has 2100000 inhabitants",
            "NativeSchema: Paris has 2100000 inhabitants",
            "JsonObject: Paris has 2100000 inhabitants",
            "Fenced: Paris has 2100000 inhabitants",
            "Prompted: Paris has 2100000 inhabitants",
            "Paris in 1 step(s)",
            "extracted: Paris has 2100000 inhabitants",
        ],
    ),
    (
        "skill",
        &[
            "with look_up, send, load_skill (then under proofread)",
            "  load_skill: The skill `proofread` is loaded. While it is, the only tools besides `load_skill` are: look_up.",
            "with look_up, load_skill (then under proofread)",
            "  look_up: necessary is right",
            "  send: There is no tool `send`. The tools are: look_up, load_skill.",
            "with look_up, load_skill (then under none)",
            "  load_skill: No skill is loaded any more.",
            "with look_up, send, load_skill (then under none)",
            "  send: sent It is necessary.",
            "with look_up, send, load_skill (then under none)",
        ],
    ),
    (
        "react",
        &[
            "thought: I count the apples",
            r#"call: stock {"item": "apples"}"#,
            "result: 12",
            "thought: it is called stock",
            r#"call: stock {"item": "pears"}"#,
            "result: 7",
            "thought: 12 and 7",
            "corrected: the model's answer is no decision: there is no tool `count`; the tools are: stock",
            "19 fruits",
        ],
    ),
    (
        "hooks_as_policy",
        &[
            "delete: deleted scratch/a.txt",
            "delete: Blocked by scratch_only: /etc/passwd is not in scratch/",
            "pay: paid 50 to bob",
            "pay: Blocked by not_on_the_list: the hook `not_on_the_list` failed on on_before_tool_use: the list cannot be read",
        ],
    ),
    (
        "own_criterion",
        &[
            "completed: Dear Ann (Stopping (completed, by finish_reason): the model is done.)",
            "stopped: TODO 3 (Stopping (stop_requested, by three_drafts): three drafts are enough.)",
        ],
    ),
    ("own_message", &["Take a coat.", "[  3.5 °C] the bridge"]),
    (
        "own_transform",
        &["Add some numbers.", "They are in archive:/17.", "And 25.", "3 of 4 messages"],
    ),
    ("own_toolset", &["the library opens", "the library closes", "shelf 5", "shelf 5"]),
    (
        "closure_tools",
        &["today: Monday", "price: 3.0", "price: not in the shop", "put: 1", "One kilo of pears."],
    ),
    (
        "side_by_side",
        &["the report is filed", "letter 1 is filed", "letter 2 is filed", "letter 3 is filed"],
    ),
    (
        "override_in_a_test",
        &[
            "You are a careful clerk. asked with 1 messages",
            "You are a careful clerk. asked with 3 messages",
            "Ann was told. (completed)",
            "mailed: true",
            "Ann would read: Rent is due.",
        ],
    ),
    (
        "toolset_pipeline",
        &[
            r#"approved: fs_write {"content":"buy pears","path":"note.txt"}"#,
            "shown: fs_read, fs_list, fs_write, expert",
            "  fs_write: created note.txt: 9 bytes, 1 line",
            "shown: fs_read, fs_list, fs_write, expert",
            "  expert: Apples or pears? It depends.",
            "shown: expert",
            "  fs_read: There is no tool `fs_read`. The tools are: expert.",
            "Pears. used $0.60",
        ],
    ),
    (
        "approval_across_processes",
        &[
            "run: awaiting_approval",
            r#"approve: pay {"euros":900,"to":"Bob"}, because it is more than 100 euros"#,
            "pay: Bob gets 900 euros",
            "resume: The invoice is paid.",
        ],
    ),
    (
        "branch_and_compare",
        &[
            "It keeps a journal.",
            "$0.15: Quill",
            "$0.95: Quill, as it writes all of it down.",
            "$0.25: the session that was forked is as it was",
        ],
    ),
    (
        "resume_after_kill",
        &[
            "run: posts a letter to Ann",
            "run: posts a letter to Bob",
            "run: looks whether an answer came",
            "the process was killed: true",
            "resume: looks whether an answer came",
            "resume: Both know, Bob comes.",
            "posted: Ann, Bob",
        ],
    ),
    (
        "mcp",
        &[
            "tides_high_water: When it is high. (ReadOnly)",
            "the server says: at 14:07",
            "At seven past two.",
        ],
    ),
    (
        "mcp_server",
        &[
            "harbour_run_agent",
            "harbour_list_sessions",
            "harbour_show_session",
            "harbour_steer_session",
            "harbour_stop_session",
            "harbour_answer_question",
            "harbour_high_water",
            "harbour_run_agent says: High water in Dover is at seven past two.",
            "harbour_high_water says: Calais: at 14:07",
        ],
    ),
    (
        "traced",
        &[
            "  chat scripted",
            "      gen_ai.response.finish_reasons = [\"tool_calls\"]",
            "  execute_tool add",
            "      gen_ai.tool.call.id = script_0_0",
            "  chat scripted",
            "      gen_ai.response.finish_reasons = [\"stop\"]",
            "invoke_agent clerk",
            "      gen_ai.response.finish_reasons = [\"stop\"]",
            "It is 42.",
        ],
    ),
    (
        "ask_user",
        &[
            "awaiting_input",
            "Which colour is the door to be? red or green",
            "\"blue\" is none of the choices: 1 red, 2 green",
            "the model reads: green",
            "the model reads: red",
        ],
    ),
    (
        "editor",
        &[
            r#"allowed: "send""#,
            r#"the agent says: "The letter is on its way.""#,
            r#"the turn ended: "end_turn""#,
        ],
    ),
    (
        "tool_asks_model",
        &["the model reads: example:counts: It has 7 words.", "1 call, 20 tokens in, 5 out"],
    ),
    (
        "deferred_result",
        &[
            "cake: not done yet",
            "photo: ordered of the cake",
            "awaiting_input after 2400s",
            "photo is supplied",
            "cake: a cake",
            "photo: cake.png",
            "It looks good.",
        ],
    ),
    (
        "retry_with_correction",
        &[
            r#"reserve {"hour":23,"people":"two"}"#,
            r#"  The arguments do not fit: at /people: "two" is not of type "integer" (schema: "integer"). This was attempt 1, 2 left. Correct it and retry."#,
            r#"reserve {"hour":23,"people":2}"#,
            "  the kitchen is open from 18 to 22: name another hour (attempt 2, 1 left)",
            r#"reserve {"hour":20,"people":2}"#,
            "  a table for 2 at 20",
            "I am done.",
            r#"reserve {"hour":23,"people":2}"#,
            "  the kitchen is open from 18 to 22: name another hour (attempt 1, 2 left)",
            r#"reserve {"hour":23,"people":2}"#,
            "  the kitchen is open from 18 to 22: name another hour (attempt 2, 1 left)",
            r#"reserve {"hour":23,"people":2}"#,
            "  the kitchen is open from 18 to 22: name another hour (attempt 3 of `reserve` in a row, none left: do not call it again with the same request)",
            "I am done.",
        ],
    ),
    (
        "steering",
        &[
            "steer: said",
            "phone: the other process ended with exit status: 0",
            "phone: Ann is at home",
            "send: Not run: the user said something, which comes first",
            "send: Not run: the user said something, which comes first",
            "I heard: Send no letters today.",
        ],
    ),
    (
        "end_strategies",
        &[
            "Early: 42",
            "  log: Not run: the output was given",
            "  conclude: the result is empty",
            "  conclude: 42",
            "  log: Not run: the output was given",
            "  conclude: Not run: the output was given",
            "Graceful: 42",
            "  log: logged begun",
            "  conclude: the result is empty",
            "  conclude: 42",
            "  log: logged done",
            "  conclude: Not run: the output was given",
            "Exhaustive: 42",
            "  log: logged begun",
            "  conclude: the result is empty",
            "  conclude: 42",
            "  log: logged done",
            "  conclude: 43",
        ],
    ),
];

/// An example, which was built with this test.
pub(crate) fn built(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let target = test.parent().and_then(|deps| deps.parent()).unwrap();
    target.join("examples").join(name)
}

#[test]
fn each_example_prints_what_it_should() {
    for (name, expected) in PRINT {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(built(name));
        // Nothing of who runs it reaches an example: no key, no address, no folder.
        let output = command.env_clear().current_dir(folder.path()).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {errors}");
        let printed = String::from_utf8_lossy(&output.stdout);
        assert_eq!(printed.lines().collect::<Vec<_>>(), **expected, "{name}");
        assert_eq!(errors, "", "{name}");
    }
}

#[test]
fn each_example_is_in_a_list_and_has_few_lines() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let lines = std::fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines <= LINES, "{} has {lines} lines", path.display());
        found.insert(path.file_stem().unwrap().to_str().unwrap().to_owned());
    }
    let listed = PRINT.iter().map(|(name, _)| *name).chain(ELSEWHERE);
    assert_eq!(found, listed.map(str::to_owned).collect::<BTreeSet<_>>());
}
