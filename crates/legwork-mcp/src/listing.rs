//! The tools of a server, page by page.

use std::collections::BTreeSet;

use legwork_port::toolset::Error;
use rmcp::model::{PaginatedRequestParams, Tool};
use rmcp::service::{Peer, RoleClient, ServiceError};

use crate::fault;

/// Pages and tools that are read at most.
const PAGES: usize = 50;
const TOOLS: usize = 500;

/// The tools of a server, in its order.
///
/// # Errors
/// When it does not answer, or its pages do not end.
pub(crate) async fn tools(peer: &Peer<RoleClient>) -> Result<Vec<Tool>, Error> {
    let (mut all, mut seen, mut cursor) = (Vec::new(), BTreeSet::new(), None);
    for _ in 0..PAGES {
        let params =
            cursor.take().map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
        let page = peer.list_tools(params).await.map_err(|error| failed(&error))?;
        all.extend(page.tools);
        if all.len() > TOOLS {
            let words = format!("it has more than {TOOLS} tools: name those that are wanted");
            return Err(Error::Invalid(words));
        }
        let Some(next) = page.next_cursor else { return Ok(all) };
        if !seen.insert(next.clone()) {
            return Err(Error::Invalid("its list of tools goes round".to_owned()));
        }
        cursor = Some(next);
    }
    Err(Error::Invalid(format!("its list of tools has more than {PAGES} pages")))
}

fn failed(error: &ServiceError) -> Error {
    let why = fault::of_request(error).unwrap_or_else(|| "it ended".to_owned());
    match error {
        ServiceError::McpError(_) => Error::Invalid(why),
        _ => Error::Unavailable(format!("its tools cannot be listed: {why}")),
    }
}
