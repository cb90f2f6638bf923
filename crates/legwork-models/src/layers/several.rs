//! Several models that answer under one name.

use std::sync::Arc;

use legwork_core::message::Author;
use legwork_core::{Mask, Response};
use legwork_port::model::{Model, Profile};

/// Several models that answer under the name of the first.
#[derive(Clone)]
pub(super) struct Several {
    first: Arc<dyn Model>,
    others: Vec<Arc<dyn Model>>,
    profile: Profile,
}

impl Several {
    pub(super) fn of(first: Arc<dyn Model>) -> Self {
        let profile = first.profile().clone();
        Self { first, others: Vec::new(), profile }
    }

    #[must_use]
    pub(super) fn with(mut self, model: Arc<dyn Model>) -> Self {
        self.profile = shared(&self.profile, model.profile());
        self.others.push(model);
        self
    }

    pub(super) fn first(&self) -> &dyn Model {
        &*self.first
    }

    pub(super) fn others(&self) -> impl Iterator<Item = &dyn Model> {
        self.others.iter().map(|model| &**model)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &dyn Model> {
        std::iter::once(self.first()).chain(self.others())
    }

    pub(super) fn name(&self) -> &str {
        self.first.name()
    }

    pub(super) fn profile(&self) -> &Profile {
        &self.profile
    }

    pub(super) fn profile_of(&self, name: &str) -> Option<&Profile> {
        self.all().find_map(|model| model.profile_of(name))
    }

    pub(super) fn mask(&self) -> Mask {
        self.all().fold(Mask::default(), |all, model| all.and(&model.mask()))
    }
}

/// The response with the model that answered as its author, if it has none.
pub(super) fn answered_by(response: Response, model: &str) -> Response {
    if response.message.author.is_some() {
        return response;
    }
    let message = Arc::unwrap_or_clone(response.message).by(Author::Model(model.into()));
    Response { message: Arc::new(message), ..response }
}

/// What holds for both models: the abilities and limits of the weaker, the price of the dearer.
fn shared(a: &Profile, b: &Profile) -> Profile {
    let mut shared = Profile::new();
    shared.context_window = least(a.context_window, b.context_window);
    shared.max_output = least(a.max_output, b.max_output);
    shared.prices = a.prices.as_ref().zip(b.prices.as_ref()).map(|(a, b)| a.dearer(b));
    shared.abilities = a.abilities.shared(b.abilities);
    shared
}

/// The lower limit; one that is unknown does not count.
fn least(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    a.into_iter().chain(b).min()
}
