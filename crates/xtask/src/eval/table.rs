//! What was measured, as tables.

use super::figures::Figures;
use super::trial::Trial;
use std::fmt::Write as _;

const HEAD: [&str; 10] = [
    "", "solved", "steps", "calls", "invalid", "missed", "repaired", "in", "out", "seconds",
];

/// One row for each task, and their sum.
pub fn of_tasks(label: &str, trials: &[Trial]) -> String {
    let mut rows = vec![head(&format!("prompt: {label}"))];
    for of_task in trials.chunk_by(|a, b| a.task == b.task) {
        let name = of_task.first().map_or("", |trial| trial.task.as_str());
        rows.push(row(name, of_task));
    }
    rows.push(row("all", trials));
    let mut text = lay_out(&rows);
    for trial in trials {
        if let Some(failure) = &trial.failure {
            // Writing to a String cannot fail.
            let _ = writeln!(
                text,
                "not solved: {} ({}): {failure}",
                trial.task, trial.round
            );
        }
    }
    text
}

/// The sums of several prompts, one below the other.
pub fn of_prompts(totals: &[(String, Vec<Trial>)]) -> String {
    let mut rows = vec![head("prompt")];
    rows.extend(totals.iter().map(|(label, trials)| row(label, trials)));
    lay_out(&rows)
}

fn head(first: &str) -> Vec<String> {
    let mut head: Vec<String> = HEAD.iter().map(|&word| word.to_owned()).collect();
    if let Some(cell) = head.first_mut() {
        first.clone_into(cell);
    }
    head
}

fn row(name: &str, trials: &[Trial]) -> Vec<String> {
    let mut sum = Figures::default();
    for trial in trials {
        sum += &trial.figures;
    }
    let solved = trials
        .iter()
        .filter(|trial| trial.failure.is_none())
        .count();
    let seconds: f64 = trials.iter().map(|trial| trial.took.as_secs_f64()).sum();
    let mut row = vec![name.to_owned(), format!("{solved}/{}", trials.len())];
    row.extend(
        [
            sum.steps,
            sum.calls,
            sum.invalid,
            sum.missed,
            sum.repaired,
            sum.input,
            sum.output,
        ]
        .map(|number| number.to_string()),
    );
    row.push(format!("{seconds:.1}"));
    row
}

/// The first column to the left, figures to the right.
fn lay_out(rows: &[Vec<String>]) -> String {
    let mut widths = [0; HEAD.len()];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for row in rows {
        for (at, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let _ = match at {
                0 => write!(text, "{cell:<width$}"),
                _ => write!(text, "  {cell:>width$}"),
            };
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{of_prompts, of_tasks};
    use crate::eval::figures::Figures;
    use crate::eval::trial::Trial;
    use std::time::Duration;

    fn trial(task: &str, round: u32, failure: Option<&str>) -> Trial {
        Trial {
            task: task.into(),
            round,
            figures: Figures {
                steps: 2,
                input: 1000,
                ..Figures::default()
            },
            took: Duration::from_millis(1500),
            failure: failure.map(str::to_owned),
        }
    }

    #[test]
    fn rounds_of_a_task_are_one_row_and_what_failed_is_said() {
        let trials = vec![
            trial("one", 1, None),
            trial("one", 2, Some("no file")),
            trial("two", 1, None),
        ];
        let text = of_tasks("compact", &trials);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("prompt: compact  solved"), "{text}");
        assert!(
            lines[1].starts_with("one                 1/2      4"),
            "{text}"
        );
        assert!(
            lines[3].starts_with("all                 2/3      6"),
            "{text}"
        );
        assert!(lines[3].ends_with("3000    0      4.5"), "{text}");
        assert_eq!(lines[4], "not solved: one (2): no file");
        let totals = of_prompts(&[("compact".into(), trials)]);
        assert_eq!(totals.lines().count(), 2);
    }
}
