use super::{COUNTERS, extent, instructions, is_counted, syscalls};
use crate::workload::Workload;

#[test]
fn what_callgrind_wrote_is_read() {
    let text = "version: 1\ncreator: callgrind-3.19.0\nevents: Ir\nsummary: 253443408\n";
    assert_eq!(instructions(text), Some(253_443_408.0));
    assert_eq!(instructions("version: 1\n"), None);
}

#[test]
fn what_strace_wrote_is_read_with_and_without_errors() {
    let table = "\
% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ------------------
 99.00    0.213631          16     13000           writev
  1.00    0.000001           1       148         2 connect
------ ----------- ----------- --------- --------- ------------------
100.00    0.213632          16     13148         2 total
";
    assert_eq!(syscalls(table), Some(13_148.0));
    assert_eq!(syscalls(&table.replace("         2 total", "           total")), Some(13_148.0));
    assert_eq!(syscalls("nothing"), None);
}

#[test]
fn a_difference_can_be_taken_of_each_counted_workload() {
    let counted = Workload::ALL.iter().filter(|one| extent(**one).is_some());
    let counted: Vec<_> = counted.collect();
    assert!(is_counted(Workload::W2Late) && !is_counted(Workload::W3));
    let names: Vec<_> = counted.iter().map(|workload| workload.name()).collect();
    let expected = [
        "W1",
        "W1H",
        "W2",
        "W2-RESPONSES",
        "W2-MESSAGES",
        "W2-GEMINI",
        "W2-BEDROCK",
        "W5",
        "W5-RESPONSES",
        "W5-MESSAGES",
        "W5-GEMINI",
        "W5-BEDROCK",
        "HANDOFF",
    ];
    assert_eq!(names, expected);
    for workload in counted {
        let (few, more) = extent(*workload).unwrap().executions;
        assert!(few > 0 && more > few, "{workload:?}");
    }
    assert_eq!(COUNTERS.map(|counter| counter.name), ["instructions", "syscalls"]);
}
