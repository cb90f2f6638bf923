//! The texts of requests and answers, changed.

mod lines;
mod texts;

use std::fmt;
use std::sync::Arc;

use legwork_core::{ModelRequest, Response};
use legwork_port::BoxFuture;
use legwork_port::model::{Count, Deltas, Error, Model};

use lines::Lines;

/// How the texts of requests and answers are changed.
#[derive(Clone)]
pub struct Redaction {
    change: Arc<dyn Fn(&str) -> String + Send + Sync>,
    answers: bool,
}

impl Redaction {
    /// A change of the texts of requests and answers.
    ///
    /// It gets a line at a time, with its line break, so that a stream can be changed as well.
    pub fn new(change: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        Self { change: Arc::new(change), answers: true }
    }

    /// The same for requests only: answers are passed on as they come.
    #[must_use]
    pub fn of_requests(self) -> Self {
        Self { answers: false, ..self }
    }

    /// A text with each line changed.
    fn text(&self, text: &str) -> String {
        text.split_inclusive('\n').map(|line| (self.change)(line)).collect()
    }
}

impl fmt::Debug for Redaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redaction").field("answers", &self.answers).finish_non_exhaustive()
    }
}

/// A model that reads and writes texts only as a redaction leaves them.
///
/// Changed are the instructions, all text, and the results of tools, JSON too. Calls, images and
/// files are not, nor is thinking that a provider signed. Streamed text is held back to the end of
/// its line. The journal keeps the messages of the request as they are, and the answer as it was
/// changed.
///
/// ```
/// use legwork_models::layers::{ModelExt as _, Redaction};
/// use legwork_port::Model;
/// use legwork_port::core::{Message, ModelRequest};
/// use legwork_testkit::{ScriptedModel, Turn};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scripted = ScriptedModel::new([Turn::text("Ask eve@example.org.")]);
/// let hide = Redaction::new(|text| text.replace("eve@example.org", "[email]"));
/// let model = scripted.clone().with_redaction(hide);
///
/// let request = ModelRequest::blank(Default::default());
/// let request = request.with_message(Message::user("Who is eve@example.org?"));
/// assert_eq!(model.infer(request, None).await?.text(), "Ask [email].");
/// let sent = scripted.requests().remove(0);
/// assert_eq!(sent.messages().iter().next().unwrap().text(), "Who is [email]?");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Redacting<M> {
    model: M,
    redaction: Redaction,
}

impl<M> Redacting<M> {
    /// A model with a redaction.
    pub fn new(model: M, redaction: Redaction) -> Self {
        Self { model, redaction }
    }
}

impl<M: Model> Model for Redacting<M> {
    as_wrapped!(but_counting);

    fn count_tokens<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxFuture<'a, Result<Count, Error>> {
        Box::pin(async move {
            let request = self.redaction.request(request.clone());
            self.model.count_tokens(&request).await
        })
    }

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(async move {
            let request = self.redaction.request(request);
            if !self.redaction.answers {
                return self.model.infer(request, deltas).await;
            }
            let mut lines = Lines::new(&self.redaction, deltas);
            let outcome = self.model.infer(request, Some(&mut lines)).await;
            // It is over: a break changes nothing any more.
            let _ = lines.end();
            outcome.map(|response| self.redaction.response(response))
        })
    }
}
