//! The types that a function can return, distinguished by method resolution.
//!
//! Rust resolves a method on the type with the most references that has it, so the most specific
//! case is implemented for the most references: the method is called through five.
#![allow(missing_docs, reason = "only what `#[tool]` writes calls it")]

use std::fmt::Display;
use std::marker::PhantomData;

use legwork_core::ToolOutcome;
use legwork_core::message::{File, Image, ResultPart};
use legwork_core::tool::{IntoFailure, IntoOutcome, Output};
use serde::Serialize;

/// The type of a returned value.
#[derive(Debug)]
pub struct Kind<T>(PhantomData<T>);

impl<T> Kind<T> {
    pub fn of(_: &T) -> Self {
        Self(PhantomData)
    }
}

/// A type that is a result as it is, though it may be serialised, too.
pub trait Whole: IntoOutcome {}

impl Whole for ToolOutcome {}
impl Whole for Output {}
impl Whole for ResultPart {}
impl Whole for Image {}
impl Whole for File {}

/// A whole result, with an outcome as error.
pub trait Outcomes {
    type Value;
    fn outcome(&self, value: Result<Self::Value, ToolOutcome>) -> ToolOutcome;
}

impl<T: Whole> Outcomes for &&&&Kind<Result<T, ToolOutcome>> {
    type Value = T;
    fn outcome(&self, value: Result<T, ToolOutcome>) -> ToolOutcome {
        value.into_outcome()
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

/// A whole result.
pub trait Outcome {
    type Value;
    fn outcome(&self, value: Self::Value) -> ToolOutcome;
}

impl<T: Whole> Outcome for &&Kind<T> {
    type Value = T;
    fn outcome(&self, value: T) -> ToolOutcome {
        value.into_outcome()
    }
}

/// A whole result, or an error that can be displayed.
pub trait FallibleOutcome {
    type Value;
    type Error;
    fn outcome(&self, value: Result<Self::Value, Self::Error>) -> ToolOutcome
    where
        Self::Error: Display;
}

impl<T: Whole, E> FallibleOutcome for &&Kind<Result<T, E>> {
    type Value = T;
    type Error = E;
    fn outcome(&self, value: Result<T, E>) -> ToolOutcome
    where
        E: Display,
    {
        value.map_or_else(IntoFailure::into_failure, T::into_outcome)
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
