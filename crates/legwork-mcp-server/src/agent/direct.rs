//! The agent's own tools, called one by one.
//!
//! A call is a session of one scripted step: it is judged, approved and journaled as any call of
//! the agent, and no model is asked.

use std::sync::PoisonError;

use legwork_agent::capability::ask_user;
use legwork_agent::driver::{AtEnd, Line, Scripted};
use legwork_agent::memory::RandomIds;
use legwork_core::tool::RunsIn;
use legwork_core::{AgentState, Message, Part, ToolSpec};
use legwork_port::Ids as _;
use serde_json::Value;

use super::offered::is_own;
use super::run::{Begins, at_work, reply, round_of};
use super::{Agents, failed};
use crate::client::Client;
use crate::content::Content;
use crate::service::{Call, Error, Reply};

impl Agents {
    /// The tools of the agent; those that only make sense to its model are left out.
    pub(super) async fn direct(&self) -> Result<Vec<ToolSpec>, Error> {
        let place = self.open(&RandomIds.session(), None).await?;
        let (tools, problems) = place.agent().tools().await;
        if let Some(problems) = problems {
            tracing::warn!(%problems, "some tools of the agent are not served");
        }
        let is_served = |tool: &ToolSpec| {
            let is_model_s = tool.is_output
                || &*tool.name == ask_user::TOOL
                || tool.runs_in == RunsIn::OwnSession;
            !is_model_s && !is_own(&tool.name)
        };
        let served = tools.iter().map(|tool| (**tool).clone()).filter(is_served);
        let served: Vec<ToolSpec> = served.collect();
        let names = served.iter().map(|tool| tool.name.to_string()).collect();
        *self.shared.tools.lock().unwrap_or_else(PoisonError::into_inner) = names;
        Ok(served)
    }

    /// Whether the agent has a tool, as it was listed last, or is listed now.
    async fn knows(&self, name: &str) -> Result<bool, Error> {
        let listed = {
            let tools = self.shared.tools.lock().unwrap_or_else(PoisonError::into_inner);
            tools.contains(name)
        };
        Ok(listed || self.direct().await?.iter().any(|tool| *tool.name == *name))
    }

    pub(super) async fn call_tool(&self, call: Call, client: &Client) -> Result<Reply, Error> {
        let again = round_of(client).map(str::to_owned);
        let (id, state) = match &again {
            Some(id) => self.owned(id).await.map(|(id, state)| (id, Some(state)))?,
            None => (RandomIds.session(), None),
        };
        if again.is_none() && !self.knows(&call.name).await? {
            return Err(Error::invalid(format!("there is no tool {:?}", call.name)));
        }
        let place = self.open(&id, state.as_ref()).await?;
        let Some(working) = self.begins(&id) else { return Ok(failed(at_work(&id))) };
        let who = client.name().unwrap_or_else(|| "a client".to_owned());
        let task = format!("{who} calls {} by itself.", call.name);
        let line = Line::call(call.name, Value::Object(call.arguments));
        let script = Scripted::new([line]).at_end(AtEnd::Answer("It was called.".to_owned()));
        let agent = match place.agent().to_builder().driver(script).build() {
            Ok(agent) => agent,
            Err(error) => return Ok(failed(error)),
        };
        let session = agent.session(id);
        let begins = match again {
            Some(_) => Begins::Again,
            None => Begins::With(session.run(task)),
        };
        let state = self.rests(&place, &working, &session, begins, client).await?;
        Ok(state.map_or_else(failed, |state| result(&state)))
    }
}

/// The result of the one call of a session; how it stands if there is none.
fn result(state: &AgentState) -> Reply {
    let messages = state.context().transcript.messages();
    let results = |message: &Message| {
        message.parts.iter().find_map(|part| match part {
            Part::ToolResult(result) => Some(result.clone()),
            _ => None,
        })
    };
    match messages.iter().rev().find_map(|message| results(message)) {
        Some(result) => {
            let mut reply = Reply::of(result.parts.iter().map(Content::from));
            reply.is_error = result.is_error;
            reply
        }
        None => reply(state),
    }
}
