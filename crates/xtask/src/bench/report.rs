//! The figures: one line each, and the same as JSON for a machine that keeps
//! them over time.

use crate::say::say;
use anyhow::{Result, bail};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// One figure. `value`, `limit` and `baseline` have the same unit.
#[derive(Debug, Clone)]
pub struct Line {
    pub name: &'static str,
    pub value: f64,
    pub unit: &'static str,
    pub bound: Bound,
    /// What the plain program needs for the same.
    pub baseline: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    Below(f64),
    AtLeast(f64),
}

impl Line {
    fn verdict(&self) -> &'static str {
        let holds = match self.bound {
            Bound::Below(limit) => self.value < limit,
            Bound::AtLeast(limit) => self.value >= limit,
        };
        if holds { "ok" } else { "OVER" }
    }

    fn limit(&self) -> String {
        match self.bound {
            Bound::Below(limit) => format!("< {limit}"),
            Bound::AtLeast(limit) => format!(">= {limit}"),
        }
    }

    fn ratio(&self) -> Option<f64> {
        self.baseline
            .filter(|baseline| *baseline > 0.0)
            .map(|baseline| self.value / baseline)
    }

    fn shown(&self) -> String {
        let value = format!("{:.2} {}", self.value, self.unit);
        let ratio = self
            .ratio()
            .map_or(String::from("-"), |ratio| format!("{ratio:.1} x"));
        row([self.name, &value, &self.limit(), &ratio, self.verdict()])
    }

    fn json(&self) -> Value {
        let (Bound::Below(limit) | Bound::AtLeast(limit)) = self.bound;
        json!({
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "limit": limit,
            "baseline": self.baseline,
            "ratio": self.ratio(),
            "verdict": self.verdict(),
        })
    }
}

fn row(cells: [&str; 5]) -> String {
    let [name, value, limit, ratio, verdict] = cells;
    format!("{name:<44} {value:>14} {limit:>10} {ratio:>10}  {verdict}")
}

#[derive(Debug, Default)]
pub struct Report {
    lines: Vec<Line>,
}

impl Report {
    pub fn heading() -> String {
        row(["", "value", "limit", "baseline", ""])
    }

    pub fn add(&mut self, line: Line) {
        say(line.shown());
        self.lines.push(line);
    }

    pub fn write(&self, path: &Path) -> Result<()> {
        let lines: Vec<Value> = self.lines.iter().map(Line::json).collect();
        fs::write(path, serde_json::to_string_pretty(&lines)? + "\n")?;
        Ok(())
    }

    pub fn verdict(&self) -> Result<()> {
        let over: Vec<&str> = self
            .lines
            .iter()
            .filter(|line| line.verdict() == "OVER")
            .map(|line| line.name)
            .collect();
        if !over.is_empty() {
            bail!("over the limit: {}", over.join(", "));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Bound, Line, Report};

    fn line(value: f64, bound: Bound) -> Line {
        Line {
            name: "x",
            value,
            unit: "ms",
            bound,
            baseline: Some(2.0),
        }
    }

    #[test]
    fn a_figure_at_its_limit_is_over() {
        assert_eq!(line(2.9, Bound::Below(3.0)).verdict(), "ok");
        assert_eq!(line(3.0, Bound::Below(3.0)).verdict(), "OVER");
        assert_eq!(line(100.0, Bound::AtLeast(100.0)).verdict(), "ok");
        assert_eq!(line(99.9, Bound::AtLeast(100.0)).verdict(), "OVER");
    }

    #[test]
    fn a_figure_that_is_over_fails_the_report() {
        let mut report = Report::default();
        report.add(line(1.0, Bound::Below(3.0)));
        assert!(report.verdict().is_ok());
        report.add(line(9.0, Bound::Below(3.0)));
        assert!(report.verdict().is_err());
        assert_eq!(report.lines[1].json()["ratio"], 4.5);
    }
}
