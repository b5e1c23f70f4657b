//! Long files are where understanding ends. Functions are clippy's matter
//! (`too_many_lines`); files are counted here, tests too.

use super::Findings;
use crate::repository::Repository;
use anyhow::Result;

const WARN: usize = 500;
const FAIL: usize = 800;

pub fn check(repository: &Repository) -> Result<Findings> {
    let mut findings = Findings::default();
    for path in repository.files()? {
        if path.ends_with(".rs") {
            let lines = repository.read(&path)?.lines().count();
            judge(&mut findings, &path, lines);
        }
    }
    Ok(findings)
}

fn judge(findings: &mut Findings, path: &str, lines: usize) {
    if lines > FAIL {
        findings
            .problems
            .push(format!("{path} has {lines} lines; split it before {FAIL}"));
    } else if lines > WARN {
        findings
            .warnings
            .push(format!("{path} has {lines} lines; think again at {WARN}"));
    }
}

#[cfg(test)]
mod tests {
    use super::{Findings, judge};

    #[test]
    fn warns_over_500_lines_and_fails_over_800() {
        let mut findings = Findings::default();
        for lines in [500, 501, 800, 801] {
            judge(&mut findings, "a.rs", lines);
        }
        assert_eq!(findings.warnings.len(), 2);
        assert_eq!(findings.problems.len(), 1);
        assert!(findings.problems[0].contains("801"));
    }
}
