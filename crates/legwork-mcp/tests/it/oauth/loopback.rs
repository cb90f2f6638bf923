//! A browser on this machine.

use std::sync::{Arc, Mutex};

use legwork_mcp::oauth::{Browser as _, LoopbackBrowser};

use super::world::World;
use super::{AT_ONCE, get, location};
use crate::fixture::Fixture;
use crate::http::run;

#[tokio::test]
async fn s18_12_a_browser_is_sent_back_to_a_port_of_this_process() {
    let world = World::new(Fixture::new()).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let pages = Arc::clone(&seen);
    let browser = LoopbackBrowser::listen(0, move |url| {
        let (url, pages) = (url.to_owned(), Arc::clone(&pages));
        tokio::spawn(async move {
            let back = location(&get(&url).await);
            let stray = get(&back.replace("state=", "state=other")).await;
            let other = get(&back.replace("/callback", "/other")).await;
            let page = get(&back).await;
            pages.lock().unwrap().extend([stray, other, page]);
        });
    });
    let browser = browser.await.unwrap();
    world.endpoint().log_in(&browser).await.unwrap();
    let (results, _) = run(world.endpoint(), &["my_echo"]).await;
    assert_eq!(results, ["{}"]);
    let pages = seen.lock().unwrap();
    let status = |page: &String| page.split(' ').nth(1).map(str::to_owned);
    let statuses: Vec<_> = pages.iter().filter_map(status).collect();
    assert_eq!(statuses, ["404", "404", "200"]);
    assert!(pages[2].ends_with("return to the program."), "{}", pages[2]);
}

#[tokio::test]
async fn s18_12_a_person_who_does_nothing_is_not_waited_for_for_ever() {
    let browser = LoopbackBrowser::listen(0, |_| {}).await.unwrap().patience(AT_ONCE);
    let error = browser.visit("http://127.0.0.1:1/?state=a").await.unwrap_err().to_string();
    assert!(error.contains("it was not granted"), "{error}");
    let port = browser.redirect_uri();
    let port = url::Url::parse(&port).unwrap().port().unwrap();
    let error = LoopbackBrowser::listen(port, |_| {}).await.unwrap_err().to_string();
    assert!(error.contains("cannot be listened on"), "{error}");
}
