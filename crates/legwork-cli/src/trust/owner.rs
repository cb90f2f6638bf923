//! Whose files are used: those of the user, by the rule of git's `safe.directory`.

use std::collections::BTreeSet;
use std::fs;

/// The users whose files are used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Owners(BTreeSet<u32>);

impl Owners {
    /// The user that runs the command; for root, also the one that called `sudo`.
    pub(crate) fn person() -> Self {
        let me = rustix::process::geteuid();
        Self::known(me.as_raw(), std::env::var("SUDO_UID").ok().as_deref())
    }

    fn known(me: u32, sudo: Option<&str>) -> Self {
        // As in git, the variable counts for root only: any other user could set it.
        let sudo = sudo.filter(|text| me == 0 && text.bytes().all(|b| b.is_ascii_digit()));
        Self(sudo.and_then(|text| text.parse().ok()).into_iter().chain([me]).collect())
    }

    /// These users and others.
    pub(crate) fn with(&self, others: impl IntoIterator<Item = u32>) -> Self {
        Self(self.0.iter().copied().chain(others).collect())
    }

    pub(crate) fn has(&self, user: u32) -> bool {
        self.0.contains(&user)
    }
}

/// The name of a user.
pub(crate) fn name(user: u32) -> String {
    let known = users().into_iter().find(|(_, id)| *id == user);
    known.map_or_else(|| format!("user {user}"), |(name, _)| name)
}

/// The user with a name or number.
pub(crate) fn user(text: &str) -> Result<u32, String> {
    let by_name = users().into_iter().find(|(name, _)| name == text).map(|(_, id)| id);
    let known = by_name.or_else(|| text.parse().ok());
    known.ok_or_else(|| format!("there is no user {text:?}: name one, or give a number"))
}

fn users() -> Vec<(String, u32)> {
    let known = fs::read("/etc/passwd").unwrap_or_default();
    let known = String::from_utf8_lossy(&known).into_owned();
    let user = |line: &str| {
        let mut fields = line.split(':');
        Some((fields.next()?.to_owned(), fields.nth(1)?.parse().ok()?))
    };
    known.lines().filter_map(user).collect()
}

#[cfg(test)]
mod tests;
