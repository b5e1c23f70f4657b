//! Agents, providers and MCP servers in a conversation by lines.

use super::terminal::{Model, Setup};
use serde_json::json;
use tenon_testing::TestHome;

#[test]
fn agents_and_providers_are_listed_and_changed_to_by_name() {
    let (home, one, two) = (TestHome::new(), Model::says("one"), Model::says("two"));
    let config = json!({"default_provider": "first", "providers": {
        "first": {"base_url": one.url, "model": "mock-model"},
        "second": {"base_url": two.url, "model": "mock-model", "api_key": "k"},
    }});
    std::fs::write(home.tenon().join("tenon.jsonc"), config.to_string()).unwrap();
    let setup = Setup {
        model: None,
        ..Setup::new(&home, &one)
    };
    let Some(terminal) = setup.start() else {
        return;
    };
    terminal.ready().line("hello").see("Done. (").see_prompt();
    terminal
        .line("/agent")
        .see("Reads the project and writes a plan")
        .see_prompt();
    terminal
        .line("/agent plam")
        .see("There is no agent `plam`.")
        .see("The agents are: build, plan.")
        .see_prompt();
    terminal
        .line("/agent plan")
        .see("The agent is plan, from the next prompt on.")
        .see_prompt();
    terminal.line("on").see_times("Done. (", 2).see_prompt();
    let bodies = one.bodies();
    assert!(
        bodies[1].contains("<agent name=\\\"plan\\\">"),
        "{}",
        bodies[1]
    );
    terminal
        .line("/mcp")
        .see("No MCP server is running in this session.")
        .see_prompt();
    terminal
        .line("/mode multi")
        .see("agents can't delegate in this version")
        .see_prompt();
    terminal.line("/provider").see("second").see_prompt();
    terminal
        .line("/provider nosuch")
        .see("There is no provider `nosuch`.")
        .see_prompt();
    terminal
        .line("/provider second")
        .see("The model is mock-model of second")
        .see_prompt();
    terminal
        .line("who is it")
        .see_times("Done. (", 3)
        .see_prompt();
    assert_eq!((one.bodies().len(), two.bodies().len()), (2, 1));
    terminal
        .text("/agent bu")
        .key("Tab")
        .see_last("plan > /agent build");
}
