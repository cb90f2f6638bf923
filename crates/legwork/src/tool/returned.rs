//! The types that a function can return, distinguished by method resolution.
//!
//! Rust resolves a method on the type with the most references that has it, so the most specific
//! case is implemented for the most references: the method is called through five.
#![allow(missing_docs, reason = "only what `#[tool]` writes calls it")]

use std::fmt::Display;
use std::marker::PhantomData;

use legwork_core::ToolOutcome;
use legwork_core::tool::IntoFailure;
use serde::Serialize;

/// The type of a returned value.
#[derive(Debug)]
pub struct Kind<T>(PhantomData<T>);

impl<T> Kind<T> {
    pub fn of(_: &T) -> Self {
        Self(PhantomData)
    }
}

/// An outcome, as value and as error.
pub trait Outcomes {
    fn outcome(&self, value: Result<ToolOutcome, ToolOutcome>) -> ToolOutcome;
}

impl Outcomes for &&&&Kind<Result<ToolOutcome, ToolOutcome>> {
    fn outcome(&self, value: Result<ToolOutcome, ToolOutcome>) -> ToolOutcome {
        value.unwrap_or_else(|outcome| outcome)
    }
}

/// A value, or an outcome as error.
pub trait Refusable {
    type Value;
    fn outcome(&self, value: Result<Self::Value, ToolOutcome>) -> ToolOutcome
    where
        Self::Value: Serialize;
}

impl<T> Refusable for &&&Kind<Result<T, ToolOutcome>> {
    type Value = T;
    fn outcome(&self, value: Result<T, ToolOutcome>) -> ToolOutcome
    where
        T: Serialize,
    {
        value.map_or_else(|outcome| outcome, |value| ToolOutcome::json(&value))
    }
}

/// An outcome.
pub trait Outcome {
    fn outcome(&self, value: ToolOutcome) -> ToolOutcome;
}

impl Outcome for &&Kind<ToolOutcome> {
    fn outcome(&self, value: ToolOutcome) -> ToolOutcome {
        value
    }
}

/// An outcome, or an error that can be displayed.
pub trait FallibleOutcome {
    type Error;
    fn outcome(&self, value: Result<ToolOutcome, Self::Error>) -> ToolOutcome
    where
        Self::Error: Display;
}

impl<E> FallibleOutcome for &&Kind<Result<ToolOutcome, E>> {
    type Error = E;
    fn outcome(&self, value: Result<ToolOutcome, E>) -> ToolOutcome
    where
        E: Display,
    {
        value.unwrap_or_else(IntoFailure::into_failure)
    }
}

/// A value, or an error that can be displayed.
pub trait Fallible {
    type Value;
    type Error;
    fn outcome(&self, value: Result<Self::Value, Self::Error>) -> ToolOutcome
    where
        Self::Value: Serialize,
        Self::Error: Display;
}

impl<T, E> Fallible for &Kind<Result<T, E>> {
    type Value = T;
    type Error = E;
    fn outcome(&self, value: Result<T, E>) -> ToolOutcome
    where
        T: Serialize,
        E: Display,
    {
        value.map_or_else(IntoFailure::into_failure, |value| ToolOutcome::json(&value))
    }
}

/// A value.
pub trait Plain {
    type Value;
    fn outcome(&self, value: Self::Value) -> ToolOutcome
    where
        Self::Value: Serialize;
}

impl<T> Plain for Kind<T> {
    type Value = T;
    fn outcome(&self, value: T) -> ToolOutcome
    where
        T: Serialize,
    {
        ToolOutcome::json(&value)
    }
}
