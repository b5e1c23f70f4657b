//! `/context`: what fills the window, by part, and how full it is.

use super::table;
use crate::account::{self, Share};
use crate::budget::{self, ASSUMED, Limit, LimitSource};
use crate::core::Core;
use crate::meter::{Figure, Used};
use tenon_vocab::{Meter, Reply};

pub(super) async fn show(core: &Core) -> Reply {
    let history = core.emitter.history(0).2;
    let layout = core.layout();
    let shares = account::shares(&layout.fragments, &layout.prefix.tools, &history);
    let all = account::total(&shares);
    let used = core.meter.used(all);
    let shares = adding_up(shares, used.tokens);
    let mut rows: Vec<Vec<String>> = shares.into_iter().map(row).collect();
    let current = core.active.get();
    // What the server is about to say must not be another truth.
    current.window_settled(&core.inbox.shutdown).await;
    // Before its first reply results are sized by what is assumed, too.
    let limit = budget::limit(core, &current);
    let who = match &limit {
        Some(limit) => limit.said(),
        None => String::from("assumed; the server is asked after its first reply"),
    };
    let limit = limit.unwrap_or(Limit {
        tokens: ASSUMED,
        source: LimitSource::Assumed,
    });
    rows.push(vec![
        String::from("prompt"),
        layout.tier.tier.name().to_owned(),
        layout.tier.because.to_string(),
    ]);
    rows.push(vec![String::from("used"), mark(used), how(used)]);
    rows.push(vec![String::from("limit"), limit.tokens.to_string(), who]);
    for folder in core.added_folders() {
        rows.push(vec![String::from("folder"), String::new(), folder]);
    }
    let note = Some(limit).map(|limit| {
        let share = (used.tokens.saturating_mul(100) / limit.tokens.max(1)).min(100);
        let mark = sign(used.kind);
        // It follows every run: what to do about a guess stands in the table.
        let who = match limit.source {
            LimitSource::Assumed => String::from("assumed"),
            _ => limit.said(),
        };
        format!("{mark}{share} % of {} tokens ({who})", limit.tokens)
    });
    table(&["part", "tokens", "source"], rows, note)
}

/// The same as figures, for a status line.
pub(super) async fn meter(core: &Core) -> Reply {
    let current = core.active.get();
    current.window_settled(&core.inbox.shutdown).await;
    let history = core.emitter.history(0).2;
    let layout = core.layout();
    let shares = account::shares(&layout.fragments, &layout.prefix.tools, &history);
    let used = core.meter.used(account::total(&shares));
    let limit = budget::limit(core, &current);
    let (usage, cost) = core.emitter.state(|state| (state.usage(), state.cost()));
    Reply::Meter(Meter {
        used: used.tokens,
        estimated: used.kind != Figure::Counted,
        limit: limit.map(|limit| limit.tokens),
        usage,
        cost,
    })
}

/// Each part as this server would count it: together they are what is used.
fn adding_up(shares: Vec<Share>, used: u64) -> Vec<Share> {
    let all = account::total(&shares).max(1);
    let counted = |sum: u64| {
        let tokens = u128::from(sum) * u128::from(used) / u128::from(all);
        u64::try_from(tokens).unwrap_or(u64::MAX)
    };
    let mut sum = 0;
    shares
        .into_iter()
        .map(|share| {
            let before = counted(sum);
            sum += share.tokens;
            let tokens = counted(sum).saturating_sub(before);
            Share { tokens, ..share }
        })
        .collect()
}

fn row(share: Share) -> Vec<String> {
    vec![
        share.part.to_owned(),
        format!("~{}", share.tokens),
        share.source,
    ]
}

fn mark(used: Used) -> String {
    format!("{}{}", sign(used.kind), used.tokens)
}

fn sign(kind: Figure) -> &'static str {
    match kind {
        Figure::Counted => "",
        Figure::Since | Figure::Estimated => "~",
    }
}

fn how(used: Used) -> String {
    String::from(match used.kind {
        Figure::Counted => "as the server counted the last request",
        Figure::Since => "as the server counted, and an estimate of what came since",
        Figure::Estimated => "estimated",
    })
}
