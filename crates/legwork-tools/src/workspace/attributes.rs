//! Extended attributes that a new version of a file keeps: access control
//! lists and those of the user. What security modules attach is theirs to set.

use std::fs::File;

use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr};
use rustix::io::Errno;

/// Most bytes of a list of names and of a value (`XATTR_LIST_MAX`, `XATTR_SIZE_MAX`).
const BYTES_MAX: usize = 65_536;
const ACCESS_LIST: &[u8] = b"system.posix_acl_access";

/// Gives `to` the attributes of `from`, after its mode was set: without the
/// list, the mode alone would let its group do what the list kept from it.
///
/// # Errors
/// What the kernel said of the first that could not be copied.
pub(super) fn copy(from: &File, to: &File) -> Result<(), Errno> {
    let mut buffer = vec![0; BYTES_MAX];
    let length = match flistxattr(from, buffer.as_mut_slice()) {
        Ok(length) => length,
        Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(()),
        Err(errno) => return Err(errno),
    };
    let names = buffer.get(..length).unwrap_or_default().to_vec();
    let mut listed = false;
    for name in names.split(|byte| *byte == 0) {
        let is_list = name == ACCESS_LIST;
        if is_list || name.starts_with(b"user.") {
            let length = fgetxattr(from, name, buffer.as_mut_slice())?;
            let value = buffer.get(..length).unwrap_or_default();
            fsetxattr(to, name, value, XattrFlags::empty())?;
        }
        listed |= is_list;
    }
    if listed {
        return Ok(());
    }
    // The directory may have given the new file a list that the old had not.
    match fremovexattr(to, ACCESS_LIST) {
        Ok(()) | Err(Errno::NODATA | Errno::NOTSUP | Errno::NOSYS) => Ok(()),
        Err(errno) => Err(errno),
    }
}
