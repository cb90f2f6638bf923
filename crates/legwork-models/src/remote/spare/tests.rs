use super::*;

fn body(length: usize) -> Body {
    let mut body = Body::default();
    body.resize(length, b'x');
    body
}

#[test]
fn a_body_is_continued_once_nothing_holds_it() {
    let spare = Spare::default();
    let sent = spare.keep(body(1_000));
    assert!(spare.last().is_none(), "the body is still held");
    drop(sent);
    let sent = spare.keep(body(1_000));
    let place = sent.as_ptr();
    drop(sent);
    let last = spare.last().unwrap();
    assert_eq!((last.bytes.as_ptr(), last.bytes.len()), (place, 1_000));
    assert!(spare.last().is_none(), "it was taken");
}

#[test]
fn a_very_long_body_is_not_kept() {
    let spare = Spare::default();
    drop(spare.keep(body(LONGEST + 1)));
    assert!(spare.last().is_none());
    drop(spare.keep(body(LONGEST)));
    assert!(spare.last().is_some());
}
