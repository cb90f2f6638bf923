//! Where a task comes from: words, a file, a pipe, pictures.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use legwork_testkit::{Server, Turn};
use serde_json::json;

use crate::home::{Home, fed, ran};

fn server() -> Server {
    Server::start([Turn::text("ok")]).unwrap()
}

#[test]
fn a_task_comes_from_a_file() {
    let (home, server) = (Home::new(), server());
    fs::write(home.work().join("task.md"), "Say ok.\nSoon.\n").unwrap();
    home.ran_with(&server, &["run", "@task.md"]).ends(0);
    home.ran_with(&server, &["run", "@@task.md"]).ends(0);
    let asked: Vec<_> = server.requests().iter().map(|r| r.asked.last().to_owned()).collect();
    assert_eq!(asked, ["Say ok.\nSoon.\n", "@task.md"]);
}

#[test]
fn what_is_no_task_is_refused_before_anything_is_asked() {
    let (home, server) = (Home::new(), server());
    home.pipe("pipe");
    fs::create_dir(home.work().join("folder")).unwrap();
    fs::write(home.work().join("latin"), b"caf\xe9").unwrap();
    fs::write(home.work().join("empty"), "").unwrap();
    let large = fs::File::create(home.work().join("large")).unwrap();
    large.set_len(17 << 20).unwrap();
    let table = [
        ("@missing", "cannot read missing: No such file"),
        ("@pipe", "pipe is not a regular file"),
        ("@folder", "folder is a directory"),
        ("@latin", "latin is not UTF-8"),
        ("@empty", "empty is empty"),
        ("@large", "large holds more than 16 MiB"),
        ("  ", "the task is empty"),
    ];
    for (task, words) in table {
        home.ran_with(&server, &["run", task]).ends(2).says(words).says("hint: ");
    }
    let words = home.ran_with(&server, &["run", "fix", "the", "tests"]).ends(2);
    words.says("the task is one argument, and there are 3").says("legwork run 'fix the tests'");
    let both = home.ran_with(&server, &["run", "-q", "-v", "x"]).ends(2);
    both.says("cannot be used with");
    assert_eq!(server.requests().len(), 0);
    assert!(!home.store().exists());
}

#[test]
fn what_is_piped_in_beside_a_task_belongs_to_it() {
    let (home, server) = (Home::new(), server());
    fed(home.with(&server, &["run", "Review"]), b"+new\n").ends(0);
    fed(home.with(&server, &["run", "Review"]), b"").ends(0);
    let bad = fed(home.with(&server, &["run", "Review"]), b"\xff");
    bad.ends(2).says("standard input is not UTF-8");
    let asked: Vec<_> = server.requests().iter().map(|r| r.asked.last().to_owned()).collect();
    assert_eq!(asked, ["Review\n\n<stdin>\n+new\n</stdin>", "Review"]);
}

#[test]
fn a_pipe_that_nobody_closes_is_told_about() {
    let (home, server) = (Home::new(), server());
    let mut command = home.with(&server, &["run", "Review"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut said = [0; 22];
    std::io::Read::read_exact(child.stderr.as_mut().unwrap(), &mut said).unwrap();
    assert_eq!(&said, b"reading standard input");
    child.stdin.take().unwrap().write_all(b"at last").unwrap();
    assert_eq!(child.wait_with_output().unwrap().stdout, b"ok\n");
    assert!(server.requests()[0].asked.last().contains("at last"));
}

#[test]
fn pictures_are_sent_with_the_task() {
    let (home, server) = (Home::new(), server());
    fs::write(home.work().join("a.txt"), b"\x89PNG\r\n\x1a\nrest").unwrap();
    fs::write(home.work().join("b"), b"\xff\xd8\xff\xe0").unwrap();
    home.ran_with(&server, &["run", "--image", "a.txt", "--image", "b", "What is it?"]).ends(0);
    let messages = server.requests()[0].body["messages"].clone();
    let content = &messages.as_array().unwrap().last().unwrap()["content"];
    let url = |data: &str| json!({"type": "image_url", "image_url": {"url": data}});
    let wanted = json!([
        {"type": "text", "text": "What is it?"},
        url("data:image/png;base64,iVBORw0KGgpyZXN0"),
        url("data:image/jpeg;base64,/9j/4A=="),
    ]);
    assert_eq!(*content, wanted);
}

#[test]
fn what_is_no_picture_is_refused() {
    let (home, server) = (Home::new(), server());
    fs::write(home.work().join("x.png"), "<svg/>").unwrap();
    let large = fs::File::create(home.work().join("large.png")).unwrap();
    large.set_len(21 << 20).unwrap();
    let refused = |path: &str| home.ran_with(&server, &["run", "--image", path, "x"]).ends(2);
    refused("x.png").says("x.png is not a PNG, JPEG, GIF or WebP picture");
    refused("large.png").says("large.png is larger than 20 MiB");
    refused("missing.png").says("cannot read missing.png");
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn quiet_is_the_answer_only_and_colours_can_be_asked_for() {
    let home = Home::new();
    let turns = [Turn::call("list", json!({})).with_text("I look."), Turn::text("**Done**")];
    let server = Server::start(turns).unwrap();
    let quiet = home.ran_with(&server, &["run", "-q", "x"]).ends(0);
    assert_eq!((&*quiet.out, &*quiet.err), ("**Done**\n", ""));
    let loud = home.ran_with(&server, &["run", "--color", "always", "x"]).ends(0);
    assert!(loud.out.contains("\x1b[1mDone\x1b[0m\n"), "{:?}", loud.out);
    assert!(loud.err.contains("\x1b[2m✓ list"), "{:?}", loud.err);
    let mut command = home.with(&server, &["run", "x"]);
    command.env("LC_ALL", "C");
    assert!(ran(command).ends(0).err.contains("ok list"));
}
