//! A line of `/proc/PID/stat`.

/// The fields of such a line.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Stat {
    pub(super) process: i32,
    pub(super) parent: i32,
    /// Pages of memory that it has in use.
    pub(super) pages: u64,
    /// Whether it has ended and waits to be reaped.
    pub(super) dead: bool,
}

impl Stat {
    /// Reads `pid (name) state parent ...`. The name may hold blanks and
    /// brackets, so its last bracket counts.
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        let process = number(line.split(|&byte| byte == b' ').next()?)?;
        let name_end = line.iter().rposition(|&byte| byte == b')')?;
        let mut fields = line.get(name_end..)?.split(|&byte| byte == b' ');
        let state = fields.nth(1)?;
        let parent = number(fields.next()?)?;
        // The 24th field of all, as proc_pid_stat(5) counts them.
        let pages = fields.nth(19).and_then(|pages| std::str::from_utf8(pages).ok()?.parse().ok());
        let dead = matches!(state, b"Z" | b"X");
        Some(Self { process, parent, pages: pages.unwrap_or_default(), dead })
    }
}

pub(super) fn number(digits: &[u8]) -> Option<i32> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests;
