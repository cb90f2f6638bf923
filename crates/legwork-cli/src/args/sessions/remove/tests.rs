use std::time::Duration;

use super::age;

#[test]
fn an_age_is_a_number_with_its_unit() {
    for (text, seconds) in [("5s", 5), ("45m", 2_700), ("12h", 43_200), ("30d", 2_592_000)] {
        assert_eq!(age(text), Ok(Duration::from_secs(seconds)));
    }
    for text in ["", "d", "30", "-1d", "1.5d", "3w", "30 d", "99999999999999999999d", "9é"] {
        assert!(age(text).is_err(), "{text}");
    }
}
