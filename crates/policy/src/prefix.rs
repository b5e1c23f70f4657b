//! Tools of which it is known what their flags do: a grant for such a prefix
//! covers these flags as well, so that `pytest -q` and `pytest -x` are one
//! question. A flag that is not listed makes it a command of its own: it could
//! run another program, write elsewhere or do more than was allowed.

use crate::script::Simple;

/// A prefix of words, and what may follow it.
#[derive(Debug)]
pub(crate) struct Prefix {
    programs: &'static str,
    /// The words behind the program; `*` is any one word that is no flag.
    words: &'static [&'static str],
    flags: &'static str,
    /// Flags with a value: the next word, or what stands behind `=`.
    valued: &'static str,
    /// Flags that may have a number.
    numbered: &'static str,
    names: Names,
    /// What may follow, for the rule as it is shown.
    pub(crate) covers: &'static str,
}

/// Whether words that are no flags may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    Any,
    None,
}

const CARGO: Prefix = Prefix {
    programs: "cargo",
    words: &[],
    flags: "-q --quiet -v --verbose -vv --all --workspace --lib --bins --tests --examples \
        --benches --all-targets --doc --no-run --no-fail-fast --release -r --all-features \
        --no-default-features --keep-going --locked --offline --frozen --ignored \
        --include-ignored --nocapture --no-capture --show-output --exact --",
    valued: "-p --package --exclude --bin --test --example --bench -F --features --color \
        --profile --skip -E --test-threads --message-format",
    numbered: "-j --jobs",
    names: Names::Any,
    covers: "any names, and its common flags",
};

const NPM: Prefix = Prefix {
    programs: "npm pnpm yarn",
    words: &[],
    flags: "-s --silent --if-present --workspaces --verbose --ci --coverage --bail --run \
        --watch=false --no-watch --",
    valued: "-w --workspace -t --testNamePattern",
    numbered: "",
    names: Names::Any,
    covers: "any names, and its common flags",
};

const PYTEST: Prefix = Prefix {
    programs: "pytest py.test",
    words: &[],
    flags: "-q -qq -v -vv -vvv -x -s -l --quiet --verbose --exitfirst --lf --last-failed --ff \
        --failed-first --sw --stepwise --co --collect-only --no-header --no-summary \
        --showlocals --disable-warnings -ra -rA -rf -rs -rx",
    valued: "-k -m --tb --maxfail --durations --color --capture",
    numbered: "-n",
    names: Names::Any,
    covers: "any tests, and its common flags",
};

const GO: Prefix = Prefix {
    programs: "go",
    words: &[],
    flags: "-v -race -short -cover -failfast -json",
    valued: "-run -count -timeout -bench -parallel -cpu",
    numbered: "-p",
    names: Names::Any,
    covers: "any packages, and its common flags",
};

const MAKE: Prefix = Prefix {
    programs: "make gmake",
    words: &[],
    flags: "-k -s -B -n --keep-going --silent --quiet --always-make --dry-run \
        --no-print-directory",
    valued: "",
    numbered: "-j --jobs",
    names: Names::None,
    covers: "no other target or variable; flags such as -j and -k",
};

const NPX: Prefix = Prefix {
    programs: "npx",
    words: &[],
    flags: "--quiet --no-color --noEmit --check --run --watch=false",
    valued: "",
    numbered: "",
    names: Names::Any,
    covers: "any files, no flags that change them",
};

/// The longest of a program come first.
const KNOWN: &[Prefix] = &[
    Prefix {
        words: &["nextest", "run"],
        ..CARGO
    },
    Prefix {
        words: &["test"],
        ..CARGO
    },
    Prefix {
        words: &["build"],
        ..CARGO
    },
    Prefix {
        words: &["check"],
        ..CARGO
    },
    Prefix {
        words: &["clippy"],
        ..CARGO
    },
    Prefix {
        words: &["run", "*"],
        ..NPM
    },
    Prefix {
        words: &["test"],
        ..NPM
    },
    PYTEST,
    Prefix {
        programs: "python python3",
        words: &["-m", "pytest"],
        ..PYTEST
    },
    Prefix {
        programs: "python python3",
        words: &["-m", "unittest"],
        flags: "-v -q -f -b -c --verbose --quiet --failfast --buffer --catch",
        valued: "-k",
        numbered: "",
        ..PYTEST
    },
    Prefix {
        words: &["test"],
        ..GO
    },
    Prefix {
        words: &["build"],
        ..GO
    },
    Prefix {
        words: &["vet"],
        flags: "-v -json",
        valued: "",
        ..GO
    },
    Prefix {
        words: &["*"],
        ..MAKE
    },
    MAKE,
    Prefix {
        words: &["eslint"],
        ..NPX
    },
    Prefix {
        words: &["tsc"],
        ..NPX
    },
    Prefix {
        words: &["jest"],
        ..NPX
    },
    Prefix {
        words: &["vitest"],
        ..NPX
    },
    Prefix {
        words: &["prettier"],
        ..NPX
    },
    Prefix {
        programs: "git",
        words: &["add"],
        flags: "-A --all -u --update -v --verbose -n --dry-run -N --intent-to-add --",
        valued: "",
        numbered: "",
        names: Names::Any,
        covers: "any files",
    },
    Prefix {
        programs: "git",
        words: &["commit"],
        flags: "-a --all -q --quiet -s --signoff --allow-empty --",
        valued: "-m --message -am",
        numbered: "",
        names: Names::Any,
        covers: "any message and files; not --amend, --no-verify and the like",
    },
];

/// The prefix that these words are, all of them.
pub(crate) fn of_words(words: &[&str]) -> Option<&'static Prefix> {
    KNOWN
        .iter()
        .find(|prefix| words.len() == prefix.len() && prefix.begins(words))
}

/// How many words of a command are a known prefix that covers the rest of it.
pub(crate) fn length_in(command: &Simple) -> Option<usize> {
    let argv = command.argv();
    let prefix = KNOWN.iter().find(|prefix| prefix.begins(&argv))?;
    let fixed = command.words.iter().take(prefix.len());
    (!fixed.into_iter().any(|word| word.expands) && prefix.covers(command)).then(|| prefix.len())
}

impl Prefix {
    fn len(&self) -> usize {
        self.words.len() + 1
    }

    fn begins(&self, argv: &[&str]) -> bool {
        let Some((head, rest)) = argv.split_first() else {
            return false;
        };
        let name = head.rsplit('/').next().unwrap_or(head);
        let fits = |(own, word): (&&str, &&str)| match *own {
            "*" => !word.starts_with('-') && !word.contains('='),
            own => own == *word,
        };
        lists(self.programs, name)
            && rest.len() >= self.words.len()
            && self.words.iter().zip(rest).all(fits)
    }

    /// Whether all that follows the prefix in a command may follow it.
    pub(crate) fn covers(&self, command: &Simple) -> bool {
        let mut at = self.len();
        while let Some(word) = command.words.get(at) {
            let text = word.text.as_str();
            let next = command.words.get(at + 1);
            let is_value = |text: &str| !text.is_empty() && !text.starts_with('-');
            at += if !command.may_be_option(at) {
                if self.names == Names::None {
                    return false;
                }
                1
            } else if word.expands {
                return false;
            } else if lists(self.flags, text) || self.is_flag_with_value(text) {
                1
            } else if lists(self.numbered, text) {
                1 + usize::from(next.is_some_and(|next| is_number(&next.text)))
            } else if lists(self.valued, text)
                && next.is_some_and(|next| is_value(&next.text) && !next.expands)
            {
                2
            } else {
                return false;
            };
        }
        true
    }

    /// `--tb=short`, `-j4`, `--jobs=4`.
    fn is_flag_with_value(&self, text: &str) -> bool {
        let named = text.split_once('=').is_some_and(|(name, value)| {
            let leads_away = value.starts_with(['/', '~']) || value.contains("..");
            (lists(self.valued, name) && !leads_away)
                || (lists(self.numbered, name) && is_number(value))
        });
        let mut numbered = self.numbered.split_ascii_whitespace();
        let glued = numbered.any(|flag| {
            let short = flag.len() == 2;
            short && text.strip_prefix(flag).is_some_and(is_number)
        });
        named || glued
    }
}

fn is_number(text: &str) -> bool {
    text == "auto" || (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
}

fn lists(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|entry| entry == name)
}
