//! Makes the conversation shorter when the window fills (C5): old outputs are
//! pruned, then what stands before the recent part is replaced by a summary and by
//! facts of the log. Between any two steps, after a request that was too long, and
//! by hand. Nothing is deleted: the log keeps all of it (C6), and until the one
//! record at the end is written, the history is as it was.

mod ask;
mod compose;
mod cut;
mod facts;
mod instruct;
mod plan;
mod progress;
mod prune;
mod report;
mod sections;
mod shares;
pub mod summary;
mod text;
mod view;

pub(crate) use progress::Progress;

use crate::active::Current;
use crate::core::Core;
use crate::run::{self, End, Flow, Run};
use crate::{budget, layout, notes, step};
use ask::{Wanted, Written};
use compose::Writer;
use plan::{Plan, Why};
use progress::{Helped, MOST, Stuck};
use prune::Pruned;
use shares::{Force, Shares};
use tenon_model::{ModelError, ModelErrorKind, estimate_text, estimate_tokens};
use tenon_session::extend_recap;
use tenon_vocab::profile::Strategy;
use tenon_vocab::{Compacted, ContextChange, NoticeLevel, Recap, RunOrigin, RunState, figures};
pub(crate) use text::figure;
use view::View;

/// No summary that says anything is shorter, in estimated tokens.
const LEAST_SUMMARY: u64 = 40;

/// What the next request has and may have.
#[derive(Debug, Clone, Copy)]
struct Measured {
    /// By our own estimate, as all that is compared with it.
    tokens: u64,
    /// What a server would count for them.
    expected: u64,
    limit: Option<u64>,
}

impl Measured {
    fn of(run: &mut Run, current: &Current) -> Self {
        let request = run.context.request(&run.core, current, run.core.delivery);
        let tokens = estimate_tokens(&request);
        let expected = run.core.meter.expect(tokens).max(1);
        // The limit is counted as the server counts; all else here is estimated.
        let limit = budget::limit(&run.core, current)
            .map(|limit| scaled(limit.tokens, tokens.max(1), expected));
        Self {
            tokens,
            expected,
            limit,
        }
    }

    /// As a server would count it.
    fn counted(&self, tokens: u64) -> u64 {
        scaled(tokens, self.expected, self.tokens.max(1))
    }
}

fn scaled(number: u64, by: u64, of: u64) -> u64 {
    let product = u128::from(number) * u128::from(by) / u128::from(of.max(1));
    u64::try_from(product).unwrap_or(u64::MAX)
}

/// What is to be done, and how much of it.
struct Job<'a> {
    why: Why,
    force: Force,
    focus: Option<&'a str>,
    measured: Measured,
    limit: u64,
}

/// How a try went.
enum Tried {
    Done(Outcome),
    /// Nothing worth it can be made shorter.
    Nothing,
    /// What would have stood there is no shorter. It was said, and all is as it was.
    NoShorter,
}

/// What came of it, in estimated tokens.
struct Outcome {
    before: u64,
    after: u64,
    threshold: u64,
}

/// Between two steps: when the window is filled to the configured share.
pub(crate) async fn if_due(run: &mut Run) -> Flow<()> {
    if !run.core.given.compaction.auto {
        return Ok(());
    }
    let current = run.core.active.get();
    current.window_settled(&run.token).await;
    if due(run, &current).is_none() {
        return Ok(());
    }
    // A server that was started anew may hold more by now.
    current.look_again(&run.token).await;
    let Some((measured, limit)) = due(run, &current) else {
        return Ok(());
    };
    let job = Job {
        why: Why::Due,
        force: Force::Usual,
        focus: None,
        measured,
        limit,
    };
    let outcome = match shorten(run, &current, &job).await? {
        Tried::Done(outcome) => outcome,
        // Nothing worth it can go; whether what is there fits, the server says.
        Tried::Nothing => return Ok(()),
        Tried::NoShorter => {
            run.core.compaction.futile(measured.tokens);
            return Ok(());
        }
    };
    buys_work(run)?;
    let freed = outcome.before.saturating_sub(outcome.after);
    let enough = freed.saturating_mul(100) >= outcome.before.saturating_mul(plan::WORTH);
    let helped = if enough && outcome.after < outcome.threshold {
        Helped::Yes
    } else {
        Helped::No
    };
    if run.core.compaction.note(helped, outcome.after) >= MOST {
        let message = format!(
            "Compacted {MOST} times in a row, and the conversation still has ~{} of {} tokens.",
            figure(measured.counted(outcome.after)),
            figure(measured.counted(limit)),
        );
        return Err(stop(run, message));
    }
    Ok(())
}

/// Ends a run that does nothing any more but be made shorter, and each time that
/// costs a request.
fn buys_work(run: &Run) -> Flow<()> {
    let message = match run.core.compaction.done() {
        None => return Ok(()),
        Some(Stuck::OneStep) => format!(
            "One step filled the window again after each of the last {MOST} compactions, so the work makes no progress."
        ),
        Some(Stuck::SameCalls) => format!(
            "After each of the last {MOST} compactions the model only repeated earlier calls until the window was full again, so the work makes no progress."
        ),
    };
    Err(stop(run, message))
}

/// The figures of the next request where it should be made shorter, and its limit.
fn due(run: &mut Run, current: &Current) -> Option<(Measured, u64)> {
    let measured = Measured::of(run, current);
    let limit = measured.limit?;
    let settings = &run.core.given.compaction;
    let threshold = Shares::of(limit, view::fixed(&run.core), settings, Force::Usual).threshold;
    let is_pointless = run.core.compaction.is_pointless(measured.tokens);
    (measured.tokens >= threshold && !is_pointless).then_some((measured, limit))
}

/// The server, or our own figure, says that the request is too long. Ends the
/// run when nothing can be made shorter, or when that did not help.
pub(crate) async fn after_overflow(run: &mut Run, error: &ModelError) -> Flow<()> {
    let current = run.core.active.get();
    let mut measured = Measured::of(run, &current);
    if !run.core.given.compaction.auto {
        let hint = "Type /compact to shorten it, or set `compaction.auto`.";
        return Err(step::fail(run, &error.clone().with_hint(hint)));
    }
    if measured.limit.is_none_or(|limit| measured.tokens <= limit) {
        run.core.compaction.learn(&current, measured.tokens);
        measured = Measured::of(run, &current);
    }
    let times = run.core.compaction.overflowed();
    let limit = measured.limit.unwrap_or(measured.tokens);
    let message = error.message.trim_end_matches('.');
    if times > MOST {
        let message = format!("{message}. {MOST} compactions in a row did not help.");
        return Err(stop(run, message));
    }
    let job = Job {
        why: Why::Overflow,
        force: if times == 1 {
            Force::Hard
        } else {
            Force::Hardest
        },
        focus: None,
        measured,
        limit,
    };
    match shorten(run, &current, &job).await? {
        Tried::Done(_) => buys_work(run),
        // The next try is harder.
        Tried::NoShorter if times < MOST => Ok(()),
        Tried::NoShorter | Tried::Nothing => Err(stop(run, format!("{message}."))),
    }
}

/// `/compact [focus]`
pub(crate) async fn by_hand(run: &mut Run, focus: Option<String>) -> Flow<()> {
    let focus = focus.filter(|focus| !focus.trim().is_empty());
    let prompt = match &focus {
        Some(focus) => format!("/compact {focus}"),
        None => String::from("/compact"),
    };
    run::begin(run, &prompt, RunOrigin::Shell)?;
    let current = run.core.active.get();
    current.window_settled(&run.token).await;
    let measured = Measured::of(run, &current);
    let job = Job {
        why: Why::ByHand,
        force: Force::Usual,
        focus: focus.as_deref(),
        measured,
        limit: measured
            .limit
            .unwrap_or(measured.tokens.max(budget::ASSUMED)),
    };
    let tried = shorten(run, &current, &job).await;
    let message = match &tried {
        Ok(Tried::Nothing) => format!(
            "Nothing to compact: the conversation has ~{} tokens, and the last messages are always kept.",
            figure(measured.expected)
        ),
        Err(End::Interrupted) => String::from("Stopped: the conversation is unchanged."),
        _ => return tried.map(drop),
    };
    run.core
        .notice(Some(run.id), NoticeLevel::Info, "not_compacted", message);
    tried.map(drop)
}

/// A model answered: what was sent did fit.
pub(crate) fn answered(run: &Run) {
    run.core.compaction.answered();
}

/// Ends the run with the numbers of what fills the window.
fn stop(run: &Run, message: String) -> End {
    let view = View::of(&run.core);
    // What was refused last may be refused for another reason than its length.
    let limit = budget::limit(&run.core, &run.core.active.get())
        .filter(|limit| limit.source != budget::LimitSource::Refused)
        .map(|limit| limit.tokens);
    let message = format!("{message} {}", report::filling(&view));
    let error = ModelError::new(ModelErrorKind::ContextOverflow, message)
        .with_hint(report::advice(&view, limit));
    step::fail(run, &error)
}

/// Plans, and does it where it is worth it. All that it changes is one record.
async fn shorten(run: &mut Run, current: &Current, job: &Job<'_>) -> Flow<Tried> {
    let view = View::of(&run.core);
    let settings = run.core.given.compaction.clone();
    let rules = notes::standing(&run.core);
    let held = notes::of_project(&rules).map(|rule| estimate_text(&rule.text));
    let shares = Shares::of(job.limit, view.fixed(), &settings, job.force)
        .holding(held.sum())
        .asking(facts::need_of_goal(&view));
    let before = view.tokens();
    let (change, told) = match plan::make(&view, &shares, &settings, job.why) {
        Plan::Nothing => return Ok(Tried::Nothing),
        Plan::Prune(pruned) => prune_only(&view, pruned),
        Plan::Replace { cut, pruned } => {
            let wanted = Wanted {
                view: &view,
                cut,
                shares: &shares,
                focus: job.focus,
                rules: &rules,
            };
            replace(run, current, &wanted, pruned, settings.strategy).await?
        }
    };
    if run.token.is_cancelled() {
        return Err(End::Interrupted);
    }
    let after = change.tokens_after;
    if after >= before {
        // Messages would be given up for nothing.
        let message = format!(
            "Not compacted: a summary would have ~{} tokens and the conversation has ~{}.",
            figure(job.measured.counted(after)),
            figure(job.measured.counted(before))
        );
        run.core
            .notice(Some(run.id), NoticeLevel::Info, "not_compacted", message);
        return Ok(Tried::NoShorter);
    }
    let change = Compacted {
        tokens_before: job.measured.counted(before),
        tokens_after: job.measured.counted(after),
        refused: run.core.compaction.to_keep(),
        ..change
    };
    let untold = report::untold(&change.untold);
    let message = format!(
        "Compacted: ~{} → ~{} tokens; {told}.",
        figure(change.tokens_before),
        figure(change.tokens_after)
    );
    run.emit(ContextChange::Compacted(change))?;
    layout::after_compaction(&run.core)?;
    run.core.emitter.snapshot()?;
    run.core
        .notice(Some(run.id), NoticeLevel::Info, "compacted", message);
    if let Some(untold) = untold {
        run.core
            .notice(Some(run.id), NoticeLevel::Warning, "rules", untold);
    }
    Ok(Tried::Done(Outcome {
        before,
        after,
        threshold: shares.threshold,
    }))
}

fn prune_only(view: &View, pruned: Pruned) -> (Compacted, String) {
    let previous = view.previous.as_ref();
    let told = outputs(pruned.count);
    let change = Compacted {
        kept_from: previous.map_or(0, |compacted| compacted.kept_from),
        untold: previous.map_or_else(Vec::new, |compacted| compacted.untold.clone()),
        summary: String::new(),
        pruned: pruned.calls,
        tokens_after: view.tokens().saturating_sub(pruned.freed),
        ..Compacted::default()
    };
    (change, told)
}

fn outputs(count: usize) -> String {
    match count {
        1 => String::from("1 long tool output was removed"),
        many => format!("{many} long tool outputs were removed"),
    }
}

async fn replace(
    run: &mut Run,
    current: &Current,
    wanted: &Wanted<'_>,
    pruned: Pruned,
    strategy: Strategy,
) -> Flow<(Compacted, String)> {
    run.state(RunState::Planning);
    let view = wanted.view;
    let kept_from = view.items.get(wanted.cut).map_or(0, |item| item.at.seq);
    let recap = recap(&run.core, view, kept_from)?;
    let (rules, untold) = standing(view, wanted);
    let kept = view.tokens_from(wanted.cut).saturating_sub(pruned.freed);
    let stands =
        |summary: &str, writer| compose::message(summary, writer, &recap, &rules, wanted.shares);
    let least = view.fixed() + estimate_text(&stands("", Writer::Model)) + LEAST_SUMMARY + kept;
    let (summary, writer, by) = match strategy {
        Strategy::Model if least >= view.tokens() => {
            return Ok((pointless(least), String::new()));
        }
        Strategy::Model => {
            let message = format!(
                "The conversation has ~{} tokens; asking the model for a summary.",
                figure(run.core.meter.expect(view.tokens()))
            );
            run.core
                .notice(Some(run.id), NoticeLevel::Info, "compacting", message);
            match ask::summary(run, current, wanted).await? {
                Written::Summary(text) => {
                    let text = run.core.masker.mask(&text).into_owned();
                    (text, Writer::Model, String::from("a summary"))
                }
                Written::Not(why) => {
                    let why = why.trim_end_matches('.');
                    let by =
                        format!("a summary made from the log, because the model gave none ({why})");
                    (from_log(view, wanted, &recap), Writer::Log, by)
                }
            }
        }
        Strategy::Deterministic => {
            let by = String::from("a summary made from the log");
            (from_log(view, wanted, &recap), Writer::Log, by)
        }
    };
    let text = stands(&summary, writer);
    let mut told = format!(
        "{} became {by}, {}",
        figures::count(wanted.cut, "message"),
        match view.items.len() - wanted.cut {
            1 => String::from("the last one stays"),
            stay => format!("the last {stay} stay"),
        }
    );
    if pruned.count > 0 {
        told.push_str("; ");
        told.push_str(&outputs(pruned.count));
    }
    let change = Compacted {
        kept_from,
        tokens_after: view.fixed() + estimate_text(&text) + kept,
        summary: text,
        pruned: pruned.calls,
        recap: Some(Box::new(recap)),
        untold,
        ..Compacted::default()
    };
    Ok((change, told))
}

/// What would not be shorter with the shortest summary either: no model is asked
/// for one.
fn pointless(tokens: u64) -> Compacted {
    Compacted {
        tokens_after: tokens,
        ..Compacted::default()
    }
}

/// The rules that go into the summary, and the files that found no room in it or
/// in an earlier one.
fn standing(view: &View, wanted: &Wanted<'_>) -> (Vec<String>, Vec<String>) {
    let mut rules = wanted.rules.to_vec();
    rules.retain(|rule| !view.stays(wanted.cut, &rule.text));
    let (kept, mut untold) = compose::fitting(&rules, wanted.shares.rules);
    let is_told = |path: &String| wanted.rules.iter().any(|rule| rule.path == *path);
    let before = view.previous.iter().flat_map(|known| &known.untold);
    untold.extend(before.filter(|path| !is_told(path)).cloned());
    (kept, untold)
}

fn from_log(view: &View, wanted: &Wanted<'_>, recap: &Recap) -> String {
    let previous = view.previous.as_ref().map(|known| known.summary.as_str());
    let said = view.last_said(wanted.cut);
    compose::from_log(recap, previous, said.as_deref(), wanted.shares.summary)
}

/// The facts of all that is replaced: those of the last compaction, and what came
/// since. What stays speaks for itself, and may yet be reverted.
fn recap(core: &Core, view: &View, kept_from: u64) -> Flow<Recap> {
    let known = view
        .previous
        .as_ref()
        .and_then(|compacted| compacted.recap.as_deref().cloned());
    let place = known
        .as_ref()
        .and_then(|_| view.items.first())
        .map(|item| item.at);
    let mut recap = known.unwrap_or_default();
    let events = core.emitter.events(place, recap.until)?;
    let replaced = events.iter().filter(|event| event.seq < kept_from);
    extend_recap(&mut recap, replaced);
    recap.todo = core.emitter.state(|state| state.todo().to_vec());
    Ok(recap)
}
