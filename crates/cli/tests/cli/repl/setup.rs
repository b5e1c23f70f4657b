//! The first start, with nothing configured.

use super::terminal::{Model, Setup};
use std::os::unix::fs::PermissionsExt;
use tenon_testing::TestHome;

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
        .see_last("Server: a name or an address, ? lists the names [ollama]");
    terminal
        .line("?")
        .see("OpenRouter.")
        .line("nosuch")
        .see("There is no server named `nosuch`");
    terminal
        .line(&model.url)
        .see("variable that holds the key")
        .key("Enter");
    terminal
        .see("Model [mock-model]")
        .key("Enter")
        .see("[Y/n]")
        .key("Enter");
    terminal
        .ready()
        .line("hello")
        .see("it works")
        .see("Done. (")
        .see_last(">")
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
fn a_configuration_that_is_declined_holds_for_the_session_only() {
    let (home, model) = (TestHome::new(), Model::says("it works"));
    let Some(terminal) = first(&home).start() else {
        return;
    };
    terminal
        .see("[ollama]")
        .line(&model.url)
        .see("holds the key")
        .key("Enter")
        .see("Model [")
        .key("Enter");
    terminal
        .see("[Y/n]")
        .line("n")
        .see("Nothing was written")
        .ready()
        .line("hello")
        .see("it works");
    assert!(!home.tenon().join("tenon.jsonc").exists());
}

#[test]
fn leaving_the_set_up_says_what_to_do_and_asks_no_server() {
    let home = TestHome::new();
    let Some(terminal) = first(&home).start() else {
        return;
    };
    terminal
        .see("[ollama]")
        .key("C-c")
        .see("TENON_BASE_URL")
        .left(2);
}
