//! What a command cannot do: each way out, behind each sandbox, as root and not.

mod background;
mod choice;
mod escapes;
mod every;
mod helper;
mod limits;
mod network;
mod others;
mod races;
mod rebases;
mod repositories;
mod rights;
mod scene;
mod secrets;
mod seen;
mod submodules;
mod together;
mod walls;
