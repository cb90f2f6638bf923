use super::{fitting, nine};

#[test]
fn an_id_that_fits_stays_as_it_is() {
    assert_eq!(fitting("toolu_01-A", 64), "toolu_01-A");
}

#[test]
fn ids_that_do_not_fit_become_plain_and_stay_apart() {
    let (one, other) = (fitting("functions.add:0", 64), fitting("functions.add;0", 64));
    assert_ne!(one, other);
    assert!(one.starts_with("functions_add_0_"), "{one}");
    let long = "a".repeat(100);
    assert_eq!(fitting(&long, 64).len(), 64);
    assert_ne!(fitting(&long, 64), fitting(&format!("{long}b"), 64));
    assert_eq!(fitting("", 64).len(), 17, "an id is never empty");
    assert_eq!(fitting("é", 64), fitting("é", 64));
}

#[test]
fn nine_letters_and_digits_stay_and_others_become_nine() {
    assert_eq!(nine("aB3dE6gH9"), "aB3dE6gH9");
    for id in ["", "call_1234", "aB3dE6gH", "aB3dE6gH90", "é234567", "functions.add:0"] {
        let fit = nine(id);
        assert_eq!((fit.len(), &fit), (9, &nine(id)), "{id}");
        assert!(fit.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{fit}");
        assert_ne!(fit, nine(&format!("{id}.")), "{id}");
    }
}
