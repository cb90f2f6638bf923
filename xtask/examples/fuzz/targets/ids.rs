//! Ids of sessions: one that is taken is seen as it is, and names no file of its own.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use fastrand::Rng;
use legwork_core::SessionId;
use legwork_port::Store as _;
use legwork_port::store::check_id;
use legwork_store::sqlite::{Commits, Options, Store};
use tempfile::TempDir;

use super::ground::folder;
use super::store::wait;
use super::{MIB, Target, texts};

pub(super) const TARGET: Target = Target {
    name: "ids",
    seeds,
    grammar: None,
    words: &[
        "..",
        "/",
        "../../x",
        "-",
        "--",
        "\n",
        "\u{a0}",
        " ",
        ".lock",
        "'; DROP TABLE session;",
    ],
    longest: 4 << 10,
    memory: MIB,
    one_of: 1,
    run,
};

fn seeds() -> Vec<Vec<u8>> {
    let long = "x".repeat(1_024);
    texts(["018f2c3a-7b1e-7c4d", "clerk/é 漢字", "a b", "../../etc/passwd", &long, "-x"])
}

thread_local! {
    static STORE: OnceCell<(TempDir, Store)> = const { OnceCell::new() };
}

fn run(input: &[u8], random: &mut Rng) -> bool {
    let text = String::from_utf8_lossy(input).into_owned();
    let session = SessionId::new(text.clone());
    let fit = check_id(&session).is_ok();
    let odd = |c: char| {
        c.is_control()
            || (c.is_whitespace() && c != ' ')
            || "\u{202e}\u{2028}\u{200d}\u{feff}".contains(c)
    };
    let bad = text.is_empty() || text.len() > 1_024 || text.starts_with('-') || text.contains(odd);
    assert!(!fit || !bad, "{text:?} is taken");
    // The file system is slower than all else.
    if random.u8(..50) == 0 {
        STORE.with(|store| claim(store.get_or_init(open), &session, fit));
    }
    fit
}

fn open() -> (TempDir, Store) {
    let base = folder();
    let store = Options::new().commits(Commits::Inline).open(base.path().join("s.db"));
    (base, store.unwrap_or_else(|error| panic!("no store: {error}")))
}

/// A claim is a file in its folder, for any id.
fn claim((base, store): &(TempDir, Store), session: &SessionId, fit: bool) {
    let claim = wait(store.claim(session));
    assert!(claim.is_ok() == fit, "claimed: {:?}", claim.err());
    let names = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    };
    let claims = names(&base.path().join("s.db-claims"));
    assert!(claims.len() == usize::from(fit), "{claims:?}");
    assert!(names(base.path()).len() <= 4, "{:?}", names(base.path()));
}
