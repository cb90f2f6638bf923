use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use bytes::Bytes;
use compression_codecs::core::Level;
use compression_codecs::core::util::{PartialBuffer, WriteBuffer};
use compression_codecs::{EncodeV2, GzipEncoder};
use http::header::HeaderMap;
use http::{Method, Uri};
use hyper::body::Body as _;
use legwork_clock::SystemClock;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::IN_A_ROW;
use crate::http::{Client, Timeouts, template, with_body};

/// Many bytes, compressed to a few.
fn bomb(bytes: usize) -> Vec<u8> {
    let mut encoder = GzipEncoder::new(Level::Default.into());
    let (zeros, mut room) = (vec![0; bytes], vec![0; bytes / 100]);
    let mut output = WriteBuffer::new_initialized(&mut room);
    let mut input = PartialBuffer::new(&*zeros);
    while !input.unwritten().is_empty() {
        encoder.encode(&mut input, &mut output).unwrap();
    }
    while !encoder.finish(&mut output).unwrap() {}
    output.written().to_vec()
}

#[tokio::test]
async fn s13_10_what_is_decompressed_leaves_time_to_others() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = Uri::try_from(format!("http://{}/", listener.local_addr().unwrap())).unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.read(&mut [0; 4096]).await.unwrap();
        let body = bomb(4 << 20);
        let length = body.len();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: {length}\r\n\r\n"
        );
        stream.write_all(&[head.as_bytes(), &body].concat()).await.unwrap();
    });
    let client = Client::new(&uri, Timeouts::default(), None);
    let request = template(Method::GET, &uri, HeaderMap::new(), None).unwrap();
    let answer =
        client.send(&SystemClock::default(), with_body(&request, Bytes::new())).await.unwrap();
    let mut body = answer.into_body();
    let (mut came, mut in_a_row, mut most) = (0, 0, 0);
    poll_fn(|cx| {
        loop {
            let Poll::Ready(frame) = Pin::new(&mut body).poll_frame(cx) else {
                in_a_row = 0;
                return Poll::Pending;
            };
            let Some(frame) = frame else { return Poll::Ready(()) };
            came += frame.unwrap().into_data().unwrap().len();
            in_a_row += 1;
            most = most.max(in_a_row);
        }
    })
    .await;
    assert_eq!(came, 4 << 20);
    assert!(most <= usize::from(IN_A_ROW), "{most}");
}
