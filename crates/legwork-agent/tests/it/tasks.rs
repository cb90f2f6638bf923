//! The list of tasks: what fits, where it is kept, when the model is reminded.

use legwork_agent::capability::tasks::{KEY, TOOL, TaskState};
use legwork_agent::capability::{TaskList, Tasks};
use legwork_agent::{Agent, Builder, Control, Subagent, hook};
use legwork_core::{AgentState, EffectClass, ExecutionStatus, Part, Role, ToolOutcome};
use legwork_port::Trigger;
use legwork_testkit::{ScriptedModel, Turn, crash};
use serde_json::{Value, json};

use crate::tools::{World, made, noting, outcomes, said, spec};

fn list(tasks: &[(&str, &str)]) -> Value {
    let tasks: Vec<_> =
        tasks.iter().map(|(title, state)| json!({"title": title, "state": state})).collect();
    json!({ "tasks": tasks })
}

fn update(tasks: &[(&str, &str)]) -> Turn {
    Turn::call(TOOL, list(tasks))
}

fn look() -> Turn {
    Turn::call("look", json!({"n": 1}))
}

fn agent(model: ScriptedModel, tasks: TaskList) -> Builder {
    let look = noting("look", EffectClass::ReadOnly, &World::default());
    Agent::builder(model).tool(look).capability(tasks)
}

async fn run(turns: Vec<Turn>) -> AgentState {
    let agent = agent(ScriptedModel::new(turns), TaskList::new()).build().unwrap();
    agent.run("go").await.unwrap().into_state()
}

#[tokio::test]
async fn a_list_is_kept_in_the_session_under_its_key() {
    let tasks = [("read it", "done"), ("write it", "in_progress"), ("check it", "pending")];
    let state = run(vec![update(&tasks), Turn::text("done")]).await;
    assert_eq!(
        state.context().metadata[KEY],
        json!({
            "tasks": [
                {"title": "read it", "state": "done"},
                {"title": "write it", "state": "in_progress"},
                {"title": "check it", "state": "pending"}
            ],
            "execution": 1,
            "step": 1
        })
    );
    let shown = "[x] read it\n[~] write it\n[ ] check it";
    assert_eq!(Tasks::of(&state).render(), shown);
    assert_eq!(said(&state)[1], format!("1 of 3 tasks is done.\n{shown}"));
}

#[test]
fn a_list_says_in_words_how_many_of_its_tasks_are_done() {
    let summary = |states: &[&str]| {
        let tasks: Vec<_> = states.iter().map(|state| ("a", *state)).collect();
        serde_json::from_value::<Tasks>(list(&tasks)).unwrap().summary()
    };
    assert_eq!(summary(&[]), "There are no tasks.");
    assert_eq!(summary(&["done"]), "The task is done.");
    assert_eq!(summary(&["pending"]), "0 of 1 tasks are done.");
    assert_eq!(summary(&["done", "done"]), "All 2 tasks are done.");
    assert_eq!(summary(&["done", "in_progress", "pending"]), "1 of 3 tasks is done.");
    assert_eq!(summary(&["done", "done", "pending"]), "2 of 3 tasks are done.");
}

#[tokio::test]
async fn a_list_is_part_of_the_journal_and_survives_its_json() {
    let state = run(vec![update(&[("a", "pending")]), Turn::text("done")]).await;
    let again: AgentState = serde_json::from_str(&serde_json::to_string(&state).unwrap()).unwrap();
    assert_eq!(Tasks::of(&again), Tasks::of(&state));
    assert_eq!(Tasks::of(&again).open().count(), 1);
}

#[tokio::test]
async fn twenty_tasks_fit_and_one_more_is_told_what_to_do() {
    let tasks = |count| vec![("a", "pending"); count];
    let state = run(vec![update(&tasks(20)), update(&tasks(21)), Turn::text("done")]).await;
    assert_eq!(Tasks::of(&state).tasks.len(), 20);
    let ToolOutcome::Retry(told) = &outcomes(&state)[1] else { panic!("{:?}", outcomes(&state)) };
    assert!(told.contains("There are 21 tasks, and a list holds 20: join small ones"), "{told}");
}

#[tokio::test]
async fn one_task_at_most_is_in_progress() {
    let two = [("a", "in_progress"), ("b", "pending"), ("c", "in_progress")];
    let state = run(vec![update(&[("z", "in_progress")]), update(&two), Turn::text("done")]).await;
    assert_eq!(Tasks::of(&state).render(), "[~] z");
    let ToolOutcome::Retry(told) = &outcomes(&state)[1] else { panic!("{:?}", outcomes(&state)) };
    assert!(told.starts_with("Tasks 1, 3 are all in_progress, and one at most may be"), "{told}");
}

#[tokio::test]
async fn titles_are_one_line_of_a_bounded_length() {
    let nasty = "a\u{1b}[2J\nb\u{202e}";
    let state = run(vec![update(&[(nasty, "pending")]), Turn::text("done")]).await;
    assert_eq!(Tasks::of(&state).tasks[0].title, "a[2J b");
    for (title, told) in [
        (" \n\t", "Task 1 has no title"),
        (&*"x".repeat(201), "The title of task 1 has 201 characters, and 200 fit"),
    ] {
        let state = run(vec![update(&[(title, "pending")]), Turn::text("done")]).await;
        let ToolOutcome::Retry(said) = &outcomes(&state)[0] else { panic!() };
        assert!(said.starts_with(told), "{said}");
        assert!(!state.context().metadata.contains_key(KEY));
    }
}

#[tokio::test]
async fn a_list_holds_up_to_twenty_tasks_of_two_hundred_characters() {
    let title = "é".repeat(200);
    let all = |count| vec![(title.as_str(), "pending"); count];
    let state = run(vec![update(&all(20)), Turn::text("done")]).await;
    assert_eq!(Tasks::of(&state).tasks.len(), 20);
    assert!(Tasks::of(&state).tasks.iter().all(|task| task.title == title));
    let state = run(vec![update(&all(21)), Turn::text("done")]).await;
    let ToolOutcome::Retry(said) = &outcomes(&state)[0] else { panic!() };
    assert!(said.starts_with("There are 21 tasks, and a list holds 20"), "{said}");
}

#[tokio::test]
async fn a_reminder_names_five_open_tasks_and_how_many_more_there_are() {
    for (count, named, more) in [(5, 5, None), (7, 5, Some("and 2 more"))] {
        let tasks = vec![("a", "pending"); count];
        let model = ScriptedModel::new([update(&tasks), look(), Turn::text("done")]);
        let agent = agent(model.clone(), TaskList::new().remind_after(1)).build().unwrap();
        agent.run("go").await.unwrap();
        let reminder = reminders(&model).into_iter().flatten().next().unwrap();
        assert_eq!(reminder.matches("[ ] a").count(), named, "{reminder}");
        let told = reminder.lines().find(|line| line.starts_with("and "));
        assert_eq!(told, more, "{reminder}");
    }
}

#[tokio::test]
async fn a_state_that_there_is_not_is_told_with_those_there_are() {
    let state = run(vec![update(&[("a", "finished")]), Turn::text("done")]).await;
    let ToolOutcome::Failed(_, told) = &outcomes(&state)[0] else { panic!() };
    assert!(told.contains("in_progress"), "{told}");
}

#[tokio::test]
async fn calls_of_one_turn_see_what_those_before_them_wrote_and_the_last_one_stays() {
    let turn = Turn::calls([
        (TOOL, json!({})),
        (TOOL, list(&[("a", "pending")])),
        (TOOL, json!({})),
        (TOOL, list(&[("b", "done")])),
        (TOOL, json!({})),
    ]);
    let state = run(vec![turn, Turn::text("done")]).await;
    let shown: Vec<_> = outcomes(&state).iter().map(ToolOutcome::to_text).collect();
    assert_eq!(
        shown,
        [
            "There are no tasks.",
            "0 of 1 tasks are done.\n[ ] a",
            "0 of 1 tasks are done.\n[ ] a",
            "The task is done.\n[x] b",
            "The task is done.\n[x] b",
        ]
    );
    assert_eq!(Tasks::of(&state).render(), "[x] b");
}

#[tokio::test]
async fn what_a_hook_changed_or_blocked_counts_as_it_ran() {
    let judge = hook("judge", [Trigger::BeforeToolUse], |state: AgentState, _| async move {
        let index = state.current_tool_call().unwrap().index;
        Ok(match index {
            0 => state.with_tool_call_arguments(list(&[("changed", "pending")])),
            1 => state.with_tool_call_blocked("judge", "no"),
            _ => state.with_tool_call_answered(json!("all is well")),
        })
    });
    let one = |title| (TOOL, list(&[(title, "pending")]));
    let turn = Turn::calls([one("asked"), one("blocked"), one("answered")]);
    let model = ScriptedModel::new([turn, Turn::text("done")]);
    let agent = agent(model, TaskList::new()).hook(judge).build().unwrap();
    let state = agent.run("go").await.unwrap().into_state();
    assert_eq!(Tasks::of(&state).render(), "[ ] changed");
}

/// The last message of each request, if it is a reminder.
fn reminders(model: &ScriptedModel) -> Vec<Option<String>> {
    let last = |request: &legwork_core::ModelRequest| {
        let message = request.messages().iter().last().cloned().unwrap();
        let text = message.text();
        (message.role == Role::User && text.starts_with("[A reminder")).then_some(text)
    };
    model.requests().iter().map(last).collect()
}

#[tokio::test]
async fn the_model_is_reminded_after_steps_without_the_list_and_the_transcript_is_not() {
    let open = [("a", "done"), ("b", "in_progress")];
    let turns = [update(&open), look(), look(), look(), look(), Turn::text("enough")];
    let model = ScriptedModel::new(turns);
    let agent = agent(model.clone(), TaskList::new().remind_after(2)).build().unwrap();
    let state = agent.run("go").await.unwrap().into_state();
    let due: Vec<_> = reminders(&model).iter().map(Option::is_some).collect();
    // Untouched steps before each request: none yet, 0, 1, 2, 3, 4.
    assert_eq!(due, [false, false, false, true, false, true]);
    let text = reminders(&model)[3].clone().unwrap();
    assert!(text.contains("Open tasks:\n[~] b\nGo on"), "{text}");
    let messages = state.context().transcript.messages();
    let reminded = messages.iter().flat_map(|m| m.parts.clone()).any(|part| match part {
        Part::Text(text) => text.text.contains("reminder"),
        _ => false,
    });
    assert!(!reminded);
}

#[tokio::test]
async fn a_list_that_is_done_or_touched_reminds_of_nothing() {
    let done = [("a", "done")];
    let model = ScriptedModel::new([update(&done), look(), look(), Turn::text("done")]);
    let agent1 = agent(model.clone(), TaskList::new().remind_after(1)).build().unwrap();
    agent1.run("go").await.unwrap();
    assert_eq!(reminders(&model), [None, None, None, None]);

    let open = [("a", "pending")];
    let model = ScriptedModel::new([update(&open), update(&open), Turn::text("done")]);
    let agent2 = agent(model.clone(), TaskList::new().remind_after(1)).build().unwrap();
    agent2.run("go").await.unwrap();
    assert_eq!(reminders(&model), [None, None, None]);

    let model = ScriptedModel::new([update(&open), look(), look(), Turn::text("done")]);
    let agent3 = agent(model.clone(), TaskList::new().remind_after(0)).build().unwrap();
    agent3.run("go").await.unwrap();
    assert_eq!(reminders(&model), [None, None, None, None]);
}

/// Which requests of two executions remind of a task that the first one left.
async fn left_behind(tasks: TaskList) -> Vec<bool> {
    let model = ScriptedModel::new([
        update(&[("a", "pending")]),
        look(),
        Turn::text("later"),
        Turn::text("what was I doing?"),
    ]);
    let store = std::sync::Arc::new(legwork_agent::memory::MemoryStore::new());
    let agent = agent(model.clone(), tasks).store_in(store).build().unwrap();
    agent.run("go").in_session("one").await.unwrap();
    agent.run("go on").in_session("one").await.unwrap();
    reminders(&model).iter().map(Option::is_some).collect()
}

#[tokio::test]
async fn the_next_execution_is_reminded_of_what_the_last_one_left() {
    assert_eq!(left_behind(TaskList::new()).await, [false, false, false, true]);
    assert_eq!(left_behind(TaskList::new().remind_after(0)).await, [false; 4], "0 = never");
}

#[tokio::test]
async fn settings_say_after_how_many_steps_there_is_a_reminder() {
    let tasks = |settings: Value| TaskList::from_settings(&settings).unwrap();
    assert_eq!(left_behind(tasks(json!({"remind_after": 0}))).await, [false; 4]);
    assert_eq!(left_behind(tasks(json!({"remind_after": 1}))).await, [false, false, true, true]);
    assert_eq!(left_behind(tasks(json!({}))).await, [false, false, false, true]);
}

#[tokio::test]
async fn a_subagent_keeps_a_list_of_its_own() {
    let child = ScriptedModel::new([update(&[("child's", "pending")]), Turn::text("found")]);
    let spawn = json!({"agent": "scout", "prompt": "look"});
    let model = ScriptedModel::new([
        update(&[("parent's", "pending")]),
        Turn::call("spawn_subagent", spawn),
        Turn::text("done"),
    ]);
    let scout = Subagent::new("scout", "Looks.", "You look.").model(child.clone());
    let own = scout.clone().capability(TaskList::new());
    for scout in [scout, own] {
        let store = std::sync::Arc::new(legwork_agent::memory::MemoryStore::new());
        let agent = agent(model.clone(), TaskList::new()).subagent(scout).store_in(store);
        let agent = agent.build().unwrap();
        let state = agent.run("go").in_session("parent").await.unwrap().into_state();
        assert_eq!(Tasks::of(&state).render(), "[ ] parent's", "{:?}", outcomes(&state));
        let calls = state.step_results().flat_map(|result| result.step.calls.iter());
        let child = calls.filter_map(|slot| slot.child.clone()).next().unwrap();
        let child = agent.session(child).last_run().await.unwrap().into_state();
        assert_eq!(Tasks::of(&child).render(), "[ ] child's");
    }
}

#[tokio::test]
async fn s2_5_a_list_is_what_was_written_wherever_the_process_dies() {
    let make = |world: &World, store| {
        let model = ScriptedModel::new([
            Turn::calls([
                (TOOL, list(&[("a", "in_progress"), ("b", "pending")])),
                ("look", json!({"n": 1})),
                (TOOL, list(&[("a", "done"), ("b", "in_progress")])),
            ]),
            Turn::calls([("look", json!({"n": 2})), (TOOL, json!({}))]),
            update(&[("b", "done")]),
            Turn::text("done"),
        ]);
        Agent::builder(model)
            .tool(noting("look", crate::tools::once(), world))
            .capability(TaskList::new())
            .store_in(store)
            .build()
    };
    let report = crash::simulate("go", make).crash_everywhere().await.unwrap();
    assert!(report.crashed.len() >= 10, "{} crashes", report.crashed.len());
    let plain = Tasks::of(&report.plain.state);
    assert_eq!((plain.render().as_str(), plain.step), ("[x] b", 3));
    report.check(|plain, crashed| {
        let lists = |ended: &crash::Ended<World>| {
            let seen: Vec<_> = outcomes(&ended.state)
                .iter()
                .map(ToolOutcome::to_text)
                .filter(|text| text.contains('['))
                .collect();
            (Tasks::of(&ended.state), seen)
        };
        match lists(plain) == lists(crashed) {
            true => Ok(()),
            false => Err(format!("{:?} instead of {:?}", lists(crashed), lists(plain))),
        }
    });
}

#[test]
fn what_is_no_list_under_the_key_is_an_empty_one() {
    let state = AgentState::new("odd".into()).with_metadata(KEY, Some(json!("nonsense")));
    assert_eq!(Tasks::of(&state), Tasks::default());
    assert_eq!(TaskState::default(), TaskState::Pending);
}

#[tokio::test]
async fn s3_7_a_list_written_in_a_turn_that_is_cancelled_is_kept() {
    let control = Control::default();
    let cancel = control.cancel.clone();
    let cancels = made(spec("cancel"), move |_, _| {
        cancel.cancel();
        Box::pin(std::future::pending())
    });
    let open = list(&[("a", "in_progress")]);
    let model = ScriptedModel::new([Turn::calls([(TOOL, open), ("cancel", json!({"n": 1}))])]);
    let agent = agent(model, TaskList::new()).tool(cancels).build().unwrap();
    let run = agent.run("go").control(control).outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Cancelled);
    assert_eq!(Tasks::of(run.state()).render(), "[~] a");
}
