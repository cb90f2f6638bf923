//! What every store must keep.
//!
//! ```
//! use legwork_port::Store;
//! use legwork_testkit::conformance::{self, Violations};
//!
//! async fn keeps_its_promises<S: Store + 'static>(
//!     new_store: impl Fn() -> S,
//! ) -> Result<(), Violations> {
//!     conformance::store::check(async || new_store()).await
//! }
//! ```

mod claims;
mod dropped;
mod due;
mod fencing;
mod ids;
mod inbox;
mod journal;
mod listing;
mod overwritten;
mod paging;
mod ranges;
mod removal;
mod samples;
mod shared;
mod summaries;
#[cfg(test)]
mod tests;
mod unreadable;
mod words;

use std::sync::Arc;

use legwork_core::SessionId;
use legwork_port::Store;
use unreadable::Subject;

use super::{Violations, run};

/// Checks every promise of the port on stores that `make` makes, each new and empty.
///
/// # Errors
/// The promises that were not kept.
pub async fn check<S: Store + 'static>(make: impl AsyncFn() -> S) -> Result<(), Violations> {
    run!(erased(make().await) =>
        claims::s8_3_a_session_has_one_claim,
        claims::s8_3_of_many_claims_at_once_one_is_given,
        claims::s8_3_a_refused_claim_changes_nothing,
        claims::s8_3_dropping_a_claim_frees_the_session,
        claims::s8_3_a_store_that_reports_claims_reports_them_rightly,
        claims::s8_3_a_released_claim_frees_the_session,
        claims::s8_3_a_renewed_claim_holds,
        claims::s8_3_fences_rise,
        claims::s8_3_reading_needs_no_claim,
        journal::an_unknown_session_is_empty,
        journal::what_is_read_is_what_was_appended,
        journal::a_large_entry_comes_back_whole,
        journal::s8_1_every_branch_of_the_tree_is_kept,
        journal::s8_3_an_append_expects_the_last_entry,
        journal::s8_3_the_next_claim_goes_on_after_the_last_entry,
        journal::entries_without_their_numbers_are_refused_whole,
        journal::an_append_of_nothing_changes_nothing,
        journal::many_sessions_append_at_once,
        journal::a_refused_append_fails_no_other,
        inbox::s8_2_items_come_in_the_order_they_were_posted,
        inbox::s8_2_every_kind_of_item_comes_back,
        inbox::s8_2_a_key_is_taken_once,
        inbox::s8_2_a_key_is_a_sessions_own,
        inbox::s8_2_anyone_may_post_while_a_claim_is_held,
        inbox::s8_2_posts_at_once_are_all_there,
        inbox::s8_2_an_append_returns_the_last_item,
        inbox::s8_2_an_append_that_missed_an_item_is_refused,
        inbox::s8_2_a_change_wakes_watchers,
        inbox::s8_2_an_inbox_needs_no_journal,
        listing::the_session_changed_last_comes_first,
        listing::a_list_is_no_longer_than_asked,
        listing::a_session_without_entries_is_not_listed,
        summaries::s8_7_a_list_says_what_appends_brought,
        summaries::s8_7_what_a_list_says_stays_without_a_summary,
        summaries::s8_7_a_refused_append_changes_nothing_in_a_list,
        paging::s8_7_pages_hold_every_session_once,
        paging::s8_7_what_changes_meanwhile_moves_nothing_else,
        paging::s8_7_a_page_that_ended_with_a_removed_session_goes_on,
        paging::s8_7_a_list_can_be_filtered,
        paging::s8_7_a_cursor_from_elsewhere_is_refused,
        ranges::s8_8_a_range_is_read_as_it_was_asked_for,
        ranges::s8_8_ranges_that_follow_each_other_are_the_journal,
        due::s8_9_an_execution_in_progress_is_due_while_no_process_runs_it,
        due::s8_9_a_session_is_due_until_its_items_are_taken_up,
        due::s8_9_a_session_is_due_from_a_time_on,
        due::s8_9_an_item_makes_a_session_due_that_waits_for_a_time,
        due::s8_9_a_session_without_entries_is_not_due,
        due::s8_9_those_due_longest_come_first_in_pages,
        due::s8_2_items_are_numbered_after_those_that_were_taken_up_elsewhere,
        ids::s13_9_an_id_that_is_not_seen_is_refused,
        ids::s13_9_an_id_that_is_seen_is_taken,
        removal::s8_6_what_was_removed_is_gone_and_the_rest_stays,
        removal::s8_6_a_claimed_session_is_not_removed,
        removal::s8_6_an_unknown_session_is_an_error,
        removal::s8_6_several_are_removed_or_none,
        removal::s8_6_an_inbox_alone_can_be_removed,
        removal::s8_6_a_removed_session_begins_anew,
        dropped::nothing_happens_before_the_first_poll,
        dropped::s8_3_a_dropped_claim_leaves_the_session_free,
        dropped::s8_3_a_dropped_append_is_there_whole_or_not_at_all,
        dropped::s8_3_a_dropped_append_does_not_come_after_the_next_claim,
        dropped::s8_2_a_dropped_post_can_be_made_again,
        dropped::s8_3_a_dropped_renewal_leaves_the_claim,
        dropped::s8_3_a_dropped_release_frees_the_session,
        dropped::s8_6_a_dropped_removal_removes_all_or_none,
    )
}

/// Checks a store that several processes share: `open` opens the same one each time.
///
/// # Errors
/// The promises that were not kept.
pub async fn check_shared<S: Store + 'static>(open: impl AsyncFn() -> S) -> Result<(), Violations> {
    run!([erased(open().await), erased(open().await)] =>
        shared::s8_3_a_claim_holds_for_all_handles,
        shared::s8_3_fences_rise_across_handles,
        shared::s8_3_what_one_appends_another_reads,
        shared::s8_2_a_key_is_taken_once_across_handles,
        shared::s8_2_posts_of_two_handles_are_all_there,
        shared::sessions_of_two_handles_append_at_once,
        shared::s8_7_what_one_appends_another_lists,
        shared::s8_6_what_one_removes_is_gone_for_the_other,
        shared::s8_6_what_another_handle_claims_is_not_removed,
    )
}

/// Checks that a claim that was lost writes nothing any more.
///
/// `lose` makes a store take the holder of a session's claim for dead: it lets the lease
/// expire, or takes the lock away.
///
/// # Errors
/// The promises that were not kept.
pub async fn check_fencing<S: Store + 'static>(
    make: impl AsyncFn() -> S,
    lose: impl AsyncFn(SessionId),
) -> Result<(), Violations> {
    let lose = &lose;
    run!((erased(make().await), async |session| lose(session).await) =>
        fencing::s8_3_an_older_fence_is_refused,
        fencing::s8_3_a_lost_claim_given_back_frees_nothing,
        fencing::s8_3_a_lost_claim_is_neither_renewed_nor_released,
    )
}

/// Checks that a list of sessions reads no journal.
///
/// `open` opens the same store each time. `overwrite` replaces, past the port, every byte of
/// every entry that the store's medium holds of a session by another byte, so that nothing of
/// them can be read. Lists must be the same before and after that, also for a handle that is
/// opened afterwards.
///
/// A store that reads journals and uses nothing of them is not found out. A store without a
/// medium, such as one in memory, cannot be checked.
///
/// # Errors
/// The promises that were not kept.
pub async fn check_listing<S: Store + 'static>(
    open: impl AsyncFn() -> S,
    overwrite: impl AsyncFn(SessionId),
) -> Result<(), Violations> {
    let (open, overwrite) = (&open, &overwrite);
    run!((async || open().await, async |session| overwrite(session).await) =>
        overwritten::s8_7_a_list_reads_no_journal,
    )
}

/// Checks that nothing is lost of a journal that a newer version wrote: it is read up to the
/// first entry that this version cannot read, refused to writers, and kept.
///
/// `plant` puts lines, an entry each, into the store as the journal of a session that is
/// not there yet, past the port and as a newer version would have written them. `bytes`
/// gives all that the store's medium holds of a session's journal.
///
/// # Errors
/// The promises that were not kept.
pub async fn check_unreadable<S: Store + 'static>(
    make: impl AsyncFn() -> S,
    plant: impl AsyncFn(&S, &SessionId, &[Vec<u8>]),
    bytes: impl AsyncFn(&S, &SessionId) -> Vec<u8>,
) -> Result<(), Violations> {
    run!(Subject { store: make().await, plant: &plant, bytes: &bytes } =>
        unreadable::s8_4_an_unknown_word_at_any_place_is_refused_and_kept,
        unreadable::s8_5_an_entry_of_a_newer_version_is_refused_and_kept,
        unreadable::s8_4_what_cannot_be_read_hides_no_other_session,
        unreadable::s8_2_anyone_may_post_to_what_cannot_be_read,
        unreadable::s8_6_what_cannot_be_read_can_be_removed,
    )
}

fn erased(store: impl Store + 'static) -> Arc<dyn Store> {
    Arc::new(store)
}
