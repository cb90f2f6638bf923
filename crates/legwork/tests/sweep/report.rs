//! What a sweep says: how far it is, and a table at its end.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::case::Noticed;
use crate::kind::Kind;

/// What came of the cases of one class.
#[derive(Debug, Default)]
struct Row {
    cases: usize,
    noticed: usize,
    missed: usize,
    failed: usize,
    took: Duration,
}

/// What came of all cases.
#[derive(Debug, Default)]
pub(crate) struct Report {
    rows: BTreeMap<(Kind, &'static str), Row>,
}

impl Report {
    /// Counts a case.
    pub(crate) fn count(
        &mut self,
        kind: Kind,
        class: &'static str,
        result: Result<Noticed, ()>,
        took: Duration,
    ) {
        let row = self.rows.entry((kind, class)).or_default();
        row.cases += 1;
        row.took += took;
        match result {
            Ok(Noticed::Yes) => row.noticed += 1,
            Ok(Noticed::No) => {}
            Ok(Noticed::Missed) => row.missed += 1,
            Err(()) => row.failed += 1,
        }
    }

    /// How many cases failed.
    pub(crate) fn failed(&self) -> usize {
        self.rows.values().map(|row| row.failed).sum()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heads = ["cases", "noticed", "missed", "failed", "time"];
        write!(f, "{:<10}{:<24}", "store", "fault")?;
        heads.iter().try_for_each(|head| write!(f, "{head:>9}"))?;
        for ((kind, class), row) in &self.rows {
            write!(f, "\n{:<10}{class:<24}", kind.name())?;
            let counts = [row.cases, row.noticed, row.missed, row.failed];
            counts.iter().try_for_each(|count| write!(f, "{count:>9}"))?;
            write!(f, "{:>7.1} s", row.took.as_secs_f64())?;
        }
        Ok(())
    }
}
