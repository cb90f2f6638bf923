//! Messages that a server sends on its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestMethod, ElicitRequestParams,
    ElicitResult, ElicitationAction, ElicitationCapability, ErrorCode, FormElicitationCapability,
    Implementation, ProgressNotificationParam, ProtocolVersion, SamplingCapability,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use rmcp::{ClientHandler, ErrorData};
use serde_json::Value;
use tokio::sync::RwLock;

use crate::asked::Asked;
use crate::calls::Calls;
use crate::held::Held;
use crate::input::Question;
use crate::sampling::{self, Sampling};

/// The code of a prompt that is not answered, as the protocol has it.
const REFUSED: ErrorCode = ErrorCode(-1);

/// Handles what a server sends on its own: progress, questions to a person or to the model during a
/// call, and that its tools changed.
///
/// It offers a server nothing else, such as roots.
#[derive(Clone, Default)]
pub(crate) struct Handler {
    pub(crate) calls: Calls,
    pub(crate) asked: Asked,
    pub(crate) held: Held,
    /// A call with answers to questions is the only one under way.
    pub(crate) turns: Arc<RwLock<()>>,
    /// Rises when the tools may have changed.
    pub(crate) revision: Arc<AtomicU64>,
    /// Whether the server may ask the model of the session.
    pub(crate) samples: Sampling,
}

impl Handler {
    pub(crate) fn new(samples: Sampling) -> Self {
        Self { samples, ..Self::default() }
    }

    /// The answer to a question of the server, as long as it waits for one; none if the question is
    /// dismissed.
    async fn answer(
        &self,
        question: Question,
        context: &RequestContext<RoleClient>,
    ) -> Option<Value> {
        tokio::select! {
            answer = self.asked.answer(question) => answer,
            () = context.ct.cancelled() => None,
        }
    }

    pub(crate) fn tools_changed(&self) {
        self.revision.fetch_add(1, Ordering::SeqCst);
    }

    /// Makes a request during which no person is asked anything.
    pub(crate) async fn unasked<T, E>(
        &self,
        request: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let _turn = self.turns.read().await;
        let mut listening = self.asked.listen(Vec::new());
        self.held.give_up().await;
        let answer = tokio::select! {
            biased;
            answer = request => answer,
            never = listening.dismisses() => match never {},
        };
        if answer.is_ok() {
            listening.answered();
        }
        answer
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let implementation = Implementation::new("legwork", env!("CARGO_PKG_VERSION"));
        // For servers that are initialized; newer ones are asked.
        let forms = ElicitationCapability::new().with_form(FormElicitationCapability::new());
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = Some(forms);
        capabilities.sampling = match self.samples {
            Sampling::Offered => Some(SamplingCapability::default()),
            Sampling::Refused => None,
        };
        ClientConfig::new(capabilities, implementation)
            .with_protocol_version(ProtocolVersion::V_2025_11_25)
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let answer = match Question::of(&params) {
            Some(question) => self.answer(question, &context).await,
            None => None,
        };
        Ok(match answer {
            Some(value) => ElicitResult::new(ElicitationAction::Accept).with_content(value),
            None => ElicitResult::new(ElicitationAction::Cancel),
        })
    }

    async fn create_message(
        &self,
        params: sampling::Params,
        context: RequestContext<RoleClient>,
    ) -> Result<sampling::Answer, ErrorData> {
        if self.samples == Sampling::Refused {
            return Err(ErrorData::method_not_found::<CreateMessageRequestMethod>());
        }
        let question = Question::of_model(params);
        let question = question.map_err(|why| ErrorData::invalid_params(why, None))?;
        let answer = match self.answer(question, &context).await {
            Some(value) => sampling::result(&value),
            None => Err("it was dismissed: it belongs to no call, or to one of several".to_owned()),
        };
        answer.map_err(|why| ErrorData::new(REFUSED, why, None))
    }

    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.calls.progress(&progress);
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.tools_changed();
    }
}
