//! The supervisor as a program of its own, for tests. The shipped binary holds
//! the same behind its hidden subcommand `__supervise`.

fn main() -> std::process::ExitCode {
    tenon_sandbox::supervise(std::env::args_os().skip(1))
}
