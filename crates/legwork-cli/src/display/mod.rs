//! One stream of events, many displays: lines for people, JSON for programs.

mod actor;
pub(crate) mod advice;
mod diff;
mod ending;
mod event;
mod human;
mod json;
mod markdown;
mod marks;
mod retry;
mod screen;
pub(crate) mod seen;
mod spinner;
mod status;
mod summary;
mod terminal;
pub(crate) mod text;
pub(crate) mod tool;
mod verbose;

#[cfg(test)]
mod tests;

use std::io;
use std::sync::Arc;

use legwork::core::SessionId;

pub(crate) use event::{End, Event, Subagent, Usage};
pub(crate) use human::{Human, Verbosity};
pub(crate) use json::Json;
pub(crate) use screen::Screen;
pub(crate) use summary::spent;
pub(crate) use terminal::{Terminal, Tone, prefer};

/// Where in which session something happens.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct At<'a> {
    /// The session, once there is one.
    pub(crate) session: Option<&'a SessionId>,
    /// The step, where there is one.
    pub(crate) step: Option<u32>,
    /// Who does it, where that is a subagent.
    pub(crate) below: Option<Below<'a>>,
}

/// A subagent, as what it does is told.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Below<'a> {
    /// The subagents on the way to it, itself last.
    pub(crate) path: &'a [Arc<str>],
    /// What people are told it by.
    pub(crate) name: &'a str,
}

/// Shows events as they come.
pub(crate) trait Displayer: Send {
    /// Shows one event.
    ///
    /// # Errors
    /// When whoever reads the output is gone.
    fn show(&mut self, at: At<'_>, event: &Event<'_>) -> io::Result<()>;

    /// Whether a person sees it and can answer.
    fn can_ask(&self) -> bool {
        false
    }

    /// Moves on what moves; called a few times a second.
    fn tick(&mut self) {}

    /// Takes back what is not to stay; the process is about to end.
    fn leave(&mut self) {}
}
