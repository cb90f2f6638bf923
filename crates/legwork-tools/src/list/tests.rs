use super::entries::short;

#[test]
fn sizes_are_short() {
    for (bytes, expected) in [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KB"),
        (1536, "1.5 KB"),
        (20 * 1024, "20 KB"),
        (5 << 30, "5.0 GB"),
        (u64::MAX, "16 EB"),
    ] {
        assert_eq!(short(bytes), expected, "{bytes}");
    }
}
