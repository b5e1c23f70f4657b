//! The program that Tenon is compared with: what the same machine needs for the
//! plainest form of the same work. Built by `cargo xtask bench` with rustc
//! alone; it belongs to no crate.

use std::fs;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

fn main() -> io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["say"] => io::stdout().write_all(b"hello\n"),
        ["ask", address, prompt] => ask(address, prompt),
        ["spawn", file] => spawn(file),
        ["load", file] => load(file),
        ["scan", folder, word] => {
            let mut hits = 0;
            scan(Path::new(folder), word.as_bytes(), &mut hits)?;
            writeln!(io::stdout(), "{hits}")
        }
        _ => Err(io::Error::other("say | ask ADDRESS PROMPT | spawn FILE | load FILE | scan FOLDER WORD")),
    }
}

/// One streamed request; what comes back goes out as it is.
fn ask(address: &str, prompt: &str) -> io::Result<()> {
    let mut socket = TcpStream::connect(address)?;
    let body = format!(
        "{{\"model\":\"mock-model\",\"messages\":[{{\"role\":\"user\",\"content\":\"{prompt}\"}}],\"stream\":true}}"
    );
    write!(
        socket,
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )?;
    io::copy(&mut socket, &mut io::stdout()).map(|_| ())
}

/// Each line of a file is a command for the shell.
fn spawn(file: &str) -> io::Result<()> {
    for line in fs::read_to_string(file)?.lines() {
        let output = Command::new("sh").args(["-c", line]).output()?;
        io::stdout().write_all(&output.stdout)?;
    }
    Ok(())
}

/// A file read to its end, in pieces, and its lines counted.
fn load(file: &str) -> io::Result<()> {
    let mut file = fs::File::open(file)?;
    let mut piece = vec![0; 1 << 16];
    let mut lines = 0;
    loop {
        match file.read(&mut piece)? {
            0 => break,
            length => lines += piece[..length].iter().filter(|byte| **byte == b'\n').count(),
        }
    }
    writeln!(io::stdout(), "{lines}")
}

fn scan(folder: &Path, word: &[u8], hits: &mut usize) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            scan(&entry.path(), word, hits)?;
        } else {
            let content = fs::read(entry.path())?;
            *hits += content.windows(word.len()).filter(|window| *window == word).count();
        }
    }
    Ok(())
}
