//! Parts of messages and results, as documents show them.

use legwork::core::message::{Image, MediaSource, ResultPart};
use legwork::core::{Message, ToolOutcome};

/// A part of a message or a result.
pub(super) enum Part {
    Text(String),
    /// Text that stands for something that a document does not show.
    Note(String),
    Image(Image),
}

/// The parts of a message, without thinking and calls.
pub(super) fn of_message(message: &Message) -> Vec<Part> {
    let app =
        message.app.iter().map(|app| Part::Text(format!("{}: {}", app.kind, app.data.as_str())));
    let parts = message.parts.iter().filter_map(|part| match part {
        legwork::core::Part::Text(text) => Some(Part::Text(text.text.clone())),
        legwork::core::Part::Refusal(text) => Some(Part::Text(format!("(refused) {}", text.text))),
        legwork::core::Part::Image(image) => Some(Part::Image(image.clone())),
        legwork::core::Part::File(file) => {
            let name = file.name.as_deref().unwrap_or("without a name");
            Some(Part::Note(format!("[file {name}: {}]", file.media_type)))
        }
        _ => None,
    });
    app.chain(parts).filter(|part| !part.is_blank()).collect()
}

/// The parts of what came of a call.
pub(super) fn of_outcome(outcome: &ToolOutcome) -> Vec<Part> {
    let parts: Vec<_> = match outcome {
        ToolOutcome::Ok(output) | ToolOutcome::Finished(output) => {
            output.0.iter().map(of_result).collect()
        }
        other => vec![Part::Text(other.to_text())],
    };
    parts.into_iter().filter(|part| !part.is_blank()).collect()
}

fn of_result(part: &ResultPart) -> Part {
    match part {
        ResultPart::Image(image) => Part::Image(image.clone()),
        ResultPart::File(_) => Part::Note(part.text().into_owned()),
        part => Part::Text(part.text().into_owned()),
    }
}

impl Part {
    fn is_blank(&self) -> bool {
        matches!(self, Self::Text(text) if text.trim().is_empty())
    }
}

/// An image in words.
pub(super) fn in_words(image: &Image) -> String {
    match &image.source {
        MediaSource::Url(url) => format!("[picture: {}, at {url}]", image.media_type),
        _ => format!("[picture: {}]", image.media_type),
    }
}
