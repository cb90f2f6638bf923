//! Who takes calls back: the tools of the agent that made them.

use std::collections::BTreeMap;
use std::sync::Arc;

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
pub(crate) struct SessionTools(BTreeMap<SessionId, Arc<StepTools>>);

impl SessionTools {
    /// Who takes a call back; none if its tool is not there, or has no undo.
    pub(crate) fn undoes(&self, past: &PastCall) -> Option<Arc<dyn Undo>> {
        let tools = self.0.get(&past.key.session)?;
        let (at, _) = tools.specs.find(&past.call.name)?;
        let tool = tools.tool(at)?;
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
        let all = toolbox.all(&state).await;
        opened.toolsets.push((toolbox, Arc::clone(&agent.services().sessions.clock)));
        tools.0.insert(session.clone(), all.map_err(|clash| Error::Build(vec![clash]))?);
        for call in PastCall::of_journal(session, &journal) {
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
