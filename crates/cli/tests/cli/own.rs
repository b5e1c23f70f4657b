//! Commands of one's own with the real program, and what `tenon exec` makes of a
//! prompt that begins with `/`.

use crate::model::Model;
use crate::program::{Program, Ran};

fn own(program: &Program, path: &str, content: &str) {
    let path = program.home.tenon().join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

fn exec(model: &Model, program: &Program, args: &[&str]) -> Ran {
    let mut command = model.command(&program.home);
    Ran::of(command.arg("exec").args(args).output().unwrap())
}

#[test]
fn exec_takes_a_command_of_ones_own_and_a_skill_as_a_prompt() {
    let (program, model) = (Program::new(), Model::says("yes"));
    own(&program, "commands/hi.md", "Say hello to $ARGUMENTS.\n");
    own(
        &program,
        "skills/pens/SKILL.md",
        "---\nname: pens\ndescription: letters\n---\nUse the blue pen.\n",
    );
    for (prompt, wanted, along) in [
        ("/hi there", "Say hello to there.", "Say hello"),
        ("/pens write", "/pens write", "Use the blue pen."),
        ("/skill pens write", "/pens write", "Use the blue pen."),
        ("/etc/hosts is odd", "/etc/hosts is odd", "hosts"),
        ("/nothing of ours", "/nothing of ours", "ours"),
    ] {
        exec(&model, &program, &["-p", prompt]).ended(0).says("yes");
        let sent = model.bodies().pop().unwrap();
        assert!(
            sent.contains(along) && sent.contains(wanted),
            "{prompt}: {sent}"
        );
    }
    // A slip in the name of a skill begins nothing.
    let before = model.asked().len();
    exec(&model, &program, &["-p", "/skill pnes write"])
        .ended(2)
        .complains("Did you mean `pens`?");
    assert_eq!(model.asked().len(), before);
    // A slip of the name is sent as it is, and said.
    own(&program, "commands/review.md", "Review $1.");
    exec(&model, &program, &["-p", "/reviw a.txt"])
        .ended(0)
        .complains("Did you mean /review?");
}

#[test]
fn exec_refuses_what_only_the_line_interface_does() {
    let (program, model) = (Program::new(), Model::says("yes"));
    for prompt in ["/undo", "/model x", "/help", "/fork x", "/skills", "/quit"] {
        exec(&model, &program, &["-p", prompt])
            .ended(2)
            .complains("is a command of the line interface");
    }
    assert!(model.asked().is_empty());
    let listed = program.run(&["sessions", "list", "--json"]).ended(0);
    assert_eq!(listed.json().as_array().unwrap().len(), 0);
}

#[test]
fn a_command_of_ones_own_cannot_have_any_name_of_tenons() {
    let (program, model) = (Program::new(), Model::says("yes"));
    own(&program, "commands/model.md", "mine");
    own(&program, "commands/quit.md", "mine");
    exec(&model, &program, &["-p", "hello"])
        .ended(0)
        .complains("/model is a command of Tenon's own")
        .complains("/quit is a command of Tenon's own");
}
