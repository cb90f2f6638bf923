//! Which addresses requests about authorization may go to.
//!
//! A server names the hosts that we ask for metadata and tokens: it must not be able to make us
//! ask hosts that it cannot reach itself.

use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use legwork_port::network::is_public;
use serde::{Deserialize, Serialize};

/// Where an address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Place {
    Public,
    Private,
    Loopback,
    /// Link-local (where clouds have their credentials), multicast, and what is reserved.
    Reserved,
}

impl Place {
    /// Where an address is.
    pub(super) fn of(address: IpAddr) -> Self {
        let address = address.to_canonical();
        if is_public(address) {
            return Self::Public;
        }
        let is_private = match address {
            IpAddr::V4(address) => {
                let [a, b, ..] = address.octets();
                address.is_private() || (a == 100 && b & 0xc0 == 64)
            }
            IpAddr::V6(address) => address.is_unique_local(),
        };
        match address.is_loopback() {
            true => Self::Loopback,
            false if is_private => Self::Private,
            false => Self::Reserved,
        }
    }

    /// Whether a server that is here may send us to an address.
    pub(super) fn reaches(self, address: IpAddr) -> bool {
        match Self::of(address) {
            Self::Public => true,
            Self::Reserved => false,
            place => place == self,
        }
    }
}

/// Where a server was when it answered.
///
/// This is about the addresses that connections were made to, not about what its name means:
/// its owner can change that for each question.
#[derive(Default)]
pub(super) struct Peers(Mutex<Option<Place>>);

impl Peers {
    pub(super) fn note(&self, address: IpAddr) {
        let place = Place::of(address);
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *noted = match *noted {
            None => Some(place),
            Some(noted) if noted == place => Some(noted),
            // One that has several places is treated as all the others are.
            Some(_) => Some(Place::Public),
        };
    }

    /// Where it was; none if it has not answered.
    pub(super) fn place(&self) -> Option<Place> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
