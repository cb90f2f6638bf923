//! What a server says about itself when it is connected: whether it can be a store, and what it
//! may lose.

use std::collections::BTreeMap;

use legwork_port::store::Error;
use redis::aio::MultiplexedConnection;
use redis::{ErrorKind, RedisError, RedisResult, ServerErrorKind, cmd};
use tracing::warn;

use super::fault;
use super::keys::Keys;
use super::script::{self, Call};
use crate::name::Name;

/// The oldest version whose scripts have flags.
const OLDEST: u32 = 7;

/// What a store expects of its server.
#[derive(Debug, Clone)]
pub(super) struct Terms {
    pub(super) keys: Keys,
    /// The version of the layout that this code writes.
    pub(super) known: u32,
    pub(super) read_only: bool,
    pub(super) require_durable: bool,
}

/// What a server said.
#[derive(Debug)]
pub(super) struct Greeting {
    /// The layout's version; none if there is no store yet.
    layout: Option<String>,
    /// The first number of the server's version; none if it did not say it.
    server: Option<u32>,
    is_cluster: bool,
    /// The commands that a store needs and its user may not run, as a list.
    refused: String,
    /// What may be lost; none if nothing may.
    risks: Vec<String>,
}

impl Greeting {
    /// Asks a server.
    pub(super) async fn ask(
        connection: &mut MultiplexedConnection,
        terms: &Terms,
    ) -> RedisResult<Self> {
        let layout = cmd("GET").arg(terms.keys.version()).query_async(connection).await?;
        let info: RedisResult<String> = cmd("INFO").arg("server").query_async(connection).await;
        let info = unless_refused(info)?.unwrap_or_default();
        let settings: RedisResult<BTreeMap<String, String>> = cmd("CONFIG")
            .arg(&["GET", "appendonly", "appendfsync", "maxmemory-policy"])
            .query_async(connection)
            .await;
        let settings = unless_refused(settings)?;
        Ok(Self {
            layout,
            refused: refused(connection, terms).await?,
            server: field(&info, "redis_version")
                .and_then(|version| version.split('.').next().and_then(|first| first.parse().ok())),
            is_cluster: field(&info, "redis_mode") == Some("cluster"),
            risks: settings.map_or_else(unknown, |settings| risks(&settings)),
        })
    }

    /// Checks that the server can be a store on these terms.
    pub(super) fn check(&self, name: &Name, terms: &Terms) -> Result<(), Error> {
        if let Some(layout) = &self.layout {
            match layout.parse::<u32>() {
                Ok(found) if found > terms.known => return Err(name.newer(found, terms.known)),
                Ok(_) => {}
                Err(_) => return Err(strange(name)),
            }
        }
        if self.is_cluster {
            return Err(name.unusable(
                "it is a node of a Redis Cluster, and an append writes keys of several slots; \
                 give the address of a single server",
            ));
        }
        if let Some(version) = self.server.filter(|version| *version < OLDEST) {
            return Err(name.unusable(format!(
                "it is Redis {version}, and Legwork needs {OLDEST}.0 or newer; update the server"
            )));
        }
        if !self.refused.is_empty() {
            return Err(name.unusable(format!(
                "its user may not run {}, which a store needs; `ACL SETUSER` allows it",
                self.refused
            )));
        }
        match self.risks.is_empty() || !terms.require_durable {
            true => Ok(()),
            false => Err(name.unusable(format!(
                "its address has durable=require, but {}",
                self.risks.join("; and ")
            ))),
        }
    }

    /// Says what may be lost, unless the server said it before.
    pub(super) fn warn(&self, name: &Name, terms: &Terms, before: Option<&Self>) {
        let is_known = before.is_some_and(|before| before.risks == self.risks);
        if terms.read_only || is_known {
            return;
        }
        for risk in &self.risks {
            warn!(address = %name, risk, "the server may lose what was written");
        }
    }
}

/// The commands that scripts need and the user may not run; none if nothing is to be written.
async fn refused(connection: &mut MultiplexedConnection, terms: &Terms) -> RedisResult<String> {
    if terms.read_only {
        return Ok(String::new());
    }
    let keys = terms.keys.samples().into_iter();
    let call = keys.fold(Call::of(&script::PROBE), Call::key);
    let answer: RedisResult<(String, String)> = call.invocation().invoke_async(connection).await;
    match answer {
        Ok((_, refused)) => Ok(refused),
        // What an old server says of a script with flags; its version is checked.
        Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::ResponseError) => {
            Ok(String::new())
        }
        Err(error) => Err(error),
    }
}

/// The error of a version that no Legwork writes.
pub(super) fn strange(name: &Name) -> Error {
    name.unusable(
        "its key of the layout's version holds something else; choose another prefix by \
         `?prefix=NAME`",
    )
}

/// Nothing if the server does not know a command, or does not allow it to this user.
fn unless_refused<T>(answer: RedisResult<T>) -> RedisResult<Option<T>> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(error) if fault::is_broken(&error) || is_needed(&error) => Err(error),
        Err(_) => Ok(None),
    }
}

/// Whether an error of a command that may be refused is one of all commands.
fn is_needed(error: &RedisError) -> bool {
    let refused = [ServerErrorKind::NoPerm, ServerErrorKind::ResponseError];
    !matches!(error.kind(), ErrorKind::Server(kind) if refused.contains(&kind))
}

/// The value of a field in what `INFO` prints.
fn field<'a>(info: &'a str, name: &str) -> Option<&'a str> {
    info.lines().find_map(|line| line.trim_end().strip_prefix(name)?.strip_prefix(':'))
}

/// What settings of a server mean for what was written.
fn risks(settings: &BTreeMap<String, String>) -> Vec<String> {
    let setting = |name: &str| settings.get(name).map_or("", String::as_str);
    let mut risks = Vec::new();
    match (setting("appendonly"), setting("appendfsync")) {
        ("yes", "always") => {}
        ("yes", "everysec") => risks.push(
            "a crash of its machine may lose the last second: set `appendfsync always`".to_owned(),
        ),
        ("yes", _) => risks.push(
            "a crash of its machine may lose what the system has not yet written to the disk: \
             set `appendfsync always`"
                .to_owned(),
        ),
        ("no", _) => risks.push(
            "a crash may lose everything since its last snapshot: set `appendonly yes` and \
             `appendfsync always`"
                .to_owned(),
        ),
        _ => return unknown(),
    }
    if setting("maxmemory-policy").starts_with("allkeys-") {
        risks.push(
            "it deletes keys when its memory is full: set `maxmemory-policy noeviction`".to_owned(),
        );
    }
    risks
}

/// What is said of a server that does not tell its settings.
fn unknown() -> Vec<String> {
    let risk = "it does not tell how durable it is: allow its user the command `CONFIG GET`, or \
                see that `appendonly yes` and `appendfsync always` are set";
    vec![risk.to_owned()]
}

#[cfg(test)]
mod tests;
