//! The resources.

use legwork_mcp_server::Error;
use legwork_mcp_server::content::Contents;
use legwork_mcp_server::service::Resource;
use serde_json::json;

use crate::IMAGE;

const TEXT: &str = "test://static-text";
const BINARY: &str = "test://static-binary";
/// The one whose changes the suite subscribes to.
const WATCHED: &str = "test://watched-resource";

pub(crate) fn listed() -> Vec<Resource> {
    vec![
        Resource::new(TEXT, "static-text").media_type("text/plain").description("A text"),
        Resource::new(BINARY, "static-binary").media_type("image/png").description("An image"),
        Resource::new(WATCHED, "watched-resource")
            .media_type("text/plain")
            .description("A text whose changes can be subscribed to"),
    ]
}

pub(crate) fn templates() -> Vec<Resource> {
    let template = Resource::new("test://template/{id}/data", "template");
    vec![template.media_type("application/json").description("The data of an id")]
}

pub(crate) fn read(uri: &str) -> Result<Vec<Contents>, Error> {
    let contents = match uri {
        TEXT => {
            let text = "This is the content of the static text resource.";
            Contents::text(uri, "text/plain", text)
        }
        BINARY => Contents::base64(uri, "image/png", IMAGE),
        WATCHED => Contents::text(uri, "text/plain", "This resource can be watched."),
        _ => data(uri).ok_or_else(|| Error::NoResource(uri.to_owned()))?,
    };
    Ok(vec![contents])
}

/// The resource of a URI that the template makes.
fn data(uri: &str) -> Option<Contents> {
    let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
    let text = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
    let is_one = !id.is_empty() && !id.contains('/');
    is_one.then(|| Contents::text(uri, "application/json", text.to_string()))
}
