//! The example that embeds the engine in another program does what it says.

#[path = "../../examples/embed.rs"]
mod example;

#[tokio::test]
async fn another_program_brings_its_own_tool_and_model_and_built_in_names_win() {
    let root = tempfile::tempdir().unwrap();
    let (answer, refused) = example::ask(root.path()).await.unwrap();
    assert_eq!(answer, "It is sunny in Ghent.");
    assert_eq!(refused, ["read"]);
    // Kept alive as the example's entry; never called here.
    let _ = example::main;
}
