//! A path as text from which its exact bytes can be read back.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A path that is written as text; invalid UTF-8, control characters and `%` become `%XX`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Name(pub(crate) PathBuf);

impl Name {
    fn text(&self) -> String {
        let mut text = String::new();
        for chunk in self.0.as_os_str().as_bytes().utf8_chunks() {
            for c in chunk.valid().chars() {
                match c == '%' || c.is_control() {
                    true => escape(&mut text, c.encode_utf8(&mut [0; 4]).as_bytes()),
                    false => text.push(c),
                }
            }
            escape(&mut text, chunk.invalid());
        }
        text
    }

    fn of(text: &str) -> Option<Self> {
        let mut bytes = Vec::with_capacity(text.len());
        let mut rest = text.as_bytes();
        while let Some((first, behind)) = rest.split_first() {
            rest = behind;
            if *first != b'%' {
                bytes.push(*first);
                continue;
            }
            let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = rest.get(2..)?;
        }
        Some(Self(PathBuf::from(OsStr::from_bytes(&bytes))))
    }
}

fn escape(text: &mut String, bytes: &[u8]) {
    bytes.iter().for_each(|byte| text.push_str(&format!("%{byte:02X}")));
}

impl From<&Path> for Name {
    fn from(path: &Path) -> Self {
        Self(path.to_owned())
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.text())
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::of(&text).ok_or_else(|| serde::de::Error::custom("a path with a broken escape"))
    }
}

#[cfg(test)]
mod tests;
