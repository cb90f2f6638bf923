//! Effect classes of tools, from the hints of a server.

use legwork_core::EffectClass;
use rmcp::model::ToolAnnotations;

/// Whether the hints of a server count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Trust {
    /// They do not count: every call may have any effect.
    #[default]
    Untrusted,
    Trusted,
}

/// The class of a tool. By default a call runs once, and a person is asked when it is in doubt.
pub(crate) fn class(hints: Option<&ToolAnnotations>, trust: Trust) -> EffectClass {
    let Some(hints) = hints.filter(|_| trust == Trust::Trusted) else {
        return EffectClass::default();
    };
    match (hints.read_only_hint, hints.idempotent_hint) {
        (Some(true), _) => EffectClass::ReadOnly,
        // What is repeated with the same arguments has no further effect.
        (_, Some(true)) => EffectClass::Idempotent,
        _ => EffectClass::default(),
    }
}
