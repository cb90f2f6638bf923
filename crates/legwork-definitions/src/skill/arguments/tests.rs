use super::{fill, split};

#[test]
fn blanks_separate_and_quotes_hold_together() {
    for (text, arguments) in [
        ("", vec![]),
        ("  \n ", vec![]),
        (" a  b\tc\n", vec!["a", "b", "c"]),
        ("\"a b\" 'c \"d'", vec!["a b", "c \"d"]),
        ("'' x", vec!["", "x"]),
        ("it's 'a", vec!["it's", "'a"]),
        ("'a'b c", vec!["'a'b", "c"]),
        ("é'", vec!["é'"]),
    ] {
        assert_eq!(split(text), arguments, "{text}");
    }
}

#[test]
fn what_is_given_or_declared_is_replaced_and_nothing_else() {
    let declared = ["file".to_owned(), "mode".to_owned()];
    for (body, given, filled) in [
        ("all: $ARGUMENTS.", "a \"b c\"", "all: a \"b c\"."),
        ("all: $ARGUMENTS.", "", "all: ."),
        ("$1, $2, $3, $9", "a 'b c'", "a, b c, $3, $9"),
        ("$1, $2, $3", "a b c", "a, b, c"),
        ("$file in $mode", "a", "a in "),
        ("$files $file_ $fileé ${file} $FILE", "a", "$files $file_ aé ${file} $FILE"),
        ("$10 $0 $$1 $1x $", "a", "$10 $0 $a $1x $"),
        ("$ARGUMENTSx $ARGUMENT", "a", "$ARGUMENTSx $ARGUMENT"),
        ("$1 $2", "$2 $ARGUMENTS", "$2 $ARGUMENTS"),
        ("costs $5 and awk '{print $NF}'", "a", "costs $5 and awk '{print $NF}'"),
    ] {
        assert_eq!(fill(body, &declared, given), filled, "{body} with {given}");
    }
}
