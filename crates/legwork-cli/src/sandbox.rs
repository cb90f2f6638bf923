//! Bubblewrap that says aloud when it does not work.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use legwork::port::Sandbox;
use legwork::port::sandbox::Confined;
use legwork::tools::Environment;
use legwork::tools::sandbox::Bubblewrap;

use crate::display::Screen;

/// Bubblewrap; the first refusal is shown to the person too, not to the model alone.
///
/// It is tried out before the first command, so that no other run pays for it.
pub(crate) struct Walls {
    bubblewrap: Bubblewrap,
    screen: Arc<Screen>,
    told: AtomicBool,
}

impl Walls {
    pub(crate) fn new(environment: &Environment, screen: Arc<Screen>) -> Self {
        Self { bubblewrap: Bubblewrap::new(environment), screen, told: AtomicBool::new(false) }
    }
}

impl Sandbox for Walls {
    fn name(&self) -> &str {
        self.bubblewrap.name()
    }

    fn confine(&self, workspace: &Path, command: Vec<OsString>) -> Result<Confined, String> {
        self.bubblewrap.confine(workspace, command).inspect_err(|why| {
            if !self.told.swap(true, Ordering::Relaxed) {
                self.screen.warn(why);
            }
        })
    }
}
