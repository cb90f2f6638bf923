use super::{Owners, name, user};

#[test]
fn who_became_root_by_sudo_is_known_to_root_alone() {
    assert!(Owners::known(0, Some("1000")).has(1000));
    assert!(!Owners::known(1001, Some("1000")).has(1000));
    assert!(!Owners::known(1000, Some("0")).has(0));
    for wrong in ["", "-1", "+1000", "1000x", "99999999999"] {
        assert_eq!(Owners::known(0, Some(wrong)), Owners::known(0, None), "{wrong}");
    }
    assert!(Owners::known(7, None).with([8]).has(8));
}

#[test]
fn users_have_names_and_numbers() {
    assert_eq!((name(0).as_str(), user("root"), user("4711")), ("root", Ok(0), Ok(4711)));
    assert_eq!(name(3_999_999_999), "user 3999999999");
    assert!(user("no such user").is_err());
}
