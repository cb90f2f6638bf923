//! CROWD-POSTGRES: 500 sessions of 5 steps at once on one Postgres, beside bare inserts of the same
//! rows.

use std::{sync::Arc, time::Duration, time::Instant};

use legwork::{Agent, store};
use sqlx::postgres::{PgPool, PgPoolOptions};

use super::{Conditions, Sample, check, sample};
use crate::{
    error::Error,
    measure,
    probe::Probe,
    script::{Script, TOKEN},
    stats,
    stores::{Kind, Place, Row, Tape},
    subject::{
        TASK,
        legwork::{builder, fail},
        model::InProcess,
    },
};

/// Sessions at once, and the steps of each.
const SESSIONS: usize = 500;
const STEPS: usize = 5;

/// How often both sides do it, after one time that warms up.
const TIMES: usize = 3;

/// Connections of each side: as many as a store has by default.
const CONNECTIONS: u32 = 10;

/// Runs all sessions, and inserts the same rows, in turn; nothing if there is no Postgres.
pub(super) async fn measure(conditions: &Conditions) -> Result<Sample, Error> {
    let Some(place) = Place::open(Kind::Postgres, &conditions.dir).await? else {
        return Ok(Sample::new());
    };
    let probe = Probe::new(Duration::ZERO);
    let store = store::open(place.address()).map_err(fail)?;
    let agent = builder(InProcess::new(Script::steps(STEPS)), &probe, 0).store_in(store);
    let agent = agent.build().map_err(fail)?;
    let tape = Tape::record(STEPS).await?;
    let rows = tape.steps().iter().flatten().map(Row::of).collect::<Result<Vec<_>, _>>()?;
    let bare = Bare::open(place.address(), rows).await?;
    let (mut ours, mut theirs, mut cpus) = (Vec::new(), Vec::new(), Vec::new());
    for time in 0..=TIMES {
        let (start, cpu) = (Instant::now(), measure::cpu());
        crowd(&agent).await?;
        let (wall, cpu) = (start.elapsed().as_secs_f64(), measure::cpu() - cpu);
        check("tool calls", SESSIONS * (STEPS - 1), probe.take().len())?;
        let start = Instant::now();
        bare.crowd(time).await?;
        if time > 0 {
            ours.push(wall);
            theirs.push(start.elapsed().as_secs_f64());
            cpus.push(cpu.as_secs_f64());
        }
    }
    let steps = (SESSIONS * STEPS) as f64;
    let rate = |walls: &[f64]| steps / stats::median(walls).unwrap_or_default();
    let (ours, theirs) = (rate(&ours), rate(&theirs));
    Ok(sample([
        ("steps_per_s", ours),
        ("bare_steps_per_s", theirs),
        ("throughput_by_bare", ours / theirs),
        ("cpu_us_per_step", stats::median(&cpus).unwrap_or_default() * 1e6 / steps),
    ]))
}

/// All sessions at once, each checked.
async fn crowd(agent: &Agent) -> Result<(), Error> {
    let run = |_| {
        let agent = agent.clone();
        tokio::spawn(async move { agent.run(TASK).await.map(|run| run.text().len()) })
    };
    let running: Vec<_> = (0..SESSIONS).map(run).collect();
    for run in running {
        check("length of the final text", TOKEN.len(), run.await.map_err(fail)?.map_err(fail)?)?;
    }
    Ok(())
}

/// Two plain tables, and the rows of a session.
struct Bare {
    pool: PgPool,
    rows: Arc<Vec<Arc<Row>>>,
}

impl Bare {
    async fn open(url: &str, rows: Vec<Arc<Row>>) -> Result<Self, Error> {
        let options = PgPoolOptions::new().max_connections(CONNECTIONS);
        let options = options.acquire_timeout(Duration::from_secs(300));
        let pool = options.connect(url).await.map_err(fail)?;
        for table in [
            "CREATE TABLE bare_session (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                name text NOT NULL UNIQUE)",
            "CREATE TABLE bare_journal (session bigint NOT NULL, last bigint NOT NULL,
                at bigint NOT NULL, entries bytea NOT NULL, PRIMARY KEY (session, last))",
        ] {
            sqlx::query(table).execute(&pool).await.map_err(fail)?;
        }
        Ok(Self { pool, rows: Arc::new(rows) })
    }

    /// Inserts the rows of all sessions, each row durable before the next one of its session.
    async fn crowd(&self, time: usize) -> Result<(), Error> {
        let insert = |number: usize| {
            let (pool, rows) = (self.pool.clone(), Arc::clone(&self.rows));
            tokio::spawn(async move {
                let session = "INSERT INTO bare_session (name) VALUES ($1) RETURNING id";
                let session = sqlx::query_scalar(session).bind(format!("{time} {number}"));
                let session: i64 = session.fetch_one(&pool).await?;
                for row in rows.iter() {
                    let (last, at, lines) = row.columns();
                    let insert = "INSERT INTO bare_journal VALUES ($1, $2, $3, $4)";
                    let insert = sqlx::query(insert).bind(session).bind(last).bind(at);
                    insert.bind(lines).execute(&pool).await?;
                }
                Ok::<_, sqlx::Error>(())
            })
        };
        let running: Vec<_> = (0..SESSIONS).map(insert).collect();
        for session in running {
            session.await.map_err(fail)?.map_err(fail)?;
        }
        Ok(())
    }
}
