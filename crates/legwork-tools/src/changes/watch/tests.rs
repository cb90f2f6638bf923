//! When a file that looks the same is read again.

use super::{Identity, Known, TICK};
use crate::changes::Kind;
use std::time::Duration;

#[test]
fn what_was_changed_just_before_a_look_is_read_again() {
    let identity = Identity { inode: 1, bytes: 2, modified: (3, 4), changed: (3, 4) };
    let known = |fresh| Known { kind: Kind::File, mode: 0o644, identity, fresh, content: None };
    assert!(known(false).holds(identity));
    // A clock that ticks slowly gives two versions one time.
    assert!(!known(true).holds(identity));
    assert!(!known(false).holds(Identity { inode: 9, ..identity }));
    assert!(!known(false).holds(Identity { changed: (3, 5), ..identity }));
    assert_eq!(identity.changed_at(), Duration::new(3, 4));
    assert!(TICK >= Duration::from_millis(10), "longer than a tick of HZ=100");
}
