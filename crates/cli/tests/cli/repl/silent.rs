//! A server that takes a connection and never says a word: there is a sign of
//! life, nothing that is typed is lost, and Ctrl+C ends the wait.

use super::terminal::{Setup, Terminal};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::thread;
use tenon_testing::TestHome;

/// An address that answers nothing; it lives as long as the listener.
fn silent() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    (listener, url)
}

/// Begins to answer in the middle of a line and then falls silent.
fn stalling() -> String {
    let (listener, url) = silent();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            thread::spawn(move || {
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                while lines
                    .next()
                    .is_some_and(|line| line.is_ok_and(|line| !line.is_empty()))
                {}
                let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
                let begun = r#"data: {"choices":[{"index":0,"delta":{"content":"Once upon"}}]}"#;
                let _ = write!(stream, "{head}{begun}\n\n");
                // Held open until the program goes.
                for _ in lines {}
            });
        }
    });
    url
}

fn start(home: &TestHome, args: &[&str], env: &[(&str, &str)]) -> Option<Terminal> {
    Setup {
        home,
        model: None,
        args,
        env,
    }
    .start()
}

#[test]
fn a_run_from_the_shell_says_that_it_waits() {
    let (home, (_held, url)) = (TestHome::new(), silent());
    let env = [("TENON_BASE_URL", url.as_str()), ("TENON_MODEL", "m")];
    let Some(terminal) = start(&home, &["exec", "-p", "hello"], &env) else {
        return;
    };
    terminal
        .see("No answer from the server yet (")
        .key("C-c")
        .left(130);
}

#[test]
fn a_stream_that_falls_silent_says_so_below_its_text() {
    let (home, url) = (TestHome::new(), stalling());
    let env = [("TENON_BASE_URL", url.as_str()), ("TENON_MODEL", "m")];
    let Some(terminal) = start(&home, &["exec", "-p", "hello"], &env) else {
        return;
    };
    terminal.see("Once upon\nwaiting for the model (");
    terminal.key("C-c").left(130);
    let screen = terminal.screen();
    assert!(!screen.contains("waiting for"), "{screen}");
    assert!(screen.contains("Once upon"), "{screen}");
}

#[test]
fn a_conversation_says_that_it_waits_and_draws_nothing_anew() {
    let (home, url) = (TestHome::new(), stalling());
    let env = [("TENON_BASE_URL", url.as_str()), ("TENON_MODEL", "m")];
    let Some(terminal) = start(&home, &[], &env) else {
        return;
    };
    terminal.ready().line("hello");
    terminal.see("Once upon\n  still waiting for the model, ");
    terminal.key("C-c").see("Stopped. (").see_prompt();
    let screen = terminal.screen();
    assert!(screen.contains("still waiting"), "it stays: {screen}");
}

#[test]
fn lines_that_are_typed_while_a_list_is_waited_for_are_each_an_input() {
    let (home, (_held, url)) = (TestHome::new(), silent());
    let env = [("TENON_BASE_URL", url.as_str()), ("TENON_MODEL", "m")];
    let Some(terminal) = start(&home, &[], &env) else {
        return;
    };
    terminal
        .ready()
        .line("/models")
        .see("still waiting for the server, ");
    terminal.line("/effort").see("\n/effort");
    terminal.line("/cost").see("\n/cost").key("C-c");
    terminal
        .see("(not waited for)")
        .see("The effort is default.")
        .see("tokens in")
        .see_prompt();
}

#[test]
fn ctrl_c_while_a_server_is_asked_for_its_models_is_an_interrupt() {
    let (home, (_held, url)) = (TestHome::new(), silent());
    let env = [("TENON_BASE_URL", url.as_str())];
    let Some(terminal) = start(&home, &[], &env) else {
        return;
    };
    terminal
        .see("still waiting for the server, ")
        .key("C-c")
        .left(130);
}
