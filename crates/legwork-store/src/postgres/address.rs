//! The address of a store: a server, a database, and the schema in it.

use std::path::Path;
use std::str::FromStr as _;

use legwork_port::store::Error;
use sqlx::ConnectOptions as _;
use sqlx::postgres::PgConnectOptions;

use crate::name::Name;

/// The schema of a store whose address names none.
const SCHEMA: &str = "legwork";

/// Bytes of a name in Postgres, which cuts longer ones.
const LONGEST_NAME: usize = 63;

/// The parameters that an address may have beside `schema`. The library that connects would only
/// log others, with their values.
const PARAMETERS: [&str; 17] = [
    "application_name",
    "dbname",
    "host",
    "hostaddr",
    "options",
    "password",
    "port",
    "ssl-ca",
    "ssl-cert",
    "ssl-key",
    "ssl-mode",
    "ssl-root-cert",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "statement-cache-capacity",
];

/// Where a store is. Only `options` has the password.
pub(super) struct Address {
    pub(super) options: PgConnectOptions,
    pub(super) schema: String,
    /// The address without the password, for people.
    pub(super) name: Name,
}

impl Address {
    /// Reads `postgres://user:password@host:port/database?schema=name`.
    ///
    /// # Errors
    /// [`Error::Unusable`], which says what is wrong and has nothing of the password.
    pub(super) fn read(url: &str) -> Result<Self, Error> {
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let shown = without_password(base);
        let name = Name::of(Path::new(&shown));
        if !["postgres://", "postgresql://"].iter().any(|scheme| base.starts_with(scheme)) {
            return Err(name.unusable(
                "its address has to begin with `postgres://`, as in \
                 `postgres://user@host/database`",
            ));
        }
        let (schema, rest) = parameters(&name, query)?;
        let address = [base, "?", &rest].concat();
        let options = PgConnectOptions::from_str(&address).map_err(|error| {
            name.unusable(format!("its address cannot be read: {}", reason(&error)))
        })?;
        // No table has such numbers, and pools refuse settings that they do not know.
        let options = options.disable_statement_logging().extra_float_digits(None);
        let options = match options.get_application_name() {
            None => options.application_name("legwork"),
            Some(_) => options,
        };
        let name = Name::of(Path::new(&shown_of(&options, &schema)));
        Ok(Self { options, schema, name })
    }
}

/// The schema of an address, and its other parameters.
fn parameters(name: &Name, query: &str) -> Result<(String, String), Error> {
    let (mut schema, mut rest) = (SCHEMA.to_owned(), Vec::new());
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        if key == "schema" {
            schema = checked(name, value)?;
        } else if PARAMETERS.contains(&key) || key.starts_with("options[") {
            rest.push(pair);
        } else {
            return Err(name.unusable(format!(
                "its address has a parameter `{key}`, which is not known; leave it out, or use \
                 schema, sslmode, sslrootcert, application_name or another one of Postgres"
            )));
        }
    }
    Ok((schema, rest.join("&")))
}

/// A schema's name needs no quotes, so that everybody who looks at the database can type it.
fn checked(name: &Name, schema: &str) -> Result<String, Error> {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let begins = schema.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
    if begins && schema.bytes().all(fits) && schema.len() <= LONGEST_NAME {
        return Ok(schema.to_owned());
    }
    Err(name.unusable(format!(
        "{schema:?} is not the name of a schema; use a to z, 0 to 9 and `_`, at most {LONGEST_NAME}"
    )))
}

/// The address without what stands between the user and the host.
fn without_password(base: &str) -> String {
    let Some((before, place)) = base.rsplit_once('@') else { return base.to_owned() };
    let (scheme, user) = before.split_once("://").unwrap_or(("", before));
    let user = user.split(':').next().unwrap_or_default();
    format!("{scheme}://{user}@{place}")
}

fn shown_of(options: &PgConnectOptions, schema: &str) -> String {
    let user = options.get_username();
    let database = options.get_database().unwrap_or(user);
    let host = match options.get_socket() {
        Some(socket) => socket.display().to_string(),
        None => format!("{}:{}", options.get_host(), options.get_port()),
    };
    let schema = if schema == SCHEMA { String::new() } else { format!("?schema={schema}") };
    format!("postgres://{user}@{host}/{database}{schema}")
}

/// Why an address cannot be read, without the address.
fn reason(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Configuration(cause) => cause.to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
