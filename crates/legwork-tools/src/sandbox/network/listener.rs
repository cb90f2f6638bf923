//! The listening socket of a command, received from its network namespace.

use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::TcpListener as Std;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdStream;

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, recvmsg};
use tokio::io::Interest;
use tokio::net::{TcpListener, UnixStream};

/// Waits for the socket; `None` if the sender closes its end without sending one.
///
/// # Errors
/// When receiving fails.
pub(super) async fn receive(from: StdStream) -> io::Result<Option<TcpListener>> {
    from.set_nonblocking(true)?;
    let from = UnixStream::from_std(from)?;
    let socket = from.async_io(Interest::READABLE, || try_receive(&from)).await?;
    let Some(socket) = socket else {
        return Ok(None);
    };
    let listener = Std::from(socket);
    listener.set_nonblocking(true)?;
    TcpListener::from_std(listener).map(Some)
}

fn try_receive(from: &UnixStream) -> io::Result<Option<OwnedFd>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let bytes = &mut [IoSliceMut::new(&mut byte)];
    let message = recvmsg(from, bytes, &mut control, RecvFlags::CMSG_CLOEXEC)?;
    if message.flags.contains(ReturnFlags::CTRUNC) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let files = control.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(files) => Some(files),
        _ => None,
    });
    Ok(files.flatten().next())
}
