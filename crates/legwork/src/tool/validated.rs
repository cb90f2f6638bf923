//! The validator of a tool.

use std::fmt::Display;

use legwork_port::{Admission, AdmittedCall};
use serde::de::DeserializeOwned;

/// What a validator says of the arguments of a call.
pub fn validated<A, E>(
    call: &AdmittedCall<'_>,
    check: impl FnOnce(&A) -> Result<(), E>,
) -> Admission
where
    A: DeserializeOwned,
    E: Display,
{
    let problem = match A::deserialize(call.arguments) {
        Ok(arguments) => check(&arguments).err().map(|error| format!("{error:#}")),
        Err(error) => Some(error.to_string()),
    };
    match problem {
        None => Admission::Run,
        Some(problem) => {
            let problem = problem.trim_end_matches(['.', ' ']);
            Admission::Invalid(format!("The arguments are not valid: {problem}."))
        }
    }
}
