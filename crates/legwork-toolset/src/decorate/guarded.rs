//! Tools some of whose calls are refused.

use std::sync::Arc;

use legwork_core::ToolSpec;
use legwork_port::{Admission, AdmittedCall, Tool};

use super::decorated::Decorator;
use super::layered::{Admits, Layered};

type Check = dyn Fn(&AdmittedCall<'_>) -> Admission + Send + Sync;

/// Each call is checked by a function.
pub(super) struct Guarded {
    label: Arc<str>,
    check: Arc<Check>,
}

impl Guarded {
    pub(super) fn new(
        label: String,
        check: impl Fn(&AdmittedCall<'_>) -> Admission + Send + Sync + 'static,
    ) -> Self {
        Self { label: label.into(), check: Arc::new(check) }
    }
}

impl Decorator for Guarded {
    fn tool(&self, set: &Arc<str>, tool: &Arc<dyn Tool>) -> Option<Arc<dyn Tool>> {
        let admits = Arc::new(Checks(Arc::clone(&self.check)));
        Some(Arc::new(Layered::new(set, tool, Arc::clone(&self.label)).with_admission(admits)))
    }
}

struct Checks(Arc<Check>);

impl Admits for Checks {
    fn admit(&self, _: &ToolSpec, call: &AdmittedCall<'_>) -> Admission {
        (self.0)(call)
    }
}
