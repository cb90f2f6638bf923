//! What is kept of output, and of an environment.

use super::Environment;
use super::output::Output;
use crate::process::Sink as _;

fn shown(limit: usize, bytes: &[u8], chunk: usize) -> String {
    let mut output = Output::new(limit);
    for part in bytes.chunks(chunk) {
        output.push(part);
    }
    output.into_text()
}

#[test]
fn short_output_is_whole_at_every_split() {
    let text = "grüße, 世界 🦀\n";
    for chunk in 1..=text.len() {
        assert_eq!(shown(100, text.as_bytes(), chunk), text);
        assert_eq!(shown(text.len() + 1, text.as_bytes(), chunk), text);
    }
}

#[test]
fn long_output_keeps_head_and_tail_and_counts_the_rest() {
    for chunk in [1, 3, 7, 64, 1_000] {
        let bytes = [b"HEAD".as_slice(), &[b'x'; 992], b"TAIL"].concat();
        let text = shown(100, &bytes, chunk);
        assert!(text.starts_with("HEADxxxx") && text.ends_with("xxxxTAIL"), "{text}");
        assert!(text.contains("900 of 1000 bytes left out"), "{text}");
    }
}

#[test]
fn the_cut_never_goes_through_a_character() {
    let text = "🦀".repeat(100);
    for limit in 8..40 {
        let shown = shown(limit, text.as_bytes(), 5);
        assert!(!shown.contains('\u{fffd}'), "limit {limit}: {shown}");
        let crabs = shown.matches('🦀').count();
        let left_out = text.len() - crabs * 4;
        assert!(shown.contains(&format!("{left_out} of 400")), "limit {limit}: {shown}");
    }
}

#[test]
fn broken_bytes_are_replaced_and_kept_apart_from_the_cut() {
    assert_eq!(shown(100, b"a\xffb\0c", 1), "a\u{fffd}b\u{fffd}c");
    let stray = shown(10, &[0x80; 100], 7);
    assert!(stray.contains("bytes left out"), "{stray}");
    assert_eq!(shown(0, b"abc", 1).lines().count(), 2);
}

#[test]
fn only_names_known_to_hold_no_secret_pass() {
    let given = [
        ("PATH", "/bin"),
        ("LC_ALL", "C"),
        ("OPENAI_API_KEY", "secret"),
        ("AWS_SECRET_ACCESS_KEY", "s"),
        ("LD_PRELOAD", "x.so"),
        ("BASH_ENV", "x.sh"),
        ("BASH_FUNC_ls%%", "() { :; }"),
        ("PATHS", "x"),
    ];
    let kept = Environment::filtered(given).with("EXTRA", "1");
    let names: Vec<_> = kept.iter().map(|(name, _)| name.to_str().expect("ASCII")).collect();
    assert_eq!(names, ["EXTRA", "LC_ALL", "PATH"]);
}

#[test]
fn programs_are_looked_for_in_absolute_places_only() {
    assert!(Environment::default().with("PATH", "/nowhere:/bin:/usr/bin").program("sh").is_some());
    assert!(Environment::default().with("PATH", "bin:.:").program("sh").is_none());
    assert!(Environment::default().program("sh").is_none());
}
