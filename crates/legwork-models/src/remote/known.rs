//! What is known of a model before it is asked.

use std::sync::Arc;

use legwork_core::budget::Price;
use legwork_port::Profile;

use super::builder::Builder;
use crate::catalogue::{self, Catalogue, Origin, Row};

impl Builder {
    /// What is known of the model, by each source in the order in which they count.
    ///
    /// First comes the [catalogue](Self::catalogue) of one's own, then that it is
    /// [free](Self::free), then what the API lacks, and then the shipped catalogue: by the model's
    /// whole name, and else as a model of the API's maker. A [profile](Self::profile) plays no
    /// part.
    pub fn row(&self) -> Row {
        self.own().over(&self.public())
    }

    /// The profile of the model: one's own catalogue, then the profile that was given or else
    /// what is known to all. An answer is no longer than the settings allow.
    pub(super) fn whole_profile(&self) -> Profile {
        let given = self.profile.clone().unwrap_or_else(|| self.public().profile());
        let mut profile = self.own().onto(given);
        let bounds = [profile.max_output, self.defaults.max_output];
        profile.max_output = bounds.into_iter().flatten().min();
        profile
    }

    /// What one's own catalogue says, and that the model is free.
    fn own(&self) -> Row {
        let own = self.listed_in(&self.setup.catalogue, [&*self.setup.provider]);
        match self.setup.is_free {
            true => own.over(&self.said_by("a server of one's own").with_prices(Price::FREE)),
            false => own,
        }
    }

    /// What the API lacks, and what the shipped catalogue says.
    fn public(&self) -> Row {
        let wire = self.api.wire();
        let api = self.said_by(&format!("the API {}", wire.title()));
        let api = wire.lacks().iter().fold(api, |api, ability| api.without(*ability));
        let shipped =
            self.listed_in(catalogue::shipped(), [&*self.setup.provider, wire.provider()]);
        api.over(&shipped)
    }

    /// What a catalogue says of the model as one of these providers, the first before the others.
    fn listed_in<const N: usize>(&self, catalogue: &Catalogue, providers: [&str; N]) -> Row {
        let listed = self.api.wire().listed_as(&self.setup.model);
        let names = [Some(&self.setup.model), listed.as_ref()];
        let names = names.into_iter().flatten();
        let names = providers.iter().flat_map(|of| names.clone().map(move |name| (of, name)));
        let rows = names.filter_map(|(of, name)| catalogue.of(&format!("{of}:{name}")));
        rows.fold(self.said_by("nobody"), |all, row| all.over(&row))
    }

    fn said_by(&self, source: &str) -> Row {
        Row::blank(self.setup.name(), Arc::new(Origin::new(source)))
    }
}
