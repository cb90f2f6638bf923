use super::*;

#[test]
fn memory_is_used_again_once_nothing_holds_it() {
    let spare = Spare::default();
    let body = Bytes::from(vec![b'x'; 1_000]);
    let place = body.as_ptr();
    spare.keep(&body);
    assert_eq!(spare.take().capacity(), 0, "the body is still held");
    spare.keep(&body);
    drop(body);
    let buffer = spare.take();
    assert!(buffer.is_empty() && buffer.capacity() >= 1_000);
    assert_eq!(buffer.as_ptr(), place);
    assert_eq!(spare.take().capacity(), 0, "it was taken");
}

#[test]
fn the_memory_of_a_very_long_body_is_not_kept() {
    let spare = Spare::default();
    spare.keep(&Bytes::from(vec![b'x'; LONGEST + 1]));
    assert_eq!(spare.take().capacity(), 0);
}
