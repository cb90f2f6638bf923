use super::*;

#[test]
fn each_event_has_the_bound_for_itself() {
    let mut bound = Bound::new(20);
    for _ in 0..100 {
        assert!(bound.takes(b"data: 1234\r\n\r\n"));
    }
    assert!(bound.takes(b"data: 1234\ndata: 12"), "19 bytes");
    assert!(!bound.takes(b"34\n"));
}

#[test]
fn the_bound_holds_however_a_body_is_cut() {
    let long = b"data: 12345678901234567890\n\n";
    for cut in 1..long.len() {
        let mut bound = Bound::new(20);
        let taken = long.chunks(cut).all(|chunk| bound.takes(chunk));
        assert!(!taken, "in pieces of {cut}");
    }
}
