#[test]
fn work_costs_processor_time() {
    let before = super::cpu();
    let mut digest = 0_u64;
    while super::cpu() == before {
        digest = std::hint::black_box(digest.wrapping_mul(31) + 1);
    }
    assert!(super::cpu() > before);
}

#[test]
#[cfg(target_os = "linux")]
fn memory_that_was_held_stays_in_the_peak() {
    let before = super::peak_mb().unwrap();
    std::hint::black_box(vec![1_u8; 64_000_000]);
    assert!(super::peak_mb().unwrap() > before + 30.0);
}

#[test]
#[cfg(target_os = "linux")]
fn memory_that_is_touched_faults_page_by_page() {
    let before = super::page_faults().unwrap();
    std::hint::black_box(vec![1_u8; 64_000_000]);
    assert!(super::page_faults().unwrap() > before + 30);
}
