//! What is to be known of a language to tell its words apart. A table of words
//! and marks, no grammar.

use super::lexer::{Ends, Language, Quote};

const fn quote(mark: &'static str, ends: Ends) -> Quote {
    Quote { mark, ends }
}

const DOUBLE: Quote = quote("\"", Ends::WithLine);
const SINGLE: Quote = quote("'", Ends::WithLine);
const BACKTICK: Quote = quote("`", Ends::Later);
const TRIPLE: Quote = quote("\"\"\"", Ends::Later);
const TRIPLE_SINGLE: Quote = quote("'''", Ends::Later);

const C_LIKE: Language = Language {
    comment: &["//"],
    block: Some(("/*", "*/")),
    quotes: &[DOUBLE, SINGLE],
    ..Language::PLAIN
};

const RUST: Language = Language {
    quotes: &[quote("\"", Ends::Later)],
    lifetimes: true,
    keywords: "as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod move mut pub ref return self static struct super trait type union unsafe use where while yield",
    types: "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize Self",
    literals: "true false None Some Ok Err",
    ..C_LIKE
};

const PYTHON: Language = Language {
    comment: &["#"],
    quotes: &[TRIPLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
    keywords: "and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield self cls",
    types: "int float str bool bytes list dict set tuple object type",
    literals: "True False None",
    ..Language::PLAIN
};

const SCRIPT: Language = Language {
    quotes: &[DOUBLE, SINGLE, BACKTICK],
    keywords: "abstract as async await break case catch class const continue debugger declare default delete do else enum export extends finally for from function get if implements import in infer instanceof interface is keyof let namespace new of override private protected public readonly return satisfies set static super switch this throw try type typeof var void while with yield",
    types: "any bigint boolean never number object string symbol unknown",
    literals: "true false null undefined NaN Infinity",
    ..C_LIKE
};

const GO: Language = Language {
    quotes: &[DOUBLE, SINGLE, BACKTICK],
    keywords: "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var",
    types: "any bool byte complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr",
    literals: "true false nil iota",
    ..C_LIKE
};

const JAVA: Language = Language {
    quotes: &[TRIPLE, DOUBLE, SINGLE],
    keywords: "abstract actual as assert break by case catch class companion const constructor continue crossinline data def default defer do else enum expect explicit export extends extension fallthrough fileprivate final finally for foreach fun func get goto guard if implements implicit import in infix init inline inner inout instanceof interface internal is lateinit lazy let lock match module mutating namespace native new object open operator out override package params partial private protected protocol public readonly record ref repeat return sealed select set static struct subscript super suspend switch synchronized this throw throws trait transient try typealias using val var virtual volatile when where while with yield async await",
    types: "boolean bool byte char decimal double dynamic float int long object sbyte short string uint ulong ushort void",
    literals: "true false null nil None",
    ..C_LIKE
};

const C: Language = Language {
    keywords: "alignas alignof auto break case catch class co_await co_return co_yield concept const consteval constexpr constinit const_cast continue decltype default delete do dynamic_cast else enum explicit export extern final for friend goto if inline mutable namespace new noexcept operator override private protected public register reinterpret_cast requires restrict return sizeof static static_assert static_cast struct switch template this thread_local throw try typedef typeid typename union using virtual volatile while #include #define #ifdef #ifndef #if #endif #else #elif #pragma #undef",
    types: "bool char double float int int8_t int16_t int32_t int64_t long short signed size_t ssize_t uint8_t uint16_t uint32_t uint64_t unsigned void wchar_t",
    literals: "true false nullptr NULL",
    word: "_#",
    ..C_LIKE
};

const RUBY: Language = Language {
    comment: &["#"],
    quotes: &[DOUBLE, SINGLE],
    keywords: "alias and begin break case class def do else elsif end ensure extend for if in include module next not or private protected public raise redo require require_relative rescue retry return self super then undef unless until when while yield attr_accessor attr_reader",
    literals: "true false nil",
    word: "_@",
    ..Language::PLAIN
};

const LUA: Language = Language {
    comment: &["--"],
    block: Some(("--[[", "]]")),
    quotes: &[DOUBLE, SINGLE],
    keywords: "and break do else elseif end for function goto if in local not or repeat return then until while",
    literals: "true false nil",
    ..Language::PLAIN
};

pub(super) const SHELL: Language = Language {
    comment: &["#"],
    quotes: &[quote("\"", Ends::Later), quote("'", Ends::Later)],
    keywords: "case do done elif else esac export fi for function if in local readonly return select set shift source then trap unset until while declare",
    commands: true,
    word: "_-./",
    ..Language::PLAIN
};

const SQL: Language = Language {
    comment: &["--"],
    block: Some(("/*", "*/")),
    quotes: &[quote("'", Ends::Later), DOUBLE],
    keywords: "add all alter and as asc begin between by case check column commit constraint create cross database default delete desc distinct drop else end exists explain foreign from full group having if in index inner insert into is join key left like limit not offset on or order outer primary references returning right rollback select set table then transaction truncate union unique update using values view when where with",
    types: "bigint blob boolean char date datetime decimal double float int integer json jsonb numeric real serial smallint text time timestamp uuid varchar",
    literals: "true false null",
    any_case: true,
    ..Language::PLAIN
};

const JSON: Language = Language {
    comment: &["//"],
    block: Some(("/*", "*/")),
    quotes: &[DOUBLE],
    literals: "true false null",
    keys: true,
    ..Language::PLAIN
};

const SETTINGS: Language = Language {
    comment: &["#"],
    quotes: &[TRIPLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
    literals: "true false null yes no on off",
    word: "_-",
    keys: true,
    ..Language::PLAIN
};

const INI: Language = Language {
    comment: &["#", ";"],
    ..SETTINGS
};

const DOCKER: Language = Language {
    comment: &["#"],
    quotes: &[DOUBLE, SINGLE],
    keywords: "FROM RUN CMD LABEL EXPOSE ENV ADD COPY ENTRYPOINT VOLUME USER WORKDIR ARG ONBUILD STOPSIGNAL HEALTHCHECK SHELL AS",
    word: "_-./",
    ..Language::PLAIN
};

const CSS: Language = Language {
    block: Some(("/*", "*/")),
    comment: &["//"],
    quotes: &[DOUBLE, SINGLE],
    keywords: "@import @media @font-face @keyframes @supports @charset @layer @container @property !important",
    literals: "inherit initial unset none auto",
    word: "_-@!",
    keys: true,
    ..Language::PLAIN
};

const MARKUP: Language = Language {
    block: Some(("<!--", "-->")),
    quotes: &[DOUBLE, SINGLE],
    word: "_-",
    keys: true,
    ..Language::PLAIN
};

const PHP: Language = Language {
    comment: &["//", "#"],
    block: Some(("/*", "*/")),
    quotes: &[quote("\"", Ends::Later), quote("'", Ends::Later)],
    keywords: "abstract and array as break callable case catch class clone const continue declare default do echo else elseif empty endfor endforeach endif endswitch endwhile enum extends final finally fn for foreach function global goto if implements include include_once instanceof insteadof interface isset list match namespace new or print private protected public readonly require require_once return static switch throw trait try unset use var while xor yield",
    types: "bool float int iterable mixed object string void never self parent",
    literals: "true false null",
    word: "_$",
    any_case: true,
    ..Language::PLAIN
};

const HASKELL: Language = Language {
    comment: &["--"],
    block: Some(("{-", "-}")),
    quotes: &[DOUBLE],
    keywords: "case class data default deriving do else family forall foreign if import in infix infixl infixr instance let module newtype of qualified then type where",
    literals: "True False Nothing Just",
    word: "_'",
    ..Language::PLAIN
};

const ELIXIR: Language = Language {
    comment: &["#"],
    quotes: &[TRIPLE, DOUBLE, SINGLE],
    keywords: "after alias and begin case catch cond def defmacro defmodule defp defprotocol defstruct do else end fn for if import in not or quote raise receive require rescue try unless unquote use when with",
    literals: "true false nil",
    word: "_?!@",
    ..Language::PLAIN
};

const MAKE: Language = Language {
    comment: &["#"],
    quotes: &[DOUBLE, SINGLE],
    keywords: "define endef ifdef ifndef ifeq ifneq else endif include export unexport override",
    word: "_-./",
    keys: true,
    ..Language::PLAIN
};

const BLOCKS: Language = Language {
    comment: &["#", "//"],
    block: Some(("/*", "*/")),
    quotes: &[DOUBLE],
    keywords: "enum extend extensions import locals message module oneof option output package provider public repeated required reserved resource returns rpc service stream syntax terraform variable data dynamic for_each",
    types: "bool bytes double fixed32 fixed64 float int32 int64 map sint32 sint64 string uint32 uint64 number list object any",
    literals: "true false null",
    keys: true,
    ..Language::PLAIN
};

const POWERSHELL: Language = Language {
    comment: &["#"],
    block: Some(("<#", "#>")),
    quotes: &[quote("\"", Ends::Later), quote("'", Ends::Later)],
    keywords: "begin break catch class continue data do dynamicparam else elseif end exit filter finally for foreach from function if in param process return switch throw trap try until using while",
    word: "_-$",
    any_case: true,
    commands: true,
    ..Language::PLAIN
};

/// No words at all.
pub(super) const PLAIN: &Language = &Language::PLAIN;

/// By the name that stands behind a fence, or the ending of a file.
pub(super) fn named(name: &str) -> Option<&'static Language> {
    Some(match name {
        "rust" | "rs" | "rustlang" => &RUST,
        "python" | "py" | "python3" | "py3" | "pyi" => &PYTHON,
        "javascript" | "js" | "jsx" | "node" | "mjs" | "cjs" | "typescript" | "ts" | "tsx"
        | "mts" | "cts" => &SCRIPT,
        "go" | "golang" => &GO,
        "java" | "kotlin" | "kt" | "kts" | "scala" | "swift" | "csharp" | "cs" | "c#"
        | "groovy" | "dart" => &JAVA,
        "c" | "h" | "cpp" | "c++" | "cc" | "cxx" | "hpp" | "hh" => &C,
        "ruby" | "rb" => &RUBY,
        "lua" => &LUA,
        "sh" | "bash" | "zsh" | "shell" | "ksh" | "dash" | "console" | "shell-session"
        | "shellsession" | "terminal" => &SHELL,
        "sql" | "postgres" | "postgresql" | "mysql" | "sqlite" => &SQL,
        "json" | "jsonc" | "json5" | "jsonl" => &JSON,
        "yaml" | "yml" | "toml" => &SETTINGS,
        "ini" | "cfg" | "conf" | "properties" | "env" => &INI,
        "dockerfile" | "docker" => &DOCKER,
        "css" | "scss" | "sass" | "less" => &CSS,
        "html" | "htm" | "xhtml" | "xml" | "svg" | "vue" | "svelte" | "markdown" | "md" => &MARKUP,
        "php" => &PHP,
        "haskell" | "hs" | "elm" | "purescript" => &HASKELL,
        "elixir" | "ex" | "exs" => &ELIXIR,
        "makefile" | "make" | "mk" | "cmake" => &MAKE,
        "proto" | "protobuf" | "tf" | "hcl" | "terraform" | "graphql" | "gql" | "nix" => &BLOCKS,
        "powershell" | "ps1" | "pwsh" => &POWERSHELL,
        "perl" | "pl" | "r" | "julia" | "jl" | "nim" | "crystal" => &RUBY,
        "zig" | "v" | "objective-c" | "objc" | "m" | "glsl" | "wgsl" | "solidity" | "sol" => &C,
        _ => return None,
    })
}
