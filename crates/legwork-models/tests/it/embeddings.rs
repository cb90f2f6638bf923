//! Embeddings: recorded answers, requests, batches and faults, on each wire.

mod answers;
mod batches;
mod conformance;
mod faults;
mod live;
mod recordings;
mod requests;
mod sample;
