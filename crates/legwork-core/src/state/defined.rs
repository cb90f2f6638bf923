//! The definition that applies in a session: the agent's own, and what is set over it.

use std::sync::Arc;

use crate::event::{Defined, Definition};
use crate::settings::SessionSettings;
use crate::state::SessionFacts;

impl SessionFacts {
    pub(super) fn define(&mut self, defined: &Defined) {
        let recorded = Arc::clone(&defined.definition);
        let Some(digest) = &defined.digest else {
            // A program changed what it saw, which persons may have set.
            let own = self.definition_digest.as_ref().map(|_| Arc::clone(&self.definition));
            self.own_definition = self.own_definition.take().or(own);
            return self.go_by(recorded);
        };
        // A wrong digest is dropped: the agent then records its definition again.
        self.definition_digest = (recorded.digest() == *digest).then(|| digest.clone());
        let definition = match self.settings.is_empty() {
            true => Arc::clone(&recorded),
            false => Arc::new(self.settings.over(&recorded)),
        };
        self.own_definition = Some(recorded);
        self.go_by(definition);
    }

    pub(super) fn set(&mut self, settings: &SessionSettings) {
        let own = self.own_definition.take().unwrap_or_else(|| Arc::clone(&self.definition));
        let definition = settings.over(if settings.reset { &own } else { &self.definition });
        self.settings = std::mem::take(&mut self.settings).then(settings);
        self.own_definition = Some(own);
        self.go_by(Arc::new(definition));
    }

    /// The definition that applies from now on.
    fn go_by(&mut self, definition: Arc<Definition>) {
        self.own_definition.take_if(|own| *own == definition);
        self.ledger.budget = definition.budget.clone();
        self.definition = definition;
    }

    /// The agent's own definition as last recorded: without what persons and programs changed.
    pub fn own_definition(&self) -> &Arc<Definition> {
        self.own_definition.as_ref().unwrap_or(&self.definition)
    }
}
