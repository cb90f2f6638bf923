//! Messages that a server sends on its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, FormElicitationCapability, Implementation, ProgressNotificationParam,
    ProtocolVersion,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use tokio::sync::RwLock;

use crate::asked::Asked;
use crate::calls::Calls;
use crate::held::Held;
use crate::input::Question;

/// Handles what a server sends on its own: progress, questions to a person during a call, and that
/// its tools changed.
///
/// It offers a server nothing else: no model, no files.
#[derive(Clone, Default)]
pub(crate) struct Handler {
    pub(crate) calls: Calls,
    pub(crate) asked: Asked,
    pub(crate) held: Held,
    /// A call with answers to questions is the only one under way.
    pub(crate) turns: Arc<RwLock<()>>,
    /// Rises when the tools may have changed.
    pub(crate) revision: Arc<AtomicU64>,
}

impl Handler {
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
        ClientConfig::new(capabilities, implementation)
            .with_protocol_version(ProtocolVersion::V_2025_11_25)
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, rmcp::ErrorData> {
        let dismissed = || ElicitResult::new(ElicitationAction::Cancel);
        let Some(question) = Question::of(&params) else { return Ok(dismissed()) };
        Ok(tokio::select! {
            answer = self.asked.answer(question) => answer,
            // The server does not wait for it any more.
            () = context.ct.cancelled() => dismissed(),
        })
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
