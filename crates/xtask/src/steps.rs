//! Several steps of one chore: all are tried, so that one look shows all that
//! is wrong, and the chore fails at the end.

use crate::say::say;
use anyhow::{Result, bail};

pub type Step<'a> = (&'a str, &'a dyn Fn() -> Result<()>);

pub fn run_all(steps: &[Step<'_>]) -> Result<()> {
    let mut failed = Vec::new();
    for (name, step) in steps {
        if let Err(error) = step() {
            say(format!("error: {error:#}"));
            failed.push(*name);
        }
    }
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::run_all;
    use anyhow::bail;
    use std::cell::Cell;

    #[test]
    fn a_failed_step_fails_the_chore_and_does_not_stop_the_others() {
        let ran = Cell::new(0);
        let count = || {
            ran.set(ran.get() + 1);
            Ok(())
        };
        let ended = run_all(&[("one", &count), ("two", &|| bail!("no")), ("three", &count)]);
        assert_eq!(ran.get(), 2);
        assert_eq!(ended.unwrap_err().to_string(), "failed: two");
    }
}
