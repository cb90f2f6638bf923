//! Answers that were cut by their length limit, continued.

mod parts;

use legwork_core::{Mask, Message, ModelRequest, Response};
use legwork_port::BoxFuture;
use legwork_port::model::{Count, Deltas, Error, Model, Profile};
use parts::{is_cut, joined};

use super::several::answered_by;
use crate::resaying::Resaying;

/// How often an answer that its length limit cut is continued, and how.
#[derive(Debug, Clone)]
pub struct Continuation {
    times: u32,
    part: Option<u64>,
    prompt: String,
}

impl Continuation {
    /// A continuation of at most so many further requests.
    pub fn times(times: u32) -> Self {
        let prompt = "Your answer was cut off by its length limit. Continue exactly where it ends; \
                      repeat nothing of it, and do not comment on this.";
        Self { times, part: None, prompt: prompt.to_owned() }
    }

    /// The most tokens of one part; the longest answer of the model by default.
    #[must_use]
    pub fn parts_of(self, tokens: u64) -> Self {
        Self { part: Some(tokens), ..self }
    }

    /// What the model is asked after a part that was cut.
    #[must_use]
    pub fn with_prompt(self, prompt: impl Into<String>) -> Self {
        Self { prompt: prompt.into(), ..self }
    }
}

impl From<u32> for Continuation {
    fn from(times: u32) -> Self {
        Self::times(times)
    }
}

/// A model whose answers are continued when their length limit cuts them.
///
/// Only text is: an answer with calls, or one that broke off, is returned as it is. The part that
/// came is sent back with the question for the rest; the parts are one answer, whose usage is that
/// of all. If a further part fails, what came is returned, cut as it was.
///
/// The limit of a request holds for all parts together, and so does the longest answer that the
/// profile names; a budget reserves as much. The input is sent again with each part: as much as the
/// first request may cost is reserved again for it, and where a limit does not allow this, what came
/// is the answer.
///
/// ```
/// use legwork_models::layers::ModelExt as _;
/// use legwork_port::Model;
/// use legwork_port::core::{FinishReason, ModelRequest};
/// use legwork_testkit::{ScriptedModel, Turn};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let cut = Turn::text("Once upon a ").with_finish(FinishReason::Length);
/// let model = ScriptedModel::new([cut, Turn::text("time.")]).with_continuation(2);
/// let answer = model.infer(ModelRequest::blank(Default::default()), None).await?;
/// assert_eq!(answer.text(), "Once upon a time.");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Continuing<M> {
    model: M,
    continuation: Continuation,
    profile: Profile,
}

impl<M: Model> Continuing<M> {
    /// A model with a continuation.
    pub fn new(model: M, continuation: impl Into<Continuation>) -> Self {
        let continuation = continuation.into();
        let mut profile = model.profile().clone();
        let part = least(profile.max_output, continuation.part);
        let parts = u64::from(continuation.times) + 1;
        profile.max_output = part.map(|part| part.saturating_mul(parts));
        Self { model, continuation, profile }
    }

    /// The limit of the next part, of what is left for the answer.
    fn part(&self, left: Option<u64>) -> Option<u64> {
        least(least(self.continuation.part, self.model.profile().max_output), left)
    }

    async fn ask(
        &self,
        request: ModelRequest,
        deltas: Option<&mut dyn Deltas>,
    ) -> Result<Response, Error> {
        let mut relay = Resaying::new(deltas);
        let (mut left, mut more) = (request.max_output, self.continuation.times);
        let mut before: Option<Response> = None;
        let mut next = request.clone();
        loop {
            next.max_output = self.part(left);
            let most = next.max_output;
            let response = match self.model.infer(next, Some(&mut relay)).await {
                Ok(response) => answered_by(response, self.name()),
                Err(error) => return ended(before, error),
            };
            let used = response.usage.map(|usage| usage.output).or(most);
            left = left.map(|left| left.saturating_sub(used.unwrap_or(left)));
            let goes_on = more > 0 && left != Some(0) && is_cut(&response);
            let whole = match before {
                Some(before) => joined(before, response),
                None => response,
            };
            if !goes_on || !relay.may_continue_after(&whole) {
                return Ok(whole);
            }
            more -= 1;
            let prompt = Message::user(self.continuation.prompt.as_str());
            next = request.clone().with_message(Message::clone(&whole.message));
            next = next.with_message(prompt);
            before = Some(whole);
        }
    }
}

/// What came before a part that failed, or the error.
fn ended(before: Option<Response>, error: Error) -> Result<Response, Error> {
    let Some(before) = before else { return Err(error) };
    let charged_attempts = before.charged_attempts + error.charged_attempts;
    Ok(Response { charged_attempts, ..before })
}

fn least(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    a.into_iter().chain(b).min()
}

impl<M: Model> Model for Continuing<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn profile_of(&self, name: &str) -> Option<&Profile> {
        self.model.profile_of(name)
    }

    fn mask(&self) -> Mask {
        self.model.mask()
    }

    fn count_tokens<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxFuture<'a, Result<Count, Error>> {
        self.model.count_tokens(request)
    }

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(self.ask(request, deltas))
    }
}
