//! The command line: every flag and subcommand, declared once. Help, completion,
//! man pages and the reference are made from this tree.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// A coding agent for the terminal that works with any language model.
///
/// With no subcommand on a terminal, an interactive session starts. With a
/// prompt, or with a prompt on standard input, one run is made, as by `exec`.
#[derive(Debug, Parser)]
#[command(
    name = "tenon",
    version,
    args_conflicts_with_subcommands = false,
    after_help = "Point it at a server:  TENON_BASE_URL=http://127.0.0.1:8080/v1 TENON_MODEL=… tenon\nTry it without one:     tenon demo"
)]
pub struct Cli {
    #[command(flatten)]
    pub shared: Shared,
    #[command(flatten)]
    pub run: RunArgs,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Flags that every subcommand takes.
#[derive(Debug, Clone, Default, Args)]
pub struct Shared {
    /// Work in this directory instead of the current one.
    #[arg(long, visible_alias = "cwd", value_name = "DIR", global = true)]
    pub root: Option<PathBuf>,
    /// Read this configuration file after the user's and the project's.
    #[arg(long, value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,
    /// When to use colour.
    #[arg(long, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN", global = true)]
    pub color: ColorChoice,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    #[default]
    Auto,
    Always,
    Never,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// The answer on standard output, all else on standard error.
    #[default]
    Text,
    /// One event per line on standard output, and nothing else.
    Json,
}

/// What standard input carries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum InputFormat {
    /// Text that belongs to the prompt.
    #[default]
    Text,
    /// One command per line: prompts, answers to questions, an interrupt.
    Json,
}

/// Flags of a run, shared by `exec`, the interactive session and `sessions resume`.
#[derive(Debug, Clone, Default, Args)]
pub struct RunArgs {
    /// The prompt; `-` reads it from standard input.
    #[arg(value_name = "PROMPT")]
    pub words: Vec<String>,
    /// The prompt, as a flag.
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    pub prompt: Option<String>,
    /// The provider, by its name in the configuration or the name of a preset.
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,
    /// The model.
    #[arg(short, long, value_name = "ID")]
    pub model: Option<String>,
    /// The agent: build or plan.
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// What standard output carries.
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    pub format: Format,
    /// What standard input carries; `json` goes with `--format json`.
    #[arg(long, value_enum, default_value_t = InputFormat::Text, value_name = "FORMAT")]
    pub input_format: InputFormat,
    /// Print only the last message, when it is whole.
    #[arg(long)]
    pub final_only: bool,
    /// Also write the last message to this file.
    #[arg(long, value_name = "FILE")]
    pub output_last_message: Option<PathBuf>,
    /// Check that the answer is JSON that fits this JSON Schema; exit 7 when not.
    #[arg(long, value_name = "FILE")]
    pub output_schema: Option<PathBuf>,
    /// Go on with the last session of this directory.
    #[arg(long, conflicts_with = "session")]
    pub resume: bool,
    /// Use the session with this id; it is created when there is none.
    #[arg(long, value_name = "UUID")]
    pub session: Option<String>,
    /// Leave the session as it is and go on in a copy of it.
    #[arg(long)]
    pub fork: bool,
    /// Keep nothing of this session.
    #[arg(long)]
    pub no_save: bool,
    /// Answer every question of the policy with yes; what must be confirmed is still asked.
    #[arg(short, long)]
    pub yes: bool,
    /// Also answer what must be confirmed. Denials stay.
    #[arg(long)]
    pub yolo: bool,
    /// Trust what this project's `.tenon` folder holds now; a changed byte asks again.
    #[arg(long)]
    pub trust_project: bool,
    /// Use the tools in your configuration folder as they are now.
    #[arg(long)]
    pub trust_user_tools: bool,
    /// Show what writing and running tools would do, and do not do it.
    #[arg(long)]
    pub dry_run: bool,
    /// Replace the agent's prompt; empty means none.
    #[arg(long, value_name = "TEXT")]
    pub system_prompt: Option<String>,
    /// Add to the agent's prompt.
    #[arg(long, value_name = "TEXT")]
    pub append_system_prompt: Option<String>,
    /// Steps for one prompt, at most.
    #[arg(long, value_name = "N")]
    pub max_turns: Option<u32>,
    /// Ask for whole replies instead of streams.
    #[arg(long)]
    pub no_stream: bool,
    /// The plain line interface (the only interactive one so far).
    #[arg(long)]
    pub plain: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run one prompt and end.
    Exec(RunArgs),
    /// List, show, resume, check and export sessions.
    #[command(subcommand)]
    Sessions(SessionsCommand),
    /// Show, edit and create the configuration.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// List the tools, or run one by itself, through the same gate.
    #[command(subcommand)]
    Tools(ToolsCommand),
    /// List the agents.
    #[command(subcommand)]
    Agents(AgentsCommand),
    /// List the models of the server.
    Models(ModelsArgs),
    /// Explain what the policy says of a call; list and take back what you allowed.
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// List the hooks, or try those of an event.
    #[command(subcommand)]
    Hooks(HooksCommand),
    /// Show what this project and your own tools want to do here, and whether you trust them.
    Trust(TrustArgs),
    /// Look at what the program needs: kernel, sandbox, configuration, provider, terminal.
    Doctor(DoctorArgs),
    /// Apply a patch (unified diff or `*** Begin Patch`) to the project, all or nothing.
    ApplyPatch(ApplyPatchArgs),
    /// The whole loop without a model server, in a scratch folder.
    Demo(DemoArgs),
    /// A scripted model server, for tests and for trying things out.
    MockLlm(MockArgs),
    /// Print a completion script for a shell.
    Completions {
        /// The shell to complete in.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the man page, or write all of them into a folder.
    Man {
        /// Where to write a page for each command.
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
    /// Write or check the generated reference.
    #[command(name = "__reference", hide = true)]
    Reference {
        #[arg(long, value_name = "DIR", conflicts_with = "check")]
        write: Option<PathBuf>,
        #[arg(long, value_name = "DIR")]
        check: Option<PathBuf>,
    },
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    #[default]
    Md,
    Json,
}

#[derive(Debug, Subcommand)]
pub enum SessionsCommand {
    /// List the sessions of this directory, the newest first.
    List {
        /// Those of every directory.
        #[arg(long)]
        all: bool,
        /// One JSON array.
        #[arg(long)]
        json: bool,
        /// Only those in which this text occurs.
        #[arg(value_name = "TEXT")]
        search: Option<String>,
    },
    /// Show what was said and done.
    Show {
        /// Id, its beginning, or nothing for the last of this directory.
        id: Option<String>,
        /// The events as they stand in the log.
        #[arg(long)]
        events: bool,
        /// Every decision about a call: what was asked, by which rule, who answered.
        #[arg(long, conflicts_with = "events")]
        decisions: bool,
        /// The decisions as one JSON array.
        #[arg(long, requires = "decisions")]
        json: bool,
    },
    /// Go on with a session.
    Resume {
        /// Id, its beginning, or nothing for the last of this directory.
        id: Option<String>,
        /// Take the last of any directory.
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        run: ResumeArgs,
    },
    /// Check that a log is whole, or all of them.
    Verify {
        /// Id or its beginning; all sessions without it.
        id: Option<String>,
    },
    /// Give a session a title.
    Rename {
        /// Id or its beginning.
        id: String,
        /// The title, one line.
        title: String,
    },
    /// Delete a session and all that belongs to it.
    Delete {
        /// Id or its beginning.
        id: String,
        /// Do not ask.
        #[arg(short, long)]
        yes: bool,
    },
    /// Get back files that a session kept before it changed or destroyed them.
    Restore {
        /// Id, its beginning, or nothing for the last of this directory.
        id: Option<String>,
        /// Only these files, or those in these folders; all without it.
        #[arg(value_name = "PATH")]
        paths: Vec<String>,
        /// As they were before this call; before the last one that changed them without it.
        #[arg(long, value_name = "CALL")]
        call: Option<String>,
        /// Only list what was kept.
        #[arg(long)]
        list: bool,
        /// Overwrite files that are there and differ, without asking.
        #[arg(short, long)]
        yes: bool,
    },
    /// Write a session in another form.
    Export {
        /// Id, its beginning, or nothing for the last of this directory.
        id: Option<String>,
        /// Markdown for people, JSON for programs.
        #[arg(long, value_enum, default_value_t = ExportFormat::Md, value_name = "FORMAT")]
        format: ExportFormat,
        /// Where to; standard output without it.
        #[arg(short, long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
}

/// The run flags that make sense when a session is already chosen.
#[derive(Debug, Clone, Default, Args)]
pub struct ResumeArgs {
    /// The prompt; without one the interactive session starts.
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    pub prompt: Option<String>,
    /// What standard output carries.
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    pub format: Format,
    /// The provider.
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,
    /// The model.
    #[arg(short, long, value_name = "ID")]
    pub model: Option<String>,
    /// Answer every question of the policy with yes.
    #[arg(short, long)]
    pub yes: bool,
}

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print where the configuration, the state and the cache are.
    Path,
    /// Write a commented configuration file for the user.
    Init {
        /// Overwrite one that is there.
        #[arg(long)]
        force: bool,
    },
    /// Open the user's configuration in $VISUAL or $EDITOR.
    Edit,
    /// Print every effective value with where it comes from.
    Show {
        /// One JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Print the JSON Schema of the configuration.
    Schema,
}

#[derive(Debug, Subcommand)]
pub enum ToolsCommand {
    /// Write a tool of your own to begin with: a manifest and a program.
    New {
        /// Its name: small letters, digits and `_`.
        name: String,
        /// Into this project's `.tenon/tools` instead of your configuration folder.
        #[arg(long)]
        project: bool,
    },
    /// List the tools with source, side effect and default decision.
    List {
        /// One JSON array, with the schemas.
        #[arg(long)]
        json: bool,
    },
    /// Run one tool and print its envelope.
    Run {
        /// The name of the tool.
        name: String,
        /// The input as JSON; `-` reads it from standard input.
        #[arg(long, value_name = "JSON", default_value = "{}")]
        input: String,
        /// Answer every question of the policy with yes.
        #[arg(short, long)]
        yes: bool,
        /// Show what it would do, and do not do it.
        #[arg(long)]
        dry_run: bool,
    },
}

#[derive(Debug, Subcommand)]
pub enum AgentsCommand {
    /// List the agents with source, mode and tools.
    List {
        /// One JSON array.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub struct ModelsArgs {
    /// The provider to ask, by its name in the configuration or the name of a preset.
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,
    /// One JSON array.
    #[arg(long)]
    pub json: bool,
    /// List the presets instead of asking a server.
    #[arg(long)]
    pub presets: bool,
}

#[derive(Debug, Subcommand)]
pub enum PolicyCommand {
    /// Print every rule that was tried for a call, and the decision.
    Explain {
        /// The name of the tool.
        tool: String,
        /// A command for bash, a path for file tools, a name for others.
        argument: String,
        /// On whose behalf; the configured agent without it.
        #[arg(long, value_name = "NAME")]
        agent: Option<String>,
        /// A table for people, or one JSON object.
        #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
        format: Format,
    },
    /// List what you allowed for this project, and the rules that hold.
    List {
        /// One JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Take back what you allowed for this project.
    Remove {
        /// Its number or its rule, as `policy list` shows them.
        #[arg(value_name = "N|RULE", required_unless_present = "all")]
        which: Option<String>,
        /// All of them.
        #[arg(long, conflicts_with = "which")]
        all: bool,
    },
}

#[derive(Debug, Args)]
pub struct TrustArgs {
    #[command(subcommand)]
    pub command: Option<TrustCommand>,
}

#[derive(Debug, Subcommand)]
pub enum TrustCommand {
    /// Show what trust enables, and what you said.
    Status {
        /// One JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Trust the content as it is now.
    Accept {
        /// Your own tools instead of the project.
        #[arg(long)]
        user_tools: bool,
    },
    /// Forget what you said.
    Revoke {
        /// Your own tools instead of the project.
        #[arg(long)]
        user_tools: bool,
    },
}

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Also ask the configured server for its models.
    #[arg(long)]
    pub network: bool,
    /// Name every path in a list, instead of how many there are.
    #[arg(long)]
    pub verbose: bool,
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum HooksCommand {
    /// List the hooks in the order in which they run, with those that come along.
    List {
        /// One JSON array.
        #[arg(long)]
        json: bool,
    },
    /// Run the hooks of an event with a made-up input, and say what their answers mean.
    Test {
        /// The event, such as PreToolUse.
        event: String,
        /// The tool of the call that the event is about.
        #[arg(long, value_name = "NAME", default_value = "bash")]
        tool: String,
        /// The input of that call as JSON; for other events, fields to set.
        #[arg(long, value_name = "JSON")]
        input: Option<String>,
        /// One JSON array.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub struct ApplyPatchArgs {
    /// The file with the patch; `-` or nothing reads standard input.
    pub file: Option<PathBuf>,
    /// Answer every question of the policy with yes.
    #[arg(short, long)]
    pub yes: bool,
    /// Check it and show what it would do.
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Use this folder instead of a scratch one; it must be empty or new.
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// What standard output carries.
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct MockArgs {
    /// The port on 127.0.0.1; 0 takes a free one.
    #[arg(long, default_value_t = 8000)]
    pub port: u16,
    /// The file with the scenarios; the demo's without it.
    #[arg(long, value_name = "FILE")]
    pub scenarios: Option<PathBuf>,
    /// Refuse what a strict server would refuse.
    #[arg(long)]
    pub strict: bool,
    /// Milliseconds between two deltas.
    #[arg(long, value_name = "MS", default_value_t = 0)]
    pub delay: u64,
    /// Append every request to this file, a line of JSON with path, violations and body each.
    #[arg(long, value_name = "FILE")]
    pub record_requests: Option<PathBuf>,
}
