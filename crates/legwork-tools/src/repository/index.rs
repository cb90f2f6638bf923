//! Submodules that the index of a repository names: Git looks into them for `git status`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

use super::folder::Folder;

/// Most bytes of a name: Linux opens no longer path (`PATH_MAX`).
const NAME_MAX: usize = 4096;
/// Most submodules of an index, and most bytes of their names.
const SUBMODULES_MAX: usize = 10_000;
const NAMES_MAX: usize = 4 << 20;
/// Bytes of an object's name, by SHA-1 and by SHA-256.
const HASHES: [usize; 2] = [20, 32];
/// Bytes of an entry before the name of its object; the mode is at 24.
const STAT: usize = 40;
const MODE: usize = 24;
/// The mode of a submodule, a gitlink.
const GITLINK: u32 = 0o160_000;
/// Flags of an entry: 16 more bits follow; and the length of its name, if it is not longer.
const EXTENDED: usize = 0x4000;
const LENGTH: usize = 0x0fff;

/// The paths of submodules in the index of a repository, below its working tree.
///
/// `most` is how many bytes may be read, and is lowered by those that are.
///
/// # Errors
/// When the index cannot be read, or exceeds a bound: Git may read it all the same.
pub(super) fn submodules(git: &Folder, most: &mut u64) -> Result<Vec<PathBuf>, Unreadable> {
    let mut paths = Vec::new();
    let mut name = OsString::from("index");
    // One that is split names the other part, which is whole.
    for _ in 0..2 {
        if git.look(&name).is_err() {
            break;
        }
        let bytes = git.read(&name, *most).ok_or(Unreadable)?;
        *most = most.saturating_sub(bytes.len() as u64);
        let parsed = HASHES.iter().find_map(|hash| Index::parse(&bytes, *hash));
        let index = parsed.ok_or(Unreadable)?;
        paths.extend(index.submodules);
        match index.base {
            Some(base) => name = base,
            None => break,
        }
    }
    Ok(paths)
}

/// How many submodules are in an index, if it is one.
pub fn submodules_in(bytes: &[u8]) -> Option<usize> {
    HASHES.iter().find_map(|hash| Index::parse(bytes, *hash)).map(|index| index.submodules.len())
}

/// An index that is not of a known form, or exceeds a bound.
#[derive(Debug)]
pub(super) struct Unreadable;

struct Index {
    submodules: Vec<PathBuf>,
    /// The file with the rest of it.
    base: Option<OsString>,
}

impl Index {
    /// An index as gitformat-index(5) describes it.
    fn parse(bytes: &[u8], hash: usize) -> Option<Self> {
        let mut left = bytes.strip_prefix(b"DIRC")?;
        let (version, count) = (number(&mut left)?, number(&mut left)?);
        if !(2..=4).contains(&version) {
            return None;
        }
        let mut submodules = Vec::new();
        let (mut name, mut names) = (Vec::new(), 0_usize);
        for _ in 0..count {
            let start = left.len();
            let stat = left.split_off(..STAT)?;
            left.split_off(..hash)?;
            let flags = usize::from(u16::from_be_bytes(left.split_off(..2)?.try_into().ok()?));
            if flags & EXTENDED != 0 {
                left.split_off(..2)?;
            }
            if version == 4 {
                let cut = variable(&mut left)?;
                name.truncate(name.len().checked_sub(cut)?);
            } else {
                name.clear();
            }
            let end = left.iter().position(|byte| *byte == 0)?;
            name.extend(left.split_off(..end)?);
            if name.len() > NAME_MAX {
                return None;
            }
            if version != 4 {
                if flags & LENGTH != name.len().min(LENGTH) {
                    return None;
                }
                // With zeros behind it, one at least, each is a multiple of 8 bytes.
                let used = start.checked_sub(left.len())?;
                left.split_off(..8 - used % 8)?;
            } else {
                left.split_off(..1)?;
            }
            let mode = u32::from_be_bytes(stat.get(MODE..MODE + 4)?.try_into().ok()?);
            if mode == GITLINK {
                names = names.checked_add(name.len())?;
                if names > NAMES_MAX || submodules.len() >= SUBMODULES_MAX {
                    return None;
                }
                submodules.push(OsString::from_vec(name.clone()).into());
            }
        }
        Some(Self { submodules, base: base(left, hash) })
    }
}

/// The other part of an index, by its extension `link`.
fn base(mut left: &[u8], hash: usize) -> Option<OsString> {
    while left.len() > hash {
        let kind = left.split_off(..4)?;
        let size = usize::try_from(number(&mut left)?).ok()?;
        let content = left.split_off(..size)?;
        if kind == b"link" {
            let object = content.get(..hash)?;
            let is_none = object.iter().all(|byte| *byte == 0);
            let hex: String = object.iter().map(|byte| format!("{byte:02x}")).collect();
            return (!is_none).then(|| format!("sharedindex.{hex}").into());
        }
    }
    None
}

fn number(left: &mut &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(left.split_off(..4)?.try_into().ok()?))
}

/// A number of as many bytes as it needs, as in packs.
fn variable(left: &mut &[u8]) -> Option<usize> {
    let mut value = 0_usize;
    loop {
        let byte = *left.split_off_first()?;
        value = value.checked_mul(128)?.checked_add(usize::from(byte & 127))?;
        if byte & 128 == 0 {
            return Some(value);
        }
        value = value.checked_add(1)?;
    }
}
