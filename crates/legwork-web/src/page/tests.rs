mod charset;
mod hostile;
mod html;
mod kind;

use super::{Form, Kind, Page};
use crate::address::Address;

fn address() -> Address {
    Address::parse("https://example.com/docs/page.html").unwrap()
}

fn kind(media_type: &str, charset: &str) -> Kind {
    Kind { media_type: media_type.to_owned(), charset: charset.to_owned() }
}

fn html(html: &str) -> Page {
    Page::read(&kind("text/html", "utf-8"), html.as_bytes(), &address(), Form::Readable)
}
