//! The notes about connection attempts.

use std::io;

use legwork_port::network::Target;
use legwork_port::sandbox::Note;

use crate::sandbox::network::egress::Refusal;
use crate::sandbox::network::log::ConnectionLog;

fn target(host: &str) -> Target {
    Target::new(host, 443).expect("a host")
}

#[test]
fn s13_7_refusals_do_not_crowd_out_connections() {
    let log = ConnectionLog::default();
    for number in 0..200 {
        log.add(&target(&format!("a{number}.example.net")), Err(&Refusal::Unlisted));
    }
    log.add(&target("api.example.com"), Ok(()));
    drop(log.attempt(&target("slow.example.com")));
    let notes = log.notes();
    for note in [
        Note::Allowed("network: connected to api.example.com:443".to_owned()),
        Note::Allowed(
            "network: connection to slow.example.com:443 not completed: the command ended first"
                .to_owned(),
        ),
        Note::Refused("network: 150 further refused connections".to_owned()),
    ] {
        assert!(notes.contains(&note), "{note}: {notes:?}");
    }
    assert_eq!(notes.len(), 53);
    assert!(log.notes().is_empty());
}

#[test]
fn s13_7_further_attempts_are_counted_by_their_outcome() {
    let log = ConnectionLog::default();
    let unreachable = Refusal::Unreachable(io::ErrorKind::ConnectionRefused.into());
    // 50 distinct notes of each outcome are kept.
    for number in 0..54 {
        let target = target(&format!("a{number}.example.com"));
        if number < 53 {
            log.add(&target, Ok(()));
        }
        if number < 52 {
            drop(log.attempt(&target));
        }
        log.add(&target, Err(if number % 2 == 0 { &Refusal::Unlisted } else { &Refusal::Private }));
        if number < 51 {
            log.add(&target, Err(&unreachable));
        }
    }
    // A note that is kept has a count of its own.
    log.add(&target("a0.example.com"), Err(&unreachable));
    let notes = log.notes();
    let further: Vec<_> =
        notes.iter().filter(|note| note.to_string().contains("further")).cloned().collect();
    assert_eq!(
        further,
        [
            Note::Allowed("network: 3 further connections".to_owned()),
            Note::Allowed("network: 2 further unfinished connections".to_owned()),
            Note::Refused("network: 4 further refused connections".to_owned()),
            Note::Refused("network: 1 further failed connection".to_owned()),
        ]
    );
    assert_eq!(notes.len(), 204);
    assert!(notes.iter().any(|note| note.to_string().ends_with("(2 times)")), "{notes:?}");
}
