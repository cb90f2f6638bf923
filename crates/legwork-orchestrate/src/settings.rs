//! The methods that the builders of chats and collaborations have in common.

/// The methods of both builders, which set fields of their `parts`.
macro_rules! settings {
    ($builder:ident, $state:ty) => {
        impl $builder {
            /// At most this many turns in total.
            pub fn turns(mut self, turns: u64) -> Self {
                self.parts.turns = Some(turns);
                self
            }

            /// The limits of the conversation, in which a turn is a step.
            ///
            /// They also bind its agents: each inference is checked against them before it is sent.
            pub fn budget(mut self, budget: legwork_core::Budget) -> Self {
                self.parts.budget = budget;
                self
            }

            /// Ends, as completed, after a turn whose text contains these words; case matters.
            pub fn until_said(mut self, words: impl Into<String>) -> Self {
                self.parts.said(words.into());
                self
            }

            /// Ends, as completed, after a turn after which this predicate holds.
            pub fn until(
                mut self,
                name: impl Into<String>,
                wanted: impl Fn(&$state) -> bool + Send + Sync + 'static,
            ) -> Self {
                let until = $crate::parts::Until(name.into(), wanted);
                self.parts.criterion(std::sync::Arc::new(until));
                self
            }

            /// Adds a criterion, or replaces the one of its name.
            ///
            /// The default ones are `signals`, `errors`, `budget`, `concluded` and `turns`.
            pub fn criterion(
                mut self,
                criterion: impl legwork_core::Criterion<$state> + 'static,
            ) -> Self {
                self.parts.criterion(std::sync::Arc::new(criterion));
                self
            }

            /// Removes a criterion by its name; without `errors` it goes on after failed turns.
            pub fn without_criterion(mut self, name: &str) -> Self {
                self.parts.without_criterion(name);
                self
            }

            /// Calls a function at the end of each turn, with its provisional outcome.
            ///
            /// It may add votes and requests to stop; then the criteria are evaluated again.
            pub fn on_step_end<F, R>(mut self, name: impl Into<String>, observer: F) -> Self
            where
                F: Fn($state) -> R + Send + Sync + 'static,
                R: Future<Output = Result<$state, String>> + Send + 'static,
            {
                self.parts.observer(name.into(), observer);
                self
            }

            /// Sets the observer of `continuation_evaluated` events, one after each turn.
            ///
            /// Their session is the id of the conversation. Its agents have their own observers.
            pub fn observer(
                mut self,
                observer: std::sync::Arc<dyn legwork_port::Observer>,
            ) -> Self {
                self.parts.observer = observer;
                self
            }

            /// Sets the clock.
            pub fn clock(mut self, clock: std::sync::Arc<dyn legwork_port::Clock>) -> Self {
                self.parts.clock = clock;
                self
            }

            /// Sets the source of ids.
            pub fn ids(mut self, ids: std::sync::Arc<dyn legwork_port::Ids>) -> Self {
                self.parts.ids = ids;
                self
            }
        }
    };
}

pub(super) use settings;
