//! A server that is reached by TLS.

use std::fs;
use std::path::Path;
use std::process::Command;

use legwork_port::Store as _;
use legwork_store::redis::Store;

use crate::sample::{Place, numbers, session, write};

const ADDRESS: &str = "LEGWORK_STORE_TEST_TLS";

/// Lets a server listen with a certificate of its own, in a file of its folder; its port.
async fn listen(place: &Place, folder: &Path) -> Option<u16> {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (certificate, key) = (folder.join("certificate.pem"), folder.join("key.pem"));
    fs::write(&certificate, made.cert.pem()).unwrap();
    fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let settings = [
        ("tls-cert-file", certificate.display().to_string()),
        ("tls-key-file", key.display().to_string()),
        ("tls-ca-cert-file", certificate.display().to_string()),
        ("tls-auth-clients", "no".to_owned()),
        ("tls-port", port.to_string()),
    ];
    let mut set = redis::cmd("CONFIG");
    set.arg("SET");
    for (name, value) in settings {
        set.arg(name).arg(value);
    }
    match set.query_async::<()>(&mut place.client().await).await {
        Ok(()) => Some(port),
        Err(error) => {
            println!("skipped: this redis-server has no TLS ({error})");
            None
        }
    }
}

#[tokio::test]
async fn a_server_is_reached_by_tls() {
    let Some(place) = Place::own() else { return };
    let folder: (String, String) = place.run("CONFIG", ("GET", "dir")).await;
    let folder = Path::new(&folder.1);
    let Some(port) = listen(&place, folder).await else { return };
    let user = place.url().split_once('@').unwrap().0.replace("redis://", "rediss://");
    let address = format!("{user}@localhost:{port}/0");
    // Which authorities are trusted is known when a process starts.
    let child = |certificate: &str| {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["tls::in_a_process_of_its_own", "--exact", "--nocapture"]);
        let output = child.env(ADDRESS, &address).env("SSL_CERT_FILE", certificate).output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let said = child(folder.join("certificate.pem").to_str().unwrap());
    assert!(said.contains("child: it was written and read"), "{said}");
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    fs::write(folder.join("another.pem"), made.cert.pem()).unwrap();
    let said = child(folder.join("another.pem").to_str().unwrap());
    assert!(said.contains(&format!("the store rediss://localhost:{port}/0 failed")), "{said}");
    assert!(said.contains("its certificate is not trusted"), "{said}");
}

/// In the child it uses the store; in a run of the tests there is none.
#[tokio::test]
async fn in_a_process_of_its_own() {
    let Ok(address) = std::env::var(ADDRESS) else { return };
    let (store, name) = (Store::open(&address).unwrap(), session("s"));
    if let Err(error) = store.claim(&name).await.map(drop) {
        println!("child: {error}");
        return;
    }
    write(&store, &name, &[1..=2]).await;
    assert_eq!(numbers(&store, &name).await, [1, 2]);
    println!("child: it was written and read");
}
