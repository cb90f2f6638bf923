use std::io::Write;

use super::Syncs;

#[test]
fn syncs_of_the_standard_library_are_counted() {
    let mut file = tempfile::tempfile().unwrap();
    let before = Syncs::so_far();
    file.write_all(b"x").unwrap();
    file.sync_data().unwrap();
    file.sync_all().unwrap();
    let found = Syncs::since(before);
    // Another test of this process may sync at the same time.
    assert!(found.count >= 2);
    assert!(!found.time.is_zero());
}

#[test]
fn a_failed_sync_keeps_its_error() {
    let (reader, _writer) = std::io::pipe().unwrap();
    let file = std::fs::File::from(std::os::fd::OwnedFd::from(reader));
    let error = file.sync_data().unwrap_err();
    assert_eq!(error.raw_os_error(), Some(libc::EINVAL));
}
