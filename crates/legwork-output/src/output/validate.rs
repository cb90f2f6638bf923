//! Checks of what a schema cannot say.

use crate::schema::Problem;

/// Checks what a schema cannot say.
///
/// A closure that returns `Ok(())` or an error in words is one, and so is a method of the type:
/// `.validate(Invoice::check)`.
pub trait Validator<T>: Send + Sync {
    /// Checks a value.
    ///
    /// # Errors
    /// All that is wrong with it, in words that a model can act on.
    fn check(&self, value: &T) -> Result<(), Invalid>;
}

impl<T, E: Into<Invalid>, F: Fn(&T) -> Result<(), E> + Send + Sync> Validator<T> for F {
    fn check(&self, value: &T) -> Result<(), Invalid> {
        self(value).map_err(Into::into)
    }
}

/// What is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid(pub Vec<Problem>);

impl From<Problem> for Invalid {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl From<Vec<Problem>> for Invalid {
    fn from(problems: Vec<Problem>) -> Self {
        Self(problems)
    }
}

impl From<String> for Invalid {
    fn from(what: String) -> Self {
        Problem::new(what).into()
    }
}

impl From<&str> for Invalid {
    fn from(what: &str) -> Self {
        Problem::new(what).into()
    }
}
