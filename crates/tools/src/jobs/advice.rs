//! Why a command may have ended as it did, and what to do about it. Guesses
//! from exit codes and a few well-known sentences; they only add to what the
//! command said, and are silent when unsure.

/// Sentences by which programs say that they wanted a person.
const WANTED_A_PERSON: [&str; 18] = [
    "a terminal is required",
    "a password is required",
    "no askpass program",
    "not a tty",
    "not a terminal",
    "inappropriate ioctl for device",
    "terminal prompts disabled",
    "could not read username",
    "could not read password",
    "problem with the editor",
    "terminal is dumb, but editor unset",
    "eof when reading a line",
    "permission denied (publickey",
    "host key verification failed",
    "no tty present",
    "must be run interactively",
    "requires an interactive terminal",
    "cannot open /dev/tty",
];

/// Programs that read a program from standard input when given no argument.
const INTERPRETERS: [&str; 14] = [
    "python", "python3", "node", "bash", "sh", "zsh", "ruby", "irb", "perl", "php", "lua", "psql",
    "sqlite3", "mysql",
];

/// The name of a signal that ends programs.
pub(super) fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        10 => "SIGUSR1",
        11 => "SIGSEGV",
        12 => "SIGUSR2",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        31 => "SIGSYS",
        _ => return None,
    })
}

/// What to say of an exit beside its code.
pub(super) fn on_exit(
    command: &str,
    code: Option<i32>,
    signal: Option<i32>,
    printed: &str,
) -> Option<String> {
    if let Some(signal) = signal {
        return Some(by_signal(signal));
    }
    let code = code?;
    if code != 0 && wanted_a_person(printed) {
        return Some(String::from(
            "it needs a terminal, a password or an editor, and commands have none here: pass \
             what it asks for as arguments (-m, -y, --no-edit, a token), or ask the user to run \
             it",
        ));
    }
    match code {
        0 if printed.is_empty() && is_bare_interpreter(command) => Some(String::from(
            "standard input is empty, so it had nothing to run: pass a file, or code with -c or -e",
        )),
        126 => Some(String::from(
            "the file exists but can't be executed: check its mode and its first line, or run it \
             with its interpreter",
        )),
        127 => Some(String::from(
            "command not found: check its name and the PATH, or install it",
        )),
        129..=192 => signal_name(code - 128).map(|_| by_signal(code - 128)),
        _ => None,
    }
}

fn by_signal(signal: i32) -> String {
    let name = signal_name(signal).unwrap_or("unknown");
    let guess = match signal {
        9 => ": something killed it, perhaps the system ran out of memory",
        11 => ": it crashed",
        6 => ": it aborted",
        13 => ": the other end of its pipe was closed",
        _ => "",
    };
    format!("ended by signal {signal} ({name}){guess}")
}

fn wanted_a_person(printed: &str) -> bool {
    let lower = printed.to_lowercase();
    WANTED_A_PERSON
        .iter()
        .any(|sentence| lower.contains(sentence))
}

fn is_bare_interpreter(command: &str) -> bool {
    INTERPRETERS.contains(&command.trim())
}

#[cfg(test)]
mod tests {
    use super::on_exit;

    #[test]
    fn an_ordinary_failure_gets_no_advice() {
        assert_eq!(on_exit("make", Some(2), None, "error: x"), None);
        assert_eq!(on_exit("true", Some(0), None, ""), None);
        assert_eq!(on_exit("exit 200", Some(200), None, ""), None);
    }

    #[test]
    fn a_signal_of_a_child_is_read_from_the_shells_code() {
        let advice = on_exit("x", Some(137), None, "").unwrap();
        assert!(advice.contains("SIGKILL"), "{advice}");
    }

    #[test]
    fn a_wish_for_a_person_is_recognised_only_in_a_failure() {
        let said = "sudo: A terminal is required to read the password";
        assert!(on_exit("sudo x", Some(1), None, said).is_some());
        assert_eq!(on_exit("cat log", Some(0), None, said), None);
    }
}
