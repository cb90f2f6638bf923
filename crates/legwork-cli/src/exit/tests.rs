//! The table of statuses and exit codes.

use super::{ExecutionStatus, Exit};

#[test]
fn each_status_has_its_exit_code() {
    let table = [
        ("completed", 0),
        ("failed", 1),
        ("stopped", 3),
        ("awaiting_approval", 4),
        ("awaiting_input", 4),
        ("in_progress", 130),
        ("cancelled", 130),
    ];
    for (status, code) in table {
        assert_eq!(Exit::from(&ExecutionStatus::from(status)) as u8, code, "{status}");
    }
}
