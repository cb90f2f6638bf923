//! What the builders of a chat and of a collaboration are told alike.

/// The settings that both builders have, on their `parts`.
macro_rules! settings {
    ($builder:ident, $state:ty) => {
        impl $builder {
            /// At most this many turns, whoever takes them.
            pub fn turns(mut self, turns: u64) -> Self {
                self.parts.turns = Some(turns);
                self
            }

            /// The limits of the whole; a turn is a step. Each inference of an agent in it is
            /// held against them before it is sent.
            pub fn budget(mut self, budget: legwork_core::Budget) -> Self {
                self.parts.budget = budget;
                self
            }

            /// Ends, as completed, when somebody says these words.
            pub fn until_said(mut self, words: impl Into<String>) -> Self {
                self.parts.said(words.into());
                self
            }

            /// Ends, as completed, after a turn that leaves the state as wanted.
            pub fn until(
                mut self,
                name: impl Into<String>,
                wanted: impl Fn(&$state) -> bool + Send + Sync + 'static,
            ) -> Self {
                let until = $crate::parts::Until(name.into(), wanted);
                self.parts.criterion(std::sync::Arc::new(until));
                self
            }

            /// A criterion, in the place of the one of its name or beside those there are:
            /// `signals`, `errors`, `budget`, `concluded`, `turns`.
            pub fn criterion(
                mut self,
                criterion: impl legwork_core::Criterion<$state> + 'static,
            ) -> Self {
                self.parts.criterion(std::sync::Arc::new(criterion));
                self
            }

            /// Switches a criterion off by its name; without `errors` it goes on after a turn
            /// that went wrong.
            pub fn without_criterion(mut self, name: &str) -> Self {
                self.parts.without_criterion(name);
                self
            }

            /// Shown each turn with its provisional outcome, before it is recorded: it may add
            /// votes and requests to stop, and then the criteria are asked once more.
            pub fn on_step_end<F, R>(mut self, name: impl Into<String>, observer: F) -> Self
            where
                F: Fn($state) -> R + Send + Sync + 'static,
                R: Future<Output = Result<$state, String>> + Send + 'static,
            {
                self.parts.observer(name.into(), observer);
                self
            }

            /// Receives an event for each decision whether it goes on (`continuation_evaluated`),
            /// in the session that has its id. The agents in it have observers of their own.
            pub fn observer(
                mut self,
                observer: std::sync::Arc<dyn legwork_port::Observer>,
            ) -> Self {
                self.parts.observer = observer;
                self
            }

            /// Where time comes from.
            pub fn clock(mut self, clock: std::sync::Arc<dyn legwork_port::Clock>) -> Self {
                self.parts.clock = clock;
                self
            }

            /// Where ids come from.
            pub fn ids(mut self, ids: std::sync::Arc<dyn legwork_port::Ids>) -> Self {
                self.parts.ids = ids;
                self
            }
        }
    };
}

pub(super) use settings;
