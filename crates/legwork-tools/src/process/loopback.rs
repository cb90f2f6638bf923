//! A network of a command's own, on whose loopback a socket listens.
//!
//! The socket belongs to the network namespace that it was made in, in any process: what
//! serves it stays outside, and nothing but the command reaches it.
//!
//! Unsafe code: this runs between `fork` and `exec`, where only calls that are
//! safe in a signal handler may be made. Nothing here allocates or locks.
#![allow(unsafe_code, reason = "interfaces have no safe wrapper")]

use std::io::{self, IoSlice};
use std::mem::{MaybeUninit, zeroed};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};

use rustix::net::{
    AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
    bind, listen, sendmsg, socket_with,
};

use crate::linux::Loopback;

/// Connections that wait to be accepted.
const WAITING: i32 = 128;

/// Switches the loopback of the network on that this process has entered, and sends a
/// socket that listens there to what serves it.
///
/// # Errors
/// What the kernel said.
pub(super) fn serve(loopback: &Loopback) -> io::Result<()> {
    switch_on(&socket(SocketType::DGRAM)?)?;
    let listener = socket(SocketType::STREAM)?;
    bind(&listener, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, loopback.port))?;
    listen(&listener, WAITING)?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut sent = SendAncillaryBuffer::new(&mut space);
    let listener = [listener.as_fd()];
    if !sent.push(SendAncillaryMessage::ScmRights(&listener)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    sendmsg(&loopback.server, &[IoSlice::new(&[0])], &mut sent, SendFlags::NOSIGNAL)?;
    Ok(())
}

fn socket(kind: SocketType) -> io::Result<OwnedFd> {
    Ok(socket_with(AddressFamily::INET, kind, SocketFlags::CLOEXEC, None)?)
}

/// Switches on the interface `lo`, which is off in a new network.
fn switch_on(socket: &OwnedFd) -> io::Result<()> {
    // SAFETY: a plain structure of numbers, which may all be zero.
    let mut request: libc::ifreq = unsafe { zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
        *to = from.cast_signed();
    }
    let up = i16::try_from(libc::IFF_UP | libc::IFF_RUNNING);
    request.ifr_ifru.ifru_flags = up.map_err(|_| io::ErrorKind::InvalidInput)?;
    // SAFETY: the structure lives through the call, which reads it.
    let outcome =
        unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request) };
    if outcome == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
