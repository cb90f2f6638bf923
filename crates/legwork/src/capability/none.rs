//! The registry of all capabilities, without the feature `tools`.

use super::Registry;

pub(super) fn from_env() -> Registry {
    let about = "Needs the feature `tools` of the crate `legwork`.";
    ["bash", "coding", "files"].into_iter().fold(Registry::shipped(), |registry, name| {
        registry.with(name, about, |_| Err(crate::error::feature("tools")))
    })
}
