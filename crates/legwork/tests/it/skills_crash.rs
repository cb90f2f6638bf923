//! Skills survive the death of the process wherever it comes.

use legwork::prelude::*;
use legwork::skills::{KEY, Skills};
use legwork_testkit::{Asked, Script, ScriptedModel, Turn, crash};
use serde_json::json;

use crate::folder::{Folder, Notes};

fn script(asked: &Asked) -> Turn {
    match asked.turn() {
        0 => Turn::call("load_skill", json!({"name": "deep"})),
        1 => Turn::calls([("bash", json!({"command": "rm x"})), ("read", json!({}))]),
        2 => Turn::call("load_skill", json!({"name": "none"})),
        3 => Turn::call("bash", json!({"command": "ls"})),
        _ => Turn::text("done"),
    }
}

#[derive(Clone, Default)]
struct World {
    notes: Notes,
    asked: std::sync::Arc<std::sync::Mutex<Vec<(usize, &'static str)>>>,
}

impl World {
    fn model(&self, name: &'static str) -> ScriptedModel {
        let asked = self.asked.clone();
        let script = Script::from_fn(move |turn: &Asked| {
            asked.lock().unwrap().push((turn.turn(), name));
            script(turn)
        });
        ScriptedModel::new(script).named(name)
    }
}

#[tokio::test]
async fn s10_1_a_skill_holds_over_a_crash_at_every_commit() {
    let folder = Folder::new();
    folder.skill("deep", "model: scripted:deep\nallowed-tools: Read, Bash(git:*)\n", "Think.");
    let catalog = folder.skills();
    let report = crash::simulate("go", move |world: &World, store| {
        Agent::builder(world.model("scripted:own"))
            .further_model(world.model("scripted:deep"))
            .tools(world.notes.tools(&["bash", "read", "write"]))
            .capability(Skills::of(&catalog))
            .store_in(store)
            .build()
    })
    .crash_everywhere()
    .await
    .unwrap();
    assert_eq!(report.plain.text, "done");
    assert!(report.crashed.len() >= 10, "{}", report.crashed.len());
    let holds = |ended: &crash::Ended<World>| {
        let notes = ended.world.notes.all();
        if notes.iter().any(|note| note.contains("rm x")) {
            return Err(format!("what was not allowed ran: {notes:?}"));
        }
        for (turn, name) in ended.world.asked.lock().unwrap().iter() {
            let wanted = if [1, 2].contains(turn) { "scripted:deep" } else { "scripted:own" };
            if *name != wanted {
                return Err(format!("turn {turn} was asked of {name}"));
            }
        }
        let (model, kept) =
            (&*ended.state.settings().model, ended.state.context().metadata.get(KEY));
        match (ended.text.as_str(), model, kept) {
            ("done", "scripted:own", None) => Ok(()),
            other => Err(format!("{other:?}")),
        }
    };
    holds(&report.plain).unwrap();
    report.check(|plain, crashed| {
        holds(crashed)?;
        let messages =
            |ended: &crash::Ended<World>| ended.state.context().transcript.messages().clone();
        let same = messages(plain) == messages(crashed);
        if same { Ok(()) } else { Err("the transcripts differ".to_owned()) }
    });
}
