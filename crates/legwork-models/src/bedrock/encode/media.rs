//! Images, documents, videos and sounds, as bytes or in S3.

use std::borrow::Cow;

use legwork_core::message::{File, Image, MediaSource};

use crate::wire::{field, write};

/// Characters of a document's name; the API takes 200.
const NAME: usize = 150;

/// An image, a document, a video or a sound that the API takes.
pub(super) struct Media<'a> {
    kind: Kind,
    format: &'static str,
    name: Option<&'a str>,
    source: Source<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Image,
    Document,
    Video,
    Audio,
}

#[derive(Debug, Clone, Copy)]
enum Source<'a> {
    Bytes(&'a str),
    S3(&'a str),
}

impl<'a> Media<'a> {
    /// An image; none if the API does not take its format, or would have to fetch it.
    pub(super) fn of_image(image: &'a Image) -> Option<Self> {
        let format = match &*image.media_type {
            "image/png" => "png",
            "image/jpeg" | "image/jpg" => "jpeg",
            "image/gif" => "gif",
            "image/webp" => "webp",
            _ => return None,
        };
        Some(Self { kind: Kind::Image, format, name: None, source: Source::of(&image.source)? })
    }

    /// A document, a video or a sound; none if the API does not take it.
    pub(super) fn of_file(file: &'a File) -> Option<Self> {
        let (kind, format) = format(&file.media_type)?;
        Some(Self { kind, format, name: file.name.as_deref(), source: Source::of(&file.source)? })
    }

    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    /// Appends it; a document's name ends with a digest over its place, for no two documents of
    /// a request may have one name.
    pub(super) fn append(&self, place: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(match self.kind {
            Kind::Image => b"{\"image\":{\"format\":",
            Kind::Document => b"{\"document\":{\"format\":",
            Kind::Video => b"{\"video\":{\"format\":",
            Kind::Audio => b"{\"audio\":{\"format\":",
        });
        write(out, self.format);
        if self.kind == Kind::Document {
            field(out, "name", &self.document_name(place).into());
        }
        let (begin, text, end) = match self.source {
            Source::Bytes(data) => (&b",\"source\":{\"bytes\":"[..], data, &b"}}}"[..]),
            Source::S3(uri) => (&b",\"source\":{\"s3Location\":{\"uri\":"[..], uri, &b"}}}}"[..]),
        };
        out.extend_from_slice(begin);
        write(out, text);
        out.extend_from_slice(end);
    }

    /// A name of letters, digits, hyphens, brackets and single spaces.
    fn document_name(&self, place: &str) -> String {
        let name = self.name.unwrap_or_default();
        let name = name.rsplit_once('.').map_or(name, |(name, _)| name);
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '(' | ')' | '[' | ']');
        let words: Vec<_> = name.split(|c| !plain(c)).filter(|word| !word.is_empty()).collect();
        let mut name: Cow<'_, str> = words.join(" ").into();
        if name.is_empty() {
            name = "Document".into();
        }
        let (Source::Bytes(text) | Source::S3(text)) = self.source;
        let digest = crate::wire::digest([place, self.format, text]);
        format!("{} {digest:016x}", name.get(..NAME).unwrap_or(&name).trim_end())
    }
}

impl<'a> Source<'a> {
    fn of(source: &'a MediaSource) -> Option<Self> {
        match source {
            MediaSource::Base64(data) => Some(Self::Bytes(data)),
            MediaSource::Url(url) if url.starts_with("s3://") => Some(Self::S3(url)),
            _ => None,
        }
    }
}

/// What is said of media that the API does not take: that they are there.
pub(super) fn named(what: &str, name: Option<&str>, media: &str, source: &MediaSource) -> String {
    let name = name.map(|name| format!(" {name}")).unwrap_or_default();
    match source {
        MediaSource::Url(url) => format!("[{what}{name}: {media} at {url}]"),
        _ => format!("[{what}{name}: {media}]"),
    }
}

fn format(media_type: &str) -> Option<(Kind, &'static str)> {
    let media_type = media_type.split(';').next().unwrap_or_default().trim();
    Some(match media_type {
        "application/pdf" => (Kind::Document, "pdf"),
        "application/msword" => (Kind::Document, "doc"),
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => {
            (Kind::Document, "docx")
        }
        "application/vnd.ms-excel" => (Kind::Document, "xls"),
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" => {
            (Kind::Document, "xlsx")
        }
        "text/csv" => (Kind::Document, "csv"),
        "text/html" => (Kind::Document, "html"),
        "text/markdown" => (Kind::Document, "md"),
        "text/plain" => (Kind::Document, "txt"),
        "video/mp4" => (Kind::Video, "mp4"),
        "video/mpeg" => (Kind::Video, "mpeg"),
        "video/mpg" => (Kind::Video, "mpg"),
        "video/quicktime" => (Kind::Video, "mov"),
        "video/webm" => (Kind::Video, "webm"),
        "video/x-flv" => (Kind::Video, "flv"),
        "video/x-matroska" => (Kind::Video, "mkv"),
        "video/x-ms-wmv" => (Kind::Video, "wmv"),
        "video/3gpp" => (Kind::Video, "three_gp"),
        "audio/aac" => (Kind::Audio, "aac"),
        "audio/flac" | "audio/x-flac" => (Kind::Audio, "flac"),
        "audio/mp4" | "audio/m4a" | "audio/x-m4a" => (Kind::Audio, "m4a"),
        "audio/mpeg" | "audio/mp3" => (Kind::Audio, "mp3"),
        "audio/ogg" => (Kind::Audio, "ogg"),
        "audio/opus" => (Kind::Audio, "opus"),
        "audio/wav" | "audio/x-wav" | "audio/wave" => (Kind::Audio, "wav"),
        "audio/webm" => (Kind::Audio, "webm"),
        _ => return None,
    })
}
