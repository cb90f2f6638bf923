//! What of its parent goes along to a subagent, and what does not.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use legwork_agent::memory::MemoryStore;
use legwork_agent::toolset::{Tools, lazy};
use legwork_agent::{Agent, Builder, Capability, Subagent, subagent};
use legwork_core::{
    AgentState, Budget, Criterion, Decision, EffectClass, Progress as _, StopReason, Timestamp,
    ToolOutcome,
};
use legwork_port::{Clock as _, Tool};
use legwork_testkit::{Turn, VirtualClock};
use serde_json::json;

use crate::subagents::{child_of, reviewer, scripted, spawn, state_of};
use crate::tools::{World, noting, outcomes, signal};

/// Forbids each agent that asks it to go on after its first step, but for the root.
struct OneStep;

impl Criterion for OneStep {
    fn name(&self) -> &'static str {
        "one_step"
    }

    fn decide(
        &self,
        state: &AgentState,
    ) -> Result<Option<Decision>, legwork_core::continuation::Error> {
        let forbids = state.facts().parent.is_some() && state.step_count() > 0;
        Ok(forbids.then(|| Decision::Forbid(signal(StopReason::StopRequested))))
    }
}

#[tokio::test]
async fn a_criterion_of_the_parents_own_does_not_go_along() {
    let root = scripted("x:root", [Turn::calls([spawn("reviewer", "look")]), Turn::text("done")]);
    let child = scripted("x:child", [Turn::call("look", json!({"n": 1})), Turn::text("all well")]);
    let agent = Agent::builder(root)
        .tools([noting("look", EffectClass::ReadOnly, &World::default())])
        .criterion(OneStep)
        .subagent(reviewer(&child))
        .build()
        .unwrap();
    let run = agent.run("go").await.unwrap();
    assert_eq!(outcomes(run.state()), [ToolOutcome::text("all well")]);
}

#[tokio::test]
async fn a_subagent_has_its_own_tools_whatever_its_parent_may_have_and_no_others() {
    let world = World::default();
    let root = scripted("x:root", [Turn::calls([spawn("reviewer", "look")]), Turn::text("done")]);
    let child = scripted("x:child", [Turn::text("ok")]);
    let own = noting("own", EffectClass::ReadOnly, &world);
    let reviewer = reviewer(&child).tools([own]).only_tools(["look", "send", "own"]);
    let tools = ["look", "send"].map(|name| noting(name, EffectClass::ReadOnly, &world));
    let agent = Agent::builder(root)
        .tools(tools)
        .only_tools(["look", subagent::TOOL])
        .subagent(reviewer)
        .build()
        .unwrap();
    assert_eq!(agent.run("go").await.unwrap().text(), "done");
    let shown: Vec<_> = child.requests()[0].tools.iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(shown.iter().map(|name| &**name).collect::<Vec<_>>(), ["look", "own"]);
}

#[tokio::test]
async fn s18_16_a_subagent_is_without_the_toolsets_that_it_is_denied_and_opens_none_of_them() {
    for (denied, shown, opened) in [(&[][..], &["read", "log"][..], 1), (&["git"], &["read"], 0)] {
        let root = scripted("x:root", [Turn::calls([spawn("reviewer", "look")]), Turn::text("ok")]);
        let child = scripted("x:child", [Turn::text("ok")]);
        let count = Arc::new(AtomicUsize::new(0));
        let git = {
            let count = Arc::clone(&count);
            lazy("git", move |scope| {
                // The root has the set, too.
                let is_child = scope.session.as_str() != "root";
                count.fetch_add(usize::from(is_child), Ordering::SeqCst);
                async { Ok(Tools::new("git", [look("log")])) }
            })
        };
        let agent = Agent::builder(root)
            .store_in(Arc::new(MemoryStore::new()))
            .toolset(git.per_session())
            .toolset(Tools::new("files", [look("read")]))
            .subagent(reviewer(&child).deny_toolsets(denied.iter().copied()))
            .build()
            .unwrap();
        assert_eq!(agent.session("root").run("go").await.unwrap().text(), "ok");
        let tools = &child.requests()[0].tools;
        assert_eq!(tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>(), shown);
        assert_eq!(count.load(Ordering::SeqCst), opened);
    }
}

fn look(name: &'static str) -> Arc<dyn Tool> {
    noting(name, EffectClass::ReadOnly, &World::default())
}

#[tokio::test]
async fn s5_4_the_deadline_of_the_parent_is_one_of_its_subagents_too() {
    let (store, clock) = (MemoryStore::new(), VirtualClock::new());
    let deadline = Timestamp(clock.now().wall.0 + 60_000);
    let root = scripted("x:root", [Turn::calls([spawn("reviewer", "look")]), Turn::text("done")]);
    let reviewer = reviewer(&scripted("x:child", [Turn::text("ok")]));
    let own = Budget::unlimited().time(Duration::from_secs(9)).steps(3);
    let agent = Agent::builder(root)
        .budget(Budget::unlimited().deadline(deadline))
        .subagent(reviewer.budget(own.clone()))
        .clock(Arc::new(clock))
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    agent.run("go").in_session("s").await.unwrap();
    let child = state_of(&store, &child_of(&store).await).await;
    assert_eq!(child.ledger().budget, Budget { deadline: Some(deadline), ..own });
}

/// Counts how often it is installed.
struct Installs(Arc<AtomicUsize>);

impl Capability for Installs {
    fn name(&self) -> &'static str {
        "installs"
    }

    fn about(&self) -> &'static str {
        "Counts."
    }

    fn install(&self, builder: Builder) -> Builder {
        self.0.fetch_add(1, Ordering::SeqCst);
        builder
    }
}

#[test]
fn each_subagent_is_tried_once_when_its_agent_is_built() {
    let counts = ["a", "b", "c"].map(|name| (name, Arc::new(AtomicUsize::new(0))));
    let subagent = |(name, count): &(&'static str, Arc<AtomicUsize>)| {
        Subagent::new(*name, "Works.", "").capability(Installs(Arc::clone(count)))
    };
    let agent = Agent::builder(scripted("x:root", []));
    let agent = counts.iter().map(subagent).fold(agent, Builder::subagent);
    agent.build().unwrap();
    for (name, count) in &counts {
        assert_eq!(count.load(Ordering::SeqCst), 1, "{name}");
    }
}
