use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;

use super::Name;

#[test]
fn each_path_comes_back() {
    for round in 0..2_000 {
        let bytes = (0..round % 40).map(|_| fastrand::u8(1..)).collect();
        let name = Name(OsString::from_vec(bytes).into());
        let text = serde_json::to_string(&name).unwrap();
        assert!(text.chars().all(|c| !c.is_control()), "{text}");
        assert_eq!(serde_json::from_str::<Name>(&text).unwrap(), name);
    }
    for wrong in ["\"%\"", "\"%4\"", "\"%zz\"", "\"a%é\""] {
        assert!(serde_json::from_str::<Name>(wrong).is_err(), "{wrong}");
    }
}
