//! Compaction: a summary in place of the beginning of a conversation.
//!
//! Everything here is pure. Who runs a session asks [`Policy::is_due`], makes a [`Plan`], sends
//! [`Plan::request`] as an inference that is no step, and journals [`Plan::compacted`]. From
//! then on the [`Pipeline`](crate::Pipeline) shows the summary; the transcript keeps everything.

mod ask;
mod files;
mod plan;
mod policy;
mod tasks;

pub use files::Files;
pub use plan::{Cannot, Plan};
pub use policy::Policy;
pub use tasks::open_tasks;

pub(crate) use plan::{request, said};
