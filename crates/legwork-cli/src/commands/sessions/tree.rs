//! Sessions of subagents below those that they work for.

use std::collections::BTreeMap;

use legwork::core::SessionId;

use super::list::Row;

/// The rows, each subagent's below the one that spawned it, with how deep each is. One whose
/// parent is not among them stays where it is.
pub(super) fn nested(rows: Vec<Row>) -> Vec<(usize, Row)> {
    let all: Vec<_> = rows.iter().map(|row| row.session.clone()).collect();
    let (mut tops, mut below) = (Vec::new(), BTreeMap::<SessionId, Vec<Row>>::new());
    for row in rows {
        match row.parent.clone().filter(|parent| all.contains(parent)) {
            Some(parent) => below.entry(parent).or_default().push(row),
            None => tops.push(row),
        }
    }
    let mut nested = Vec::new();
    tops.into_iter().for_each(|top| place(&mut nested, &mut below, 0, top));
    // Sessions that are each other's parents, as only a damaged store has them.
    nested.extend(below.into_values().flatten().map(|row| (0, row)));
    nested
}

fn place(
    nested: &mut Vec<(usize, Row)>,
    below: &mut BTreeMap<SessionId, Vec<Row>>,
    depth: usize,
    row: Row,
) {
    let own = below.remove(&row.session).unwrap_or_default();
    nested.push((depth, row));
    own.into_iter().for_each(|row| place(nested, below, depth + 1, row));
}
