//! An agent without a model.

use std::sync::LazyLock;

use legwork_core::budget::{MicroUsd, Price};
use legwork_core::{ModelRequest, Response};
use legwork_port::BoxFuture;
use legwork_port::model::{Ability, Deltas, Error, Kind, Model, Profile};

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
    let price = Price::new(nothing, nothing);
    Profile::new().with_max_output(0).with_prices(price).with(Ability::Tools)
}
