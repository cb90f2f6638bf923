//! What stands where a model would.

use std::sync::LazyLock;

use legwork_core::budget::{MicroUsd, Price};
use legwork_core::{ModelRequest, Part, Response};
use legwork_port::BoxFuture;
use legwork_port::model::{Delta, Deltas, Error, Kind, Model, Profile};

/// Gives one answer that is known already; it costs nothing.
pub(super) struct Player {
    answer: Result<Response, Error>,
    profile: Profile,
}

impl Player {
    pub(super) fn new(answer: Result<Response, Error>) -> Self {
        Self { answer, profile: free() }
    }
}

impl Model for Player {
    fn name(&self) -> &str {
        "scripted"
    }

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        // Where tokens are limited pieces count against what is held, which is nothing.
        let deltas = deltas.filter(|deltas| deltas.streams() && request.max_output.is_none());
        if let (Ok(response), Some(deltas)) = (&self.answer, deltas) {
            tell(response, deltas);
        }
        Box::pin(std::future::ready(self.answer.clone()))
    }
}

fn tell(response: &Response, deltas: &mut dyn Deltas) {
    let mut calls = 0;
    for part in &response.message.parts {
        // Nobody pays for the rest of a known answer, so nobody can cut it.
        let _whole = match part {
            Part::Text(text) => deltas.delta(Delta::Text(text)),
            Part::ToolCall(call) => {
                let index = calls;
                calls += 1;
                let _named = deltas.delta(Delta::ToolCall { index, name: &call.name });
                deltas.delta(Delta::Arguments { index, json: &call.arguments })
            }
            _ => continue,
        };
    }
}

/// In the place of a model where none is asked, such as beside [`Scripted`].
///
/// Asked all the same, it refuses.
///
/// [`Scripted`]: crate::driver::Scripted
#[derive(Debug, Clone, Copy, Default)]
pub struct NoModel;

impl Model for NoModel {
    fn name(&self) -> &str {
        "none"
    }

    fn profile(&self) -> &Profile {
        static FREE: LazyLock<Profile> = LazyLock::new(free);
        &FREE
    }

    fn infer<'a>(
        &'a self,
        _request: ModelRequest,
        _deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        let message = "this agent was given no model: give it one, or a driver that asks none";
        Box::pin(std::future::ready(Err(Error::new(Kind::UnknownModel, message))))
    }
}

/// What costs nothing and gives nothing that counts.
fn free() -> Profile {
    let nothing = MicroUsd(0);
    let price =
        Price { input: nothing, cache_read: nothing, cache_write: nothing, output: nothing };
    Profile { max_output: Some(0), price: Some(price), tools: true, ..Profile::default() }
}
