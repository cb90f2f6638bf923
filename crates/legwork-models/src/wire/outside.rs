//! What a request has from outside: fields of the builder, and extra fields of its settings.

use legwork_core::ModelRequest;
use legwork_core::tool::ToolSpecs;
use serde_json::Value;

use super::{Frame, write};

/// The values that a field has from outside; those of the settings come last.
pub(crate) fn from_outside<'a>(
    key: &'a str,
    request: &'a ModelRequest,
    frame: Frame<'a>,
) -> impl Iterator<Item = &'a Value> {
    [frame.extra, &request.settings.extra].into_iter().filter_map(move |fields| fields.get(key))
}

/// Refuses tools of the provider that are not in a list.
pub(crate) fn check_tools(request: &ModelRequest, frame: Frame<'_>) -> Result<(), String> {
    match from_outside("tools", request, frame).all(Value::is_array) {
        true => Ok(()),
        false => Err("the extra field `tools` is not a list: give a list of tools".to_owned()),
    }
}

/// The tools of the provider, as the API names them.
pub(crate) fn provider_tools<'a>(
    request: &'a ModelRequest,
    frame: Frame<'a>,
) -> impl Iterator<Item = &'a Value> {
    from_outside("tools", request, frame).filter_map(Value::as_array).flatten()
}

/// Appends the field `tools`, if there are any: those of the request, which `each` writes with a
/// comma behind each, and those of the provider.
pub(crate) fn append_tools(
    request: &ModelRequest,
    frame: Frame<'_>,
    out: &mut Vec<u8>,
    each: fn(&ToolSpecs, &mut Vec<u8>),
) {
    let mut provided = provider_tools(request, frame).peekable();
    if request.tools.is_empty() && provided.peek().is_none() {
        return;
    }
    out.extend_from_slice(b",\"tools\":[");
    if !request.tools.is_empty() {
        request.tools.append_encoded(&frame.head.encoding, out, each);
    }
    for tool in provided {
        write(out, tool);
        out.push(b',');
    }
    out.pop();
    out.push(b']');
}
