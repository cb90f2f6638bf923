//! What an authorization server answers.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use url::Url;

use super::world::All;
use crate::http::{Reply, plain};

pub(super) fn json(status: u16, body: &Value) -> Reply {
    plain(status, &[("content-type", "application/json")], &body.to_string())
}

pub(super) fn with(mut value: Value, else_: &Value) -> Value {
    for (name, other) in else_.as_object().into_iter().flatten() {
        match other {
            Value::Null => value.as_object_mut().unwrap().remove(name),
            other => value.as_object_mut().unwrap().insert(name.clone(), other.clone()),
        };
    }
    value
}

pub(super) fn form(text: &str) -> HashMap<String, String> {
    url::form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}

impl All {
    pub(super) fn metadata(&self) -> Reply {
        let base = self.base();
        let about = json!({
            "issuer": base,
            "authorization_endpoint": format!("{base}/authorize"),
            "token_endpoint": format!("{base}/token"),
            "registration_endpoint": format!("{base}/register"),
            "code_challenge_methods_supported": ["S256"],
            "response_types_supported": ["code"],
            "authorization_response_iss_parameter_supported": true,
        });
        json(200, &with(about, &self.now.lock().unwrap().issuer))
    }

    pub(super) fn register(&self, text: &str) -> Reply {
        let mut now = self.now.lock().unwrap();
        now.registered.push(serde_json::from_str(text).unwrap());
        let answer = with(json!({"client_id": "client-1"}), &now.registration);
        now.secrets.extend(answer["client_secret"].as_str().map(str::to_owned));
        json(201, &answer)
    }

    pub(super) fn authorize(&self, query: &str) -> Reply {
        let mut now = self.now.lock().unwrap();
        let asked = form(query);
        let code = format!("secret-code-{}", now.authorized.len());
        let mut back = Url::parse(&asked["redirect_uri"]).unwrap();
        let mut pairs = HashMap::from([
            ("code", code.clone()),
            ("state", asked["state"].clone()),
            ("iss", self.base().to_owned()),
        ]);
        for (name, value) in now.callback.clone() {
            match value {
                Some(value) => pairs.insert(name, value.to_owned()),
                None => pairs.remove(name),
            };
        }
        back.query_pairs_mut().extend_pairs(pairs);
        now.secrets.extend([code.clone(), asked["state"].clone()]);
        now.authorized.push(asked.clone());
        now.codes.insert(code, asked);
        plain(302, &[("location", back.as_str())], "")
    }

    pub(super) fn token(&self, asked: &HashMap<String, String>, header: Option<&str>) -> Reply {
        let mut now = self.now.lock().unwrap();
        now.secrets.extend(asked.get("code_verifier").cloned());
        let client = match header {
            Some(basic) => {
                let pair = STANDARD.decode(basic.strip_prefix("Basic ").unwrap()).unwrap();
                format!("basic {}", String::from_utf8(pair).unwrap())
            }
            None => format!(
                "post {}:{}",
                asked["client_id"],
                asked.get("client_secret").map_or("", |secret| secret)
            ),
        };
        now.clients.push(client);
        let refused = |words: &str| {
            let echo = json!(asked).to_string();
            json(
                400,
                &json!({"error": "invalid_grant", "error_description": format!("{words} {echo}")}),
            )
        };
        if !self.gives.load(Ordering::SeqCst) || asked["resource"] != format!("{}/mcp", self.base())
        {
            return refused("no");
        }
        let (scope, lasts) = match &*asked["grant_type"] {
            "authorization_code" => {
                let Some(page) = now.codes.remove(&asked["code"]) else { return refused("code") };
                let hash = hmac_sha256::Hash::hash(asked["code_verifier"].as_bytes());
                assert_eq!(page["code_challenge"], URL_SAFE_NO_PAD.encode(hash));
                assert_eq!(page["redirect_uri"], asked["redirect_uri"]);
                now.redeemed += 1;
                (page.get("scope").cloned().unwrap_or_default(), now.lasts[0])
            }
            _ => {
                let Some(scope) = now.refreshing.remove(&asked["refresh_token"]) else {
                    return refused("refresh");
                };
                now.renewed += 1;
                (scope, now.lasts[1])
            }
        };
        let count = now.redeemed + now.renewed;
        let (token, refresh) = (format!("secret-token-{count}"), format!("secret-refresh-{count}"));
        now.tokens.insert(token.clone(), scope.clone());
        now.refreshing.insert(refresh.clone(), scope);
        now.secrets.extend([token.clone(), refresh.clone()]);
        let given =
            json!({"access_token": token, "token_type": "Bearer", "refresh_token": refresh});
        json(
            200,
            &with(given, &lasts.map_or_else(|| json!({}), |lasts| json!({"expires_in": lasts}))),
        )
    }
}
