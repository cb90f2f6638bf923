//! What agents and their parts print of themselves: names, never what is inside.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use legwork_agent::capability::{Registry, Resolved};
use legwork_agent::driver::Line;
use legwork_agent::{Agent, Builder, Capability, Override, Subagent, hook};
use legwork_core::{AgentState, Budget};
use legwork_orchestrate::{Chat, Collaboration, Participant};
use legwork_port::Trigger;
use legwork_testkit::ScriptedModel;
use serde_json::{Value, json};

/// A capability that keeps what the agent that is built prints.
struct Sees(Arc<Mutex<String>>);

impl Capability for Sees {
    fn name(&self) -> &str {
        "sees"
    }

    fn about(&self) -> &str {
        "Sees."
    }

    fn install(&self, builder: Builder) -> Builder {
        builder
    }

    fn section(&self, agent: &Resolved<'_>) -> Option<String> {
        *self.0.lock().unwrap() = format!("{agent:?}");
        None
    }
}

fn ann() -> Builder {
    Agent::builder(ScriptedModel::new([])).id("ann").instructions("A secret.")
}

#[test]
fn what_an_agent_is_made_of_prints_by_name() {
    let seen = Arc::new(Mutex::default());
    let agent = ann().capability(Sees(Arc::clone(&seen))).build().unwrap();
    let resolved = seen.lock().unwrap().clone();
    assert_eq!(resolved, "Resolved { id: \"ann\", .. }");

    let watches =
        hook("watches", [Trigger::StepStart], |state: AgentState, _| std::future::ready(Ok(state)));
    let never = |_: &Value| Err("never".to_owned());
    let registry = Registry::new().with("mail", "Sends.", never).with("files", "Reads.", never);
    let change = Override::new().budget(Budget::unlimited()).instructions("Another secret.");
    let chat = Chat::builder()
        .participant(Participant::scripted("Ann", ["A secret."]))
        .participant(Participant::scripted("Bob", ["A secret."]));
    let work = Collaboration::builder().member("Ann", "writes", agent.clone());
    let prints: [(&dyn Debug, &str); 11] = [
        (&agent, "Agent { id: AgentId(\"ann\"), .. }"),
        (&ann(), "Builder { id: AgentId(\"ann\"), .. }"),
        (&Subagent::new("scout", "Looks.", "A secret."), "Subagent { name: \"scout\", .. }"),
        (&change, "Override(2 changes)"),
        (&registry, "{\"files\", \"mail\"}"),
        (&watches, "Hook { name: \"watches\", priority: 0, triggers: [StepStart], .. }"),
        (&chat.build().unwrap(), "Chat { participants: [\"Ann\", \"Bob\"], .. }"),
        (
            &work.build().unwrap(),
            "Collaboration { members: [Member { name: \"Ann\", role: \"writes\" }], .. }",
        ),
        (
            &Line::call("look", json!({"n": 1})).with_text("I look."),
            "Line { text: \"I look.\", calls: [(\"look\", Object {\"n\": Number(1)})] }",
        ),
        (&Line::fails("no power"), "Line::fails(\"no power\")"),
        (&Line::from_fn(|_| Line::text("A secret.")), "Line::from_fn"),
    ];
    for (value, printed) in prints {
        assert_eq!(format!("{value:?}"), printed);
    }
}
