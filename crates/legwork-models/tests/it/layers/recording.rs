//! Recordings, played again.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use legwork_core::Mask;
use legwork_models::layers::{ModelExt as _, Recorder, Replay, Unreadable};
use legwork_port::model::{Error, Kind, Model};
use legwork_port::{BoxFuture, Deltas, Profile};
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::{Value, json};

use super::{request, seconds};

/// A file in memory.
#[derive(Clone, Default)]
struct File(Arc<Mutex<Vec<u8>>>);

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl File {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    fn replay(&self) -> Replay {
        Replay::read(self.text().as_bytes()).unwrap()
    }
}

/// A recording of these requests.
async fn recorded(model: impl Model + 'static, requests: &[&str]) -> File {
    let file = File::default();
    let recorder = Recorder::to(file.clone());
    let model = model.with_recorder(recorder.clone());
    for text in requests {
        let _ = model.infer(request(text), None).await;
    }
    assert_eq!(recorder.finish().unwrap(), requests.len() as u64);
    file
}

#[tokio::test]
async fn a_recording_is_played_again() {
    let turn = Turn::call("look", json!({"at": 1})).with_text("I look");
    let first = ScriptedModel::new([turn.after([Turn::text("first")])]).named("a:model");
    let file = recorded(first, &["a", "b", "a"]).await;
    let replay = file.replay();
    assert_eq!((replay.name(), replay.left()), ("a:model", 3));
    // In another order; the same request in its own.
    let mut heard = super::Heard::default();
    let b = replay.infer(request("b"), Some(&mut heard)).await.unwrap();
    assert_eq!((b.text(), heard.text.as_str()), ("I look".to_owned(), "I look"));
    assert_eq!(&*b.message.tool_calls().next().unwrap().arguments, r#"{"at":1}"#);
    assert_eq!(replay.infer(request("a"), None).await.unwrap().text(), "first");
    assert_eq!(replay.infer(request("a"), None).await.unwrap().text(), "I look");
    let error = replay.infer(request("a"), None).await.unwrap_err();
    assert!(error.message.contains("all recorded answers were played"), "{error}");
}

#[tokio::test]
async fn a_line_is_plain_json() {
    let file = recorded(ScriptedModel::new([Turn::text("done")]), &["hi"]).await;
    let row: Value = serde_json::from_str(&file.text()).unwrap();
    assert_eq!((&row["name"], &row["index"]), (&json!("scripted:model"), &json!(0)));
    assert_eq!(row["request"]["messages"][0]["role"], "user");
    assert_eq!(row["response"]["finish"], "stop");
    assert_eq!(row["digest"].as_str().unwrap().len(), 64);
}

#[tokio::test]
async fn errors_are_recorded_too() {
    let mut error = Error::new(Kind::RateLimited, "later");
    (error.status, error.code) = (Some(429), Some("full".to_owned()));
    (error.retry_after, error.charged_attempts) = (Some(seconds(7)), 2);
    error.request_id = Some("req_1".into());
    let file = recorded(ScriptedModel::new([Turn::error(error.clone())]), &["hi"]).await;
    assert_eq!(file.replay().infer(request("hi"), None).await.unwrap_err(), error);
}

#[tokio::test]
async fn a_replay_that_diverges_says_where() {
    let file = recorded(ScriptedModel::new([Turn::text("done")]), &["hi"]).await;
    let replay = file.replay();
    let error = replay.infer(request("ho"), None).await.unwrap_err();
    assert_eq!(error.kind, Kind::BadRequest);
    assert!(error.message.contains("`/messages/0/parts/0/text/text`"), "{error}");
    let longer = request("hi").with_message("more".into());
    let error = replay.infer(longer, None).await.unwrap_err();
    assert!(error.message.contains("(line 1) at `/messages/1`"), "{error}");
    assert_eq!(replay.left(), 1);
}

#[tokio::test]
async fn keys_are_not_in_it() {
    const KEY: &str = "sk-0123456789abcdef";
    struct Keyed(ScriptedModel);
    impl Model for Keyed {
        fn name(&self) -> &str {
            self.0.name()
        }
        fn profile(&self) -> &Profile {
            self.0.profile()
        }
        fn mask(&self) -> Mask {
            Mask::of([KEY])
        }
        fn infer<'a>(
            &'a self,
            request: legwork_core::ModelRequest,
            deltas: Option<&'a mut dyn Deltas>,
        ) -> BoxFuture<'a, Result<legwork_core::Response, Error>> {
            self.0.infer(request, deltas)
        }
    }
    let said = ScriptedModel::new([Turn::text(format!("it is {KEY}"))]);
    let asked = format!("is it {KEY}?");
    let file = recorded(Keyed(said), &[&asked]).await;
    assert!(!file.text().contains(KEY) && file.text().contains("[redacted]"));
    let answer = file.replay().infer(request(&asked), None).await.unwrap();
    assert_eq!(answer.text(), "it is [redacted]");
}

#[tokio::test]
async fn an_inference_that_is_left_is_not_recorded() {
    let file = File::default();
    let model = ScriptedModel::new([Turn::stall()]).with_recorder(Recorder::to(file.clone()));
    assert!(model.infer(request("hi"), None).now_or_never().is_none());
    assert_eq!(file.text(), "");
}

#[tokio::test]
async fn a_full_disk_costs_no_answer() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let recorder = Recorder::to(Full);
    let model = ScriptedModel::new([Turn::text("done")]).with_recorder(recorder.clone());
    assert_eq!(model.infer(request("hi"), None).await.unwrap().text(), "done");
    assert_eq!(recorder.finish().unwrap_err().kind(), io::ErrorKind::StorageFull);
}

#[tokio::test]
async fn a_damaged_recording_is_refused() {
    let read = |text: &str| Replay::read(text.as_bytes()).unwrap_err();
    assert!(matches!(read("\n"), Unreadable::Empty));
    assert!(matches!(read("\n{"), Unreadable::Line { line: 2, .. }));
    let file = recorded(ScriptedModel::new([Turn::text("done")]), &["hi"]).await;
    let mut row: Value = serde_json::from_str(&file.text()).unwrap();
    row.as_object_mut().unwrap().remove("response");
    let error = read(&row.to_string()).to_string();
    assert!(error.contains("neither a response nor an error"), "{error}");
}
