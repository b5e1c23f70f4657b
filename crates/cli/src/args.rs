//! The command line: every flag and subcommand, declared once. Help, completion,
//! man pages and the reference are made from this tree.

mod auth;
mod context;
mod cost;
mod doctor;
mod foreign;
mod logs;
mod order;
mod policy;
mod sessions;

pub use auth::{AuthCommand, StoreChoice};
pub use context::{ContextCommand, HandoffArgs, SkillsCommand};
pub use cost::{CostArgs, CostBy};
pub use doctor::DoctorArgs;
pub use foreign::meant;
pub use logs::{LogsArgs, LogsCommand};
pub use order::{Order, order};
pub use policy::{HooksCommand, ModeChoice, PolicyCommand, TrustArgs, TrustCommand};
pub use sessions::{ExportFormat, ResumeArgs, ResumeCommand, SessionsCommand};

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// A coding agent for the terminal that works with any language model.
///
/// With no subcommand on a terminal, an interactive session starts; words are its
/// first prompt. With -p, or with a pipe, one run is made, as by `exec`.
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

/// How tools are given to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DialectChoice {
    /// The server's own way, until it refuses.
    Auto,
    /// The server's own way, always.
    Native,
    /// Described in the prompt, for models without tool calling.
    Markdown,
}

impl DialectChoice {
    /// As the configuration writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Native => "native",
            Self::Markdown => "markdown",
        }
    }
}

/// How much is logged for diagnosis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LevelChoice {
    Off,
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

impl LevelChoice {
    /// As the configuration writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        }
    }
}

/// What commands may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SandboxChoice {
    /// No walls.
    Off,
    /// Nothing but temporary folders.
    ReadOnly,
    /// The project, too.
    WorkspaceWrite,
}

impl SandboxChoice {
    /// As the configuration writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::ReadOnly => "read-only",
            Self::WorkspaceWrite => "workspace-write",
        }
    }
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
    /// The model: ID, or PROVIDER/ID.
    #[arg(short, long, value_name = "ID")]
    pub model: Option<String>,
    /// How hard the model is to think: low, medium, high, or what its server knows.
    #[arg(long, value_name = "LEVEL")]
    pub effort: Option<String>,
    /// How tools are given to the model.
    #[arg(long, value_enum, value_name = "DIALECT")]
    pub dialect: Option<DialectChoice>,
    /// An image that goes with the prompt: a file or an https address. Can be given several times.
    #[arg(long, value_name = "PATH|URL")]
    pub image: Vec<String>,
    /// The agent: build or plan.
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// What may run without a question: `ask` nothing, `accept-edits` changes of files, `auto` commands in the sandbox too; `plan` only reads.
    #[arg(long, value_enum, value_name = "MODE")]
    pub permission_mode: Option<ModeChoice>,
    /// A folder outside the project to read and change as if it were in it. Can be given several times.
    #[arg(long, value_name = "DIR")]
    pub add_dir: Vec<PathBuf>,
    /// What standard output carries.
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    pub format: Format,
    /// What standard input carries; `json` goes with `--format json`.
    #[arg(long, value_enum, default_value_t = InputFormat::Text, value_name = "FORMAT")]
    pub input_format: InputFormat,
    /// Talk line by line instead of with the terminal interface; so does ACCESSIBLE=1.
    #[arg(long)]
    pub plain: bool,
    /// Print only the last message, when it is whole.
    #[arg(long)]
    pub final_only: bool,
    /// Also write the last message to this file.
    #[arg(long, value_name = "FILE")]
    pub output_last_message: Option<PathBuf>,
    /// Print only the JSON value in the answer; exit 7 when it does not fit this JSON Schema.
    #[arg(long, value_name = "FILE")]
    pub output_schema: Option<PathBuf>,
    /// Go on with the last session of this directory.
    #[arg(short = 'c', long = "continue", conflicts_with = "session")]
    pub go_on: bool,
    /// Go on with the session of this id, or of the one id that begins so; without one, with the last of this directory.
    #[arg(
        long,
        value_name = "ID",
        require_equals = true,
        num_args = 0..=1,
        conflicts_with_all = ["session", "go_on"]
    )]
    #[expect(clippy::option_option, reason = "a flag whose value may be left out")]
    pub resume: Option<Option<String>>,
    /// Use the session with this id; it is created when there is none.
    #[arg(long, value_name = "UUID")]
    pub session: Option<String>,
    /// Leave the session as it is and go on in a copy of it.
    #[arg(long)]
    pub fork: bool,
    /// Keep nothing of this session.
    #[arg(long, visible_alias = "no-transcript")]
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
    /// Ask for streamed replies, whatever the configuration says.
    #[arg(long, overrides_with = "no_stream")]
    pub stream: bool,
    /// Ask for whole replies instead of streams.
    #[arg(long, overrides_with = "stream")]
    pub no_stream: bool,
    /// What commands may write: `off` has no walls, `read-only` nothing, `workspace-write` the project.
    #[arg(long, value_enum, value_name = "MODE")]
    pub sandbox: Option<SandboxChoice>,
    /// Keep "always in this project", whatever the configuration says.
    #[arg(long, overrides_with = "no_persistent_grants")]
    pub persistent_grants: bool,
    /// Keep what you allow for this session only, and use nothing that was kept.
    #[arg(long, overrides_with = "persistent_grants")]
    pub no_persistent_grants: bool,
    /// What is written into the log for diagnosis (`tenon logs`).
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub log_level: Option<LevelChoice>,
    /// Also say which files of rules were loaded.
    #[arg(short, long)]
    pub verbose: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run one prompt and end.
    Exec(RunArgs),
    /// List, show, resume, check and export sessions.
    #[command(subcommand)]
    Sessions(SessionsCommand),
    /// Go on with a session; the same as `sessions resume`.
    Resume(ResumeCommand),
    /// Show, edit and create the configuration.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// List the tools, or run one by itself, through the same gate.
    #[command(subcommand)]
    Tools(ToolsCommand),
    /// List the agents.
    #[command(subcommand)]
    Agents(AgentsCommand),
    /// Show what would be sent to the model, part by part.
    #[command(subcommand)]
    Context(ContextCommand),
    /// List, show and check skills.
    #[command(subcommand)]
    Skills(SkillsCommand),
    /// Write what somebody, or another session, needs to go on.
    Handoff(HandoffArgs),
    /// List the models of the server.
    Models(ModelsArgs),
    /// Save, show and remove the keys of providers.
    #[command(subcommand)]
    Auth(AuthCommand),
    /// Add up tokens and cost over the sessions, by day, model, session or directory.
    Cost(CostArgs),
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
    /// Show the log for diagnosis: what went wrong, and with --log-level what was done.
    Logs(LogsArgs),
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

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print where the configuration, the state and the cache are; into a pipe one path per line.
    Path {
        /// One JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Write a commented configuration file for the user.
    Init {
        /// Overwrite one that is there.
        #[arg(long)]
        force: bool,
    },
    /// Open the user's configuration in $VISUAL, $EDITOR or vi.
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
        /// A folder outside the project to read and change as if it were in it. Can be given several times.
        #[arg(long, value_name = "DIR")]
        add_dir: Vec<PathBuf>,
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
    /// Ask every provider that is configured.
    #[arg(long, conflicts_with = "provider")]
    pub all: bool,
    /// One JSON array.
    #[arg(long)]
    pub json: bool,
    /// Forget what was learned of servers from their refusals, and ask nobody.
    #[arg(long, conflicts_with_all = ["provider", "all", "json", "presets"])]
    pub forget: bool,
    /// List the presets instead of asking a server.
    #[arg(long)]
    pub presets: bool,
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
    /// Play it line by line, without questions, as it is on a pipe.
    #[arg(long)]
    pub plain: bool,
}

#[derive(Debug, Args)]
pub struct MockArgs {
    /// The port on 127.0.0.1; 0 takes a free one.
    #[arg(long, default_value_t = 8000)]
    pub port: u16,
    /// The file with the scenarios; the demo's without it.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["record", "replay"])]
    pub scenarios: Option<PathBuf>,
    /// Refuse what a strict server would refuse.
    #[arg(long, conflicts_with_all = ["record", "replay"])]
    pub strict: bool,
    /// Milliseconds between two deltas, or `recorded` with --replay.
    #[arg(long, value_name = "MS", default_value = "0")]
    pub delay: tenon_mock::Pace,
    /// Append every request to this file, a line of JSON with path, violations and body each.
    #[arg(long, value_name = "FILE")]
    pub record_requests: Option<PathBuf>,
    /// Stand before the server at this base URL and write down what passes, without keys.
    #[arg(long, value_name = "URL", conflicts_with = "replay")]
    pub record: Option<String>,
    /// Where the recording is appended.
    #[arg(
        long,
        value_name = "FILE",
        requires = "record",
        default_value = "recording.jsonl"
    )]
    pub out: PathBuf,
    /// Answer from a recording.
    #[arg(long, value_name = "FILE")]
    pub replay: Option<PathBuf>,
    /// In which pieces a recorded reply is sent: a number of bytes, `line`, `event` or `recorded`.
    #[arg(
        long,
        value_name = "SIZE",
        requires = "replay",
        default_value = "recorded"
    )]
    pub chunk: tenon_mock::Slicing,
}
