//! Tools made of functions, by `#[tool]`, and of closures, by [`from_fn`].
//!
//! ```
//! use legwork::tool;
//!
//! /// Adds two whole numbers.
//! #[tool(read_only)]
//! async fn add(a: i64, b: i64) -> i64 {
//!     a + b
//! }
//!
//! /// Divides one whole number by another.
//! #[tool(read_only)]
//! fn divide(
//!     dividend: i64,
//!     /// Must not be zero.
//!     divisor: i64,
//! ) -> Result<i64, String> {
//!     dividend.checked_div(divisor).ok_or_else(|| "there is no such quotient".to_owned())
//! }
//!
//! let tools: [tool::Function; 2] = [add, divide];
//! # use legwork::port::Tool;
//! assert_eq!(&*tools[1].spec().name, "divide");
//! ```

mod from_fn;
#[doc(hidden)]
pub mod undo;
mod validated;
#[doc(hidden)]
pub use validated::validated;
#[doc(hidden)]
pub mod returned;
#[doc(hidden)]
pub mod shape;

pub use from_fn::{Closure, from_fn, from_schema};
pub use legwork_core::message::{File, Image, MediaSource, ResultPart};
pub use legwork_core::tool::{
    EndStrategy, ExecutionMode, IntoOutcome, Json, OnBlock, Prompt, Prompted, ResultLimit,
};
pub use shape::ToolFn;

use std::fmt;
use std::sync::Arc;

use legwork_core::{ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{Admission, AdmittedCall, BoxFuture, Tool, ToolContext, Undo};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// A tool made of a function by `#[tool]`; all are of this one type.
#[derive(Clone, Copy)]
pub struct Function {
    spec: fn() -> Arc<ToolSpec>,
    call: Call,
    admit: Option<Admit>,
    undo: Option<&'static dyn Undo>,
}

type Admit = fn(&AdmittedCall<'_>) -> Admission;
type Call = for<'a> fn(&'a ToolCall, &'a ToolContext) -> BoxFuture<'a, ToolOutcome>;

impl Function {
    #[doc(hidden)]
    pub const fn new(spec: fn() -> Arc<ToolSpec>, call: Call) -> Self {
        Self { spec, call, admit: None, undo: None }
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn admitting(self, admit: Admit) -> Self {
        Self { admit: Some(admit), ..self }
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn undoing(self, undo: &'static dyn Undo) -> Self {
        Self { undo: Some(undo), ..self }
    }
}

impl Tool for Function {
    fn spec(&self) -> Arc<ToolSpec> {
        (self.spec)()
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        (self.call)(call, cx)
    }

    fn admit(&self, call: &AdmittedCall<'_>) -> Admission {
        self.admit.map_or(Admission::Run, |admit| admit(call))
    }

    fn undo(&self) -> Option<&dyn Undo> {
        self.undo
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Function").field(&self.spec().name).finish()
    }
}

impl From<Function> for Arc<dyn Tool> {
    fn from(function: Function) -> Self {
        Arc::new(function)
    }
}

/// The JSON Schema of a struct of arguments.
#[doc(hidden)]
pub fn schema<T: JsonSchema>() -> Value {
    let generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    let mut schema = generator.into_root_schema_for::<T>().to_value();
    if let Value::Object(fields) = &mut schema {
        // The title is the name of a struct that the macro generates, and the dialect follows
        // from the API: the model needs neither.
        fields.remove("title");
        fields.remove("$schema");
        fields.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    }
    schema
}
