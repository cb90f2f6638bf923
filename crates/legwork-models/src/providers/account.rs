//! What variables say of an account: where it is served, and as whom it is asked.
//!
//! Nothing here reads the environment: whoever asks hands in what looks a variable up.

use std::fmt;

use super::Provider;
use crate::Builder;
use crate::credentials::Credential;
use crate::wire::segment;

/// What the base URL of an account is made of, where it is not the same for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The base URL of the provider, or one that the account names as a whole.
    Url,
    /// A region of AWS.
    Region,
    /// A project of Google Cloud, at a location; a key of it is an access token.
    Project,
}

impl Place {
    /// The first variable of what it is made of; none if it is a whole URL.
    pub fn variable(self) -> Option<&'static str> {
        match self {
            Self::Url => None,
            Self::Region => REGION.first().copied(),
            Self::Project => PROJECT.first().copied(),
        }
    }
}

/// Variables of which any will do, the first before the others.
type Any = &'static [&'static str];

const REGION: Any = &["AWS_REGION", "AWS_DEFAULT_REGION"];
const PROJECT: Any = &["GOOGLE_CLOUD_PROJECT"];
const LOCATION: Any = &["GOOGLE_CLOUD_LOCATION"];
#[cfg(feature = "bedrock")]
const ACCESS_KEY: &str = "AWS_ACCESS_KEY_ID";
#[cfg(feature = "bedrock")]
const SECRET_KEY: &str = "AWS_SECRET_ACCESS_KEY";
#[cfg(feature = "bedrock")]
const SESSION_TOKEN: &str = "AWS_SESSION_TOKEN";

/// Variables that are not set, and have to be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Unset(Vec<String>);

impl Unset {
    /// Those of both.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }
}

/// Says them as in `set A or B, and C`.
impl fmt::Display for Unset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(", and "))
    }
}

/// The base URL of Bedrock in a region.
pub(crate) fn region_url(region: &str) -> String {
    let suffix = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
    format!("https://bedrock-runtime.{region}.{suffix}")
}

/// The base URL of Vertex AI for a project at a location.
pub(crate) fn project_url(project: &str, location: &str) -> String {
    let (project, location) = (segment(project), segment(location));
    let host = match &*location {
        "global" => "aiplatform.googleapis.com".to_owned(),
        region => format!("{region}-aiplatform.googleapis.com"),
    };
    format!("https://{host}/v1/projects/{project}/locations/{location}/publishers/google")
}

impl Provider {
    /// The base URL that variables say; none if they say nothing of it.
    ///
    /// It is the one that they name as a whole, or the one that follows from a region or a project.
    /// `set` looks a variable up.
    ///
    /// # Errors
    /// The variables that such a URL wants and that are not set.
    pub fn base_url_from(
        &self,
        set: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<String>, Unset> {
        match self.base_url_variable.and_then(&set) {
            Some(url) => Ok(Some(url)),
            None => self.place_from(set),
        }
    }

    /// The base URL that follows from the region or the project that variables name; none if the
    /// provider has none such.
    ///
    /// # Errors
    /// The variables that it wants and that are not set.
    pub fn place_from(
        &self,
        set: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<String>, Unset> {
        let mut unset = Unset::default();
        let mut any = |variables: Any| {
            let value = variables.iter().find_map(|variable| set(variable));
            if value.is_none() {
                unset.0.push(variables.join(" or "));
            }
            value
        };
        let url = match self.place {
            Place::Url => return Ok(None),
            Place::Region => any(REGION).map(|region| region_url(&region)),
            Place::Project => {
                let (project, location) = (any(PROJECT), any(LOCATION));
                let place = project.zip(location);
                place.map(|(project, location)| project_url(&project, &location))
            }
        };
        match url {
            Some(url) => Ok(Some(url)),
            None => Err(unset),
        }
    }

    /// The credential that variables hold; none if the provider needs none.
    ///
    /// # Errors
    /// The variables of which one has to be set.
    pub fn credential_from(
        &self,
        set: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Credential>, Unset> {
        if let Some(key) = self.keys.iter().find_map(|variable| set(variable)) {
            return Ok(Some(self.credential(key)));
        }
        #[cfg(feature = "bedrock")]
        if self.place == Place::Region {
            return self.access_keys_from(set).map(Some);
        }
        match self.keys {
            [] => Ok(None),
            keys => Err(Unset(vec![keys.join(" or ")])),
        }
    }

    #[cfg(feature = "bedrock")]
    fn access_keys_from(&self, set: impl Fn(&str) -> Option<String>) -> Result<Credential, Unset> {
        match (set(ACCESS_KEY), set(SECRET_KEY)) {
            (Some(access_key), Some(secret_key)) => {
                Ok(Credential::Aws { access_key, secret_key, session_token: set(SESSION_TOKEN) })
            }
            (Some(_), None) => Err(Unset(vec![SECRET_KEY.to_owned()])),
            (None, Some(_)) => Err(Unset(vec![ACCESS_KEY.to_owned()])),
            (None, None) => {
                let keys = self.keys.join(" or ");
                Err(Unset(vec![format!("{keys}, or {ACCESS_KEY} and {SECRET_KEY}")]))
            }
        }
    }

    /// A key as the credential that it is for this provider.
    pub fn credential(&self, key: impl Into<String>) -> Credential {
        match self.place {
            Place::Project => Credential::Bearer(key.into()),
            _ => Credential::Key(key.into()),
        }
    }
}

impl Builder {
    /// The credential of each attempt, if it stays the same.
    ///
    /// A key and a token become headers, as with [`api_key`](Self::api_key) and
    /// [`bearer`](Self::bearer); with access keys of AWS each attempt is signed.
    pub fn credential(self, credential: Credential) -> Self {
        match credential {
            Credential::Key(key) => self.api_key(key),
            Credential::Bearer(token) => self.bearer(token),
            #[cfg(feature = "bedrock")]
            Credential::Aws { access_key, secret_key, session_token } => {
                self.aws(access_key, secret_key, session_token)
            }
        }
    }
}
