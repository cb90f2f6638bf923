//! What holds of every state.

use std::collections::BTreeSet;

use legwork_core::budget::Amounts;
use legwork_core::{AgentState, Owed};

use super::request::paired;
use super::{Checked, hold};

const TRANSCRIPT: &str = "a transcript is well formed (S11.1)";
const STATUS: &str = "the status says what the execution owes (S3.8, S3.9)";
const STEPS: &str = "steps are numbered without a gap (S1.5)";
const LEDGER: &str = "a ledger adds up (S5.3)";
const ENTRIES: &str = "uncommitted entries follow the committed (S1.3)";
const SERDE: &str = "a state survives serialisation (S1.7)";

/// Whether a state is one that events can lead to: its transcript pairs calls and results,
/// its status fits what is owed, its steps and entries are numbered, its ledger adds up, and
/// serialising it loses nothing.
///
/// # Errors
/// The first thing that does not hold.
pub fn of_state(state: &AgentState) -> Checked {
    transcript(state)?;
    status(state)?;
    steps(state)?;
    ledger(state)?;
    entries(state)?;
    let json = serde_json::to_string(state);
    let again = json.and_then(|json| serde_json::from_str::<AgentState>(&json));
    match again {
        Ok(again) => hold!(SERDE, again == *state, "it reads back as another state"),
        Err(error) => hold!(SERDE, false, "{error}"),
    }
    Ok(())
}

fn transcript(state: &AgentState) -> Checked {
    let transcript = &state.context().transcript;
    let open = paired(TRANSCRIPT, transcript.messages().iter())?;
    let counted = transcript.open_calls();
    hold!(TRANSCRIPT, open == counted, "{open} calls are open, and it says {counted}");
    let weight: u64 = transcript.messages().iter().map(|message| message.weight()).sum();
    let counted = transcript.weight();
    hold!(TRANSCRIPT, weight == counted, "its messages weigh {weight}, and it says {counted}");
    Ok(())
}

fn status(state: &AgentState) -> Checked {
    let Some(execution) = state.execution() else { return Ok(()) };
    let (status, owed) = (&execution.status, state.owed());
    let rests = owed == Owed::Nothing;
    hold!(STATUS, status.is_terminal() == rests, "it is {status} and owes {owed:?}");
    let ended = execution.current.is_none();
    hold!(STATUS, ended || !status.is_terminal(), "it is {status} with a step under way");
    let pending = &execution.pending;
    // The run itself asks the model.
    let none = pending.iter().all(|pending| pending.prompt().is_some());
    let waits = status.is_waiting();
    hold!(STATUS, waits != none, "it is {status}, and pending is {pending:?}");
    let mut seen = BTreeSet::new();
    for pending in pending.iter() {
        let slot = state.current_step().and_then(|step| step.calls.get(pending.index as usize));
        let open = slot.is_some_and(|slot| slot.execution().is_none());
        hold!(STATUS, open, "{} waits, and its call is not open", pending.id);
        hold!(STATUS, seen.insert(pending.index), "{} waits twice", pending.id);
    }
    Ok(())
}

fn steps(state: &AgentState) -> Checked {
    let ended = state.step_results().map(|result| result.step.number);
    let numbers: Vec<_> = ended.chain(state.current_step().map(|step| step.number)).collect();
    let expected = (1..).take(numbers.len());
    hold!(STEPS, numbers.iter().copied().eq(expected), "they are {numbers:?}");
    for result in state.step_results() {
        let number = result.step.number;
        hold!(STEPS, result.step.is_answered(), "step {number} ended with calls unanswered");
    }
    Ok(())
}

fn ledger(state: &AgentState) -> Checked {
    let ledger = state.ledger();
    let (spent, lifetime) = (dimensions(&ledger.spent), dimensions(&ledger.lifetime));
    let within = spent.iter().zip(&lifetime).all(|(spent, lifetime)| spent <= lifetime);
    hold!(LEDGER, within, "an execution used {spent:?}, the session only {lifetime:?}");
    let inferences = ledger.reserved.iter().filter(|held| held.call.is_none()).count();
    hold!(LEDGER, inferences <= 1, "it holds for {inferences} inferences at once");
    let rests = state.status().is_none_or(legwork_core::ExecutionStatus::is_terminal);
    let held = &ledger.reserved;
    hold!(LEDGER, !rests || held.is_empty(), "nothing is under way, and it holds {held:?}");
    Ok(())
}

fn dimensions(amounts: &Amounts) -> [u64; 7] {
    let Amounts { steps, tool_calls, input, output, tokens, cost, active_time, .. } = *amounts;
    [steps, tool_calls, input, output, tokens, cost.0, active_time.0]
}

fn entries(state: &AgentState) -> Checked {
    let (version, committed) = (state.version(), state.committed_version());
    let numbers = state.uncommitted().iter().map(|entry| entry.seq.0);
    hold!(ENTRIES, numbers.eq(committed.0 + 1..=version.0), "{committed} to {version}");
    let head = state.head();
    hold!(ENTRIES, head <= version, "the head {head} is behind the last entry {version}");
    Ok(())
}
