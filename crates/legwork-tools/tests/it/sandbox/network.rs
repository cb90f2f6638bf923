//! A list of hosts as the network, seen from commands.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};

use legwork_port::Sandbox as _;
use legwork_tools::sandbox::{Bubblewrap, Landlock, Network};
use legwork_tools::{Bash, Sandbox, Workspace};

use super::scene::{Scene, Walls, as_nobody, run, sandbox};

/// Sends a request line and a body to the proxy, and prints the response.
const ASK: &str = "ask() { exec 3<>/dev/tcp/127.0.0.1/3128; \
    printf '%s HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n%b' \"$1\" \"$2\" >&3; cat <&3; exec 3>&-; };";

/// A shell that can reach these hosts, or why there is none.
fn bash(scene: &Scene, walls: Walls, hosts: &[String]) -> Result<Bash, String> {
    let network = Network::hosts(hosts.iter().map(String::as_str)).expect("hosts");
    let environment = scene.environment();
    let walls = sandbox(walls, &environment, scene.policy().with_network(network));
    let root = scene.path("home/work");
    walls.confine(&root, vec!["true".into()]).map_err(|error| error.to_string())?;
    let workspace = Workspace::open(root).expect("opened");
    Ok(Bash::new(workspace, environment, Sandbox::By(walls)))
}

/// A server that greets each client, and counts them.
fn server() -> (SocketAddr, std::thread::JoinHandle<usize>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    let address = listener.local_addr().expect("bound");
    let serve = move || {
        let mut served = 0;
        loop {
            let (mut stream, _) = listener.accept().expect("accepted");
            let mut bytes = [0; 512];
            let read = stream.read(&mut bytes).expect("read");
            if bytes.starts_with(b"END") {
                return served;
            }
            served += 1;
            assert!(read > 0, "an empty request");
            let greeting = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello\n";
            stream.write_all(greeting.as_bytes()).expect("written");
        }
    };
    (address, std::thread::spawn(serve))
}

fn served(address: SocketAddr, server: std::thread::JoinHandle<usize>) -> usize {
    let mut stream = std::net::TcpStream::connect(address).expect("connected");
    stream.write_all(b"END").expect("written");
    server.join().expect("served")
}

fn reaches_the_list_alone() {
    let scene = Scene::new();
    let (address, serving) = server();
    let bash = match bash(&scene, Walls::Bubblewrap, &[address.to_string()]) {
        Ok(bash) => bash,
        Err(why) => return println!("skipped: {why}"),
    };
    let asked = |line: &str| run(&bash, &format!("{ASK} ask {line:?}"));
    let report = asked(&format!("GET http://{address}/"));
    assert!(report.contains("hello"), "{report}");
    assert!(report.contains(&format!("[network: connected to {address}]")), "{report}");
    let report = run(&bash, &format!("{ASK} ask 'CONNECT {address}' 'GET / HTTP/1.1\r\n\r\n'"));
    assert!(report.contains("200 OK") && report.contains("hello"), "{report}");
    let other = scene.tcp.local_addr().expect("bound").port();
    for line in [
        format!("CONNECT 127.0.0.1:{other}"),
        format!("GET http://127.0.0.1:{other}/"),
        format!("CONNECT localhost:{}", address.port()),
        "CONNECT example.com:443".to_owned(),
    ] {
        let report = asked(&line);
        assert!(report.contains("403 Forbidden"), "{line}: {report}");
        assert!(report.contains("[network: not connected to "), "{line}: {report}");
    }
    // Only the proxy can be reached: no socket on the loopback interface of the machine, and no
    // other network.
    let direct = format!("(exec 3<>/dev/tcp/{}/{}) && echo ESCAPED", address.ip(), address.port());
    for command in [
        direct.as_str(),
        "(exec 3<>/dev/tcp/1.1.1.1/443) && echo ESCAPED",
        "echo lost >/dev/udp/1.1.1.1/53 && echo ESCAPED",
        "[ $(tail -n +3 /proc/net/dev | wc -l) = 1 ] || echo ESCAPED",
        "[ $(tail -n +2 /proc/net/route | wc -l) = 0 ] || echo ESCAPED",
    ] {
        let report = run(&bash, command);
        assert!(!report.contains("ESCAPED"), "{command}: {report}");
    }
    let report = run(&bash, &scene.helper("abstract", &scene.at("")));
    assert!(!report.contains("ESCAPED"), "{report}");
    assert!(scene.tcp.accept().is_err(), "the other one was reached");
    assert_eq!(served(address, serving), 2);
}

#[test]
fn s13_7_a_command_reaches_the_hosts_on_the_list_alone() {
    reaches_the_list_alone();
}

#[test]
fn s13_7_so_does_that_of_an_ordinary_user() {
    let test = concat!(module_path!(), "::s13_7_so_does_that_of_an_ordinary_user");
    as_nobody(test, reaches_the_list_alone);
}

#[test]
fn s13_7_each_command_has_a_proxy_that_ends_with_it() {
    let scene = Scene::new();
    let (address, serving) = server();
    let bash = match bash(&scene, Walls::Bubblewrap, &[address.to_string()]) {
        Ok(bash) => bash,
        Err(why) => return println!("skipped: {why}"),
    };
    let command = format!("{ASK} for i in 1 2 3; do ask 'GET http://{address}/'; done; env");
    for _ in 0..3 {
        let report = run(&bash, &command);
        assert_eq!(report.matches("hello").count(), 3, "{report}");
        assert!(
            report.contains(&format!("[network: connected to {address} (3 times)]")),
            "{report}"
        );
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"] {
            assert!(report.contains(&format!("\n{name}=http://127.0.0.1:3128\n")), "{report}");
        }
    }
    assert_eq!(served(address, serving), 9);
    let threads = || std::fs::read_dir("/proc/self/task").expect("read").flatten();
    let name = |task: &std::fs::DirEntry| std::fs::read_to_string(task.path().join("comm"));
    let proxies =
        || threads().filter(|task| name(task).is_ok_and(|name| name.trim() == "legwork-proxy"));
    assert_eq!(proxies().count(), 1, "one thread serves all commands of a sandbox");
    drop(bash);
    // The thread ends once nothing can use it.
    while proxies().count() > 0 {
        std::thread::yield_now();
    }
}

#[test]
fn s13_7_clients_reach_a_listed_loopback_address_through_the_proxy() {
    let scene = Scene::new();
    let (address, serving) = server();
    let bash = match bash(&scene, Walls::Bubblewrap, &[address.to_string()]) {
        Ok(bash) => bash,
        Err(why) => return println!("skipped: {why}"),
    };
    if !run(&bash, "command -v curl || echo MISSING").contains("/curl") {
        return println!("skipped: curl is not installed");
    }
    let curl = "curl --silent --show-error --max-time 60";
    let report = run(&bash, &format!("{curl} http://{address}/"));
    assert!(report.contains("hello"), "{report}");
    assert!(report.contains(&format!("[network: connected to {address}]")), "{report}");
    // Here the proxy is bypassed: what the client reaches is the command's own loopback.
    let name = format!("http://localhost:{}/", address.port());
    for direct in [name, format!("--noproxy '*' http://{address}/")] {
        let report = run(&bash, &format!("{curl} {direct}"));
        assert!(report.contains("curl: (7)"), "{direct}: {report}");
        assert!(!report.contains("hello") && !report.contains("[network: "), "{direct}: {report}");
    }
    assert_eq!(served(address, serving), 1);
}

#[test]
fn s13_7_what_cannot_hold_a_list_refuses_it() {
    let scene = Scene::new();
    let network = Network::hosts(["example.com"]).expect("hosts");
    let policy = scene.policy().with_network(network);
    let landlock = Landlock::new(&scene.environment()).with_policy(policy.clone());
    let refused = landlock.confine(&scene.path("home/work"), vec!["true".into()]);
    let why = refused.expect_err("refused").to_string();
    assert!(why.contains("list of hosts") || why.contains("Landlock does not work"), "{why}");
    let bubblewrap = Bubblewrap::new(&scene.environment()).with_policy(policy);
    assert!(bubblewrap.rules().contains("only these hosts can be reached"));
    assert!(bubblewrap.rules().contains("example.com"));
}
