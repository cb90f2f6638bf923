//! From the answer of a model to a value, in five stages.
//!
//! [`Output`] says what is wanted and reads it: it extracts JSON from the text, checks it
//! against the schema, deserializes it, validates the result and transforms it. An [`Error`]
//! names the stage and says what to mend, in words that a model can act on.

mod arriving;
mod error;
mod items;
mod prompt;
mod shown;
mod validate;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use legwork_core::ToolSpec;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use arriving::Arriving;
pub use error::{Error, Stage};
pub use items::Items;
pub use prompt::Prompt;
pub use shown::{EachItem, Shown};
pub use validate::{Invalid, Validator};

use crate::extract::{Extractors, Start};
use crate::schema::{self, Fitted, Problem, Schema, Wrapper};

/// The name of an output, unless another one is chosen.
const NAME: &str = "answer";

/// What is wanted of a model, and how it is read; clones share it.
///
/// ```
/// use legwork_output::Output;
/// use legwork_output::output::Stage;
///
/// let scores = Output::<Vec<u8>>::of()?
///     .validate(|scores: &Vec<u8>| match scores.len() {
///         3 => Ok(()),
///         other => Err(format!("three scores are wanted, not {other}")),
///     })
///     .transform(|scores| Ok::<_, String>(scores.iter().map(|score| u32::from(*score)).sum::<u32>()));
/// assert_eq!(scores.read("Here: [1, 2, 3]")?, 6);
/// assert_eq!(scores.read("[1, 2]").unwrap_err().stage(), Stage::Validation);
/// assert_eq!(scores.read("[1, 2, 300]").unwrap_err().stage(), Stage::Schema);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Output<T> {
    spec: Arc<Spec>,
    extractors: Extractors,
    /// Deserialization, and what was asked for before the last transformation.
    make: Arc<Make<T>>,
    validators: Vec<Arc<dyn Validator<T>>>,
}

type Make<T> = dyn Fn(Value) -> Result<T, Error> + Send + Sync;

/// What a model is told of an output.
#[derive(Debug, Clone)]
struct Spec {
    name: Arc<str>,
    description: Arc<str>,
    schema: Schema,
    wrapper: Option<Wrapper>,
    /// The schema, wrapped where it is not of an object.
    sent: Schema,
    examples: Vec<Value>,
}

impl<T: DeserializeOwned + JsonSchema + 'static> Output<T> {
    /// A value of a type, with the schema that the type has.
    ///
    /// # Errors
    /// If the schema is not valid, which no derived one is.
    pub fn of() -> Result<Self, schema::Error> {
        Self::with_schema(Schema::of::<T>()?)
    }
}

impl Output<Value> {
    /// A JSON value of a schema that is known only now.
    ///
    /// # Errors
    /// If the schema is not valid.
    pub fn dynamic(schema: Value) -> Result<Self, schema::Error> {
        Self::with_schema(Schema::new(schema)?)
    }
}

impl<T: DeserializeOwned + 'static> Output<T> {
    /// A value of a type, with another schema than its own.
    ///
    /// # Errors
    /// If the schema cannot be wrapped into that of an object.
    pub fn with_schema(schema: Schema) -> Result<Self, schema::Error> {
        let wrapper = Wrapper::of(&schema);
        let sent = wrapper.map_or_else(|| Ok(schema.clone()), |it| it.wrap(&schema))?;
        let described = schema.json().get("description").and_then(Value::as_str);
        let spec = Spec {
            name: NAME.into(),
            description: described.unwrap_or("Gives the answer.").into(),
            schema,
            wrapper,
            sent,
            examples: Vec::new(),
        };
        let make = |value| {
            serde_json::from_value(value).map_err(|error| Error::Deserialization(error.to_string()))
        };
        Ok(Self {
            spec: Arc::new(spec),
            extractors: Extractors::default(),
            make: Arc::new(make),
            validators: Vec::new(),
        })
    }
}

impl<T: 'static> Output<T> {
    /// The same under another name: 1 to 64 letters, digits, `-` and `_`.
    #[must_use]
    pub fn named(mut self, name: impl Into<Arc<str>>) -> Self {
        Arc::make_mut(&mut self.spec).name = name.into();
        self
    }

    /// The same with another description, for the model.
    #[must_use]
    pub fn described(mut self, description: impl Into<Arc<str>>) -> Self {
        Arc::make_mut(&mut self.spec).description = description.into();
        self
    }

    /// The same with an example, which is shown to the model.
    ///
    /// # Errors
    /// If the example does not fit the schema.
    pub fn example(mut self, example: &impl Serialize) -> Result<Self, Error> {
        let example = serde_json::to_value(example)
            .map_err(|error| Error::Deserialization(error.to_string()))?;
        self.spec.schema.check(&example).map_err(Error::Schema)?;
        Arc::make_mut(&mut self.spec).examples.push(example);
        Ok(self)
    }

    /// The same with other extractors.
    #[must_use]
    pub fn extractors(self, extractors: Extractors) -> Self {
        Self { extractors, ..self }
    }

    /// The same with a check of what the schema cannot say: a closure, or a [`Validator`].
    ///
    /// All validators run, so that a model is told all problems at once.
    #[must_use]
    pub fn validate(mut self, validator: impl Validator<T> + 'static) -> Self {
        self.validators.push(Arc::new(validator));
        self
    }

    /// The same, made into something else after it was validated.
    ///
    /// An error is told to the model, which may answer again.
    #[must_use]
    pub fn transform<U: 'static, E: fmt::Display>(
        self,
        transform: impl Fn(T) -> Result<U, E> + Send + Sync + 'static,
    ) -> Output<U> {
        let Self { spec, extractors, make, validators } = self;
        let make = move |value| {
            let made = validated(make(value)?, &validators)?;
            transform(made).map_err(|error| Error::Transformation(error.to_string()))
        };
        Output { spec, extractors, make: Arc::new(make), validators: Vec::new() }
    }

    /// Reads the text of a model, through all stages.
    ///
    /// # Errors
    /// The stage that failed, and why.
    pub fn read(&self, text: &str) -> Result<T, Error> {
        let fits = |value: &Value| self.spec.fits(value);
        let found = self.extractors.extract_fitting(text, &fits)?;
        self.read_value(found.value)
    }

    /// Reads the text of a model that was given a fitted schema.
    ///
    /// # Errors
    /// The stage that failed, and why.
    pub fn read_fitted(&self, text: &str, fitted: &Fitted) -> Result<T, Error> {
        let fits = |value: &Value| self.spec.fits(&fitted.restore(value.clone()));
        let found = self.extractors.extract_fitting(text, &fits)?;
        self.read_value(fitted.restore(found.value))
    }

    /// The JSON value in the text of a model that was given a fitted schema, if it goes through
    /// all stages. [`Output::restore`] makes the value of the type of it.
    ///
    /// # Errors
    /// The stage that failed, and why.
    pub fn accept(&self, text: &str, fitted: &Fitted) -> Result<Value, Error> {
        let fits = |value: &Value| self.spec.fits(&fitted.restore(value.clone()));
        let found = self.extractors.extract_fitting(text, &fits)?;
        let value = self.spec.unwrap(fitted.restore(found.value));
        self.read_unwrapped(value.clone()).map(|_| value)
    }

    /// The value of a JSON value that was accepted before; it is not validated again.
    ///
    /// Validators that were given before a transformation run again.
    ///
    /// # Errors
    /// The stage that failed, and why.
    pub fn restore(&self, accepted: Value) -> Result<T, Error> {
        (self.make)(accepted)
    }

    /// Reads a JSON value, through all stages but extraction.
    ///
    /// # Errors
    /// The stage that failed, and why.
    pub fn read_value(&self, value: Value) -> Result<T, Error> {
        self.read_unwrapped(self.spec.unwrap(value))
    }

    fn read_unwrapped(&self, value: Value) -> Result<T, Error> {
        self.spec.schema.check(&value).map_err(Error::Schema)?;
        validated((self.make)(value)?, &self.validators)
    }
}

impl<T> Output<T> {
    /// Its name: that of the tool by which a model gives it.
    pub fn name(&self) -> &Arc<str> {
        &self.spec.name
    }

    /// The schema of the value.
    pub fn schema(&self) -> &Schema {
        &self.spec.schema
    }

    /// The schema that models are given: that of the value or, if this is no object, of an object
    /// that holds it.
    pub fn sent_schema(&self) -> &Schema {
        &self.spec.sent
    }

    /// The tool by which a model gives the value, with a schema of a dialect or the
    /// [full one](Self::sent_schema).
    pub fn tool(&self, schema: &Value) -> ToolSpec {
        let (name, description) = (&self.spec.name, &self.spec.description);
        ToolSpec::new(Arc::clone(name), Arc::clone(description), schema.clone())
    }

    /// What a model is told in words.
    pub fn prompt(&self) -> Prompt<'_> {
        Prompt(&self.spec)
    }

    /// A reader for the text of a model that is still arriving.
    pub fn arriving(&self) -> Arriving {
        let start = match self.spec.wrapper {
            Some(_) => Start::default(),
            None => Start::of_object(),
        };
        Arriving::new(start, self.spec.wrapper)
    }
}

impl Spec {
    fn unwrap(&self, value: Value) -> Value {
        match self.wrapper {
            Some(wrapper) => wrapper.unwrap(value),
            None => value,
        }
    }

    fn fits(&self, value: &Value) -> bool {
        let wrapped = self.wrapper.is_some() && self.sent.check(value).is_ok();
        wrapped || self.schema.check(value).is_ok()
    }
}

/// A value that all validators accept.
fn validated<T>(value: T, validators: &[Arc<dyn Validator<T>>]) -> Result<T, Error> {
    let found = validators.iter().filter_map(|validator| validator.check(&value).err());
    let problems: Vec<Problem> = found.flat_map(|Invalid(problems)| problems).collect();
    match problems.is_empty() {
        true => Ok(value),
        false => Err(Error::Validation(problems)),
    }
}

impl<T> Clone for Output<T> {
    fn clone(&self) -> Self {
        Self {
            spec: Arc::clone(&self.spec),
            extractors: self.extractors.clone(),
            make: Arc::clone(&self.make),
            validators: self.validators.clone(),
        }
    }
}

impl<T> fmt::Debug for Output<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output")
            .field("spec", &self.spec)
            .field("extractors", &self.extractors)
            .field("validators", &self.validators.len())
            .finish_non_exhaustive()
    }
}
