//! Servers that ask for authorization, and people who grant it.

use std::sync::Mutex;
use std::time::Duration;

use legwork_mcp::Error;
use legwork_mcp::oauth::Browser;
use legwork_port::BoxFuture;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use url::Url;

mod authority;
mod login;
mod loopback;
mod refusals;
mod renewal;
mod secrets;
mod world;

/// A person who grants everything, and where they were sent back to.
#[derive(Default)]
struct Person(Mutex<Vec<String>>);

impl Browser for Person {
    fn redirect_uri(&self) -> String {
        "http://127.0.0.1:9/callback".to_owned()
    }

    fn visit<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<String, Error>> {
        Box::pin(async {
            let back = location(&get(url).await);
            self.0.lock().unwrap().push(back.clone());
            Ok(back)
        })
    }
}

/// The whole answer to a GET.
async fn get(url: &str) -> String {
    let url = Url::parse(url).unwrap();
    let host = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap());
    let target = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let request = format!("GET {target} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    let mut stream = TcpStream::connect(&host).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

/// Where an answer sends to.
fn location(answer: &str) -> String {
    let line = answer.lines().find_map(|line| line.strip_prefix("location: "));
    line.unwrap().trim().to_owned()
}

/// A limit that is reached at once.
const AT_ONCE: Duration = Duration::ZERO;
