//! The test kit, tested over real connections.

mod client;
mod clock;
mod model;
mod observer;
mod recording;
mod script;
mod server;
