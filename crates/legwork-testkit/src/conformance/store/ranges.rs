//! Reading a range of a journal.

use std::sync::Arc;

use legwork_core::Seq;
use legwork_port::Store;
use legwork_port::store::Range;

use super::super::{Outcome, ensure};
use super::samples::{append, claim, post, said_all, session, tried};

type Subject = Arc<dyn Store>;

pub(super) async fn s8_8_a_range_is_read_as_it_was_asked_for(store: &Subject) -> Outcome {
    let name = session("ranges");
    let held = claim(&**store, &name).await?;
    for (first, last) in [(1, 3), (4, 4), (5, 9)] {
        append(&*held, first - 1, &said_all(first..=last)).await?;
    }
    let cursor = post(&**store, &name, "key").await?;
    for after in 0..=11 {
        for limit in [0, 1, 2, 4, 8, 9, usize::MAX] {
            let range = Range::after(Seq(after)).limit(limit);
            let loaded = tried("reading a range", store.read(&name, range).await)?;
            let last = after.saturating_add(u64::try_from(limit).unwrap_or(u64::MAX)).min(9);
            let wanted = said_all(after + 1..=last);
            let found = loaded.journal.entries();
            ensure!(found == wanted, "{range:?} has {found:?}, not {wanted:?}");
            let rest = (last < 9).then(|| range.rest(wanted.len()));
            ensure!(loaded.next == rest, "{range:?} goes on with {:?}", loaded.next);
            ensure!(loaded.inbox == cursor, "{range:?} gives {:?}", loaded.inbox);
            ensure!(loaded.damage.is_none() && loaded.unreadable.is_none(), "{loaded:?}");
        }
    }
    Ok(())
}

pub(super) async fn s8_8_ranges_that_follow_each_other_are_the_journal(store: &Subject) -> Outcome {
    let name = session("parts");
    let held = claim(&**store, &name).await?;
    for first in (1..=40).step_by(4) {
        append(&*held, first - 1, &said_all(first..=first + 3)).await?;
    }
    for limit in [1, 3, 7] {
        let (mut range, mut read) = (Some(Range::ALL.limit(limit)), Vec::new());
        while let Some(part) = range {
            let loaded = tried("reading a part", store.read(&name, part).await)?;
            read.extend_from_slice(loaded.journal.entries());
            ensure!(read.len() <= 40, "the parts do not end");
            range = loaded.next;
        }
        ensure!(read == said_all(1..=40), "parts of {limit} have {} of 40 entries", read.len());
    }
    Ok(())
}
