//! The ports in memory: a store, the system's clock, random names.

mod claim;
mod ids;
mod lines;
mod store;

pub use ids::RandomIds;
pub use legwork_clock::SystemClock;
pub use store::MemoryStore;
