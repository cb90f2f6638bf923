#![allow(clippy::all, clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, missing_docs, clippy::disallowed_methods)]
use std::sync::Arc;
use std::time::Instant;
use legwork_core::{Entry, Event, Message, Seq, SessionId, Timestamp};
use legwork_port::Store as _;
use legwork_store::sqlite::Store;
fn ents(from: u64, n: u64, size: usize) -> Vec<Arc<Entry>> {
    (from..from + n).map(|s| Arc::new(Entry { seq: Seq(s), parent: Seq(s - 1), at: Timestamp(1_760_000_000_000 + s), event: Event::MessageAdded(Arc::new(Message::user("x".repeat(size)))) })).collect()
}
fn q(v: &mut Vec<f64>) -> String { v.sort_by(f64::total_cmp); format!("p50 {:.0} us p90 {:.0} us p99 {:.0} us max {:.0}", v[v.len()/2], v[v.len()*9/10], v[v.len()*99/100], v[v.len()-1]) }
#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let path = std::env::args().nth(1).unwrap();
    let n: u64 = std::env::args().nth(2).unwrap().parse().unwrap();
    let mut opens = vec![]; let mut first_claim = vec![]; let mut closes = vec![]; let mut reads = vec![];
    for i in 0..20 {
        let t = Instant::now();
        let s = Store::open(&path).unwrap();
        let o = t.elapsed().as_secs_f64() * 1e6;
        if i == 0 { println!("create {o:.0} us"); } else { opens.push(o); }
        let t = Instant::now();
        let id = SessionId::new(format!("claim{i}"));
        let c = s.claim(&id).await.unwrap();
        first_claim.push(t.elapsed().as_secs_f64() * 1e6);
        let t = Instant::now();
        s.read(&id).await.unwrap();
        reads.push(t.elapsed().as_secs_f64() * 1e6);
        drop(c);
        let t = Instant::now();
        drop(s);
        closes.push(t.elapsed().as_secs_f64() * 1e6);
    }
    println!("open existing {}", q(&mut opens));
    println!("first claim {}", q(&mut first_claim));
    println!("first read {}", q(&mut reads));
    println!("close {}", q(&mut closes));
    let s = Store::open(&path).unwrap();
    let id = SessionId::new("main");
    let c = s.claim(&id).await.unwrap();
    let st0 = s.stats();
    let mut v = vec![]; let mut seq = 1;
    let all: Vec<_> = (0..n).map(|i| ents(1 + i * 5, 5, 110)).collect();
    let cpu0 = cpu();
    for e in &all { let t = Instant::now(); c.append(Seq(seq - 1), e).await.unwrap(); v.push(t.elapsed().as_secs_f64() * 1e6); seq += 5; }
    let cpu1 = cpu();
    let st = s.stats();
    println!("append {} ; cpu {:.1} us/append ; entry bytes {}/append, wal {}/append (wal {} file {}), commits {}", q(&mut v), (cpu1-cpu0)*1e6/n as f64, (st.bytes-st0.bytes)/n, (st.wal - st0.wal)/n, st.wal, st.file, st.commits - st0.commits);
    let t = Instant::now(); let l = s.read(&id).await.unwrap(); println!("read {} entries {:.0} us", l.journal.entries().len(), t.elapsed().as_secs_f64()*1e6);
    let e = all[0].clone(); let t = Instant::now(); for _ in 0..1000 { for x in &e { std::hint::black_box(x.encode().unwrap()); } } println!("encode {:.2} us/append", t.elapsed().as_secs_f64()*1e3);
    // group
    let t = Instant::now();
    let mut hs = vec![]; let before = s.stats().commits;
    for k in 0..100 { let s = s.clone(); hs.push(tokio::spawn(async move { let c = s.claim(&SessionId::new(format!("g{k}"))).await.unwrap(); for i in 0..20 { c.append(Seq(i*5), &ents(1+i*5,5,110)).await.unwrap(); } })); }
    for h in hs { h.await.unwrap(); }
    println!("100 sessions x (claim + 20 appends): {:.0} ms, {} commits; {:?}", t.elapsed().as_secs_f64()*1e3, s.stats().commits - before, s.stats());
    let t = Instant::now(); let l = s.sessions(50).await.unwrap(); println!("sessions {} in {:.0} us", l.len(), t.elapsed().as_secs_f64()*1e6);
    if std::env::args().nth(3).is_some() { std::process::abort(); }
    drop(c); let t = Instant::now(); drop(s); println!("close {:.0} us", t.elapsed().as_secs_f64()*1e6);
}
fn cpu() -> f64 { let s = std::fs::read_to_string("/proc/self/stat").unwrap(); let f: Vec<_> = s.rsplit(')').next().unwrap().split_whitespace().collect(); (f[11].parse::<f64>().unwrap() + f[12].parse::<f64>().unwrap()) / 100.0 }
