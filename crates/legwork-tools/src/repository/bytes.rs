//! Contents and names, which are bytes, as text in files of our own.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use legwork_port::core::Digest;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// What a file holds; cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Content(Arc<[u8]>);

/// A path, or where a link leads to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name(PathBuf);

impl From<Vec<u8>> for Content {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }
}

impl Content {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn digest(&self) -> Digest {
        Digest::of_bytes(&self.0)
    }
}

impl From<PathBuf> for Name {
    fn from(path: PathBuf) -> Self {
        Self(path)
    }
}

impl Name {
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD.decode(text).map(Self::from).map_err(de::Error::custom)
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(OsStr::as_bytes(self.0.as_os_str())))
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = Content::deserialize(deserializer)?.bytes().to_vec();
        Ok(Self(OsString::from_vec(bytes).into()))
    }
}
