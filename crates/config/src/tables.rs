//! The table of keys. To add a setting: one entry here, one field in
//! `settings.rs`, one line in `resolve.rs`.

use crate::keys::{Key, Kind, Privacy, Project};
use crate::models::{DEAREST, DIALECTS};

const fn key(name: &'static str, kind: Kind, default: &'static str, doc: &'static str) -> Key {
    Key {
        name,
        kind,
        default,
        doc,
        project: Project::Ignored,
        privacy: Privacy::Open,
    }
}

impl Key {
    const fn in_project(mut self, project: Project) -> Self {
        self.project = project;
        self
    }

    const fn secret(mut self) -> Self {
        self.privacy = Privacy::Secret;
        self
    }
}

const fn limit(name: &'static str, least: u64, default: &'static str, doc: &'static str) -> Key {
    key(name, at_least(least), default, doc).in_project(Project::Narrowing)
}

const fn at_least(least: u64) -> Kind {
    Kind::Integer {
        least,
        most: u64::MAX,
    }
}

const fn between(least: u64, most: u64) -> Kind {
    Kind::Integer { least, most }
}

const COUNT: u64 = u32::MAX as u64;
/// No timeout is longer than a year, so sums of them cannot overflow.
const YEAR_SECS: u64 = 366 * 24 * 3600;
const YEAR_MS: u64 = YEAR_SECS * 1000;

const fn count(name: &'static str, least: u64, default: &'static str, doc: &'static str) -> Key {
    key(name, between(least, COUNT), default, doc).in_project(Project::Narrowing)
}

/// Dollars for a million tokens.
const PRICE: Kind = Kind::Number {
    least: 0.0,
    most: DEAREST,
};

/// The words of the terminal interface. It stands beside this crate, not below
/// it; a test of the binary holds the two together.
const THEMES: &[&str] = &["ansi", "auto", "dark", "light", "mono"];
const STATUS: &[&str] = &[
    "permission",
    "model",
    "agent",
    "root",
    "branch",
    "context",
    "tokens",
    "cost",
    "sandbox",
    "mode",
];

const LEVELS: &[&str] = &["off", "error", "warn", "info", "debug", "trace"];

const MODES: &[&str] = &["off", "read-only", "workspace-write"];

pub(crate) const PERMISSION_MODES: &[&str] = &["ask", "accept-edits", "auto", "plan"];

const PROMPT_TIERS: &[&str] = &["auto", "compact", "full"];

pub(crate) const TYPES: &[&str] = &["chat", "messages", "responses", "external"];

#[rustfmt::skip]
pub(crate) static KEYS: &[Key] = &[
    key("model", Kind::Text, "", "The model to use, by its name on the server. An untrusted project can choose among the models that your own providers list.")
        .in_project(Project::Allowed),
    key("default_provider", Kind::Text, "", "The provider to use: a name from `providers`, or a preset such as `ollama`."),
    key("default_agent", Kind::Text, "\"build\"", "The agent for new sessions."),

    key("permission_mode", Kind::Word(PERMISSION_MODES), "\"ask\"", "The permission mode for new sessions. See [safety](../safety.md#permission-modes)."),
    key("add_dirs", Kind::Texts, "", "Folders outside the project that are read and changed as if they were in it, as `--add-dir`. See [safety](../safety.md#folders-outside-the-project)."),

    key("providers.*.preset", Kind::Text, "", "The preset to start from, if the provider has a name of its own."),
    key("providers.*.type", Kind::Word(TYPES), "\"chat\"", "The API format. `chat` is what every OpenAI-compatible server speaks, `messages` is Anthropic's format, `responses` OpenAI's newer one."),
    key("providers.*.base_url", Kind::Text, "", "The address without `/chat/completions`: `http://localhost:8000/v1`. `${VAR}` and `${VAR:-default}` are filled in."),
    key("providers.*.model", Kind::Text, "", "The model to use when nothing else names one."),
    key("providers.*.models", Kind::Models, "", "Models to choose from: names, or objects with `id` and settings for that model only: `context_window`, `max_tokens`, `reasoning_effort`, `temperature`, `vision`, `dialect`, `prices`."),
    key("providers.*.api_key_env", Kind::TextOrTexts, "", "The variable with the key; if you name several, the first one that is set."),
    key("providers.*.api_key_command", Kind::Text, "", "A command that prints the key: `pass show openai`."),
    key("providers.*.api_key", Kind::Text, "", "The key itself. Use it only for placeholders that local servers ask for; a file is no place for a secret.").secret(),
    key("providers.*.auth", Kind::Text, "", "How the key is sent: `bearer`, `x-api-key`, `api-key`, `none`, or `header:NAME`. Default: the preset's way, otherwise `x-api-key` for the type `messages` and `bearer` for the others."),
    key("providers.*.headers", Kind::TextMap, "", "Extra headers for every request. `${VAR}` is filled in.").secret(),
    key("providers.*.context_window", at_least(1), "", "Context window in tokens, for all models of this provider. Overrides what the server reports."),
    key("providers.*.dialect", Kind::Word(DIALECTS), "", "How this provider's models get their tools. Default: `dialect`."),
    key("providers.*.vision", Kind::Boolean, "", "Whether its models accept images, if nothing else says so."),
    key("providers.*.prices.input", PRICE, "", "Dollars per million tokens sent."),
    key("providers.*.prices.output", PRICE, "", "Dollars per million tokens of answers."),
    key("providers.*.prices.cached", PRICE, "", "Dollars per million tokens read from the server's cache. Default: as `input`."),
    key("providers.*.prices.cache_write", PRICE, "", "Dollars per million tokens written to the cache. Default: as `input`."),
    key("providers.*.codex_home", Kind::Text, "", "The folder with the Codex login. Default: `$CODEX_HOME` or `~/.codex`."),
    key("providers.*.auth_store", Kind::Word(&["auto", "file", "keyring"]), "\"auto\"", "Where Tenon looks for the Codex login: in its file, in the keyring, or (`auto`) in the keyring and then in the file."),
    key("providers.*.responses.store", Kind::Boolean, "false", "For the type `responses`: whether the server keeps the answers. Tenon doesn't need it."),
    key("providers.*.responses.include", Kind::Texts, "[\"reasoning.encrypted_content\"]", "What the server sends along. Without `reasoning.encrypted_content`, no reasoning is sent back to it."),
    key("providers.*.responses.parallel_tool_calls", Kind::Boolean, "", "Whether a model can make several calls at once. Default: the server decides; `false` for the preset `codex`."),
    key("providers.*.responses.reasoning.effort", Kind::Effort, "", "How hard its models think if neither `reasoning_effort` nor `/effort` says so. Default for the preset `codex`: `medium`."),
    key("providers.*.responses.reasoning.summary", Kind::Word(&["auto", "concise", "detailed"]), "\"auto\"", "Which summary of the model's thoughts to ask for."),
    key("providers.*.allow_api_key_fallback", Kind::Boolean, "false", "Whether to use an API key in the Codex login, which is billed separately from the subscription."),
    key("providers.*.ca_file", Kind::Text, "", "PEM file with certificates to trust besides the system's."),
    key("providers.*.client_cert", Kind::Text, "", "PEM file with a client certificate and its key."),
    key("providers.*.insecure", Kind::Boolean, "false", "Don't check the server's certificate."),
    key("providers.*.proxy", Kind::Text, "\"environment\"", "`environment`, `none`, or the address of a proxy."),
    key("providers.*.timeouts.connect_ms", between(1, YEAR_MS), "10000", "How long to wait for a connection."),
    key("providers.*.timeouts.first_token_ms", between(0, YEAR_MS), "", "How long to wait for the first token; 0 waits forever. Default: forever on private addresses, otherwise 300 s."),
    key("providers.*.timeouts.silence_ms", between(0, YEAR_MS), "120000", "How long a stream may be silent once it has started; 0 waits forever."),
    key("providers.*.quirks.omit", Kind::Texts, "", "Request fields that are never sent: `temperature`, `stream_options`, `tool_choice`."),
    key("providers.*.quirks.max_tokens_field", Kind::Word(&["max_tokens", "max_completion_tokens"]), "", "The name of the field that limits the answer."),
    key("providers.*.quirks.content_null", Kind::Word(&["empty_string", "null", "omit"]), "", "The content of a message that only calls tools."),
    key("providers.*.quirks.return_reasoning", Kind::Word(&["never", "reasoning_content"]), "", "Whether earlier reasoning is sent back."),
    key("providers.*.quirks.tool_images", Kind::Word(&["user_message", "leave_out"]), "", "What to do with images in tool results."),

    key("dialect", Kind::Word(DIALECTS), "\"auto\"", "How the model gets its tools. `native` uses the server's tool calls, `markdown` describes the tools in the prompt, `auto` is native unless the server refuses tools.").in_project(Project::Allowed),
    key("small_model", Kind::Text, "", "A small, fast model for side work such as titles: `MODEL` or `PROVIDER/MODEL`. Without it there are no side requests. On a private address, write it with its provider's name."),

    key("temperature", Kind::Number { least: 0.0, most: 2.0 }, "", "Sent only when set."),
    key("top_p", Kind::Number { least: 0.0, most: 1.0 }, "", "Sent only when set."),
    key("max_tokens", at_least(1), "", "The longest answer, in tokens. Sent only when set, except for `messages`, which needs one: default 8192."),
    key("reasoning_effort", Kind::Effort, "", "How hard the model thinks: `none`, `minimal`, `low`, `medium`, `high`, `xhigh`, `max`, or another word that the server accepts. Sent only when set; `default` sends nothing."),
    key("streaming", Kind::Boolean, "true", "Whether to stream answers."),
    key("context.window", at_least(1), "", "Context window in tokens, for providers that don't set their own."),

    key("context.max_tokens", at_least(1024), "", "Maximum tokens per request, even if the window is larger.").in_project(Project::Narrowing),

    key("compaction.auto", Kind::Boolean, "true", "Whether to compact the conversation automatically when the window fills up."),
    key("compaction.prune", Kind::Boolean, "true", "Whether to shorten old tool outputs first."),
    key("compaction.at_ratio", Kind::Number { least: 0.1, most: 0.95 }, "0.7", "The share of the window at which compaction starts."),
    key("compaction.keep_turns", between(1, 100), "6", "How many of the last prompts, with all that followed them, are kept unchanged; fewer if the window is small."),
    key("compaction.summary_tokens", between(200, 100_000), "3000", "The longest summary, in tokens; shorter if the window is small."),
    key("compaction.strategy", Kind::Word(&["model", "deterministic"]), "\"model\"", "Who writes the summary: the model, or Tenon itself from the log."),

    key("checkpoints.commands", Kind::Boolean, "true", "Whether to check the project before and after commands, so that their changes can be undone too."),
    key("checkpoints.max_file_bytes", at_least(0), "1048576", "Larger files are not kept before a command runs."),
    key("checkpoints.max_bytes", at_least(0), "268435456", "Maximum that one session keeps for undo, compressed."),

    key("skills.paths", Kind::Texts, "", "Extra folders with skills. `~/` is the home folder."),
    key("jobs.wake", Kind::Boolean, "false", "Whether the end of a background process starts a run by itself while you are idle, in interactive sessions only and at most three times until your next prompt. Otherwise the model is told with the next prompt."),
    key("todo.first", Kind::AutoOrOff, "\"auto\"", "Whether a request with several parts starts with a task list. `true` and `false` mean `auto` and `off`."),

    key("multimodal.detail", Kind::Word(&["auto", "low", "high"]), "\"auto\"", "How closely a model looks at images; `auto` leaves it to the provider."),
    key("multimodal.max_bytes", between(1, 64 * 1024 * 1024), "8388608", "The largest image that is sent, with `--image` or by `read`. Servers of the type `messages` accept at most 3932160 bytes.").in_project(Project::Narrowing),

    key("system_prompt", Kind::Text, "", "Replaces the agent's base prompt; if empty, there is no base prompt."),
    key("system_prompt_file", Kind::Text, "", "The same from a file, relative to this configuration. Overrides `system_prompt`."),
    key("append_system_prompt", Kind::Text, "", "Added after the base prompt."),
    key("prompt.tier", Kind::Word(PROMPT_TIERS), "\"auto\"", "How long the system prompt is: `compact` or `full`. `auto` chooses by the window and name of the model: see [context](../context.md#two-tiers)."),
    key("instructions", Kind::Texts, "", "Extra instruction files, as paths or globs."),

    key("permission", Kind::Permission, "", "Which calls are allowed, asked about or denied: see \"Permissions\".")
        .in_project(Project::Narrowing),
    key("hooks", Kind::Hooks, "", "Commands that run at events: see [hooks](../hooks.md)."),

    key("persistent_grants.enabled", Kind::Boolean, "true", "Whether \"always in this project\" is offered, saved and used."),
    key("persistent_grants.scope", Kind::Word(&["project", "session"]), "\"project\"", "How long permissions can last: with `session`, none is kept beyond the session."),
    key("persistent_grants.ttl", Kind::Span, "\"7d\"", "How long a permission for the project lasts. A shorter time also applies to permissions you gave earlier."),

    count("limits.max_turns", 1, "1000", "Maximum steps per prompt."),
    count("limits.max_retries", 1, "3", "Failed calls in a row that end a run in an interactive session."),
    count("limits.max_retries_automated", 1, "10", "Failed calls in a row that end a run when no one is there to answer."),
    count("limits.repeat_warn", 1, "3", "After this many identical calls in a row, the model gets a note."),
    count("limits.repeat_stop", 2, "5", "After this many, the run stops."),
    key("limits.parallel_reads", between(1, 64), "8", "How many read-only calls can run at the same time.")
        .in_project(Project::Narrowing),

    key("tool_timeout_secs", between(0, YEAR_SECS), "", "Timeout for every tool without its own, bash included; 0 turns it off. Default: 60 s, bash 30 s."),
    key("tools.bash_timeout_max_secs", between(1, YEAR_SECS), "600", "The longest timeout that a model can set for bash.").in_project(Project::Narrowing),
    key("tools.on_timeout", Kind::Word(&["background", "kill"]), "\"background\"", "What happens to a command that takes too long."),
    limit("tools.output_bytes", 1024, "32768", "Maximum bytes of a result that the model sees."),
    limit("tools.read_lines", 1, "2000", "Maximum lines per read."),
    limit("tools.read_bytes", 1024, "51200", "Maximum bytes per read."),
    limit("tools.line_bytes", 80, "2000", "Maximum bytes per line; the rest is cut, with a note."),
    limit("tools.glob_paths", 1, "1000", "Maximum paths per glob."),
    limit("tools.grep_matches", 1, "200", "Maximum matches per grep."),
    limit("tools.list_entries", 1, "500", "Maximum entries per list."),
    key("tools.stale_writes", Kind::Word(&["refuse", "permit"]), "\"refuse\"", "Whether the model can overwrite a file that it has not read, or that has changed since."),

    key("sandbox.mode", Kind::Word(MODES), "\"workspace-write\"", "What commands can write: with `read-only` only temporary folders, with `workspace-write` the project too; `off` turns the sandbox off.").in_project(Project::Narrowing),
    key("sandbox.network", Kind::Word(&["inherit", "deny"]), "\"inherit\"", "Whether commands can use the network. With `deny` they have their own loopback and no Unix sockets.").in_project(Project::Narrowing),
    key("sandbox.adapter", Kind::Word(&["auto", "native", "bubblewrap"]), "\"auto\"", "What the sandbox is made with. `bubblewrap` uses the program `bwrap`."),
    key("sandbox.lacking", Kind::Word(&["partial", "refuse"]), "\"partial\"", "If the system doesn't support the full sandbox: run commands in a partial one, or don't run them.").in_project(Project::Narrowing),
    key("sandbox.caches", Kind::Boolean, "true", "Whether commands can write to the package managers' caches in the home folder. Their settings, keys and programs stay protected."),
    key("sandbox.writable", Kind::Texts, "", "Extra paths that commands can write. `~/` is the home folder; other relative paths start at the project."),
    key("sandbox.read_only", Kind::Texts, "", "Extra paths that commands can read but not write, whatever else allows it."),
    key("sandbox.hidden", Kind::Texts, "", "Extra paths that commands can't see."),
    key("sandbox.show", Kind::Texts, "", "Paths to show that are hidden by default: `.env`, `~/.ssh`."),
    key("sandbox.sockets", Kind::Texts, "", "Unix sockets of other programs that commands can connect to, or folders with such sockets: `/run/postgresql`. A command can always use the sockets it creates itself."),
    key("sandbox.environment.withhold", Kind::Texts, "", "Extra variables to withhold from commands; `*` matches any text."),
    key("sandbox.environment.keep", Kind::Texts, "", "Variables to pass to commands that are withheld by default; `*` matches any text."),
    key("sandbox.limits.processes", at_least(1), "", "Maximum number of processes that the user can have while a command runs."),
    key("sandbox.limits.file_bytes", at_least(1), "", "The largest file that a command can write."),
    key("sandbox.limits.open_files", at_least(16), "", "Maximum number of files that a process can have open."),
    key("sandbox.limits.cpu_seconds", at_least(1), "", "Maximum CPU time per process, in seconds."),
    key("sandbox.limits.memory_bytes", at_least(1024 * 1024), "", "Maximum address space per process."),

    key("secrets.mask", Kind::Boolean, "true", "Whether to mask secrets in everything that is recorded, shown and sent: `[masked:github-token]`. A project can't turn it off."),
    key("secrets.patterns", Kind::TextMap, "", "Extra secrets, by name, as regular expressions over one line: `{\"ticket\": \"TCK-[0-9]{6}\"}`. If a pattern has a group `secret`, only that part is masked. With patterns, answers appear line by line."),

    key("retry.attempts", between(0, 100), "5", "How often a failed request is retried.").in_project(Project::Narrowing),
    key("retry.first_ms", between(0, YEAR_MS), "1000", "The first pause; each one after it is twice as long."),
    key("retry.cap_ms", between(0, YEAR_MS), "30000", "The longest pause."),

    key("tui.interface", Kind::Word(&["screen", "lines"]), "\"screen\"", "How an interactive session looks: `lines` does the same as `--plain`, which also suits screen readers. See [the terminal](../terminal.md)."),
    key("tui.theme", Kind::Word(THEMES), "\"ansi\"", "The colours. Set it here for every start; otherwise Tenon uses what you last chose with `/theme`."),
    key("tui.keys", Kind::Word(&["emacs", "vim"]), "\"emacs\"", "The keys of the input."),
    key("tui.status", Kind::Words(STATUS), "", "Parts of the status line, in order. Default, or if empty: all."),
    key("tui.notify", Kind::Word(&["unfocused", "always", "never"]), "\"unfocused\"", "When Tenon asks for your attention because a turn has ended or a question waits. `unfocused`: only when the window doesn't have the focus."),
    key("tui.motion", Kind::Word(&["full", "reduced"]), "\"full\"", "With `reduced`, nothing moves by itself except the seconds."),
    key("tui.thinking", Kind::Word(&["brief", "whole", "hidden"]), "\"brief\"", "How much of the model's thoughts to show: as they come and then one line, all of them, or none."),

    key("logs.level", Kind::Word(LEVELS), "\"warn\"", "What goes into the diagnostic log (`tenon logs`): `off`, or the lowest level to write."),
    key("logs.max_bytes", between(1024, 1024 * 1024 * 1024), "10485760", "The size at which a new log file is started."),
    key("logs.files", between(1, 100), "5", "How many log files are kept."),
    key("cache.ttl", Kind::Span, "\"7d\"", "Parts of the cache that were not used for this long are removed; Tenon makes them again when needed."),

    key("sessions.retention_days", between(0, 36_500), "30", "How long sessions are kept; 0 keeps them forever."),
];

/// Sections of the full product that this version does not have. Named, so that
/// nobody looks for a typing mistake.
pub(crate) const NOT_YET: &[&str] = &[
    "agent",
    "agent_mode",
    "audit",
    "delegation",
    "mcp",
    "trust",
    "validation",
];

/// Second names of keys and sections, accepted wherever the first one is: only
/// the last part differs. Both in one place are an error.
pub(crate) const SECOND_NAMES: &[(&str, &str)] = &[
    ("compaction.compact_at_ratio", "compaction.at_ratio"),
    ("compaction.compression", "compaction.strategy"),
    ("context.max_context_tokens", "context.max_tokens"),
    ("ui", "tui"),
];

/// Variables that are called after an agent and not after their key.
pub(crate) const SECOND_VARIABLES: &[(&str, &str)] = &[
    ("TENON_MAIN_MAX_CONTEXT_TOKENS", "context.max_tokens"),
    ("TENON_MAIN_COMPACT_AT_RATIO", "compaction.at_ratio"),
    (
        "TENON_MAIN_SUMMARY_TARGET_TOKENS",
        "compaction.summary_tokens",
    ),
];

/// Other spellings of values that people bring along.
pub(crate) const TYPE_ALIASES: &[(&str, &str)] = &[
    ("openai-compatible", "chat"),
    ("openai_compatible", "chat"),
    ("openai", "chat"),
    ("anthropic", "messages"),
    ("codex", "responses"),
    ("claudecode", "external"),
];

#[cfg(test)]
mod tests {
    use super::{PERMISSION_MODES, TYPE_ALIASES, TYPES};
    use tenon_vocab::PermissionMode;

    #[test]
    fn the_permission_modes_are_those_of_a_session() {
        assert_eq!(
            PERMISSION_MODES,
            PermissionMode::ALL.map(PermissionMode::name)
        );
    }

    #[test]
    fn the_types_are_the_kinds_of_providers() {
        let kinds = tenon_model::Kind::ALL.map(tenon_model::Kind::name);
        assert_eq!(TYPES, kinds);
        for (_, name) in TYPE_ALIASES {
            assert!(kinds.contains(name), "{name}");
        }
    }
}
