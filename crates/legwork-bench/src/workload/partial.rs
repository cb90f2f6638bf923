//! PARTIAL: what an output costs that is read while it arrives, for a short and a long one.

use std::hint::black_box;

use legwork::output::partial::Parser;

use super::{Sample, check, sample};
use crate::{error::Error, measure, stats, subject::legwork::fail};

/// Bytes of the short and of the long output.
const SIZES: [usize; 2] = [100_000, 1_000_000];

/// Bytes of a piece: about two tokens.
const PIECE: usize = 8;

/// How often each is read, after one time that warms up.
const TIMES: usize = 15;

/// An item of the output.
const ITEM: &str = r#"{"name":"Ann","note":"two\nlines","tags":["a","b"],"age":41},"#;

/// Reads both outputs, and asks for the value after each piece.
pub(super) fn measure() -> Result<Sample, Error> {
    let texts = SIZES.map(|size| format!("[{}0]", ITEM.repeat(size / ITEM.len())));
    let mut times = SIZES.map(|_| Vec::new());
    for turn in 0..=TIMES {
        // Alternately, so that disturbances affect both.
        for (times, text) in times.iter_mut().zip(&texts) {
            let before = measure::cpu();
            let items = read(text)?;
            let took = (measure::cpu() - before).as_secs_f64() * 1e3;
            check("items of the output", text.len() / ITEM.len() + 1, items)?;
            if turn > 0 {
                times.push(took);
            }
        }
    }
    let [short, long] = times.map(|times| stats::median(&times).unwrap_or_default());
    Ok(sample([("cpu_ms_100_kb", short), ("cpu_ms_1_mb", long), ("cpu_growth", long / short)]))
}

/// Reads a text in pieces; returns how many items it has.
fn read(text: &str) -> Result<usize, Error> {
    let mut parser = Parser::strict();
    for piece in text.as_bytes().chunks(PIECE) {
        parser.push(piece).map_err(fail)?;
        black_box(parser.value());
    }
    let whole = parser.finish().map_err(fail)?;
    Ok(whole.as_array().map_or(0, |items| items.len()))
}
