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
    let counted: Vec<_> = Workload::ALL.iter().filter(|one| is_counted(**one)).collect();
    assert_eq!(counted, [&Workload::W1, &Workload::W1h, &Workload::W2, &Workload::W5]);
    for workload in counted {
        let (few, more) = extent(*workload).unwrap().executions;
        assert!(few > 0 && more > few, "{workload:?}");
    }
    assert_eq!(COUNTERS.map(|counter| counter.name), ["instructions", "syscalls"]);
}
