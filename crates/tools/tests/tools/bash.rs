//! `bash` and `process`, as a model calls them.

mod process;
mod waiting;

use crate::jobs::{NOBODY, Yard, until};
use crate::support::{code, data, tool};
use serde_json::{Value, json};
use std::sync::Mutex;
use std::time::Duration;
use tenon_policy::Subject;
use tenon_tools::workspace::{Workspace, WorkspaceOptions};
use tenon_tools::{
    BuiltIn, Host, HostReply, HostRequest, Interactive, Jobs, OnTimeout, ToolLimits,
    ToolSource as _,
};
use tenon_vocab::port::BoxFuture;
use tenon_vocab::{CallId, Display, Effect, Envelope, ToolDelta, ToolOutput};
use tokio_util::sync::CancellationToken;

/// A host whose workspace is the folder of its processes.
struct Shell {
    yard: Yard,
    workspace: Workspace,
    limits: ToolLimits,
    call: CallId,
    deltas: Mutex<Vec<ToolDelta>>,
}

impl Shell {
    fn new() -> Self {
        let yard = Yard::new();
        let workspace = Workspace::open(yard.path(), WorkspaceOptions::default()).unwrap();
        Self {
            yard,
            workspace,
            limits: ToolLimits::default(),
            call: CallId::new("call_1"),
            deltas: Mutex::default(),
        }
    }

    async fn call(&self, name: &str, input: Value) -> ToolOutput {
        crate::jobs::soon(tool(name).run(input, self)).await
    }

    async fn bash(&self, command: &str) -> ToolOutput {
        self.call("bash", json!({ "command": command })).await
    }

    async fn process(&self, input: Value) -> ToolOutput {
        self.call("process", input).await
    }
}

impl Host for Shell {
    fn call(&self) -> &CallId {
        &self.call
    }

    fn cancelled(&self) -> &CancellationToken {
        &self.yard.cancelled
    }

    fn progress(&self, delta: ToolDelta) {
        self.deltas.lock().unwrap().push(delta);
    }

    fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    fn jobs(&self) -> &Jobs {
        &self.yard.jobs
    }

    fn limits(&self) -> &ToolLimits {
        &self.limits
    }

    fn request(&self, _: HostRequest) -> BoxFuture<'_, HostReply> {
        let nobody = HostReply::Unavailable(String::from("nobody is there"));
        Box::pin(std::future::ready(nobody))
    }
}

#[tokio::test]
async fn a_result_says_what_was_printed_and_how_it_ended() {
    let shell = Shell::new();
    let output = shell.bash("echo hello").await;
    assert_eq!(output.model_text, "hello\n[exit code 0]");
    let data = data(&output);
    assert_eq!(data["stdout"], "hello\n");
    assert_eq!(data["stderr"], "");
    assert_eq!(data["exit_code"], 0);
    assert_eq!(data["timed_out"], false);
    assert!(data["duration_ms"].is_u64() && data.get("process_id").is_none());
    assert_eq!(data["truncated"], false);
    let expected = Display::Terminal {
        command: "echo hello".into(),
        output: "hello\n".into(),
        exit_code: Some(0),
        job: None,
        state: None,
    };
    assert_eq!(output.display, expected);
    assert_eq!(output.sandbox.unwrap().adapter, "none");
    assert_eq!(shell.deltas.lock().unwrap()[0].text, "hello\n");
    assert_eq!(
        shell.bash("true").await.model_text,
        "(no output)\n[exit code 0]"
    );
}

#[tokio::test]
async fn a_failure_of_the_command_is_a_result_and_errors_are_labelled() {
    let shell = Shell::new();
    let output = shell.bash("echo -n out; echo err >&2; exit 3").await;
    assert_eq!(output.model_text, "out\n[stderr]\nerr\n[exit code 3]");
    assert_eq!(data(&output)["exit_code"], 3);
    let output = shell.bash("echo err >&2; exit 1").await;
    assert_eq!(output.model_text, "err\n[exit code 1]");
}

#[tokio::test]
async fn it_runs_in_the_root_or_in_a_folder_inside() {
    let shell = Shell::new();
    std::fs::create_dir(shell.yard.path().join("sub")).unwrap();
    let root = shell.workspace.root().display().to_string();
    let output = shell.bash("pwd").await;
    assert_eq!(data(&output)["stdout"], format!("{root}\n"));
    let inside = json!({"command": "pwd", "workdir": "sub"});
    let output = shell.call("bash", inside).await;
    assert_eq!(data(&output)["stdout"], format!("{root}/sub\n"));
    let outside = json!({"command": "echo > reached", "workdir": "/tmp"});
    let output = shell.call("bash", outside).await;
    assert_eq!(code(&output), "path_outside_root");
    let missing = json!({"command": "pwd", "workdir": "nowhere"});
    assert!(!shell.call("bash", missing).await.envelope.is_ok());
}

#[tokio::test]
async fn a_command_that_no_shell_could_take_is_refused_by_name() {
    let shell = Shell::new();
    for command in ["  ", "echo \0", &"x".repeat(200_000)] {
        let output = shell.bash(command).await;
        assert_eq!(code(&output), "invalid_input");
    }
}

#[tokio::test]
async fn any_bytes_become_text() {
    let shell = Shell::new();
    let output = shell
        .bash(r"printf '\xc4\xe3\xba\xc3 gbk\n\0nul \xff\xfe\n'")
        .await;
    let text = &output.model_text;
    assert!(text.contains(" gbk\n") && text.contains("␀nul "), "{text}");
    let output = shell.bash("head -c 100000 /dev/urandom").await;
    assert!(output.envelope.is_ok());
}

#[tokio::test]
async fn colours_and_progress_do_not_reach_the_model() {
    let shell = Shell::new();
    let output = shell
        .bash(r"printf '\033[1;31mred\033[0m\n 10%%\r 50%%\r100%%\n\033]0;title\007end\n'")
        .await;
    assert_eq!(output.model_text, "red\n100%\nend\n[exit code 0]");
}

#[tokio::test]
async fn a_long_output_shows_both_ends_and_where_the_whole_is() {
    let mut shell = Shell::new();
    shell.call = CallId::new("../call:7");
    let output = shell
        .bash("seq 1 200000; echo error: last line; exit 1")
        .await;
    let text = &output.model_text;
    assert!(text.starts_with("1\n2\n3\n"));
    assert!(
        text.ends_with("200000\nerror: last line\n[exit code 1]"),
        "{}",
        &text[text.len() - 200..]
    );
    assert!(
        text.len() < shell.limits.output_bytes + 500,
        "{}",
        text.len()
    );
    let path = shell.yard.path().join("spill/___call_7.txt");
    assert!(text.contains(path.to_str().unwrap()), "{text}");
    let whole = std::fs::read_to_string(path).unwrap();
    assert_eq!(whole.lines().count(), 200_001);
    let shown: usize = text.lines().count() - 2;
    let marker = text.lines().find(|line| line.starts_with("[…")).unwrap();
    assert!(
        marker.contains(&format!("({} lines)", 200_001 - shown)),
        "{marker} {shown}"
    );
}

#[tokio::test]
async fn a_flood_of_output_does_not_push_out_the_errors() {
    let shell = Shell::new();
    let output = shell
        .bash("seq 1 100000; seq 1 100 | sed 's/^/problem /' >&2; exit 1")
        .await;
    for problem in ["problem 1\n", "problem 50\n", "problem 100\n"] {
        assert!(output.model_text.contains(problem));
    }
    assert!(output.model_text.contains("\n99999\n100000\n[stderr]\n"));
}

#[tokio::test]
async fn nothing_waits_for_a_person() {
    let shell = Shell::new();
    let prepare = "git init -q . && git config user.email a@b && git config user.name n && for i in 1 2 3; do git commit -q --allow-empty -m $i; done";
    assert_eq!(data(&shell.bash(prepare).await)["exit_code"], 0);
    for command in [
        "git commit --allow-empty",
        "git rebase -i HEAD~2",
        "python3 -c 'input()'",
        "bash -c 'read x < /dev/tty'; echo 'cannot open /dev/tty' >&2; exit 1",
    ] {
        let output = shell.bash(command).await;
        assert_ne!(data(&output)["exit_code"], 0, "{command}");
        assert!(
            output.model_text.contains("needs a terminal"),
            "{command}: {}",
            output.model_text
        );
    }
    let commits = shell.bash("git log --oneline | wc -l").await;
    assert_eq!(data(&commits)["stdout"].as_str().unwrap().trim(), "3");
    let output = shell.bash("python3").await;
    assert!(
        output.model_text.contains("-c or -e"),
        "{}",
        output.model_text
    );
    let output = shell.bash("cat").await;
    assert_eq!(output.model_text, "(no output)\n[exit code 0]");
}

#[tokio::test]
async fn ends_that_need_a_word_get_one() {
    let shell = Shell::new();
    std::fs::write(shell.yard.path().join("script"), "x").unwrap();
    for (command, word) in [
        ("no_such_command_here", "command not found"),
        ("./script", "can't be executed"),
        ("kill -SEGV $$", "signal 11 (SIGSEGV)"),
        ("sh -c 'kill -9 $$'; exit $?", "signal 9 (SIGKILL)"),
    ] {
        let text = shell.bash(command).await.model_text;
        assert!(text.contains(word), "{command}: {text}");
    }
    assert_eq!(data(&shell.bash("kill -SEGV $$").await)["exit_code"], 139);
}

#[tokio::test]
async fn a_timeout_moves_the_command_to_the_background_and_says_how_to_go_on() {
    let mut shell = Shell::new();
    shell.limits.bash_timeout_max = Duration::from_millis(200);
    // What the model asks for is capped.
    let input = json!({"command": "echo begun; sleep 600", "timeout_ms": 600_000});
    let output = shell.call("bash", input).await;
    let data = data(&output);
    assert_eq!(data["timed_out"], true);
    assert_eq!(data["exit_code"], Value::Null);
    assert_eq!(data["process_id"], "proc_1");
    let text = &output.model_text;
    assert!(text.starts_with("begun\n"), "{text}");
    for word in ["proc_1", "action wait", "kill", "timeout_ms"] {
        assert!(text.contains(word), "{text}");
    }
    let killed = shell
        .process(json!({"action": "kill", "id": "proc_1"}))
        .await;
    assert!(killed.envelope.is_ok(), "{killed:?}");
    assert_eq!(shell.yard.alive(), NOBODY);
}

#[tokio::test]
async fn a_timeout_that_kills_says_that_the_command_did_not_fail() {
    let mut shell = Shell::new();
    shell.limits.on_timeout = OnTimeout::Kill;
    shell.limits.bash_timeout = Some(Duration::from_millis(200));
    let output = shell.bash("echo begun; sleep 600 & wait").await;
    let data = data(&output);
    assert_eq!(
        (&data["timed_out"], &data["exit_code"]),
        (&json!(true), &json!(-1))
    );
    let text = &output.model_text;
    assert!(text.starts_with("begun\n"), "{text}");
    assert!(text.contains("timed out after"), "{text}");
    let stderr = data["stderr"].as_str().unwrap();
    assert!(stderr.starts_with("timed out after "), "{stderr}");
    assert_eq!(stderr.lines().count(), 1);
    // What the command itself said stands before it, on lines of its own.
    let output = shell.bash("printf mine >&2; sleep 600").await;
    let stderr = crate::support::data(&output)["stderr"].as_str().unwrap();
    assert!(stderr.starts_with("mine\ntimed out after "), "{stderr}");
    let exit = output.display.exit().unwrap();
    assert!(exit.starts_with("timed out after "), "{exit}");
    assert_eq!(shell.yard.alive(), NOBODY);
}

#[tokio::test]
async fn an_interrupt_is_an_error_that_keeps_the_output() {
    let shell = Shell::new();
    let interrupt = async {
        until("it runs", || shell.yard.path().join("started").exists()).await;
        shell.yard.cancelled.cancel();
    };
    let (output, ()) = tokio::join!(
        shell.bash("echo begun; echo > started; sleep 600"),
        interrupt
    );
    assert_eq!(code(&output), "interrupted");
    assert!(output.model_text.contains("begun"), "{}", output.model_text);
    let Envelope::Err(error) = &output.envelope else {
        unreachable!()
    };
    assert_eq!(error.details.as_ref().unwrap()["stdout"], "begun\n");
    assert_eq!(shell.yard.alive(), NOBODY);
}

#[tokio::test]
async fn what_is_left_running_is_named_at_once() {
    let shell = Shell::new();
    let output = shell.bash("sleep 600 & echo done").await;
    assert_eq!(data(&output)["process_id"], "proc_1");
    assert!(
        output
            .model_text
            .starts_with("done\n[exit code 0; it left processes running")
    );
    let list = shell.process(json!({"action": "list"})).await;
    assert!(
        list.model_text.contains("sleep 600 & echo done"),
        "{}",
        list.model_text
    );
    assert!(matches!(list.display, Display::Table { .. }));
}

#[tokio::test]
async fn data_and_text_of_a_long_output_name_the_same_file() {
    let shell = Shell::new();
    let output = shell.bash("seq 1 20000").await;
    let data = data(&output);
    assert_eq!(data["truncated"], false);
    assert_eq!(data["stdout"].as_str().unwrap().lines().count(), 20_000);
    let file = data["whole_output"].as_str().unwrap();
    assert!(output.model_text.contains(file), "{}", output.model_text);
    assert!(
        std::fs::read_to_string(file)
            .unwrap()
            .ends_with("\n20000\n")
    );
}

#[test]
fn the_policy_sees_the_command_and_what_an_action_does() {
    let shell = Shell::new();
    let facts = tool("bash").facts(&json!({"command": "rm -r x"}), &shell.workspace);
    assert_eq!(facts.effect, Effect::Execute);
    let Subject::Command(script) = &facts.subject else {
        panic!("no command");
    };
    assert_eq!(script.single().unwrap().argv(), ["rm", "-r", "x"]);
    for (action, effect) in [
        ("list", Effect::Read),
        ("read", Effect::Read),
        ("write", Effect::Execute),
        ("kill", Effect::Execute),
    ] {
        let facts = tool("process").facts(&json!({ "action": action }), &shell.workspace);
        assert_eq!(facts.effect, effect, "{action}");
        if action != "write" {
            assert_eq!(facts.subject, Subject::Name(action.into()));
        }
    }
    let typed = json!({"action": "write", "id": "proc_1", "input": "rm -rf /\n"});
    let facts = tool("process").facts(&typed, &shell.workspace);
    let Subject::Command(script) = &facts.subject else {
        panic!("what is typed is not read");
    };
    assert_eq!(script.verdicts()[0].class, tenon_vocab::Class::HardDeny);
}

#[test]
fn the_policy_sees_where_the_words_of_a_command_lead() {
    let shell = Shell::new();
    let root = shell.workspace.root().to_owned();
    std::fs::create_dir(root.join("sub")).unwrap();
    std::fs::write(root.join("sub/a"), "x").unwrap();
    std::os::unix::fs::symlink("/etc", root.join("out")).unwrap();
    let seen = |input: serde_json::Value| -> Vec<(String, bool)> {
        let facts = tool("bash").facts(&input, &shell.workspace);
        let Subject::Command(script) = facts.subject else {
            panic!("no command");
        };
        let pair = |fact: &tenon_policy::PathFact| (fact.path.clone(), fact.inside);
        script.facts().iter().map(pair).collect()
    };
    let inside = |path: &str| (path.to_owned(), true);
    let outside = |path: &str| (path.to_owned(), false);
    assert_eq!(
        seen(json!({"command": "cat -n sub/a /etc/shadow out/shadow"})),
        [
            inside("sub/a"),
            outside("/etc/shadow"),
            outside("/etc/shadow")
        ]
    );
    assert_eq!(
        seen(json!({"command": "cat a", "workdir": "sub"})),
        [inside("sub/a")]
    );
    assert_eq!(
        seen(json!({"command": "cat shadow", "workdir": "/etc"})),
        [outside("/etc/shadow")]
    );
    assert_eq!(
        seen(json!({"command": "x --file=/etc/shadow -I/etc/x -v"})),
        [outside("/etc/shadow"), outside("/etc/x")]
    );
    assert_eq!(
        seen(json!({"command": "cat a; cat b"})),
        [inside("a"), inside("b")]
    );
}

#[tokio::test]
async fn a_command_that_leaves_something_behind_has_ended_all_the_same() {
    let shell = Shell::new();
    let input = json!({"command": "read go; sleep 600 & exit 4", "background": true});
    shell.call("bash", input).await;
    let wait = json!({"action": "wait", "id": "proc_1", "timeout_ms": 600_000});
    let write = json!({"action": "write", "id": "proc_1", "input": "\n"});
    let (waited, _) = tokio::join!(shell.process(wait), shell.process(write));
    assert_eq!(data(&waited)["ended_by"], "exit");
    assert_eq!(data(&waited)["state"], "running");
    assert!(
        waited.model_text.contains("its command exited with code 4"),
        "{}",
        waited.model_text
    );
}

#[test]
fn the_model_is_told_the_times_that_hold_for_commands() {
    use tenon_tools::{BuiltIn, Interactive, ToolSource};
    let described = |limits: &ToolLimits| {
        let tools = BuiltIn::new(Interactive::No).with_limits(limits).tools();
        let bash = tools.into_iter().find(|tool| tool.spec().name == "bash");
        let spec = bash.unwrap().spec().clone();
        let time = &spec.parameters["properties"]["timeout_ms"]["description"];
        (spec.description.clone(), time.as_str().unwrap().to_owned())
    };
    let (goes_on, times) = described(&ToolLimits::default());
    assert!(goes_on.contains("goes on in the background") && goes_on.contains("wait"));
    assert_eq!(
        times,
        "How long to wait: 30000 when left out, at most 600000."
    );
    let (killed, times) = described(&ToolLimits {
        bash_timeout: Some(Duration::from_secs(90)),
        on_timeout: OnTimeout::Kill,
        ..ToolLimits::default()
    });
    assert!(killed.contains("is killed") && !killed.contains("goes on"));
    assert!(times.contains("90000"), "{times}");
}

#[test]
fn no_example_asks_for_more_time_than_may_be_asked_for() {
    let example = |limits: &ToolLimits| {
        let tools = BuiltIn::new(Interactive::No).with_limits(limits).tools();
        let bash = tools.iter().find(|tool| tool.spec().name == "bash");
        bash.unwrap().example().unwrap().to_owned()
    };
    let narrow = ToolLimits {
        bash_timeout_max: Duration::from_secs(90),
        ..ToolLimits::default()
    };
    let told = example(&narrow);
    assert!(told.contains("\"timeout_ms\": 90000"), "{told}");
    assert!(example(&ToolLimits::default()).contains("300000"));
}
