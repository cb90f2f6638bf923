//! One input fed to one target: whether it holds, how long it takes and how much memory.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::inputs::Inputs;
use crate::memory;
use crate::targets::Target;

/// Characters that are shown of an input, and of what is wrong with it.
const SHOWN: usize = 2_000;

/// What the first panic of any thread said, and where.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// An input that holds.
#[derive(Debug)]
pub(crate) struct Fed {
    /// The processor's time, of all threads.
    pub(crate) time: Duration,
    /// The most bytes that were held at once.
    pub(crate) bytes: usize,
    /// Whether it was taken, and not refused.
    pub(crate) taken: bool,
}

/// Keeps what panics say, instead of showing it.
pub(crate) fn keep_panics() {
    panic::set_hook(Box::new(|panic| {
        if let Ok(mut kept) = PANIC.lock() {
            kept.get_or_insert_with(|| panic.to_string());
        }
    }));
}

/// Feeds the input of a seed.
///
/// # Errors
/// What does not hold, with the input.
pub(crate) fn feed(target: &Target, inputs: &Inputs, seed: u64) -> Result<Fed, String> {
    let mut random = fastrand::Rng::with_seed(seed);
    let input = inputs.next(&mut random);
    let (since, began) = (memory::Since::now(), used());
    let run = panic::catch_unwind(AssertUnwindSafe(|| (target.run)(&input, &mut random)));
    let (time, bytes) = (used().saturating_sub(began), since.most());
    // A panic of a thread may have been taken for an answer.
    let panic = PANIC.lock().ok().and_then(|mut kept| kept.take());
    let problem = match (run, panic) {
        (Ok(taken), None) if bytes <= target.memory => return Ok(Fed { time, bytes, taken }),
        (Ok(_), None) => format!("{bytes} bytes of memory, {} are allowed", target.memory),
        (_, panic) => panic.unwrap_or_else(|| "a panic".to_owned()),
    };
    let problem: String = problem.chars().take(SHOWN).collect();
    let shown: String = String::from_utf8_lossy(&input).chars().take(SHOWN).collect();
    Err(format!("{}: {problem}\n{} bytes: {shown:?}", target.name, input.len()))
}

/// The processor's time that this process used.
fn used() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
}
