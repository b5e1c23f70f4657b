//! The first start, with nothing configured, and the start after a choice.

use super::terminal::{Model, Setup, tenon};
use crate::codex_server::{Reply, WebServer};
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};
use tenon_testing::TestHome;

const QUESTION: &str = "Server: a number, a name or an address, ? lists all names [1]";

const AGAIN: &str =
    "Enter: try again, o: another server, or the name of a model to continue anyway [again]";

fn first<'a>(home: &'a TestHome) -> Setup<'a> {
    Setup {
        home,
        model: None,
        args: &[],
        env: &[],
    }
}

#[test]
fn an_address_and_enter_are_enough_for_a_working_configuration() {
    let (home, model) = (TestHome::new(), Model::says("it works"));
    let Some(terminal) = first(&home).start() else {
        return;
    };
    terminal
        .see("No model server is configured yet")
        .see_last(QUESTION);
    terminal
        .line("?")
        .see("OpenRouter.")
        .line("nosuch")
        .see("There is no server named `nosuch`")
        .line("other")
        .see("Name or address (Enter: back)");
    // Without http:// and /v1: both are put there, and it is said.
    let bare = model.url.trim_start_matches("http://");
    terminal
        .line(bare.trim_end_matches("/v1"))
        .see(&format!("Using the address {}", model.url))
        .see("variable with the key")
        .key("Enter");
    terminal
        .see("Model: a number or a name [mock-model]")
        .line("9")
        .see("There is no number 9 in the list.")
        .see_last("Model: a number or a name [mock-model]")
        .key("Enter")
        .see("[Y/n]")
        .key("Enter");
    terminal
        .ready()
        .line("hello")
        .see("it works")
        .see("Done. (")
        .see_prompt()
        .key("C-d")
        .left(0);
    let file = home.tenon().join("tenon.jsonc");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let again = first(&home).start().unwrap();
    again
        .ready()
        .see("tenon.jsonc")
        .line("hello")
        .see("it works");
}

#[test]
fn a_provider_that_was_given_is_not_asked_about_and_the_choice_is_remembered() {
    let home = TestHome::new();
    let server = WebServer::new(|seen| match seen.path.ends_with("/models") {
        true => Reply::json(200, &json!({"data": [{"id": "alpha"}, {"id": "beta"}]})),
        false => Reply::says(&seen.path, "it works"),
    });
    let page = json!({"providers": {"near": {"base_url": server.url("/v1")}}});
    std::fs::create_dir_all(home.tenon()).unwrap();
    std::fs::write(home.tenon().join("tenon.jsonc"), page.to_string()).unwrap();
    let mut setup = first(&home);
    setup.args = &["--provider", "near"];
    let Some(terminal) = setup.start() else {
        return;
    };
    terminal
        .see("is set, and no model is chosen yet")
        .see_last("Model: a number or a name [alpha]")
        .line("beta")
        .ready()
        .line("hello")
        .see("it works")
        .see("Done. (")
        .see_prompt()
        .key("C-d")
        .left(0);
    assert!(!terminal.screen().contains("Server: a number"));
    let again = first(&home).start().unwrap();
    again.ready().see("beta  (saved choice)");
    assert!(!again.screen().contains("Model: a number"));
}

#[test]
fn lines_that_come_together_answer_no_question_of_the_set_up() {
    for env in [&[][..], &[("TERM", "dumb")]] {
        let home = TestHome::new();
        let mut setup = first(&home);
        setup.env = env;
        let Some(terminal) = setup.start() else {
            return;
        };
        terminal
            .see_last(QUESTION)
            .paste_unmarked("gopher://one\ngopher://two\n")
            .see("not taken as an answer")
            .see_last(QUESTION);
        assert!(!terminal.screen().contains("isn't the address"));
        terminal
            .rested()
            .line("gopher://three")
            .see("`gopher://three` isn't the address of a model server");
    }
}

#[test]
fn a_configuration_that_is_declined_holds_for_the_session_only() {
    let (home, model) = (TestHome::new(), Model::says("it works"));
    let Some(terminal) = first(&home).start() else {
        return;
    };
    terminal
        .see_last(QUESTION)
        .line(&model.url)
        .see("with the key")
        .key("Enter")
        .see("Model: a number")
        .key("Enter");
    terminal
        .see("[Y/n]")
        .line("what is this")
        .see("Answer y or n.")
        .see_times("[Y/n]", 2)
        .line("n")
        .see("Nothing was written")
        .ready()
        .line("hello")
        .see("it works");
    assert!(!home.tenon().join("tenon.jsonc").exists());
}

#[test]
fn leaving_the_set_up_says_what_to_do_and_writes_nothing() {
    let home = TestHome::new();
    let Some(terminal) = first(&home).start() else {
        return;
    };
    terminal
        .see_last(QUESTION)
        .key("C-c")
        .see("TENON_BASE_URL")
        .left(2);
    assert!(!home.tenon().join("tenon.jsonc").exists());
}

#[test]
fn a_key_in_the_environment_is_offered_by_its_name_and_never_shown() {
    let home = TestHome::new();
    let mut setup = first(&home);
    setup.env = &[("GROQ_API_KEY", "gsk-very-secret")];
    let Some(terminal) = setup.start() else {
        return;
    };
    terminal
        .see("its key is in GROQ_API_KEY")
        .see_last(QUESTION);
    assert!(!terminal.screen().contains("gsk-very-secret"));
}

#[test]
fn an_address_that_cannot_be_used_leads_back_to_the_list() {
    let home = TestHome::new();
    let Some(terminal) = first(&home).start() else {
        return;
    };
    terminal
        .see_last(QUESTION)
        .line("gopher://nowhere")
        .see("`gopher://nowhere` isn't the address of a model server")
        .see_last(QUESTION);
    // Before anything else is asked about it.
    terminal
        .line("http://exa mple/v1")
        .see("`http://exa mple/v1` isn't the address of a model server")
        .see_last(QUESTION);
    assert!(!terminal.screen().contains("with the key"));
}

#[test]
fn a_model_that_the_server_does_not_list_is_asked_about() {
    let (home, model) = (TestHome::new(), Model::says("it works"));
    let Some(terminal) = first(&home).start() else {
        return;
    };
    let label = "Model: a number or a name [mock-model]";
    terminal
        .see_last(QUESTION)
        .line(&model.url)
        .see_last("Name of the environment variable with the key (Enter: no key)")
        .line("NOPE_KEY")
        .see("NOPE_KEY is not set, so Tenon asks")
        .see_last(label);
    terminal
        .line("mock-mode")
        .see("The server doesn't list `mock-mode`. Use it anyway? [y/N]")
        .key("Enter")
        .see_times(label, 2)
        .see_last(label);
    terminal
        .line("mock-mode")
        .see_times("Use it anyway? [y/N]", 2)
        .line("y")
        .see("\"model\": \"mock-mode\"")
        .see("[Y/n]");
}

#[test]
fn a_configuration_that_cannot_be_written_holds_for_the_session() {
    let (home, model) = (TestHome::new(), Model::says("it works"));
    let mut setup = first(&home);
    // A place where nobody makes a folder.
    setup.env = &[("TENON_HOME", ""), ("XDG_CONFIG_HOME", "/proc/nowhere")];
    let Some(terminal) = setup.start() else {
        return;
    };
    terminal
        .see_last(QUESTION)
        .line(&model.url)
        .see("with the key")
        .key("Enter")
        .see("Model: a number")
        .key("Enter");
    terminal
        .see("[Y/n]")
        .key("Enter")
        .see("can't write")
        .see("settings above apply to this session.")
        .ready()
        .line("hello")
        .see("it works");
}

#[test]
fn a_server_that_is_down_leads_back_to_the_list() {
    let home = TestHome::new();
    let Some(terminal) = first(&home).start() else {
        return;
    };
    terminal
        .see_last(QUESTION)
        .line("http://127.0.0.1:9/v1")
        .see("with the key")
        .key("Enter")
        .see("Nothing answers at 127.0.0.1:9.")
        .see_last(AGAIN)
        .key("Enter")
        .see_times("Nothing answers at 127.0.0.1:9.", 2)
        .see_last(AGAIN)
        .line("o")
        .see_last(QUESTION);
    assert!(!terminal.screen().contains("Write this"));
}

#[test]
fn the_demo_is_shown_and_the_list_comes_back_and_proposes_something_else() {
    let home = TestHome::new();
    let Some(terminal) = first(&home).start() else {
        return;
    };
    terminal
        .see_last(QUESTION)
        .line("demo")
        .see("only the model was scripted")
        .see_times("? lists all names [", 2);
    let screen = terminal.screen();
    let (_, rest) = screen.rsplit_once("lists all names [").unwrap();
    let (proposed, _) = rest.split_once(']').unwrap();
    // A server of this machine may stand before it in the list.
    let demo = format!("{proposed}  demo ");
    assert!(!screen.contains(&demo), "{screen}");
    terminal.key("C-c").left(2);
}

/// The scripted model at the port of Ollama; ended with the test.
struct Ollama(Child);

impl Ollama {
    /// `None` where something else has the port, except in CI, which has it free:
    /// no other port is asked for by that name.
    fn start(home: &TestHome) -> Option<Self> {
        let mut child = home
            .command(tenon())
            .args(["mock-llm", "--port", "11434"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut said = String::new();
        let out = child.stdout.take().unwrap();
        let server = Self(child);
        BufReader::new(out).read_line(&mut said).unwrap();
        let listens = said.starts_with("listening");
        let proven = std::env::var_os("CI").is_some();
        assert!(listens || !proven, "CI must have port 11434 free");
        listens.then_some(server)
    }
}

impl Drop for Ollama {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_server_of_this_machine_is_found_and_leads_to_an_answer() {
    let home = TestHome::new();
    let Some(_ollama) = Ollama::start(&home) else {
        eprintln!("skipped: port 11434 is taken");
        return;
    };
    let Some(terminal) = first(&home).start() else {
        return;
    };
    terminal
        .see("ollama          runs here, 127.0.0.1:11434: ")
        .see_last(QUESTION)
        // Another server of this machine may stand before it.
        .line("ollama")
        .see("Model: a number")
        .key("Enter")
        .see("[Y/n]")
        .key("Enter")
        .ready()
        .line("hello")
        .see("Done. (");
    let page = std::fs::read_to_string(home.tenon().join("tenon.jsonc")).unwrap();
    assert!(page.contains("\"default_provider\": \"ollama\""), "{page}");
}

#[test]
fn a_model_that_was_chosen_by_hand_is_taken_again_by_the_next_session_here() {
    let (home, one, two) = (TestHome::new(), Model::says("one"), Model::says("two"));
    let page = serde_json::json!({"default_provider": "first", "providers": {
        "first": {"base_url": one.url, "model": "mock-model"},
        "second": {"base_url": two.url, "model": "mock-model"},
    }});
    std::fs::write(home.tenon().join("tenon.jsonc"), page.to_string()).unwrap();
    let Some(terminal) = first(&home).start() else {
        return;
    };
    terminal
        .ready()
        .line("/models second/mock-model")
        .see("mock-model of second")
        .see_prompt()
        .key("C-d")
        .left(0);
    let again = first(&home).start().unwrap();
    again
        .ready()
        .see("provider second  (saved choice)")
        .see("model    mock-model  (saved choice)")
        .line("hello")
        .see("two")
        .see_prompt()
        .line("/models first/mock-model")
        .see("mock-model of first")
        .see_prompt()
        .key("C-d");
    // What the file says needs no memory.
    let back = first(&home).start().unwrap();
    back.ready().see("provider first  (");
    assert!(!back.screen().contains("saved choice"));
}
