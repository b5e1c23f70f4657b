//! One summary in as few bytes as it takes: numbers seven bits a byte, texts
//! after their length. Every field is named on both sides, so that a new one is
//! an error here and not a figure that is lost.

use super::Said;
use crate::Summary;
use tenon_vocab::{Cost, ForkPoint, ModelTotals, Outcome, SessionId, Timestamp, Usage};

const OUTCOMES: [Outcome; 7] = [
    Outcome::Completed,
    Outcome::Interrupted,
    Outcome::Failed,
    Outcome::Limit,
    Outcome::Loop,
    Outcome::Denied,
    Outcome::Filtered,
];

/// As an entry has it; `None` for what an entry cannot hold.
pub(crate) fn row(summary: &Summary) -> Option<Vec<u8>> {
    let Summary {
        id: _,
        created,
        updated,
        cwd,
        git_branch,
        title,
        prompt,
        model,
        agent,
        runs,
        usage,
        cost,
        models,
        compactions,
        forked_from,
        bytes: _,
        pinned,
        outcome,
        partial,
    } = summary;
    if *partial {
        return None;
    }
    let mut out = Vec::with_capacity(512);
    // First, because most rows of a list of one directory are read no further.
    put_bytes(&mut out, cwd.as_bytes());
    put_moment(&mut out, *created)?;
    put_moment(&mut out, *updated)?;
    put_bytes(&mut out, title.as_bytes());
    put_bytes(&mut out, prompt.as_bytes());
    for text in [git_branch, model, agent] {
        put_optional(&mut out, text.as_ref(), |out, text| {
            put_bytes(out, text.as_bytes());
        });
    }
    put(&mut out, u64::from(*runs));
    put(&mut out, u64::from(*compactions));
    put_usage(&mut out, usage);
    put_optional(&mut out, *cost, |out, Cost(cost)| put(out, cost));
    put(&mut out, models.len() as u64);
    for model in models {
        put_model(&mut out, model);
    }
    put_optional(&mut out, forked_from.as_ref(), |out, fork| {
        let ForkPoint { session, seq } = fork;
        put_id(out, *session);
        put(out, *seq);
    });
    put(&mut out, u64::from(*pinned));
    let place = |outcome| OUTCOMES.iter().position(|known| *known == outcome);
    let outcome = outcome.map(place);
    if outcome == Some(None) {
        return None;
    }
    put_optional(&mut out, outcome.flatten(), |out, at| put(out, at as u64));
    Some(out)
}

/// `None` for what is no row.
pub(super) fn read(row: &[u8], id: SessionId, bytes: u64, wanted: Option<&str>) -> Option<Said> {
    let mut reader = Reader(row);
    let cwd = reader.text()?;
    if wanted.is_some_and(|wanted| wanted != cwd) {
        return Some(Said::Elsewhere);
    }
    // Fields are read in the order in which they stand here, which is that of
    // the row.
    Some(Said::Here(Summary {
        id,
        bytes,
        partial: false,
        cwd: cwd.to_owned(),
        created: reader.moment()?,
        updated: reader.moment()?,
        title: reader.text()?.to_owned(),
        prompt: reader.text()?.to_owned(),
        git_branch: reader.optional(Reader::string)?,
        model: reader.optional(Reader::string)?,
        agent: reader.optional(Reader::string)?,
        runs: reader.small()?,
        compactions: reader.small()?,
        usage: reader.usage()?,
        cost: reader.optional(Reader::cost)?,
        models: (0..reader.number()?)
            .map(|_| reader.model())
            .collect::<Option<_>>()?,
        forked_from: reader.optional(Reader::fork)?,
        pinned: reader.number()? != 0,
        outcome: reader.optional(Reader::outcome)?,
    }))
}

pub(super) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

pub(super) fn put_time(out: &mut Vec<u8>, time: i64) {
    out.extend_from_slice(&time.to_le_bytes());
}

pub(super) fn put_id(out: &mut Vec<u8>, id: SessionId) {
    out.extend_from_slice(id.0.as_bytes());
}

pub(super) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn put_moment(out: &mut Vec<u8>, at: Timestamp) -> Option<()> {
    put_time(out, i64::try_from(at.as_nanosecond()).ok()?);
    Some(())
}

fn put_optional<T>(out: &mut Vec<u8>, value: Option<T>, put_it: impl FnOnce(&mut Vec<u8>, T)) {
    out.push(u8::from(value.is_some()));
    if let Some(value) = value {
        put_it(out, value);
    }
}

fn put_usage(out: &mut Vec<u8>, usage: &Usage) {
    let Usage {
        input,
        output,
        cached,
        cache_write,
        reasoning,
        estimated,
    } = *usage;
    for number in [input, output, cached, cache_write, reasoning] {
        put(out, number);
    }
    put(out, u64::from(estimated));
}

fn put_model(out: &mut Vec<u8>, totals: &ModelTotals) {
    let ModelTotals {
        provider,
        model,
        requests,
        usage,
        cost,
    } = totals;
    put_bytes(out, provider.as_bytes());
    put_bytes(out, model.as_bytes());
    put(out, u64::from(*requests));
    put_usage(out, usage);
    put_optional(out, *cost, |out, Cost(cost)| put(out, cost));
}

/// What is left to read. Each step gives `None` where it is not there.
#[derive(Debug)]
pub(super) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub fn exactly<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7F) << shift;
            if *byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    pub fn time(&mut self) -> Option<i64> {
        self.exactly().map(i64::from_le_bytes)
    }

    fn moment(&mut self) -> Option<Timestamp> {
        Timestamp::from_nanosecond(i128::from(self.time()?)).ok()
    }

    fn id(&mut self) -> Option<SessionId> {
        self.take(16)?.to_vec().try_into().ok().map(SessionId)
    }

    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let count = usize::try_from(self.number()?).ok()?;
        self.take(count)
    }

    fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    fn string(&mut self) -> Option<String> {
        self.text().map(ToOwned::to_owned)
    }

    fn optional<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        match self.number()? {
            0 => Some(None),
            _ => read(self).map(Some),
        }
    }

    fn cost(&mut self) -> Option<Cost> {
        self.number().map(Cost)
    }

    fn usage(&mut self) -> Option<Usage> {
        Some(Usage {
            input: self.number()?,
            output: self.number()?,
            cached: self.number()?,
            cache_write: self.number()?,
            reasoning: self.number()?,
            estimated: self.number()? != 0,
        })
    }

    fn model(&mut self) -> Option<ModelTotals> {
        Some(ModelTotals {
            provider: self.string()?,
            model: self.string()?,
            requests: self.small()?,
            usage: self.usage()?,
            cost: self.optional(Self::cost)?,
        })
    }

    fn fork(&mut self) -> Option<ForkPoint> {
        Some(ForkPoint {
            session: self.id()?,
            seq: self.number()?,
        })
    }

    fn outcome(&mut self) -> Option<Outcome> {
        OUTCOMES.get(usize::try_from(self.number()?).ok()?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(from: u64) -> Usage {
        Usage {
            input: from,
            output: from * 300,
            cached: u64::MAX,
            cache_write: 0,
            reasoning: 127,
            estimated: from % 2 == 1,
        }
    }

    fn summary(outcome: Option<Outcome>) -> Summary {
        Summary {
            id: SessionId::generate(),
            created: Timestamp::UNIX_EPOCH,
            updated: Timestamp::from_nanosecond(1_794_824_733_266_146_436).unwrap(),
            cwd: "/tmp/漢字".into(),
            git_branch: None,
            title: "t".repeat(300),
            prompt: String::new(),
            model: Some("m".into()),
            agent: Some(String::new()),
            runs: u32::MAX,
            usage: usage(5),
            cost: Some(Cost(1 << 40)),
            models: vec![
                ModelTotals {
                    provider: "p".into(),
                    model: "m".into(),
                    requests: 128,
                    usage: usage(2),
                    cost: None,
                },
                ModelTotals {
                    cost: Some(Cost(0)),
                    ..ModelTotals::default()
                },
            ],
            compactions: 16_384,
            forked_from: Some(ForkPoint {
                session: SessionId::generate(),
                seq: 3,
            }),
            bytes: 77,
            pinned: true,
            outcome,
            partial: false,
        }
    }

    #[test]
    fn a_row_says_all_that_a_summary_says() {
        let outcomes = OUTCOMES.into_iter().map(Some).chain([None]);
        for summary in outcomes.map(summary) {
            let row = row(&summary).unwrap();
            let Some(Said::Here(again)) = read(&row, summary.id, 77, Some("/tmp/漢字")) else {
                panic!("no row");
            };
            assert_eq!(again, summary);
        }
    }

    #[test]
    fn a_row_that_was_cut_says_nothing() {
        let summary = summary(Some(Outcome::Limit));
        let row = row(&summary).unwrap();
        for cut in 0..row.len() {
            assert!(read(&row[..cut], summary.id, 77, None).is_none(), "{cut}");
        }
    }

    #[test]
    fn a_count_that_lies_takes_no_memory() {
        let mut out = Vec::new();
        put(&mut out, u64::MAX);
        assert_eq!(Reader(&out).bytes(), None);
        assert_eq!(Reader(&[0xFF; 20]).number(), None);
    }
}
