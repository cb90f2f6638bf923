//! Lines of `/proc/PID/stat`, with names that try to mislead.

use super::Stat;

const REST: &str = "1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 5 3000 777 18446744073709551615 1 1";

fn check(start: &str, process: i32, parent: i32, dead: bool) {
    let stat = Stat::of(format!("{start} {REST}\n").as_bytes()).expect("a line");
    assert_eq!((stat.process, stat.parent, stat.dead), (process, parent, dead), "{start}");
    assert_eq!(stat.pages, 777, "{start}");
}

#[test]
fn names_do_not_mislead() {
    check("12 (bash) S 7", 12, 7, false);
    check("12 (a) R 1 (b) Z 7", 12, 7, true);
    check("12 (() S 9) S 7", 12, 7, false);
    assert!(Stat::of(b"").is_none() && Stat::of(b"12 (bash").is_none());
}

#[test]
fn this_process_is_read() {
    let line = std::fs::read("/proc/self/stat").expect("read");
    let stat = Stat::of(&line).expect("a line");
    assert_eq!(u32::try_from(stat.process), Ok(std::process::id()));
    assert!(stat.pages > 0 && !stat.dead);
}
