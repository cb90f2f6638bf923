//! Attempts at one request, until there is an answer or no sense in another attempt.

use std::ops::ControlFlow;
use std::time::Duration;

use legwork_port::Clock;
use legwork_port::model::{Delta, Deltas, Error, Retry};
use tracing::{Instrument as _, Span, info, warn};

use super::answered::Answered;
use super::{Attempts, Failure, GiveUp, Policy, Verdict};

/// The code of an error of a server of this machine that never answered: it does not run.
pub(crate) const NOT_RUNNING: &str = "not_running";

/// How long such a server is waited for at most: it may be starting.
const STARTING: Duration = Duration::from_secs(10);

/// One request, at which attempts are made.
pub(crate) trait Attempt: Sync {
    /// What a successful attempt comes to.
    type Answer: Answered + Send;

    /// The model's name, as in `provider:model`.
    fn model(&self) -> &str;

    /// The span of an attempt; the first one has the number 1.
    ///
    /// None by default: the model that is asked has its own.
    fn span(&self, _: u32) -> Span {
        Span::none()
    }

    /// Makes one attempt.
    fn make(
        &self,
        deltas: &mut dyn Deltas,
    ) -> impl Future<Output = Result<Self::Answer, Error>> + Send;

    /// What happened, without what was tried and what to do.
    fn in_short<'e>(&self, error: &'e Error) -> &'e str {
        &error.message
    }
}

/// Makes attempts until there is an answer, or no sense in another attempt.
pub(crate) async fn persist<A: Attempt>(
    attempt: &A,
    policy: &Policy,
    clock: &dyn Clock,
    deltas: Option<&mut dyn Deltas>,
) -> Result<A::Answer, Error> {
    let mut listener = Listener { deltas, shown: false };
    let (mut attempts, mut charged) = (Attempts::default(), 0);
    loop {
        let span = attempt.span(attempts.failed() + 1);
        let outcome = attempt.make(&mut listener).instrument(span).await;
        let Some(failure) = Failure::of_attempt(&outcome, listener.shown) else {
            return ended(outcome, charged);
        };
        let now = clock.now().mono;
        let brief = brief(policy, &outcome);
        let policy = brief.as_ref().unwrap_or(policy);
        let (wait, left) = match attempts.judge(policy, failure, now, fastrand::f64()) {
            Verdict::Again { wait, left } => (wait, left),
            Verdict::GiveUp(why) => {
                report_end(attempt.model(), &attempts, &outcome, why);
                let outcome = ended(outcome, charged);
                return outcome.map_err(|error| explained(error, why, &attempts, clock));
            }
        };
        let retry = Retry {
            attempt: attempts.failed(),
            wait,
            left,
            error: outcome.as_ref().map_or_else(|error| attempt.in_short(error), broken),
            discarded: std::mem::take(&mut listener.shown),
            charged_attempts: charged + cost(&outcome),
        };
        if listener.retrying(retry).is_break() {
            return ended(outcome, charged);
        }
        report_retry(attempt.model(), &attempts, &outcome, wait);
        charged += cost(&outcome);
        drop(outcome);
        clock.sleep(wait).await;
    }
}

/// The policy for a server that does not run.
fn brief<A>(policy: &Policy, outcome: &Result<A, Error>) -> Option<Policy> {
    let code = outcome.as_ref().err()?.code.as_deref();
    let limit = policy.time_limit().min(STARTING);
    (code == Some(NOT_RUNNING)).then(|| policy.clone().with_time_limit(limit))
}

// Neither event has the message or the code of an error: the server wrote them, and may have
// repeated the request in them.

fn report_retry<A>(model: &str, attempts: &Attempts, outcome: &Result<A, Error>, wait: Duration) {
    let error = outcome.as_ref().err();
    info!(
        model,
        attempt = attempts.failed(),
        status = error.and_then(|error| error.status),
        kind = error.map(|error| tracing::field::debug(error.kind)),
        wait_ms = wait.as_millis() as u64,
        "an attempt failed and will be repeated"
    );
}

fn report_end<A>(model: &str, attempts: &Attempts, outcome: &Result<A, Error>, why: GiveUp) {
    let error = outcome.as_ref().err();
    warn!(
        model,
        attempts = attempts.failed(),
        status = error.and_then(|error| error.status),
        kind = error.map(|error| tracing::field::debug(error.kind)),
        reason = %why,
        "an inference failed"
    );
}

/// What happened to an answer that is not whole.
fn broken(answer: &impl Answered) -> &str {
    answer.broke_off().unwrap_or("the answer broke off")
}

/// How many attempts that may have cost money a failed one counts as.
fn cost(outcome: &Result<impl Answered, Error>) -> u32 {
    match outcome {
        Ok(answer) => answer.charged_attempts() + 1,
        Err(error) => error.charged_attempts,
    }
}

/// What the last attempt came to, with what those before it may have cost.
fn ended<A: Answered>(outcome: Result<A, Error>, before: u32) -> Result<A, Error> {
    match outcome {
        Ok(mut answer) => {
            answer.charge_attempts(before);
            Ok(answer)
        }
        Err(mut error) => {
            error.charged_attempts += before;
            Err(error)
        }
    }
}

/// Adds to the error that retries ended with how many there were, and why there is no other.
fn explained(mut error: Error, why: GiveUp, attempts: &Attempts, clock: &dyn Clock) -> Error {
    let failed = attempts.failed();
    match why {
        GiveUp::Permanent => {}
        GiveUp::TooLong(_) => error.message.push_str(&format!(" ({why})")),
        _ if failed == 1 => {}
        _ => {
            // Whole seconds are precise enough for a message.
            let lasted = attempts.lasted(clock.now().mono).as_secs();
            error.message.push_str(&format!(" ({failed} attempts in {lasted} s: {why})"));
        }
    }
    error
}

/// The receiver of an inference's deltas, and whether it got any of the last attempt.
struct Listener<'d> {
    deltas: Option<&'d mut dyn Deltas>,
    shown: bool,
}

impl Deltas for Listener<'_> {
    fn streams(&self) -> bool {
        self.deltas.as_ref().is_some_and(|deltas| deltas.streams())
    }

    fn delta(&mut self, delta: Delta<'_>) -> ControlFlow<()> {
        self.shown = true;
        match &mut self.deltas {
            Some(deltas) => deltas.delta(delta),
            None => ControlFlow::Continue(()),
        }
    }

    fn retrying(&mut self, retry: Retry<'_>) -> ControlFlow<()> {
        match &mut self.deltas {
            Some(deltas) => deltas.retrying(retry),
            None => ControlFlow::Continue(()),
        }
    }

    fn continuing(&mut self) -> ControlFlow<()> {
        self.deltas.as_mut().map_or(ControlFlow::Continue(()), |deltas| deltas.continuing())
    }
}
