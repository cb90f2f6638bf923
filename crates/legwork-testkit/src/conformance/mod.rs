//! Conformance suites: what every implementation of a port must keep.
//!
//! An adapter runs the suite of its port in its own tests. A suite only uses the port, so
//! it holds for a stranger's implementation as it does for ours.

pub mod embedder;
pub mod lifecycle;
pub mod model;
pub mod sandbox;
pub mod store;
pub mod toolset;

use std::fmt;

/// One promise that was not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The check that found it; its name says the promise, and its rule if it has one.
    pub check: &'static str,
    /// The observed behaviour that breaks the promise.
    pub found: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.check, self.found)
    }
}

impl std::error::Error for Violation {}

/// The promises that were not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violations(pub Vec<Violation>);

impl fmt::Display for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} checks of the conformance suite failed:", self.0.len())?;
        self.0.iter().try_for_each(|violation| write!(f, "\n  {violation}"))
    }
}

impl std::error::Error for Violations {}

/// What a check says: nothing, or what was found.
type Outcome = Result<(), String>;

fn verdict(violations: Vec<Violation>) -> Result<(), Violations> {
    if violations.is_empty() { Ok(()) } else { Err(Violations(violations)) }
}

/// Goes on if it holds, else returns what was found.
macro_rules! ensure {
    ($holds:expr, $($found:tt)+) => {
        if !$holds {
            return Err(format!($($found)+));
        }
    };
}

/// Runs each check and collects what was found.
macro_rules! run {
    ($subject:expr => $( $module:ident::$check:ident ),+ $(,)?) => {{
        let mut violations = Vec::new();
        $(
            let subject = $subject;
            if let Err(found) = $module::$check(&subject).await {
                violations.push($crate::conformance::Violation { check: stringify!($check), found });
            }
        )+
        $crate::conformance::verdict(violations)
    }};
}

use {ensure, run};
