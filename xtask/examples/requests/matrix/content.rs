//! What a user says: text, images, sounds, documents.

use legwork_core::message::{File, Image, MediaSource, Message, Part, Role};

use super::Case;
use super::conversation::conversation;

pub(super) fn cases() -> Vec<Case> {
    let mut system = conversation([]);
    system.instructions = "Be careful.".into();
    let said = |name, parts| Case::new(name, conversation([Message::new(Role::User, parts)]));
    let url = |name: &str| MediaSource::Url(format!("https://example.com/{name}"));
    vec![
        Case::new("text", conversation([])),
        Case::new("system", system),
        said(
            "images",
            vec![Part::text("See?"), Part::Image(image()), {
                Part::Image(Image { source: url("a.png"), ..image() })
            }],
        ),
        said("images_alone", vec![Part::Image(image()), Part::Image(image())]),
        said(
            "files",
            vec![
                Part::text("Read."),
                inline("a.pdf", "application/pdf"),
                inline("a.wav", "audio/wav"),
            ],
        ),
        said(
            "audio",
            vec![
                Part::text("Listen."),
                inline("a.wav", "audio/wav"),
                inline("a.mp3", "audio/mpeg"),
                inline("a.ogg", "audio/ogg"),
                file("b.wav", "audio/wav", url("b.wav")),
            ],
        ),
        said(
            "documents",
            vec![
                Part::text("Compare."),
                inline("a.pdf", "application/pdf"),
                file("b.pdf", "application/pdf", url("b.pdf")),
                inline("a.txt", "text/plain"),
                inline("a.csv", "text/csv"),
                inline("a.json", "application/json"),
                inline(
                    "a.docx",
                    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
                ),
            ],
        ),
        said(
            "documents_alone",
            vec![inline("a.pdf", "application/pdf"), inline("a.pdf", "application/pdf")],
        ),
        said(
            "video",
            vec![
                Part::text("Watch."),
                inline("a.mp4", "video/mp4"),
                file("b.mp4", "video/mp4", url("b.mp4")),
            ],
        ),
    ]
}

/// An image that is in the message.
pub(super) fn image() -> Image {
    let source = MediaSource::Base64("iVBORw0KGgo=".to_owned());
    Image { media_type: "image/png".to_owned(), source }
}

/// A document that is in the message.
pub(super) fn document() -> File {
    let source = MediaSource::Base64("JVBERi0=".to_owned());
    File { name: Some("a.pdf".to_owned()), media_type: "application/pdf".to_owned(), source }
}

fn inline(name: &str, media_type: &str) -> Part {
    file(name, media_type, MediaSource::Base64("JVBERi0=".to_owned()))
}

fn file(name: &str, media_type: &str, source: MediaSource) -> Part {
    let (name, media_type) = (Some(name.to_owned()), media_type.to_owned());
    Part::File(File { name, media_type, source })
}
