//! Who takes calls back: the tools of the agent that made them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use legwork_core::journal::Journal;
use legwork_core::undo::PastCall;
use legwork_core::{AgentState, Budget, SessionId};
use legwork_port::store::Range;
use legwork_port::toolset::{CLOSE_LIMIT, Scope};
use legwork_port::{BoxFuture, Cancellation, CannotUndo, Clock, Deps, Origin, Reach, Tool, Undo};
use legwork_runtime::Error;
use legwork_toolset::{StepTools, Toolbox};

use crate::agent::Agent;
use crate::agent::subagent::{Spawns, is_below};

/// What an agent has open while calls are taken back.
#[derive(Default)]
pub(crate) struct Opened {
    toolsets: Vec<(Toolbox, Arc<dyn Clock>)>,
    /// What the tools depend on.
    pub(super) deps: Deps,
}

impl Opened {
    /// Closes the toolsets; those that take too long are dropped.
    pub(super) async fn close(self) {
        for (toolbox, clock) in self.toolsets {
            toolbox.close(async { clock.sleep(CLOSE_LIMIT).await }).await;
        }
    }
}

/// The tools of an agent and of its subagents, by the sessions that they work in.
#[derive(Default)]
pub(crate) struct SessionTools(BTreeMap<SessionId, Known>);

/// The tools that made the calls of a session: those that are shown now, and those that are not and
/// were.
struct Known {
    lists: Vec<Arc<StepTools>>,
    hidden: Vec<Arc<dyn Tool>>,
}

impl Known {
    fn tool(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        let listed = |list: &'_ Arc<StepTools>| list.specs.find(name).map(|(at, _)| at);
        let mut lists = self.lists.iter();
        let shown = lists.find_map(|list| list.tool(listed(list)?));
        shown.or_else(|| self.hidden.iter().find(|tool| *tool.spec().name == *name))
    }
}

impl SessionTools {
    /// Who takes a call back; none if its tool is not there, or has no undo.
    pub(crate) fn undoes(&self, past: &PastCall) -> Option<Arc<dyn Undo>> {
        let tool = self.0.get(&past.key.session)?.tool(&past.call.name)?;
        tool.undo()?;
        Some(Arc::new(ToolUndo(Arc::clone(tool))))
    }
}

/// The tools of an agent in a session, and those of its subagents in the sessions below.
///
/// # Errors
/// When a session cannot be read, two tools have one name, or a subagent cannot be built.
pub(in crate::agent) async fn tools_of(
    agent: &Agent,
    session: &SessionId,
) -> Result<(SessionTools, Opened), Error> {
    let deps = agent.services().deps.clone();
    let (mut tools, mut opened) = (SessionTools::default(), Opened { deps, ..Opened::default() });
    add(agent, session, &mut tools, &mut opened).await?;
    Ok((tools, opened))
}

fn add<'a>(
    agent: &'a Agent,
    session: &'a SessionId,
    tools: &'a mut SessionTools,
    opened: &'a mut Opened,
) -> BoxFuture<'a, Result<(), Error>> {
    Box::pin(async move {
        let journal = agent.store().read(session, Range::ALL).await?.journal;
        let state = journal.fold(session);
        let toolbox = open(agent, &state).await;
        let calls = PastCall::of_journal(session, &journal);
        let known = known(&toolbox, &state, &journal, &calls).await;
        opened.toolsets.push((toolbox, Arc::clone(&agent.services().sessions.clock)));
        tools.0.insert(session.clone(), known.map_err(|clash| Error::Build(vec![clash]))?);
        for call in calls {
            let Some(child) = &call.child else { continue };
            let below = agent.store().read(child, Range::ALL).await?.journal;
            if tools.0.contains_key(child) || !is_below(child, &below, session, &journal) {
                continue;
            }
            let spawns = Spawns(Arc::clone(&agent.0.parts));
            let Some(subagent) = spawns.agent_of(&call.call, Budget::unlimited())? else {
                continue;
            };
            add(&subagent, child, tools, opened).await?;
        }
        Ok(())
    })
}

/// The tools that made these calls, as far as they are there.
///
/// One that is not shown now is the one that its set showed in the step of its last call, or that a
/// set has whatever it shows.
///
/// # Errors
/// When two tools that are shown now have one name.
async fn known(
    toolbox: &Toolbox,
    state: &AgentState,
    journal: &Journal,
    calls: &[PastCall],
) -> Result<Known, String> {
    let mut known = Known { lists: vec![toolbox.all(state).await?], hidden: Vec::new() };
    let mut sought = BTreeSet::new();
    for call in calls.iter().rev().filter(|call| call.has_effect()) {
        let name = &call.call.name;
        if !sought.insert(name) || known.tool(name).is_some() {
            continue;
        }
        let responded = journal.before(call.key.entry).fold(state.session());
        let began = match responded.current_step() {
            Some(step) => journal.before(step.id).fold(state.session()),
            None => responded,
        };
        let then = toolbox.all(&began).await.ok();
        match then.filter(|then| then.specs.find(name).is_some()) {
            Some(then) => known.lists.push(then),
            None => known.hidden.extend(toolbox.hidden(name)),
        }
    }
    Ok(known)
}

/// The toolsets of an agent, open.
async fn open(agent: &Agent, state: &AgentState) -> Toolbox {
    let services = agent.services();
    let events = services.sessions.events(Arc::new(Origin::root(state.session().clone())), []);
    let toolbox = Toolbox::new(Arc::clone(&services.toolsets), events);
    let scope = Scope::new(state.session().clone(), services.deps.clone(), Cancellation::new());
    toolbox.open(&scope).await;
    toolbox
}

/// The undo of a tool, with the tool.
struct ToolUndo(Arc<dyn Tool>);

impl Undo for ToolUndo {
    fn check<'a>(
        &'a self,
        call: &'a PastCall,
        later: &'a [PastCall],
        deps: &'a Deps,
    ) -> BoxFuture<'a, Result<Reach, CannotUndo>> {
        match self.0.undo() {
            Some(undo) => undo.check(call, later, deps),
            None => Box::pin(std::future::ready(Err(gone()))),
        }
    }

    fn undo<'a>(
        &'a self,
        call: &'a PastCall,
        deps: &'a Deps,
    ) -> BoxFuture<'a, Result<String, CannotUndo>> {
        match self.0.undo() {
            Some(undo) => undo.undo(call, deps),
            None => Box::pin(std::future::ready(Err(gone()))),
        }
    }
}

fn gone() -> CannotUndo {
    CannotUndo("its tool has no undo any more".to_owned())
}
