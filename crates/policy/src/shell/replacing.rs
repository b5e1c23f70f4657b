//! Programs that put files in the place of those that are there, without a name
//! for them in the line: what unpacks and what applies a patch.

use super::argv::Argv;
use super::danger::lists;
use tenon_vocab::Class;

const PACKERS: &str = "gzip gunzip pigz unpigz bzip2 bunzip2 pbzip2 xz unxz lzma unlzma zstd unzstd \
     lz4 unlz4 brotli lzip";

pub(super) fn danger(argv: Argv<'_>, name: &str) -> Option<(Class, String)> {
    let replaces = match name {
        "tar" | "bsdtar" | "gtar" => extracts(argv),
        "unzip" => argv.has_short("o") && !argv.has_short("lptvzZ"),
        "7z" | "7za" | "7zr" | "7zz" => {
            acts(argv, "x e")
                && argv
                    .texts()
                    .any(|text| text == "-y" || overwrites_in_7z(text))
        }
        "unrar" | "rar" => acts(argv, "x e") && argv.texts().any(|t| t == "-o+" || t == "-y"),
        "cpio" => argv.has_short("i") && !argv.has_short("t"),
        "patch" => !argv.has_long(&["dry-run", "version"]),
        _ if lists(PACKERS, name) => {
            (argv.has_short("f") || argv.has_long(&["force"]))
                && !argv.has_short("ct")
                && !argv.has_long(&["stdout", "to-stdout", "test"])
        }
        _ => false,
    };
    let what = if name == "patch" {
        "changes files"
    } else {
        "can overwrite existing files"
    };
    replaces.then(|| (Class::Confirm, format!("`{name}` {what}")))
}

fn acts(argv: Argv<'_>, actions: &str) -> bool {
    let operands = argv.operands("");
    operands
        .first()
        .is_some_and(|term| lists(actions, &term.text))
}

/// `-aos` and `-aou` keep what is there.
fn overwrites_in_7z(text: &str) -> bool {
    matches!(text, "-aoa" | "-aot")
}

/// `tar xf F`, `tar -xzf F`, `tar --extract`, where nothing says that what is
/// there stays.
fn extracts(argv: Argv<'_>) -> bool {
    let old = argv
        .texts()
        .next()
        .filter(|text| {
            !text.starts_with('-') && text.bytes().all(|byte| byte.is_ascii_alphabetic())
        })
        .unwrap_or_default();
    let has = |letters: &str| argv.has_short(letters) || old.contains(|c| letters.contains(c));
    let wanted = has("x") || argv.has_long(&["extract", "get"]);
    let keeps = has("kO")
        || argv.has_long(&[
            "keep-old-files",
            "skip-old-files",
            "keep-newer-files",
            "to-stdout",
        ]);
    wanted && !keeps
}
