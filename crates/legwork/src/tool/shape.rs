//! The signatures that a closure can have to be a tool.

use std::marker::PhantomData;

use legwork_core::ToolOutcome;
use legwork_core::tool::IntoOutcome;
use legwork_port::{BoxFuture, ToolContext};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A closure that can be a tool: it takes its arguments, its context, both, or nothing, and
/// returns a result or a future of one.
///
/// `M` distinguishes the signatures, so that the trait can be implemented for each; it is
/// inferred.
#[diagnostic::on_unimplemented(
    message = "this closure cannot be a tool",
    note = "it takes nothing, `args: A`, `cx: ToolContext`, or both in this order, with the types \
            written down; `A` implements `serde::Deserialize` (and `schemars::JsonSchema` for \
            `from_fn`)",
    note = "it returns text, a number, a list, a `ToolOutcome`, `Json(..)` of any other type, a \
            `Result` of these, or a future of one of these that is `Send` and borrows nothing"
)]
pub trait ToolFn<M> {
    /// The type of the arguments.
    type Arguments: DeserializeOwned;

    /// Calls the closure.
    fn call(&self, arguments: Self::Arguments, cx: &ToolContext)
    -> BoxFuture<'static, ToolOutcome>;
}

/// A result, or a future of one; `K` distinguishes them.
pub trait Answer<K> {
    /// The future of the outcome.
    fn answer(self) -> BoxFuture<'static, ToolOutcome>;
}

/// A closure that returns its result.
#[derive(Debug)]
pub enum Plain {}

/// A closure that returns a future of its result.
#[derive(Debug)]
pub enum Awaited {}

impl<T: IntoOutcome> Answer<Plain> for T {
    fn answer(self) -> BoxFuture<'static, ToolOutcome> {
        Box::pin(std::future::ready(self.into_outcome()))
    }
}

impl<F> Answer<Awaited> for F
where
    F: Future + Send + 'static,
    F::Output: IntoOutcome,
{
    fn answer(self) -> BoxFuture<'static, ToolOutcome> {
        Box::pin(async { self.await.into_outcome() })
    }
}

// The arguments of a tool that takes none.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "a doc comment would be part of the schema")]
pub struct NoArguments {}

/// A closure that takes nothing.
#[derive(Debug)]
pub enum Nothing {}

/// A closure that takes its context.
#[derive(Debug)]
pub enum Context {}

/// A closure that takes its arguments.
#[derive(Debug)]
pub struct Arguments<A>(PhantomData<A>);

/// A closure that takes its arguments and its context.
#[derive(Debug)]
pub struct Both<A>(PhantomData<A>);

impl<F, R, K> ToolFn<(Nothing, K)> for F
where
    F: Fn() -> R,
    R: Answer<K>,
{
    type Arguments = NoArguments;

    fn call(&self, _: NoArguments, _: &ToolContext) -> BoxFuture<'static, ToolOutcome> {
        self().answer()
    }
}

impl<F, R, K> ToolFn<(Context, K)> for F
where
    F: Fn(ToolContext) -> R,
    R: Answer<K>,
{
    type Arguments = NoArguments;

    fn call(&self, _: NoArguments, cx: &ToolContext) -> BoxFuture<'static, ToolOutcome> {
        self(cx.clone()).answer()
    }
}

impl<F, A, R, K> ToolFn<(Arguments<A>, K)> for F
where
    F: Fn(A) -> R,
    A: DeserializeOwned,
    R: Answer<K>,
{
    type Arguments = A;

    fn call(&self, arguments: A, _: &ToolContext) -> BoxFuture<'static, ToolOutcome> {
        self(arguments).answer()
    }
}

impl<F, A, R, K> ToolFn<(Both<A>, K)> for F
where
    F: Fn(A, ToolContext) -> R,
    A: DeserializeOwned,
    R: Answer<K>,
{
    type Arguments = A;

    fn call(&self, arguments: A, cx: &ToolContext) -> BoxFuture<'static, ToolOutcome> {
        self(arguments, cx.clone()).answer()
    }
}
