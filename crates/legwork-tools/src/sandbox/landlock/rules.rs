//! The rules: which places a confined command reads and writes.
//!
//! Landlock only ever grants, and what is granted holds for all below. So a
//! secret in what is granted is excluded by granting everything next to it one by
//! one.

use std::collections::BTreeSet;
use std::fs;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, PathBeneath,
    PathFd, Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError,
    Scope,
};

use crate::sandbox::network::Network;
use crate::sandbox::places::{Held, Places, Seen};
use crate::sandbox::policy::Policy;

/// The newest set of rights that this was written for and tested with.
const NEWEST: ABI = ABI::V7;
/// Devices that programs write to and that reach no other process.
const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];

/// Builds the ruleset; every file that it names is opened here.
///
/// # Errors
/// When the kernel refuses it, with what it said.
pub(super) fn ruleset(
    places: &Places,
    temp: &Path,
    policy: &Policy,
) -> Result<Option<OwnedFd>, RulesetError> {
    let (all, read) = (AccessFs::from_all(NEWEST), AccessFs::from_read(NEWEST));
    // A device node made by a privileged user would open the disk.
    let write = all & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .scope(Scope::AbstractUnixSocket | Scope::Signal)?;
    if policy.network != Network::All {
        ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST))?;
    }
    let mut rules = Rules(ruleset.create()?);
    let masked: BTreeSet<_> = places.masked.now().into_iter().collect();
    // A symlink of the system leads to what is seen, too.
    let system = places.system.iter().filter_map(Seen::source);
    let readable = places.readable.iter().map(Held::path);
    for place in system.chain(readable).chain([Path::new("/proc")]) {
        rules.grant_around(place, &masked, read)?;
    }
    for place in places.writable.iter().map(Held::path) {
        rules.grant(place, write)?;
    }
    rules.grant(temp, write)?;
    for device in DEVICES {
        let place = Path::new("/dev").join(device);
        rules.grant(&place, AccessFs::ReadFile | AccessFs::WriteFile)?;
    }
    Ok(rules.0.into())
}

/// Closes the abstract sockets of others, and nothing else.
pub(super) fn abstract_sockets() -> Result<Option<OwnedFd>, RulesetError> {
    Ok(Ruleset::default().scope(Scope::AbstractUnixSocket)?.create()?.into())
}

struct Rules(RulesetCreated);

impl Rules {
    fn grant(&mut self, place: &Path, access: BitFlags<AccessFs>) -> Result<(), RulesetError> {
        // What has gone, or cannot be opened, is not granted.
        let Ok(file) = PathFd::new(place) else {
            return Ok(());
        };
        let directory = place.is_dir();
        let access = if directory { access } else { access & AccessFs::from_file(NEWEST) };
        (&mut self.0).add_rule(PathBeneath::new(file, access)).map(drop)
    }

    /// Grants a place but for what is hidden in it.
    fn grant_around(
        &mut self,
        place: &Path,
        hidden: &BTreeSet<PathBuf>,
        access: BitFlags<AccessFs>,
    ) -> Result<(), RulesetError> {
        if hidden.contains(place) {
            return Ok(());
        }
        if !hidden.iter().any(|hidden| hidden.starts_with(place)) {
            return self.grant(place, access);
        }
        for entry in fs::read_dir(place).into_iter().flatten().flatten() {
            // A link itself is not granted: what it leads to is, or is not.
            if !entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                self.grant_around(&entry.path(), hidden, access)?;
            }
        }
        Ok(())
    }
}
