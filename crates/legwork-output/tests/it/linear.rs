//! What a value costs that is asked for after each small piece.

use std::time::{Duration, Instant};

use legwork_output::Output;
use legwork_output::output::Items;
use legwork_output::partial::Parser;

const SMALL: usize = 100_000;

/// What ten times the text may cost: where the cost is quadratic it is a hundred times.
const MOST: f64 = 16.0;

/// The time of the processor that this thread used, so that others do not count; where the
/// system does not tell it, the time that passed.
fn used() -> Duration {
    static BEGAN: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = told.and_then(|told| told.split(' ').next()?.parse().ok());
    nanos.map_or_else(|| BEGAN.elapsed(), Duration::from_nanos)
}

/// Asks for a value after each piece of this many bytes.
fn cost(text: &str, piece: usize) -> Duration {
    let began = used();
    let mut parser = Parser::strict();
    for piece in text.as_bytes().chunks(piece) {
        parser.push(piece).unwrap();
        std::hint::black_box(parser.value());
    }
    parser.finish().unwrap();
    used() - began
}

/// The least of a few, because others use the caches too.
fn least(text: &str, piece: usize) -> Duration {
    (0..3).map(|_| cost(text, piece)).min().unwrap_or_default()
}

/// Checks that ten times the text costs about ten times as much.
fn check(name: &str, piece: usize, make: impl Fn(usize) -> String) {
    let (small, large) = (make(SMALL), make(10 * SMALL));
    compare(name, || least(&small, piece), || least(&large, piece));
}

/// Compares the costs of a small and a large text.
fn compare(name: &str, small: impl Fn() -> Duration, large: impl Fn() -> Duration) {
    let mut factor = f64::MAX;
    for _ in 0..4 {
        let (small, large) = (small(), large());
        factor = factor.min(large.as_secs_f64() / small.as_secs_f64());
        println!("{name}: {small:?} for 100 KB, {large:?} for 1 MB: {factor:.1} times");
        if factor <= MOST {
            return;
        }
    }
    panic!("{name}: ten times the text costs {factor:.1} times as much");
}

fn repeated(open: &str, item: &str, close: &str, bytes: usize) -> String {
    let count = bytes / (item.len() + 1);
    format!("{open}{}{close}", vec![item; count].join(","))
}

#[test]
fn many_items_cost_what_they_add() {
    let item = r#"{"name":"Ann","tags":["a","b"],"age":41}"#;
    check("items", 8, |bytes| repeated(r#"{"items":["#, item, "]}", bytes));
}

#[test]
fn a_long_text_costs_what_it_adds() {
    check("text", 8, |bytes| format!("{{\"text\":\"{}\"}}", "word \\n é ".repeat(bytes / 11)));
}

#[test]
fn many_keys_cost_what_they_add() {
    check("keys", 8, |bytes| repeated("{", r#""key":"value""#, "}", bytes));
}

#[test]
fn deep_values_cost_what_they_add() {
    let (open, close) = ("[1,".repeat(100), "]".repeat(100));
    check("deep", 128, |bytes| repeated(&open, "[2]", &close, bytes));
}

#[test]
fn numbers_and_white_space_cost_what_they_add() {
    check("digits", 2, |bytes| format!("[0.{}]", "1".repeat(bytes)));
    check("space", 2, |bytes| format!("[{}]", " ".repeat(bytes)));
}

#[test]
fn items_that_are_handed_out_cost_what_they_add() {
    let item = r#"{"name":"Ann","tags":["a","b"],"age":41}"#;
    let cost = |bytes: usize| {
        let text = repeated(r#"Here: {"items":["#, item, "]} Bye.", bytes);
        let schema = serde_json::json!({"type": "object", "required": ["name"]});
        let mut items = Items::of(Output::dynamic(schema).unwrap());
        let began = used();
        for piece in text.as_bytes().chunks(8) {
            let piece = std::str::from_utf8(piece).unwrap();
            assert!(items.push(piece).all(|item| item.is_ok()));
        }
        assert_eq!(items.handed_out(), bytes / (item.len() + 1));
        used() - began
    };
    compare("handed out", || cost(SMALL), || cost(10 * SMALL));
}
