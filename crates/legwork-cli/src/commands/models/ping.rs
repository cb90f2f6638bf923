//! `legwork models ping`: whether a model answers, and how fast.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use legwork::core::transcript::Transcript;
use legwork::core::{Message, ModelRequest, ModelSettings, Response};
use legwork::model::http::Timeouts;
use legwork::model::{HttpModel, proxies_from_env, remote, retry};
use legwork::port::{Delta, Model as _};
use serde_json::json;

use crate::args;
use crate::commands::{print, print_json, warn};
use crate::config::Config;
use crate::display::advice;
use crate::display::text::{grouped, visible};
use crate::error::Error;
use crate::exit::Exit;
use crate::model::{builder, exposure};
use crate::settings::Settings;
use crate::trust::Asks;

/// Tokens that are asked for: enough for a word, and for a model that thinks to begin.
const FEW: u64 = 16;
/// A server that is there takes a connection at once.
const CONNECT: Duration = Duration::from_secs(5);

/// What came of it.
pub(crate) struct Pong {
    model: HttpModel,
    response: Response,
    first: Option<Duration>,
    whole: Duration,
}

pub(super) async fn ping(args: args::ModelsPing, config: &Config) -> Result<Exit, Error> {
    let flags =
        args::Agent { model: args.model, base_url: args.base_url, ..args::Agent::default() };
    let settings = Settings::fresh(&flags, config, Asks::Never)?;
    settings.warnings().into_iter().for_each(warn);
    let pong = answer(&settings, Duration::from_secs(args.timeout)).await?;
    match args.json {
        true => print_json(&pong.as_json()),
        false => print(&pong.as_text()),
    }
}

/// Asks the model that the settings name for a few tokens, and waits so long for the answer.
pub(crate) async fn answer(settings: &Settings, most: Duration) -> Result<Pong, Error> {
    let url = settings.base_url.as_ref().map(|url| url.value.as_str());
    let asking = async {
        let key = match &settings.key {
            Some(key) => Some(key.fetch(&settings.writable()).await?),
            None => None,
        };
        let builder = builder(&settings.model.value, url, key.as_ref())?;
        let timeouts = Timeouts {
            connect: CONNECT.min(most),
            first_byte: most,
            idle: most,
            silence: most,
            answer: most,
        };
        let builder = builder.timeouts(timeouts).bounds(settings.answers.bounds);
        let builder = builder.retry(retry::Policy::never()).proxies(proxies_from_env());
        let model = builder.catalogue(settings.catalogue.clone()).build().map_err(|error| {
            let message = error.to_string();
            match error {
                remote::Error::Proxy(proxy) => {
                    Error::usage(message, advice::on_proxy(&proxy.variable))
                }
                _ => Error::usage(message, "see --base-url and OPENAI_BASE_URL, and the key"),
            }
        })?;
        asked(model).await
    };
    tokio::time::timeout(most, asking).await.unwrap_or_else(|_| {
        let why = format!("no answer within {} s", most.as_secs());
        Err(Error::System { doing: "asking the model", source: io::Error::other(why) })
    })
}

async fn asked(model: HttpModel) -> Result<Pong, Error> {
    let empty = Transcript::default();
    let settings = ModelSettings { max_output: Some(FEW), ..ModelSettings::default() };
    // Nothing was said, so nothing is open.
    let Some(settled) = empty.settled() else {
        return Err(Error::usage("no question could be made", "tell the project: it is a defect"));
    };
    let request = ModelRequest::new(settled, Arc::new(settings));
    let request = request.with_message(Message::user("Say: pong"));
    let (began, mut first) = (Instant::now(), None);
    let mut see = |_: Delta<'_>| {
        first.get_or_insert_with(|| began.elapsed());
        ControlFlow::Continue(())
    };
    let response = model.infer(request, Some(&mut see)).await;
    let response = response.map_err(|error| Error::Asked(Box::new(error.to_record())))?;
    Ok(Pong { model, response, first, whole: began.elapsed() })
}

impl Pong {
    fn cost(&self) -> Option<f64> {
        let usage = self.response.usage.as_ref()?;
        let cost = self.model.profile().price_at(usage.input)?.cost(usage).0;
        #[expect(clippy::cast_precision_loss, reason = "a few tokens cost little")]
        Some(cost as f64 / 1e6)
    }

    /// How fast it answered, and what that took and cost.
    pub(crate) fn summary(&self) -> String {
        let first = self.first.map_or_else(String::new, |first| {
            format!("first piece after {} ms, ", grouped(millis(first)))
        });
        let mut parts = vec![format!("{first}whole after {} ms", grouped(millis(self.whole)))];
        if let Some(usage) = self.response.usage {
            parts.push(format!("{} tokens in, {} out", usage.input, usage.output));
        }
        parts.push(match self.cost() {
            Some(usd) => format!("${usd:.6}"),
            None => "its price is not known".to_owned(),
        });
        parts.extend(exposure(&self.model));
        parts.join("; ")
    }

    fn as_text(&self) -> String {
        format!("{} answers: {}\n", visible(self.model.name()), self.summary())
    }

    fn as_json(&self) -> String {
        let usage = self.response.usage;
        let line = json!({
            "model": self.model.name(),
            "first_ms": self.first.map(millis),
            "answer_ms": millis(self.whole),
            "input_tokens": usage.map(|usage| usage.input),
            "output_tokens": usage.map(|usage| usage.output),
            "cost_usd": self.cost(),
            "text": self.model.mask().text(&self.response.text()),
            "warning": exposure(&self.model),
        });
        format!("{line}\n")
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
