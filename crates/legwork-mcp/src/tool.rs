//! A tool of a server.

use std::sync::Arc;

use legwork_core::{ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, Tool, ToolContext};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, InputRequiredResult, ServerResult,
};
use rmcp::service::{PeerRequestOptions, ServiceError};
use serde_json::{Map, Value};

use crate::connection::{Connections, Live, said};
use crate::handler::Handler;
use crate::held::{Next, UnderWay, Waiting};
use crate::input::{self, Given, Round};
use crate::{fault, result};

/// How often a call goes on that wants nothing but its state back.
const ROUNDS: usize = 10;

/// What a server answers a call.
enum Answer {
    /// It has this outcome.
    Outcome(ToolOutcome),
    /// It needs something before it goes on.
    Required(InputRequiredResult),
}

/// A tool of a server, under the name that a model reads.
pub(crate) struct RemoteTool {
    pub(crate) spec: Arc<ToolSpec>,
    /// Its name on the server, and the server's.
    pub(crate) name: String,
    pub(crate) server: Arc<str>,
    pub(crate) connections: Arc<Connections>,
}

impl Tool for RemoteTool {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            match cx.arguments::<Map<String, Value>>(call) {
                Ok(arguments) => self.ask(arguments, cx).await,
                Err(outcome) => outcome,
            }
        })
    }

    fn chain(&self) -> Vec<Arc<str>> {
        vec![Arc::clone(&self.server)]
    }
}

impl RemoteTool {
    /// Makes the call, and goes on with it as long as the server only wants its state back.
    async fn ask(&self, arguments: Map<String, Value>, cx: &ToolContext) -> ToolOutcome {
        let mut round = match Round::of(cx.supplied()).map(Round::asks) {
            Ok(Ok(asks)) => return asks,
            Ok(Err(round)) => round,
            Err(why) => return self.failed(&why),
        };
        if !round.is_whole() {
            return self.failed("what it wants back holds a secret, which is not journaled");
        }
        for _ in 0..ROUNDS {
            let params = CallToolRequestParams::new(self.name.clone());
            let params = round.request(params.with_arguments(arguments.clone()));
            let required = match self.send(params, cx).await {
                Answer::Required(required) => required,
                Answer::Outcome(outcome) => return outcome,
            };
            let samples = self.connections.handler.samples;
            match Round::needed(required, cx.supplied(), samples).map(Round::asks) {
                Ok(Ok(asks)) => return asks,
                Ok(Err(all)) => round = all,
                Err(why) => return self.failed(&why),
            }
        }
        self.failed("it does not come to an end")
    }

    /// Makes a call, or goes on with the one that is held, until it has an answer or asks.
    async fn send(&self, params: CallToolRequestParams, cx: &ToolContext) -> Answer {
        let handler = &self.connections.handler;
        let given = input::given(cx.supplied());
        let turn = handler.turns.read().await;
        if let Some(held) = handler.held.take(&cx.key)
            && let Some(call) = held.goes_on(cx.supplied()).await
        {
            return self.follow(call, cx).await;
        }
        // An answer is for this call alone: no other one is under way that may ask the same.
        let _turn = match given.is_empty() {
            true => (None, Some(turn)),
            false => {
                drop(turn);
                (Some(handler.turns.write().await), None)
            }
        };
        match self.begin(params, given).await {
            Ok(call) => self.follow(call, cx).await,
            Err(outcome) => Answer::Outcome(outcome),
        }
    }

    async fn begin(
        &self,
        params: CallToolRequestParams,
        given: Vec<Given>,
    ) -> Result<UnderWay, ToolOutcome> {
        let live = self.connections.live().await;
        let live = live.map_err(|error| self.failed(&error.to_string()))?;
        let Handler { asked, held, .. } = &self.connections.handler;
        let listening = asked.listen(given);
        held.give_up().await;
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let options = PeerRequestOptions::no_options();
        match live.peer.send_cancellable_request(request, options).await {
            Ok(sent) => Ok(UnderWay::new(live, sent, listening)),
            Err(error) => Err(self.unanswered(&error, &live).await),
        }
    }

    /// Waits for the answer of a call, or for what it asks.
    async fn follow(&self, mut call: UnderWay, cx: &ToolContext) -> Answer {
        let Handler { calls, held, .. } = &self.connections.handler;
        let next = {
            let _followed = calls.follow(call.progress.clone(), cx);
            call.next().await
        };
        let answer = match next {
            Next::Answered(answer) => match *answer {
                Ok(answer) => self.answered(answer),
                Err(error) => {
                    return Answer::Outcome(self.unanswered(&error, &call.live).await);
                }
            },
            Next::Asks(_) if input::is_too_much(cx.supplied()) => {
                call.end().await;
                Answer::Outcome(self.failed("it asks without end"))
            }
            Next::Asks(asks) => {
                let outcome = asks.question.asked();
                held.hold(Waiting::new(cx.key.clone(), cx.supplied().len(), call, asks)).await;
                Answer::Outcome(outcome)
            }
        };
        self.connections.works();
        answer
    }

    fn answered(&self, answer: ServerResult) -> Answer {
        match answer {
            ServerResult::CallToolResult(result) => Answer::Outcome(result::outcome(result)),
            ServerResult::InputRequiredResult(required) => Answer::Required(required),
            _ => {
                let why = "it asks for something that this client does not offer";
                Answer::Outcome(self.failed(why))
            }
        }
    }

    async fn unanswered(&self, error: &ServiceError, live: &Live) -> ToolOutcome {
        if let Some(why) = fault::of_request(error) {
            return self.failed(&why);
        }
        let said = said("it said last", live.end().await);
        self.failed(&format!(
            "it ended during the call, which may or may not have had an effect{said}"
        ))
    }

    fn failed(&self, why: &str) -> ToolOutcome {
        ToolOutcome::failed(format!("the server `{}`: {why}", self.server))
    }
}
