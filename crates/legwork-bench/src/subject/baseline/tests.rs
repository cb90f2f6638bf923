use std::time::Duration;

use tokio::net::TcpListener;

use super::Baseline;
use crate::{
    api::Api,
    probe::Probe,
    script::Script,
    server,
    subject::{Commits, Disk, Setup, Subject, legwork::Legwork},
};

/// A baseline with its own real server on loopback.
async fn setup(script: Script) -> Setup {
    crate::install_crypto();
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(server::serve(listener, None));
    Setup {
        api: Api::Chat,
        base_url: format!("http://{address}/v1"),
        script,
        streamed: false,
        hooks: 0,
        disk: None,
        probe: Probe::new(Duration::ZERO),
    }
}

#[tokio::test]
async fn a_script_is_played_to_its_end() {
    for (api, streamed) in Api::ALL.into_iter().flat_map(|api| [(api, false), (api, true)]) {
        let script = Script::steps(4).calls(3).tokens(2);
        let setup = Setup { api, streamed, ..setup(script).await };
        let probe = setup.probe.clone();
        let text = Baseline::open(setup.clone()).unwrap().run().await.unwrap();
        assert_eq!(text, "word word ", "{api:?}, streamed: {streamed}");
        assert_eq!(probe.take().len(), 9, "{api:?}, streamed: {streamed}");
        let text = Legwork::open(setup).unwrap().run().await.unwrap();
        assert_eq!(text, "word word ", "{api:?}, streamed: {streamed}");
        assert_eq!(probe.take().len(), 9, "{api:?}, streamed: {streamed}");
    }
}

#[tokio::test]
async fn the_durable_baseline_writes_what_it_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let disk =
        Disk { dir: dir.path().to_owned(), bytes: 1000, writes: 2, commits: Commits::Inline };
    let setup = Setup { disk: Some(disk), ..setup(Script::steps(5)).await };
    let baseline = Baseline::open(setup).unwrap();
    baseline.run().await.unwrap();
    let size = std::fs::metadata(dir.path().join("baseline.jsonl")).unwrap().len();
    assert_eq!(size, 5000);
    let steps = baseline.recorded().await.unwrap();
    assert_eq!(steps.len(), 5);
    assert!(steps.iter().all(|bytes| (20..300).contains(bytes)), "{steps:?}");
}
