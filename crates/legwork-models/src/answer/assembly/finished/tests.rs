use super::*;

#[test]
fn an_index_is_added_once_in_whichever_order_they_come() {
    for order in [[0, 1, 2, 3], [3, 1, 0, 2], [1, 0, 3, 2], [3, 2, 1, 0]] {
        let mut finished = Finished::default();
        assert!(finished.is_empty());
        for (count, index) in order.into_iter().enumerate() {
            assert!(finished.insert(index), "{index} of {order:?}");
            assert!(!finished.is_empty());
            for known in &order[..=count] {
                assert!(!finished.insert(*known), "{known} of {order:?} again");
            }
        }
        assert_eq!((finished.below, finished.others.len()), (4, 0), "{order:?}");
    }
}
