//! `cargo xtask budget --sizes`: the bytes that each feature adds to a program.
//!
//! `tests/sized` uses one feature at a time, and is built as a program that is shipped is. It takes
//! a few minutes a feature, so no other command does it.

use std::fs;

use crate::cargo;
use crate::outside::Outside;

/// The program.
const PROGRAM: &str = "sized";

/// Prints the size of the program without features, and what each of these adds, or each that it
/// has.
pub(super) fn run(features: &[String]) -> Result<(), String> {
    let outside = Outside::copy_of(PROGRAM)?;
    let packages = cargo::metadata_by(&mut outside.cargo())?.packages;
    let features_of = |package: cargo::Package| package.features.into_keys();
    let known: Vec<_> = packages.into_iter().flat_map(features_of).collect();
    if let Some(unknown) = features.iter().find(|feature| !known.contains(feature)) {
        let known = known.join(", ");
        return Err(format!("tests/{PROGRAM} has no feature `{unknown}`; it has {known}"));
    }
    let none = size(&outside, "")?;
    println!("{:<44} {none:>9}", "bytes of a program without features");
    for feature in if features.is_empty() { &known } else { features } {
        let added = size(&outside, feature)?.saturating_sub(none);
        println!("  and with {feature:<33} {:>9}", format!("+{added}"));
    }
    Ok(())
}

/// The bytes of the program with these features.
fn size(outside: &Outside, features: &str) -> Result<u64, String> {
    let build = ["--quiet", "--release", "--features", features];
    let file = cargo::build_by(&mut outside.cargo(), &build)?;
    let about = fs::metadata(&file);
    about.map(|about| about.len()).map_err(|error| format!("{}: {error}", file.display()))
}
