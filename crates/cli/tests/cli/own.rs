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
        .complains("/model is one of Tenon's own commands")
        .complains("/quit is one of Tenon's own commands");
}

#[test]
fn commands_for_other_agents_are_ones_own_and_a_projects_need_trust() {
    let (program, model) = (Program::new(), Model::says("yes"));
    let users = program.home.home().join(".claude/commands");
    std::fs::create_dir_all(&users).unwrap();
    let text = "---\nargument-hint: WHO\nallowed-tools: Bash(ls:*)\n---\nGreet $1 and stop.\n";
    std::fs::write(users.join("greet.md"), text).unwrap();
    program.file(".claude/commands/theirs.md", "What the project says.\n");
    exec(&model, &program, &["-p", "/greet"])
        .ended(0)
        .complains("`allowed-tools` in /greet is ignored")
        .complains("$1 of /greet got no argument")
        .complains("It is used as: /greet WHO")
        .complains("you have not trusted the project");
    assert!(model.bodies().pop().unwrap().contains("Greet  and stop."));
    exec(&model, &program, &["-p", "/theirs"]).ended(0);
    assert!(
        !model
            .bodies()
            .pop()
            .unwrap()
            .contains("What the project says.")
    );
    let shown = program.run(&["trust"]).ended(0);
    assert!(
        shown.out.contains("command  .claude/commands/theirs.md"),
        "{}",
        shown.out
    );
    exec(&model, &program, &["--trust-project", "-p", "/theirs"]).ended(0);
    assert!(
        model
            .bodies()
            .pop()
            .unwrap()
            .contains("What the project says.")
    );
}

#[test]
fn what_every_start_would_say_again_is_printed_when_it_is_news() {
    let (program, model) = (Program::new(), Model::says("yes"));
    program.file("AGENTS.md", "use tabs\n");
    let notes = |ran: &Ran| {
        let lines = ran.err.lines();
        lines
            .filter(|line| line.contains("rules: ") || line.contains("skills of the project"))
            .count()
    };
    assert_eq!(notes(&exec(&model, &program, &["-p", "one"]).ended(0)), 1);
    assert_eq!(notes(&exec(&model, &program, &["-p", "two"]).ended(0)), 0);
    let skill = "---\nname: pens\ndescription: letters\n---\nBlue.\n";
    program.file(".tenon/skills/pens/SKILL.md", skill);
    exec(&model, &program, &["-p", "three"])
        .ended(0)
        .complains("skills of the project: pens");
    // A program that reads along gets all of it each time.
    let streamed = exec(&model, &program, &["--format", "json", "-p", "four"]).ended(0);
    assert_eq!(streamed.out.matches(r#""kind":"known""#).count(), 2);
}
