//! What all typed hooks have in common.

use std::future::Future;
use std::sync::Arc;

use legwork_core::AgentState;
use legwork_port::Trigger;

use crate::hooks::{Cx, Error, Hook};

mod sealed {
    pub trait Sealed {}
}
pub(super) use sealed::Sealed;

/// What a hook of one trigger is given, and hands back.
pub trait Point: Sealed + Sized + Send + 'static {
    /// The trigger.
    const TRIGGER: Trigger;

    /// The state, with what the trigger is about in its place; the state alone where the
    /// loop shows nothing.
    #[doc(hidden)]
    fn of(state: AgentState, hook: Arc<str>) -> Result<Self, Box<AgentState>>;

    /// The state with what was changed.
    #[doc(hidden)]
    fn into_state(self) -> AgentState;
}

/// What the closure of a typed hook may return: what it was given, or a result with it.
pub trait Returned<P>: Sealed {
    /// The same as a result.
    ///
    /// # Errors
    /// The error with which the hook failed.
    fn into_result(self) -> Result<P, Error>;
}

impl<P: Point> Returned<P> for P {
    fn into_result(self) -> Result<P, Error> {
        Ok(self)
    }
}

impl<P> Sealed for Result<P, Error> {}

impl<P: Point> Returned<P> for Result<P, Error> {
    fn into_result(self) -> Result<P, Error> {
        self
    }
}

/// A hook of a closure over a point.
pub(super) fn typed<P, F, R>(name: impl Into<String>, function: F) -> Hook
where
    P: Point,
    F: Fn(P, Cx) -> R + Send + Sync + 'static,
    R: Future<Output: Returned<P>> + Send + 'static,
{
    let name = name.into();
    let by: Arc<str> = name.as_str().into();
    crate::hooks::hook(name, [P::TRIGGER], move |state, cx| {
        let begun = P::of(state, Arc::clone(&by)).map(|point| function(point, cx));
        async move {
            match begun {
                Ok(running) => running.await.into_result().map(P::into_state),
                Err(state) => Ok(*state),
            }
        }
    })
}

/// A type of a point, with what may be noted at each of them.
macro_rules! point {
    ($(#[doc = $doc:literal])+ $name:ident, $trigger:ident, $shown:expr) => {
        $(#[doc = $doc])+
        #[derive(Debug)]
        pub struct $name {
            state: legwork_core::AgentState,
            #[allow(dead_code, reason = "only what votes, blocks or prevents says who does")]
            hook: std::sync::Arc<str>,
        }

        impl $crate::hook::point::Sealed for $name {}

        impl $crate::hook::point::Point for $name {
            const TRIGGER: legwork_port::Trigger = legwork_port::Trigger::$trigger;

            fn of(
                state: legwork_core::AgentState,
                hook: std::sync::Arc<str>,
            ) -> Result<Self, Box<legwork_core::AgentState>> {
                let shown: fn(&legwork_core::AgentState) -> bool = $shown;
                match shown(&state) {
                    true => Ok(Self { state, hook }),
                    false => Err(Box::new(state)),
                }
            }

            fn into_state(self) -> legwork_core::AgentState {
                self.state
            }
        }

        impl $name {
            /// The state of the session, to be read.
            pub fn state(&self) -> &legwork_core::AgentState {
                &self.state
            }

            /// The same with a metadata value of the conversation; none removes the key.
            #[must_use]
            pub fn with_metadata(
                self,
                key: impl Into<String>,
                value: Option<serde_json::Value>,
            ) -> Self {
                Self { state: self.state.with_metadata(key, value), ..self }
            }

            /// The same with an error recorded that happened in the hook.
            #[must_use]
            pub fn with_error(self, error: legwork_core::error::ErrorRecord) -> Self {
                Self { state: self.state.with_error(error), ..self }
            }
        }
    };
}

/// A request to stop, where the execution can still be asked to.
macro_rules! stops {
    ($name:ident) => {
        impl $name {
            /// The same with a request to stop the execution, for a reason in words.
            #[must_use]
            pub fn stop(self, why: impl Into<String>) -> Self {
                let signal = legwork_core::StopSignal::new(
                    legwork_core::StopReason::StopRequested,
                    &*self.hook,
                    why,
                );
                Self { state: self.state.with_stop_signal(signal), ..self }
            }
        }
    };
}

/// Changes of what the next inference is asked with.
macro_rules! prepares {
    ($name:ident) => {
        impl $name {
            /// The same with a message behind the conversation.
            #[must_use]
            pub fn with_message(self, message: impl Into<legwork_core::Message>) -> Self {
                Self { state: self.state.with_message(message), ..self }
            }

            /// The same with another system prompt for the next inference.
            #[must_use]
            pub fn with_instructions(self, text: impl Into<std::sync::Arc<str>>) -> Self {
                Self { state: self.state.with_instructions(text), ..self }
            }

            /// The same with other model settings for the next inference.
            #[must_use]
            pub fn with_settings(self, settings: legwork_core::ModelSettings) -> Self {
                Self { state: self.state.with_settings(settings), ..self }
            }

            /// The same with other limits from now on.
            #[must_use]
            pub fn with_budget(self, budget: legwork_core::Budget) -> Self {
                Self { state: self.state.with_budget(budget), ..self }
            }
        }
    };
}

/// A vote on going on.
macro_rules! votes {
    ($name:ident) => {
        impl $name {
            /// The same with a vote on going on, counted when the step ends.
            #[must_use]
            pub fn vote(self, decision: legwork_core::Decision) -> Self {
                Self { state: self.state.with_vote(&*self.hook, decision), ..self }
            }
        }
    };
}

/// The constructor of a hook of a point.
macro_rules! constructor {
    ($(#[doc = $doc:literal])+ $function:ident, $name:ident) => {
        $(#[doc = $doc])+
        pub fn $function<F, R>(
            name: impl Into<String>,
            function: F,
        ) -> crate::hooks::Hook
        where
            F: Fn($name, crate::hooks::Cx) -> R + Send + Sync + 'static,
            R: std::future::Future<Output: $crate::hook::point::Returned<$name>> + Send + 'static,
        {
            $crate::hook::point::typed(name, function)
        }
    };
}

pub(super) use {constructor, point, prepares, stops, votes};
