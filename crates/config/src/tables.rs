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
    key("model", Kind::Text, "", "The model to use, as its server names it. A project that is not trusted may choose among the models that your own providers list.")
        .in_project(Project::Allowed),
    key("default_provider", Kind::Text, "", "The provider to use: a name below `providers`, or a preset such as `ollama`."),
    key("default_agent", Kind::Text, "\"build\"", "The agent that a session starts with."),

    key("permission_mode", Kind::Word(PERMISSION_MODES), "\"ask\"", "The permission mode that a session starts in. See [safety](../safety.md#permission-modes)."),

    key("providers.*.preset", Kind::Text, "", "The preset to start from, where the provider has a name of its own."),
    key("providers.*.type", Kind::Word(TYPES), "\"chat\"", "The wire format. `chat` is what every OpenAI-compatible server speaks; `messages` is Anthropic's, `responses` OpenAI's newer one."),
    key("providers.*.base_url", Kind::Text, "", "The address up to, and without, `/chat/completions`: `http://localhost:8000/v1`. `${VAR}` and `${VAR:-default}` are filled in."),
    key("providers.*.model", Kind::Text, "", "The model that is used when nothing else names one."),
    key("providers.*.models", Kind::Models, "", "Models to choose from: names, or objects with `id` and what holds for that model alone: `context_window`, `max_tokens`, `reasoning_effort`, `temperature`, `vision`, `dialect`, `prices`."),
    key("providers.*.api_key_env", Kind::TextOrTexts, "", "The variable that holds the key; of several the first one that is set."),
    key("providers.*.api_key_command", Kind::Text, "", "A command that prints the key: `pass show openai`."),
    key("providers.*.api_key", Kind::Text, "", "The key itself. Only for placeholders of local servers: a file is no place for a secret.").secret(),
    key("providers.*.auth", Kind::Text, "", "Where the key goes: `bearer`, `x-api-key`, `api-key`, `none`, or `header:NAME`. Without it what the preset says, else `x-api-key` for the type `messages` and `bearer` for all others."),
    key("providers.*.headers", Kind::TextMap, "", "Further headers of every request. `${VAR}` is filled in.").secret(),
    key("providers.*.context_window", at_least(1), "", "Tokens that fit, for all models of this provider. It goes before what the server says of itself."),
    key("providers.*.dialect", Kind::Word(DIALECTS), "", "How tools are given to the models of this provider; without it, `dialect`."),
    key("providers.*.vision", Kind::Boolean, "", "Whether its models can look at images, where nothing else says so."),
    key("providers.*.prices.input", PRICE, "", "Dollars for a million tokens that are sent."),
    key("providers.*.prices.output", PRICE, "", "Dollars for a million tokens of answers."),
    key("providers.*.prices.cached", PRICE, "", "The same of what the server had in its cache; without it, as `input`."),
    key("providers.*.prices.cache_write", PRICE, "", "The same of what is written into the cache; without it, as `input`."),
    key("providers.*.codex_home", Kind::Text, "", "The folder with the login of Codex; without it `$CODEX_HOME` or `~/.codex`."),
    key("providers.*.auth_store", Kind::Word(&["auto", "file", "keyring"]), "\"auto\"", "Where Tenon looks for the login of Codex: in its file, in the keyring, or in the keyring and then in the file."),
    key("providers.*.responses.store", Kind::Boolean, "false", "For the type `responses`: whether the server keeps the answers. Nothing of Tenon needs it."),
    key("providers.*.responses.include", Kind::Texts, "[\"reasoning.encrypted_content\"]", "What the server sends along. Without `reasoning.encrypted_content` no reasoning goes back to it."),
    key("providers.*.responses.parallel_tool_calls", Kind::Boolean, "", "Whether a model may make several calls at once. Without it the server decides; for the preset `codex`, `false`."),
    key("providers.*.responses.reasoning.effort", Kind::Effort, "", "How hard its models think where neither `reasoning_effort` nor `/effort` says so; for the preset `codex`, `medium`."),
    key("providers.*.responses.reasoning.summary", Kind::Word(&["auto", "concise", "detailed"]), "\"auto\"", "Which summary of the thoughts is asked for."),
    key("providers.*.allow_api_key_fallback", Kind::Boolean, "false", "Whether an API key in the login of Codex may be used, which is billed apart from the subscription."),
    key("providers.*.ca_file", Kind::Text, "", "PEM certificates to trust besides the system's."),
    key("providers.*.client_cert", Kind::Text, "", "PEM file with a client certificate and its key."),
    key("providers.*.insecure", Kind::Boolean, "false", "Do not check the server's certificate."),
    key("providers.*.proxy", Kind::Text, "\"environment\"", "`environment`, `none`, or the address of a proxy."),
    key("providers.*.timeouts.connect_ms", between(1, YEAR_MS), "10000", "How long to wait for a connection."),
    key("providers.*.timeouts.first_token_ms", between(0, YEAR_MS), "", "How long to wait for the first token; 0 for ever. Without it: for ever on private addresses, else 300 s."),
    key("providers.*.timeouts.silence_ms", between(0, YEAR_MS), "120000", "How long a stream that has begun may bring nothing; 0 for ever."),
    key("providers.*.quirks.omit", Kind::Texts, "", "Fields of the request that are never sent: `temperature`, `stream_options`, `tool_choice`."),
    key("providers.*.quirks.max_tokens_field", Kind::Word(&["max_tokens", "max_completion_tokens"]), "", "The name of the field that limits the answer."),
    key("providers.*.quirks.content_null", Kind::Word(&["empty_string", "null", "omit"]), "", "The content of a message that only calls tools."),
    key("providers.*.quirks.return_reasoning", Kind::Word(&["never", "reasoning_content"]), "", "Whether earlier reasoning is sent back."),
    key("providers.*.quirks.tool_images", Kind::Word(&["user_message", "leave_out"]), "", "What becomes of images in the results of tools."),

    key("dialect", Kind::Word(DIALECTS), "\"auto\"", "How tools are given to the model. `native` is the server's own way, `markdown` describes them in the prompt, `auto` is native until the server refuses tools.").in_project(Project::Allowed),
    key("small_model", Kind::Text, "", "A small fast model for side work such as titles: `MODEL` or `PROVIDER/MODEL`. Without it nothing is asked on the side. On a private address it counts only with its provider's name."),

    key("temperature", Kind::Number { least: 0.0, most: 2.0 }, "", "Sent only when set."),
    key("top_p", Kind::Number { least: 0.0, most: 1.0 }, "", "Sent only when set."),
    key("max_tokens", at_least(1), "", "The longest answer, in tokens. Sent only when set, but for `messages`, which has to name one: 8192 without a word of yours."),
    key("reasoning_effort", Kind::Effort, "", "How hard the model is to think, sent only when set: `none`, `minimal`, `low`, `medium`, `high`, `xhigh`, `max`, or what the server knows. `default` sends nothing."),
    key("streaming", Kind::Boolean, "true", "Whether answers are streamed."),
    key("context.window", at_least(1), "", "Tokens of the context window, for providers that do not set their own."),

    key("context.max_tokens", at_least(1024), "", "The most that one request may have, in tokens, also where the window is larger.").in_project(Project::Narrowing),

    key("compaction.auto", Kind::Boolean, "true", "Whether the conversation is made shorter by itself when the window fills."),
    key("compaction.prune", Kind::Boolean, "true", "Whether old outputs of tools are shortened first."),
    key("compaction.at_ratio", Kind::Number { least: 0.1, most: 0.95 }, "0.7", "The share of the window at which it begins."),
    key("compaction.keep_turns", between(1, 100), "6", "Prompts, with all that followed from them, that are kept as they are; fewer where the window is small."),
    key("compaction.summary_tokens", between(200, 100_000), "3000", "The longest summary; shorter where the window is small."),
    key("compaction.strategy", Kind::Word(&["model", "deterministic"]), "\"model\"", "Who writes the summary: the model, or the program from its log alone."),

    key("checkpoints.commands", Kind::Boolean, "true", "Whether the project is looked at before and after commands, so that their changes can be undone, too."),
    key("checkpoints.max_file_bytes", at_least(0), "1048576", "A larger file is not kept before a command runs."),
    key("checkpoints.max_bytes", at_least(0), "268435456", "All that one session keeps of files, compressed."),

    key("skills.paths", Kind::Texts, "", "Further folders of skills. `~/` is the home folder."),
    key("jobs.wake", Kind::Boolean, "false", "Whether a background process that ends while nobody works starts a run by itself, on the screen only and at most three times until your next prompt. Without it the model is told with the next prompt."),
    key("todo.first", Kind::AutoOrOff, "\"auto\"", "Whether a request with several parts begins with a task list. `true` and `false` mean `auto` and `off`."),

    key("multimodal.detail", Kind::Word(&["auto", "low", "high"]), "\"auto\"", "How closely a model is to look at images; `auto` leaves it to the provider."),
    key("multimodal.max_bytes", between(1, 64 * 1024 * 1024), "8388608", "The largest image that is sent, as `--image` or by `read`. Servers of the type `messages` take no more than 3932160.").in_project(Project::Narrowing),

    key("system_prompt", Kind::Text, "", "Replaces the agent's base prompt; empty means none."),
    key("system_prompt_file", Kind::Text, "", "The same from a file, relative to this configuration. Wins over `system_prompt`."),
    key("append_system_prompt", Kind::Text, "", "Added after the base prompt."),
    key("prompt.tier", Kind::Word(PROMPT_TIERS), "\"auto\"", "How much the model is told before the work begins: `compact` or `full`. `auto` goes by its window and its name: see [context](../context.md#two-tiers)."),
    key("instructions", Kind::Texts, "", "Further files of instructions, as paths or globs."),

    key("permission", Kind::Permission, "", "Who decides about which call: see \"Permissions\".")
        .in_project(Project::Narrowing),
    key("hooks", Kind::Hooks, "", "Commands that are asked at events: see [hooks](../hooks.md)."),

    key("persistent_grants.enabled", Kind::Boolean, "true", "Whether \"always in this project\" is offered, kept, and used."),
    key("persistent_grants.scope", Kind::Word(&["project", "session"]), "\"project\"", "How far a grant may reach: with `session` nothing is kept beyond it."),
    key("persistent_grants.ttl", Kind::Span, "\"7d\"", "How long a grant for the project lasts. A shorter time also ends what was given before."),

    count("limits.max_turns", 1, "1000", "Steps of one prompt."),
    count("limits.max_retries", 1, "3", "Failures in a row before a run ends, with a person in front."),
    count("limits.max_retries_automated", 1, "10", "The same with nobody in front."),
    count("limits.repeat_warn", 1, "3", "The same call this often in a row is reported to the model."),
    count("limits.repeat_stop", 2, "5", "This often, and the run stops."),
    key("limits.parallel_reads", between(1, 64), "8", "Calls that may run side by side when they only read.")
        .in_project(Project::Narrowing),

    key("tool_timeout_secs", between(0, YEAR_SECS), "", "Timeout of every tool without its own, bash included; 0 disables. Without it: 60 s, bash 30 s."),
    key("tools.bash_timeout_max_secs", between(1, YEAR_SECS), "600", "The longest timeout that a model may ask of bash.").in_project(Project::Narrowing),
    key("tools.on_timeout", Kind::Word(&["background", "kill"]), "\"background\"", "What becomes of a command that takes too long."),
    limit("tools.output_bytes", 1024, "32768", "Bytes of a result that the model sees."),
    limit("tools.read_lines", 1, "2000", "Lines of one read."),
    limit("tools.read_bytes", 1024, "51200", "Bytes of one read."),
    limit("tools.line_bytes", 80, "2000", "Bytes of one line; the rest is cut, and said so."),
    limit("tools.glob_paths", 1, "1000", "Paths of one glob."),
    limit("tools.grep_matches", 1, "200", "Matches of one grep."),
    limit("tools.list_entries", 1, "500", "Entries of one list."),
    key("tools.stale_writes", Kind::Word(&["refuse", "permit"]), "\"refuse\"", "Whether a file that was not read, or has changed since, may be overwritten."),

    key("sandbox.mode", Kind::Word(MODES), "\"workspace-write\"", "What commands may write: `off` has no walls, `read-only` nothing but temporary folders, `workspace-write` the project too.").in_project(Project::Narrowing),
    key("sandbox.network", Kind::Word(&["inherit", "deny"]), "\"inherit\"", "Whether commands reach the network. With `deny` they have a loopback of their own and no unix sockets.").in_project(Project::Narrowing),
    key("sandbox.adapter", Kind::Word(&["auto", "native", "bubblewrap"]), "\"auto\"", "How the walls are built. `bubblewrap` uses the program `bwrap`."),
    key("sandbox.lacking", Kind::Word(&["partial", "refuse"]), "\"partial\"", "Where the system cannot build all walls: run behind those that stand, or run nothing.").in_project(Project::Narrowing),
    key("sandbox.caches", Kind::Boolean, "true", "Whether commands may write the caches of package managers in the home folder. Their settings, keys and programs stay as they are."),
    key("sandbox.writable", Kind::Texts, "", "Further paths that commands may write. `~/` is the home folder; else relative to the project."),
    key("sandbox.read_only", Kind::Texts, "", "Further paths that commands may read but not write, whatever else allows it."),
    key("sandbox.hidden", Kind::Texts, "", "Further paths that commands cannot see."),
    key("sandbox.show", Kind::Texts, "", "Paths that are hidden by default and shall be seen: `.env`, `~/.ssh`."),
    key("sandbox.sockets", Kind::Texts, "", "Unix sockets of other programs that commands may connect to, or folders of them: `/run/postgresql`. Those that a command makes itself it always may."),
    key("sandbox.environment.withhold", Kind::Texts, "", "Further variables that commands do not get; `*` stands for any text."),
    key("sandbox.environment.keep", Kind::Texts, "", "Variables that are withheld by default and that commands shall get; `*` stands for any text."),
    key("sandbox.limits.processes", at_least(1), "", "Processes that the user may have while a command runs."),
    key("sandbox.limits.file_bytes", at_least(1), "", "The largest file that a command may write."),
    key("sandbox.limits.open_files", at_least(16), "", "Files that a process may have open."),
    key("sandbox.limits.cpu_seconds", at_least(1), "", "Processor time of each process."),
    key("sandbox.limits.memory_bytes", at_least(1024 * 1024), "", "Address space of each process."),

    key("secrets.mask", Kind::Boolean, "true", "Whether secrets are masked in what is recorded, shown and sent: `[masked:github-token]`. A project cannot switch it off."),
    key("secrets.patterns", Kind::TextMap, "", "Further secrets, by name, as regular expressions over one line: `{\"ticket\": \"TCK-[0-9]{6}\"}`. Of a pattern with a group `secret` only that is masked. With patterns, answers appear line by line."),

    key("retry.attempts", between(0, 100), "5", "How often a failed request is made again.").in_project(Project::Narrowing),
    key("retry.first_ms", between(0, YEAR_MS), "1000", "The first pause; each further one is twice as long."),
    key("retry.cap_ms", between(0, YEAR_MS), "30000", "The longest pause."),

    key("tui.interface", Kind::Word(&["screen", "lines"]), "\"screen\"", "How an interactive session is drawn: `lines` is what `--plain` does, for a screen reader or by taste. See [the terminal](../terminal.md)."),
    key("tui.theme", Kind::Word(THEMES), "\"ansi\"", "The colours. What you write here holds at every start; without it, what you last chose with `/theme`."),
    key("tui.keys", Kind::Word(&["emacs", "vim"]), "\"emacs\"", "The keys of the input."),
    key("tui.status", Kind::Words(STATUS), "", "Parts of the status line, in their order; without it, or empty, all of them."),
    key("tui.notify", Kind::Word(&["unfocused", "always", "never"]), "\"unfocused\"", "When the terminal is asked for your attention: a turn has ended, or a question waits. `unfocused` is when the window is not looked at."),
    key("tui.motion", Kind::Word(&["full", "reduced"]), "\"full\"", "With `reduced` nothing moves by itself but the seconds."),
    key("tui.thinking", Kind::Word(&["brief", "whole", "hidden"]), "\"brief\"", "What is shown of the model's thoughts: as they come and then one line, all of them, or none."),

    key("logs.level", Kind::Word(LEVELS), "\"warn\"", "What is written into the log for diagnosis, `tenon logs`: `off`, or the least weight of what is."),
    key("logs.max_bytes", between(1024, 1024 * 1024 * 1024), "10485760", "The largest file of that log; then a new one is begun."),
    key("logs.files", between(1, 100), "5", "Files of that log that are kept."),
    key("cache.ttl", Kind::Span, "\"7d\"", "A part of the cache that was not used for so long is removed; it is made anew when it is needed."),

    key("sessions.retention_days", between(0, 36_500), "30", "How long sessions are kept; 0 for ever."),
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
