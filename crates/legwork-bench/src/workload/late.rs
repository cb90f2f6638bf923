//! W2-LATE: what a late step of a long execution costs beside sending its request.
//!
//! A request holds the whole conversation, so sending it costs more with each step. How much that
//! is comes from sending the same bytes, made before, over a bare connection. Where instructions are
//! counted nothing is taken off: the system sends the bytes, and a program executes as much for any
//! number of them.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{Request, client::conn::http1, header};
use hyper_util::rt::TokioIo;
use legwork::core::{ModelRequest, Response};
use legwork::model::{self, HttpModel, answer::Streaming};
use legwork::port::model::{Deltas, Error as ModelError, Profile};
use legwork::port::{BoxFuture, Model};
use tokio::{net::TcpStream, task::JoinHandle};

use super::{Conditions, Sample, check, middle, sample};
use crate::{
    error::Error,
    measure,
    probe::{self, StepTime},
    script::Script,
    stats,
    subject::{
        TASK,
        legwork::{builder, fail},
    },
};

/// The early and the late step that are compared.
const LOOKS: [usize; 2] = [10, 2_000];

/// Steps of an execution.
const STEPS: usize = 2_010;

/// Measured executions, after one that warms up.
const RUNS: usize = 5;

/// How often the bytes of each step are sent.
const SENDS: usize = 50;

/// Runs 2,000 steps with one tool call each, some times, then sends what two of them sent.
pub(super) async fn measure(conditions: &Conditions) -> Result<Sample, Error> {
    let model = Arc::new(Remembering::open(conditions)?);
    if let Some(steps) = conditions.executions {
        model.execute(conditions, steps).await?;
        return Ok(Sample::new());
    }
    let mut windows = LOOKS.map(|_| Vec::new());
    for run in 0..=RUNS {
        let times = model.execute(conditions, STEPS).await?;
        // The first one warms up.
        for (window, number) in windows.iter_mut().zip(LOOKS).filter(|_| run > 0) {
            window.extend_from_slice(probe::around(&times, number));
        }
    }
    let [early, late] = windows.map(|window| middle(&window, |time| time.cpu_us));
    let [send_early, send_late] = sends(conditions, &model.bodies()?).await?;
    // Of a late step as much is left out as sending costs more than in an early one.
    let own = late - (send_late - send_early);
    Ok(sample([
        ("cpu_us_step_10", early),
        ("cpu_us_step_2000", late),
        ("send_us_step_10", send_early),
        ("send_us_step_2000", send_late),
        ("cpu_growth_beside_sending", own / early),
    ]))
}

/// A model that keeps what it was asked at the steps that are compared.
struct Remembering {
    model: HttpModel,
    asked: Mutex<(usize, [Option<ModelRequest>; 2])>,
}

impl Remembering {
    fn open(conditions: &Conditions) -> Result<Self, Error> {
        let steps = conditions.executions.unwrap_or(STEPS);
        let name = format!("openai:{}", Script::steps(steps));
        let model = model::builder(&name, Some(&conditions.base_url), Some("bench"));
        let model = model.map_err(fail)?.build().map_err(fail)?;
        Ok(Self { model, asked: Mutex::default() })
    }

    /// The times of the steps of one execution, which has so many.
    async fn execute(
        self: &Arc<Self>,
        conditions: &Conditions,
        steps: usize,
    ) -> Result<Vec<StepTime>, Error> {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = Default::default();
        let script = Script::steps(steps);
        let probe = conditions.setup(script).probe;
        let agent = builder(Arc::clone(self), &probe, 0).build().map_err(fail)?;
        agent.run(TASK).await.map_err(fail)?;
        let stamps = probe.take();
        check("tool calls", script.total_calls(), stamps.len())?;
        Ok(probe::step_times(&stamps))
    }

    /// The bodies of the requests that it kept.
    fn bodies(&self) -> Result<[Bytes; 2], Error> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bodies = [Bytes::new(), Bytes::new()];
        for (body, request) in bodies.iter_mut().zip(asked.1.iter().flatten()) {
            *body = self.model.body(request, Streaming::No).map_err(fail)?;
        }
        Ok(bodies)
    }
}

impl Model for Remembering {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn profile(&self) -> &Profile {
        self.model.profile()
    }

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, ModelError>> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let (count, kept) = &mut *asked;
        *count += 1;
        if let Some(place) = LOOKS.iter().position(|number| number == count)
            && let Some(kept) = kept.get_mut(place)
        {
            *kept = Some(request.clone());
        }
        drop(asked);
        self.model.infer(request, deltas)
    }
}

/// The processor time of sending each body and receiving the answer, in microseconds.
async fn sends(conditions: &Conditions, bodies: &[Bytes; 2]) -> Result<[f64; 2], Error> {
    let mut line = Line::open(&conditions.base_url).await?;
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..SENDS {
        // Alternately, so that disturbances affect both.
        for (times, body) in times.iter_mut().zip(bodies) {
            let before = measure::cpu();
            line.send(body.clone()).await?;
            times.push((measure::cpu() - before).as_secs_f64() * 1e6);
        }
    }
    Ok(times.map(|times| stats::median(&times).unwrap_or_default()))
}

/// A connection to the server.
struct Line {
    sender: http1::SendRequest<Full<Bytes>>,
    connection: JoinHandle<hyper::Result<()>>,
    host: String,
}

impl Line {
    async fn open(base_url: &str) -> Result<Self, Error> {
        let host = base_url.trim_start_matches("http://").trim_end_matches("/v1").to_owned();
        let stream = TcpStream::connect(&host).await.map_err(Error::io("connecting"))?;
        stream.set_nodelay(true).map_err(Error::io("setting up a connection"))?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(fail)?;
        Ok(Self { sender, connection: tokio::spawn(connection), host })
    }

    /// Sends a body as it is, and receives the answer.
    async fn send(&mut self, body: Bytes) -> Result<(), Error> {
        let request = Request::post("/v1/chat/completions")
            .header(header::HOST, &*self.host)
            .header(header::CONTENT_TYPE, "application/json")
            .body(Full::new(body))
            .map_err(fail)?;
        let answer = self.sender.send_request(request).await.map_err(fail)?;
        check("status of an answer", 200, answer.status().as_u16().into())?;
        answer.into_body().collect().await.map_err(fail)?;
        Ok(())
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.connection.abort();
    }
}
