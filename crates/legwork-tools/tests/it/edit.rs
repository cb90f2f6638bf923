//! Edits of real files: which bytes change, and which files are left alone.

use std::ffi::OsStr;
use std::fs::{Permissions, create_dir, hard_link, metadata, set_permissions, symlink_metadata};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use legwork_port::Tool as _;
use legwork_port::core::EffectClass;
use legwork_port::core::tool::OnDoubt;
use legwork_tools::{Edit, Workspace};

use crate::fixture::{Fixture, ok, refused};
use crate::write::{mode, pipe};

#[tokio::test]
async fn edits_are_made_in_order_and_shown() {
    let place = Fixture::new();
    place.write("a", "one\ntwo\nthree\n");
    set_permissions(place.path("a"), Permissions::from_mode(0o750)).expect("set");
    let text = ok!(place.edit(), { "path": "a", "edits": [
        { "old": "two", "new": "2" },
        { "old": "2\n", "new": "2\n2\n" },
        { "old": "e", "new": "E", "replace_all": true },
    ]});
    assert_eq!(
        text,
        "edited a: 5 places replaced\n--- a\n+++ a\n@@ -1,3 +1,4 @@\n-one\n-two\n-three\n+onE\n+2\n+2\n+thrEE\n"
    );
    assert_eq!(place.bytes("a"), b"onE\n2\n2\nthrEE\n");
    assert_eq!(mode(&place, "a"), 0o750);
    assert_eq!(place.names(), ["a"]);
}

#[tokio::test]
async fn all_or_nothing() {
    let place = Fixture::new();
    place.write("a", "one\ntwo\n");
    let inode = metadata(place.path("a")).expect("there").ino();
    let text = refused!(place.edit(), { "path": "a", "edits": [
        { "old": "one", "new": "1" }, { "old": "three", "new": "3" },
    ]});
    assert!(text.starts_with("edit 2 of 2 does not fit a: `old` was found 0 times; "), "{text}");
    assert!(text.ends_with("; nothing was changed"), "{text}");
    assert_eq!(place.bytes("a"), b"one\ntwo\n");
    let text = ok!(place.edit(), { "path": "a", "edits": [
        { "old": "one", "new": "1" }, { "old": "1", "new": "one" },
    ]});
    assert_eq!(text, "the edits undo one another: a stays as it is");
    assert_eq!(metadata(place.path("a")).expect("there").ino(), inode);
}

#[tokio::test]
async fn what_does_not_fit_says_why() {
    let place = Fixture::new();
    place.write("a", "x = 1\nx = 1\n  y = 2\n").write("empty", "");
    for (old, new, why) in [
        ("x = 1", "z", "found 2 times, in lines 1, 2; add lines around it"),
        ("", "z", "`old` is empty"),
        ("x", "x", "are the same"),
        ("y =  2", "z", "only white space differs from lines 3 to 3, which are exactly:\n  y = 2"),
        ("y = 3", "z", "the nearest is line 3"),
    ] {
        let text = refused!(place.edit(), { "path": "a", "edits": [{ "old": old, "new": new }] });
        assert!(text.contains(why), "{old}: {text}");
    }
    let text = refused!(place.edit(), { "path": "empty", "edits": [{ "old": "a", "new": "b" }] });
    assert!(text.contains("the file is empty; use `write`"), "{text}");
    let text = refused!(place.edit(), { "path": "a", "edits": [] });
    assert!(text.contains("`edits` is empty"), "{text}");
}

#[tokio::test]
async fn bytes_that_are_not_touched_stay() {
    let place = Fixture::new();
    place.write("crlf", b"\xef\xbb\xbfone\r\ntwo\r\n\xff\xfe\r\nend");
    let text = ok!(place.edit(), { "path": "crlf", "edits": [
        { "old": "one\ntwo\n", "new": "1\n2\n3\n" }
    ]});
    assert_eq!(place.bytes("crlf"), b"\xef\xbb\xbf1\r\n2\r\n3\r\n\xff\xfe\r\nend");
    assert!(!text.contains('\r'), "{text:?}");
    place.write("latin", b"caf\xe9 one");
    ok!(place.edit(), { "path": "latin", "edits": [{ "old": "one", "new": "two" }] });
    assert_eq!(place.bytes("latin"), b"caf\xe9 two");
}

#[tokio::test]
async fn a_second_run_of_an_addition_would_add_twice() {
    let place = Fixture::new();
    place.write("a", "one\n");
    for _ in 0..2 {
        ok!(place.edit(), { "path": "a", "edits": [{ "old": "one\n", "new": "one\nmore\n" }] });
    }
    assert_eq!(place.bytes("a"), b"one\nmore\nmore\n");
    // Which is why a call in doubt is not run again.
    let spec = place.edit().spec();
    assert_eq!(spec.effect, EffectClass::Once(OnDoubt::Tell));
    assert_eq!(spec.resource.as_deref(), Some("path"));
}

#[tokio::test]
async fn a_file_that_is_not_text_is_refused() {
    let place = Fixture::new();
    pipe(&place, "pipe");
    create_dir(place.path("dir")).expect("made");
    symlink("/etc/passwd", place.path("away")).expect("linked");
    place.write("nul", b"a\0b").write("utf16", b"\xff\xfea\0");
    place.write("big", vec![b'a'; 10_000_001]).write("largest", vec![b'b'; 9_999_999]);
    for (asked, why) in [
        ("pipe", "a named pipe"),
        ("dir", "dir is a directory, not a file"),
        ("away", "outside the workspace"),
        ("../x", "outside the workspace"),
        ("nul", "it holds NUL bytes"),
        ("utf16", "it looks like UTF-16"),
        ("big", "big has 10000001 bytes"),
        ("none", "there is no file none"),
        ("none/deep", "there is no file none/deep"),
        ("nul/x", "nul is not a directory"),
    ] {
        let text = refused!(place.edit(), { "path": asked, "edits": [{ "old": "a", "new": "b" }] });
        assert!(text.contains(why), "{asked}: {text}");
    }
    let missing = [("b", "bb", "more than 100 times"), ("a", "c", "nothing there is like it")];
    for (old, new, why) in missing {
        let edits = serde_json::json!([{ "old": old, "new": new }]);
        let text = refused!(place.edit(), { "path": "largest", "edits": edits });
        assert!(text.contains(why), "{text}");
    }
}

#[tokio::test]
async fn a_symlink_inside_is_kept_and_its_target_edited() {
    let place = Fixture::new();
    create_dir(place.path("sub")).expect("made");
    let odd = OsStr::from_bytes(b"sub/not-\xff-utf8");
    std::fs::write(place.path("sub").parent().expect("above").join(odd), "one").expect("written");
    symlink(odd, place.path("link")).expect("linked");
    symlink("link", place.path("twice")).expect("linked");
    ok!(place.edit(), { "path": "twice", "edits": [{ "old": "one", "new": "two" }] });
    assert_eq!(place.bytes("link"), b"two");
    for link in ["link", "twice"] {
        assert!(symlink_metadata(place.path(link)).expect("there").is_symlink());
    }
    let text = refused!(place.edit(), { "path": "sub/x", "edits": [{ "old": "a", "new": "b" }] });
    assert_eq!(text, "there is no file sub/x; sub holds not-\u{fffd}-utf8");
}

#[tokio::test]
async fn what_shall_not_be_changed_is_not() {
    let place = Fixture::new();
    place.write("readonly", "a").write("two", "a");
    set_permissions(place.path("readonly"), Permissions::from_mode(0o444)).expect("set");
    hard_link(place.path("two"), place.path("names")).expect("linked");
    for (asked, why) in [("readonly", "chmod u+w"), ("two", "the file has 2 names")] {
        let text = refused!(place.edit(), { "path": asked, "edits": [{ "old": "a", "new": "b" }] });
        assert!(text.contains(why), "{text}");
        assert_eq!(place.bytes(asked), b"a");
    }
    assert_eq!(place.names(), ["names", "readonly", "two"]);
}

#[tokio::test]
async fn a_forbidden_file_says_so() {
    let place = Fixture::new();
    create_dir(place.path("dir")).expect("made");
    place.write("locked", "a").write("dir/a", "a");
    set_permissions(place.path("locked"), Permissions::from_mode(0o200)).expect("set");
    set_permissions(place.path("dir"), Permissions::from_mode(0o555)).expect("set");
    if std::fs::File::open(place.path("locked")).is_ok() {
        println!("skipped: this user may read and write everything");
        return;
    }
    for asked in ["locked", "dir/a"] {
        let text = refused!(place.edit(), { "path": asked, "edits": [{ "old": "a", "new": "b" }] });
        assert!(text.contains("no permission to"), "{text}");
    }
}

#[tokio::test]
async fn a_file_of_the_kernel_is_refused() {
    let Ok(workspace) = Workspace::open("/sys/fs/cgroup") else {
        println!("skipped: there is no cgroup file system");
        return;
    };
    let edit = Edit::new(workspace);
    let edits = serde_json::json!([{ "old": "a", "new": "b" }]);
    let text = refused!(edit, { "path": "cgroup.procs", "edits": edits });
    assert!(text.contains("window into the kernel") || text.contains("no file"), "{text}");
}

/// A list that lets one more user write, and the group nothing: its entries
/// are a tag, permissions and an id (`linux/posix_acl_xattr.h`).
fn access_list() -> Vec<u8> {
    let entries: [(u16, u16, u32); 5] =
        [(1, 6, !0), (2, 6, 1234), (4, 0, !0), (0x10, 6, !0), (0x20, 0, !0)];
    let entry = |(tag, permissions, id): (u16, u16, u32)| {
        [&tag.to_le_bytes()[..], &permissions.to_le_bytes(), &id.to_le_bytes()].concat()
    };
    [2_u32.to_le_bytes().to_vec(), entries.map(entry).concat()].concat()
}

#[tokio::test]
async fn access_lists_and_attributes_stay() {
    let place = Fixture::new();
    place.write("a", "one").write("plain", "one");
    let attributes =
        [("user.legwork", b"kept".to_vec()), ("system.posix_acl_access", access_list())];
    let set = |name: &str, attribute: &str, value: &[u8]| {
        let flags = rustix::fs::XattrFlags::empty();
        rustix::fs::setxattr(place.path(name), attribute, value, flags)
    };
    let get = |name: &str, attribute: &str| {
        let mut value = vec![0; 1_000];
        let length = rustix::fs::getxattr(place.path(name), attribute, value.as_mut_slice())?;
        value.truncate(length);
        Ok::<_, rustix::io::Errno>(value)
    };
    for (name, value) in &attributes {
        if set("a", name, value).is_err() {
            println!("skipped: the file system knows no {name}");
            return;
        }
    }
    // New files of the directory get a list, which the old file does not have.
    set("", "system.posix_acl_default", &access_list()).expect("set");
    let before = (mode(&place, "a"), mode(&place, "plain"));
    for name in ["a", "plain"] {
        ok!(place.edit(), { "path": name, "edits": [{ "old": "one", "new": "two" }] });
    }
    for (name, value) in attributes {
        assert_eq!(get("a", name), Ok(value), "{name}");
    }
    assert_eq!(get("plain", "system.posix_acl_access"), Err(rustix::io::Errno::NODATA));
    assert_eq!((mode(&place, "a"), mode(&place, "plain")), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn edits_of_one_file_at_once_lose_nothing_silently() {
    let place = Fixture::new();
    let names: Vec<String> = (0..20).map(|n| format!("<{n}>")).collect();
    place.write("a", names.join("\n"));
    let calls = names.iter().enumerate().map(|(n, name)| {
        // Each with another spelling, so that nothing before the tool keeps them apart.
        let (edit, path, old) = (place.edit(), "./".repeat(n) + "a", name.clone());
        tokio::spawn(async move {
            let new = format!("done {old}");
            let edits = serde_json::json!({ "path": path, "edits": [{ "old": old, "new": new }] });
            crate::fixture::call(&edit, &edits).await.is_ok()
        })
    });
    let calls: Vec<_> = calls.collect();
    let mut made = Vec::new();
    for call in calls {
        made.push(call.await.expect("ran"));
    }
    let text = String::from_utf8(place.bytes("a")).expect("UTF-8");
    let there: Vec<bool> = text.lines().map(|line| line.starts_with("done ")).collect();
    assert_eq!(there, made, "what succeeded is there, and nothing else");
    assert!(made.contains(&true));
    assert_eq!(place.names(), ["a"]);
}
