//! A socket that notes when the first whole request for an answer has arrived,
//! and then gives the shortest one. Measures the way from the start of a
//! program to its first request, without a server's own time in it.

use super::measure::Invocation;
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// A program that has not asked for so long never will.
const PATIENCE: Duration = Duration::from_secs(30);

const ANSWER: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n\
data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"mock-model\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Hello.\"},\"finish_reason\":null}]}\n\n\
data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"mock-model\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
data: [DONE]\n\n";
const OTHER: &str = "HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";

#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
}

impl Listener {
    pub fn bind() -> Result<Self> {
        let socket = TcpListener::bind(("127.0.0.1", 0))?;
        Ok(Self { socket })
    }

    pub fn address(&self) -> Result<String> {
        Ok(self.socket.local_addr()?.to_string())
    }

    pub fn base_url(&self) -> Result<String> {
        Ok(format!("http://{}/v1", self.address()?))
    }

    /// From the start of the program to its first request, the least of so
    /// many runs, in milliseconds.
    pub fn least(&self, invocation: &Invocation, runs: usize) -> Result<f64> {
        let mut least = f64::INFINITY;
        for _ in 0..runs {
            least = least.min(self.once(invocation)?);
        }
        Ok(least)
    }

    fn once(&self, invocation: &Invocation) -> Result<f64> {
        let (sender, arrived) = mpsc::channel();
        let socket = self.socket.try_clone()?;
        let waiter = thread::spawn(move || serve(&socket, &sender));
        let mut command = invocation.command()?;
        command.stderr(Stdio::null());
        let started = Instant::now();
        let mut child = command.spawn()?;
        let Ok(arrival) = arrived.recv_timeout(PATIENCE) else {
            let _ = child.kill();
            let _ = child.wait();
            // Lets the waiting thread go: it ends with any connection.
            let _ = TcpStream::connect(self.socket.local_addr()?).map(|mut socket| {
                socket.write_all(b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: 0\r\n\r\n")
            });
            bail!("{} made no request", invocation.words.join(" "));
        };
        let status = child.wait()?;
        let _ = waiter.join();
        if !status.success() {
            bail!("{} failed ({status})", invocation.words.join(" "));
        }
        Ok(arrival.duration_since(started).as_secs_f64() * 1e3)
    }
}

/// Answers connections until one asks for an answer of the model.
fn serve(socket: &TcpListener, arrived: &mpsc::Sender<Instant>) -> Result<()> {
    loop {
        let (connection, _) = socket.accept()?;
        let mut reader = BufReader::new(connection);
        let first = request(&mut reader)?;
        let now = Instant::now();
        let asked = first.starts_with("POST") && first.contains("chat/completions");
        let answer = if asked { ANSWER } else { OTHER };
        reader.get_mut().write_all(answer.as_bytes())?;
        if asked {
            // Nobody listens when the program was given up.
            let _ = arrived.send(now);
            return Ok(());
        }
    }
}

/// Reads a request to its end; gives its first line.
fn request(reader: &mut BufReader<TcpStream>) -> Result<String> {
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut length = Some(0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        match line.split_once(':') {
            Some(("content-length", value)) => length = Some(value.trim().parse::<u64>()?),
            Some(("transfer-encoding", value)) if value.contains("chunked") => length = None,
            _ => {}
        }
    }
    match length {
        Some(length) => drain(reader, length)?,
        None => loop {
            let mut size = String::new();
            reader.read_line(&mut size)?;
            let size = u64::from_str_radix(size.trim(), 16).context("the size of a chunk")?;
            drain(reader, size + 2)?;
            if size == 0 {
                break;
            }
        },
    }
    Ok(first)
}

fn drain(reader: &mut BufReader<TcpStream>, length: u64) -> Result<()> {
    std::io::copy(&mut reader.take(length), &mut std::io::sink())?;
    Ok(())
}
