#[path="session/build.rs"] #[allow(dead_code)] mod build;
use build::*;
use std::time::Instant;
use tenon_vocab::Message;
fn cpu() -> f64 { let t=std::fs::read_to_string("/proc/self/schedstat").unwrap(); t.split(" ").next().unwrap().parse::<f64>().unwrap()/1e9 }
#[test] #[ignore]
fn bench() {
    let home=Home::new();
    let mut w=home.begin(1);
    let t=Instant::now();
    let mut n=0;
    while std::fs::metadata(w.path()).unwrap().len() < 100_000_000 {
        n+=1;
        w.start(n,"p");
        for s in 0..20 { let id=format!("c{n}_{s}"); w.put(asks("next",&[&id])); w.put(used(&id)); w.put(result(&id,&"output and more ".repeat(400))); }
        let k=w.put(Message::assistant("a"));
        if w.log.bytes_since_snapshot()>8_000_000 { w.put(compacted(k,"sum")); w.snapshot(); }
        w.finish();
    }
    eprintln!("wrote {} events in {:?}", w.log.next_seq(), t.elapsed());
    drop(w);
    let m0=rss();
    for _ in 0..3 { let t=Instant::now(); let c=cpu(); let w=home.reopen(1); eprintln!("open {:?} cpu {:.4} msgs {} rss {} -> {}",t.elapsed(),cpu()-c,w.state.history().messages().len(), m0, rss()); }
    let mut w=home.begin(2);
    for s in 0..1 { w.start(s,"p"); for s in 0..300 { let id=format!("c{s}"); w.put(asks("next step here",&[&id])); w.put(used(&id)); w.put(result(&id,&"output and more ".repeat(200))); } w.finish(); }
    drop(w);
    for _ in 0..3 { let t=Instant::now(); let c=cpu(); let w=home.reopen(2); eprintln!("open 300 steps {:?} cpu {:.4} msgs {} bytes {}",t.elapsed(),cpu()-c,w.state.history().messages().len(),std::fs::metadata(w.path()).unwrap().len()); }
    for n in 10..2010 { home.begin(n).small_run(1); }
    let t=Instant::now(); let c=cpu(); let l=home.store.list(&Default::default()); eprintln!("list {} {:?} cpu {:.4}",l.sessions.len(),t.elapsed(),cpu()-c);
    let mut w=home.begin(3); w.start(1,"p");
    let t=Instant::now(); let c=cpu();
    for s in 0..20000 { w.log.frame(&tenon_session::Frame::Message{run:run(1),channel:tenon_vocab::TextChannel::Text,text:format!("tok {s} ")}).unwrap(); }
    eprintln!("20000 frames {:?} cpu {:.4}",t.elapsed(),cpu()-c);
    let t=Instant::now(); let c=cpu();
    for s in 0..2000 { let id=format!("c{s}"); w.put(result(&id,&"output and more ".repeat(60))); }
    eprintln!("2000 appends 1KB {:?} cpu {:.4}",t.elapsed(),cpu()-c);
}
fn rss()->u64 { let s=std::fs::read_to_string("/proc/self/status").unwrap(); s.lines().find(|l|l.starts_with("VmHWM")).unwrap().split_whitespace().nth(1).unwrap().parse().unwrap() }
