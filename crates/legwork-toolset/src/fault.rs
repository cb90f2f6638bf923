//! How the panic of a toolset is told.

/// What observers and the model read of a toolset that panicked.
pub(crate) fn panicked(panic: String) -> String {
    format!("it panicked: {panic}")
}
