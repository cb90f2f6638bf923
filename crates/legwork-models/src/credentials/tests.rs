use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// A source that gives another token each time, and how often it was asked.
fn source() -> (Arc<AtomicUsize>, Kept<impl Credentials>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let source = move || {
        let number = counted.fetch_add(1, Ordering::SeqCst) + 1;
        ready(Ok(Credential::Bearer(format!("token-{number}"))))
    };
    (count, Kept::new(source))
}

fn token(number: usize) -> Credential {
    Credential::Bearer(format!("token-{number}"))
}

#[tokio::test]
async fn a_credential_is_kept_until_it_is_refused() {
    let (count, kept) = source();
    for _ in 0..3 {
        assert_eq!(kept.get().await, Ok(token(1)));
    }
    assert!(kept.renew(&token(1)));
    for _ in 0..3 {
        assert_eq!(kept.get().await, Ok(token(2)));
    }
    // A request that was sent before the token was renewed is refused late.
    assert!(kept.renew(&token(1)));
    assert_eq!(kept.get().await, Ok(token(2)));
    assert_eq!(count.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_source_that_gives_the_same_one_is_asked_once_for_each_refusal() {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let kept = Kept::new(move || {
        counted.fetch_add(1, Ordering::SeqCst);
        ready(Ok(token(1)))
    });
    for refusals in 0..3 {
        for _ in 0..3 {
            assert_eq!(kept.get().await, Ok(token(1)));
        }
        assert_eq!(count.load(Ordering::SeqCst), refusals + 1);
        kept.renew(&token(1));
    }
}

#[tokio::test]
async fn one_that_is_there_is_used_first() {
    let (count, kept) = source();
    let kept = kept.starting_with(token(7));
    assert_eq!(kept.get().await, Ok(token(7)));
    assert_eq!(count.load(Ordering::SeqCst), 0);
    kept.renew(&token(7));
    assert_eq!(kept.get().await, Ok(token(1)));
}

#[tokio::test]
async fn an_error_of_the_source_is_not_kept() {
    let count = AtomicUsize::new(0);
    let kept = Kept::new(move || match count.fetch_add(1, Ordering::SeqCst) {
        0 => ready(Err(Error::Unavailable("not now".to_owned()))),
        _ => ready(Ok(token(1))),
    });
    assert_eq!(kept.get().await, Err(Error::Unavailable("not now".to_owned())));
    assert_eq!(kept.get().await, Ok(token(1)));
    assert_eq!(format!("{kept:?}"), "Kept { .. }");
}
