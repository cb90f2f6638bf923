//! The system calls of an undisturbed run: where something can happen.

use std::collections::BTreeMap;

use crate::child::{BEGINS, ENDS};
use crate::kind::Kind;
use crate::place::Place;
use crate::process;

/// A system call of the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) name: String,
    /// Which call of its name it is in its thread, from 1.
    pub(crate) number: usize,
}

/// The calls by which a store of files changes the disk, in their order.
pub(crate) fn take(kind: Kind) -> Result<Vec<Call>, String> {
    let place = Place::new(kind, None);
    let log = place.folder().join("calls");
    // The marks are files that are opened.
    let calls = format!("{},openat", kind.calls().join(","));
    let said = process::run_traced(&place, &calls, &log)?;
    if said.finished.is_none() {
        return Err(format!("undisturbed it does not finish:\n{}", said.everything));
    }
    let text = std::fs::read_to_string(&log).map_err(|error| error.to_string())?;
    let store = place.folder().join("store").display().to_string();
    let found = read(&text, &store, kind.calls());
    match found.is_empty() {
        true => Err(format!("no call of the store was seen:\n{text}")),
        false => Ok(found),
    }
}

/// The calls of the program's thread on files whose path begins so.
fn read(log: &str, store: &str, names: &[&str]) -> Vec<Call> {
    let Some(thread) = log.lines().find(|line| line.contains(BEGINS)).and_then(thread_of) else {
        return Vec::new();
    };
    let (mut numbers, mut found, mut begun) = (BTreeMap::new(), Vec::new(), false);
    for line in log.lines().filter(|line| thread_of(line) == Some(thread)) {
        let Some((_, call)) = line.split_once(' ') else { continue };
        let call = call.trim_start();
        // The end of a call that another thread's line cut in two.
        if call.starts_with('<') {
            continue;
        }
        let Some((name, arguments)) = call.split_once('(') else { continue };
        let number = numbers.entry(name).or_insert(0);
        *number += 1;
        begun |= arguments.contains(BEGINS);
        if arguments.contains(ENDS) {
            break;
        }
        // What is opened to be read changes nothing.
        let changes = name != "openat" || arguments.contains("O_CREAT");
        if begun && changes && names.contains(&name) && arguments.contains(store) {
            found.push(Call { name: name.to_owned(), number: *number });
        }
    }
    found
}

fn thread_of(line: &str) -> Option<&str> {
    line.split_once(' ').map(|(thread, _)| thread)
}

#[test]
fn a_census_counts_the_calls_of_the_programs_thread_on_the_store() {
    let log = "\
10 write(1<pipe:[1]>, \"running\", 7) = 7
11 write(3</dev/null>, \" \", 1) = 1
11 openat(AT_FDCWD</>, \"/legwork-sweep-begins\", O_RDONLY) = -1 ENOENT
11 openat(AT_FDCWD</>, \"/t/store/journal\", O_WRONLY|O_CREAT) = 4</t/store/journal>
11 write(4</t/store/journal>, \"{}\", 2 <unfinished ...>
10 write(1<pipe:[1]>, \"x\", 1) = 1
11 <... write resumed>) = 2
11 write(1<pipe:[1]>, \"child\", 5) = 5
11 openat(AT_FDCWD</>, \"/t/store/journal\", O_RDONLY) = 5</t/store/journal>
11 write(4</t/store/journal>, \"{}\", 2) = 2
11 openat(AT_FDCWD</>, \"/legwork-sweep-ends\", O_RDONLY) = -1 ENOENT
11 write(4</t/store/journal>, \"{}\", 2) = 2
";
    let found = read(log, "/t/store", &["write", "openat"]);
    let found: Vec<_> = found.iter().map(|call| (&*call.name, call.number)).collect();
    assert_eq!(found, [("openat", 2), ("write", 2), ("write", 4)]);
}
