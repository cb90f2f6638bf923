//! Connections by TLS.

use std::fs;

use legwork_port::Store as _;
use legwork_port::store::{Error, Query};
use legwork_store::postgres::Store;
use legwork_testkit::servers::Postgres;
use sqlx::{Connection as _, Row as _};

use crate::sample::{session, write};

#[tokio::test]
async fn a_server_has_to_prove_who_it_is_if_the_address_says_so() {
    let made = || rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let (of_server, of_another) = (made(), made());
    let key = of_server.signing_key.serialize_pem();
    let server = Postgres::start_secured(&of_server.cert.pem(), &key).unwrap();
    let Some(server) = server else { return };
    let folder = tempfile::tempdir().unwrap();
    let with = |name: &str, certificate: &str, mode: &str| {
        let file = folder.path().join(name);
        fs::write(&file, certificate).unwrap();
        format!("{}?sslmode={mode}&sslrootcert={}", server.url(), file.display())
    };
    let url = with("own.pem", &of_server.cert.pem(), "verify-full");
    let store = Store::open(&url).unwrap();
    write(&store, &session("s"), &[1..=2]).await;
    let mut admin = sqlx::PgConnection::connect(&url).await.unwrap();
    let sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    assert!(sqlx::query(sql).fetch_one(&mut admin).await.unwrap().get::<bool, _>(0));

    let other = with("other.pem", &of_another.cert.pem(), "verify-full");
    let system = format!("{}?sslmode=verify-full", server.url());
    for url in [other, system] {
        let error = Store::open(&url).unwrap().sessions(&Query::all()).await.unwrap_err();
        assert!(matches!(error, Error::Unusable { .. }), "{error}");
        assert!(error.to_string().contains("no secure connection ("), "{error}");
    }
}
