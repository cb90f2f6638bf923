use serde_json::Number;

use super::number;

#[test]
fn a_whole_number_is_written_as_one() {
    let tests = [
        ("5", "5"),
        ("5.0", "5"),
        ("-3e2", "-300"),
        ("-0.0", "0"),
        ("0.5", "0.5"),
        ("1e300", "1e+300"),
        ("18446744073709551615", "18446744073709551615"),
        ("9007199254740992.0", "9007199254740992"),
    ];
    for (said, written) in tests {
        let read: Number = serde_json::from_str(said).unwrap();
        assert_eq!(number(&read), written);
        let back: Number = serde_json::from_str(written).unwrap();
        assert_eq!(back.as_f64(), read.as_f64());
    }
}
