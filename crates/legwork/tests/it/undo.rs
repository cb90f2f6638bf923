//! Functions and closures whose calls are taken back by functions.

use std::sync::{Arc, Mutex};

use legwork::agent::undo::UndoFrom;
use legwork::core::undo::PastCall;
use legwork::port::Deps;
use legwork::prelude::*;
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;

/// The issues that are open.
#[derive(Debug, Clone, Default)]
struct Tracker(Arc<Mutex<Vec<String>>>);

/// Opens an issue.
#[tool(undo = close_issue)]
async fn open_issue(tracker: Dep<Tracker>, title: String) -> String {
    tracker.0.lock().unwrap().push(title);
    "opened".to_owned()
}

async fn close_issue(past: PastCall, deps: Deps) -> Result<String, String> {
    let tracker: &Tracker = deps.get().ok_or("there is no tracker")?;
    let arguments: serde_json::Value = past.arguments().map_err(|error| error.to_string())?;
    let title = arguments["title"].as_str().unwrap_or_default().to_owned();
    let mut open = tracker.0.lock().unwrap();
    let at = open.iter().position(|issue| *issue == title).ok_or("it was closed since")?;
    open.remove(at);
    Ok(format!("closed {title:?}"))
}

#[tokio::test]
async fn s6_7_functions_and_closures_are_taken_back_by_functions_with_dependencies() {
    let (tracker, noted) = (Tracker::default(), Arc::new(Mutex::new(0)));
    let (up, down) = (noted.clone(), noted.clone());
    let note = tool::from_fn("note", "Notes.", move || *up.lock().unwrap() += 1).undo(
        move |_past, _deps| {
            *down.lock().unwrap() -= 1;
            async { Ok::<_, String>("forgot it".to_owned()) }
        },
    );
    let turns = [
        Turn::call("open_issue", json!({"title": "one"})),
        Turn::call("note", json!({})),
        Turn::call("open_issue", json!({"title": "two"})),
        Turn::text("done"),
    ];
    let folder = tempfile::tempdir().unwrap();
    let agent = Agent::builder(ScriptedModel::new(turns))
        .tool(open_issue)
        .tool(note)
        .dep(tracker.clone())
        .store(&*format!("sqlite:{}", folder.path().join("s.db").display()))
        .build()
        .unwrap();
    agent.run("go").in_session("s").await.unwrap();
    assert_eq!(*tracker.0.lock().unwrap(), ["one", "two"]);
    let undo =
        async || agent.session("s").undo(UndoFrom::Start).await.unwrap().run().await.unwrap();
    let undone = undo().await;
    let did: Vec<_> = undone.calls.iter().map(|undone| &*undone.did).collect();
    assert_eq!(did, ["closed \"two\"", "forgot it", "closed \"one\""]);
    assert_eq!((tracker.0.lock().unwrap().len(), *noted.lock().unwrap()), (0, 0));
}
