//! What a server lists, page by page.

use std::collections::BTreeSet;

use legwork_port::toolset::Error;
use rmcp::model::{
    ClientRequest, CustomResult, ListToolsRequest, PaginatedRequestParams, Prompt, Resource,
    ResourceTemplate, ServerResult, Tool,
};
use rmcp::service::{Peer, RoleClient, ServiceError};
use serde_json::Value;

use crate::fault;

/// Pages and entries that are read at most.
const PAGES: usize = 50;
const ENTRIES: usize = 500;

/// A page: its entries, and where the next one begins.
type Page<T> = (Vec<T>, Option<String>);

/// A tool that a server lists, or the name of one that is malformed, and what is wrong with it.
pub(crate) type Entry = Result<Tool, (String, String)>;

/// The tools of a server, in its order.
///
/// # Errors
/// When it does not answer, or its pages do not end.
pub(crate) async fn tools(peer: &Peer<RoleClient>) -> Result<Vec<Entry>, Error> {
    let page = |params| async move {
        let request = ListToolsRequest { params, ..ListToolsRequest::default() };
        match peer.send_request(ClientRequest::ListToolsRequest(request)).await? {
            ServerResult::ListToolsResult(page) => {
                Ok((page.tools.into_iter().map(Ok).collect(), page.next_cursor))
            }
            // What the type of a page does not take: one tool in it is malformed.
            ServerResult::CustomResult(CustomResult(page)) => one_by_one(&page),
            _ => Err(ServiceError::UnexpectedResponse),
        }
    };
    pages("tools", page).await
}

/// The tools of a page, each parsed by itself.
fn one_by_one(page: &Value) -> Result<Page<Entry>, ServiceError> {
    let tools = page.get("tools").and_then(Value::as_array);
    let tools = tools.ok_or(ServiceError::UnexpectedResponse)?;
    let entries = tools.iter().map(|tool| {
        let name = tool.get("name").and_then(Value::as_str).unwrap_or("(without a name)");
        serde_json::from_value(tool.clone()).map_err(|why| (name.to_owned(), why.to_string()))
    });
    let next = page.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
    Ok((entries.collect(), next))
}

/// The resources of a server.
///
/// # Errors
/// As [`tools`].
pub(crate) async fn resources(peer: &Peer<RoleClient>) -> Result<Vec<Resource>, Error> {
    let page = |params| async move {
        let page = peer.list_resources(params).await?;
        Ok((page.resources, page.next_cursor))
    };
    pages("resources", page).await
}

/// The templates of addresses of resources; none if the server does not know them.
///
/// # Errors
/// As [`tools`].
pub(crate) async fn templates(peer: &Peer<RoleClient>) -> Result<Vec<ResourceTemplate>, Error> {
    let page = |params| async move {
        let page = peer.list_resource_templates(params).await?;
        Ok((page.resource_templates, page.next_cursor))
    };
    match pages("templates of resources", page).await {
        Err(Error::Invalid(_)) => Ok(Vec::new()),
        listed => listed,
    }
}

/// The prompts of a server.
///
/// # Errors
/// As [`tools`].
pub(crate) async fn prompts(peer: &Peer<RoleClient>) -> Result<Vec<Prompt>, Error> {
    let page = |params| async move {
        let page = peer.list_prompts(params).await?;
        Ok((page.prompts, page.next_cursor))
    };
    pages("prompts", page).await
}

async fn pages<T, F>(
    what: &str,
    page: impl Fn(Option<PaginatedRequestParams>) -> F,
) -> Result<Vec<T>, Error>
where
    F: Future<Output = Result<Page<T>, ServiceError>>,
{
    let (mut all, mut seen, mut cursor) = (Vec::new(), BTreeSet::new(), None);
    for _ in 0..PAGES {
        let params =
            cursor.take().map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
        let (entries, next) = page(params).await.map_err(|error| failed(what, &error))?;
        all.extend(entries);
        if all.len() > ENTRIES {
            return Err(Error::Invalid(format!("it has more than {ENTRIES} {what}")));
        }
        let Some(next) = next else { return Ok(all) };
        if !seen.insert(next.clone()) {
            return Err(Error::Invalid(format!("its list of {what} goes round")));
        }
        cursor = Some(next);
    }
    Err(Error::Invalid(format!("its list of {what} has more than {PAGES} pages")))
}

fn failed(what: &str, error: &ServiceError) -> Error {
    let why = fault::of_request(error).unwrap_or_else(|| "it ended".to_owned());
    match error {
        ServiceError::McpError(_) => Error::Invalid(why),
        _ => Error::Unavailable(format!("its {what} cannot be listed: {why}")),
    }
}
