//! A reply as lines, and the code fences and comments in it. Fences are read as
//! markdown has them, with three differences that replies ask for: one that is
//! never closed is no fence, one that closes a block stands no deeper than the
//! one that opened it, so that the context lines of a patch close nothing, and
//! one with a word after it opens an inner block, where that comes out even.

/// After so many openings without an end, no other one is looked for: a hostile
/// text must not cost the square of its length.
const MOST_UNCLOSED: usize = 64;
/// The same for blocks whose inner fences do not come out even.
const MOST_UNEVEN: usize = 8;
/// Deeper than any list item; what is indented more is quoted code.
const DEEPEST: usize = 12;

/// The lines of a text, without their ends.
pub(super) fn lines(text: &str) -> Vec<&str> {
    text.split('\n')
        .map(|line| line.trim_end_matches('\r'))
        .collect()
}

/// A line of three or more backticks or tildes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fence<'t> {
    pub(crate) mark: char,
    pub(crate) length: usize,
    pub(crate) indent: usize,
    pub(crate) info: &'t str,
}

impl<'t> Fence<'t> {
    pub(crate) fn of(line: &'t str) -> Option<Self> {
        let rest = line.trim_start_matches(' ');
        let indent = line.len() - rest.len();
        let mark = rest.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = rest.trim_start_matches(mark);
        let length = rest.len() - info.len();
        let inline = mark == '`' && info.contains('`');
        (length >= 3 && indent <= DEEPEST && !inline).then_some(Self {
            mark,
            length,
            indent,
            info: info.trim(),
        })
    }

    /// Whether `self`, a later line, is of the kind that ends or nests in `open`.
    pub(super) fn belongs_to(&self, open: &Self) -> bool {
        self.mark == open.mark && self.length >= open.length && self.indent <= open.indent
    }

    pub(crate) fn closes(&self, open: &Self) -> bool {
        self.info.is_empty() && self.belongs_to(open)
    }
}

/// For each line, the line that opened the fence or the comment around it.
pub(super) fn fenced(lines: &[&str]) -> Vec<Option<usize>> {
    let mut around = vec![None; lines.len()];
    let fences: Vec<Option<Fence<'_>>> = lines.iter().map(|line| Fence::of(line)).collect();
    let mut unclosed: Vec<Fence<'_>> = Vec::new();
    let mut uneven = 0;
    let mut position = 0;
    while position < lines.len() {
        if let Some(end) = comment(lines, position) {
            around[position..=end].fill(Some(position));
            position = end + 1;
            continue;
        }
        let end = fences[position].and_then(|open| {
            let hopeless = unclosed.len() >= MOST_UNCLOSED
                || unclosed.iter().any(|known| open.closes_less_than(known));
            if hopeless {
                return None;
            }
            let nesting = if uneven < MOST_UNEVEN {
                Nesting::Counted
            } else {
                Nesting::Ignored
            };
            match closing(&fences[position + 1..], &open, nesting) {
                Closing::Even(after) => Some(position + 1 + after),
                Closing::Uneven(after) => {
                    uneven += 1;
                    Some(position + 1 + after)
                }
                Closing::None => {
                    unclosed.push(open);
                    None
                }
            }
        });
        match end {
            Some(end) => {
                around[position..=end].fill(Some(position));
                position = end + 1;
            }
            None => position += 1,
        }
    }
    around
}

/// The last line of the comment that begins with this line. One that is never
/// closed hides all that follows.
fn comment(lines: &[&str], opens: usize) -> Option<usize> {
    let rest = lines[opens].trim_start_matches(' ');
    let text = rest.strip_prefix("<!--")?;
    if super::headings::is_indented(lines[opens]) {
        return None;
    }
    if text.contains("-->") {
        return Some(opens);
    }
    let end = (opens + 1..lines.len()).find(|&later| lines[later].contains("-->"));
    Some(end.unwrap_or(lines.len() - 1))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nesting {
    Counted,
    Ignored,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Closing {
    /// Inner blocks have their own ends.
    Even(usize),
    /// They have not: the first fence that closes.
    Uneven(usize),
    None,
}

/// Where a fence is closed, in the lines after it.
fn closing(after: &[Option<Fence<'_>>], open: &Fence<'_>, nesting: Nesting) -> Closing {
    let mut depth = 1_usize;
    let mut first = None;
    for (line, fence) in after.iter().enumerate() {
        let Some(fence) = fence.filter(|fence| fence.belongs_to(open)) else {
            continue;
        };
        if !fence.info.is_empty() {
            depth += 1;
            continue;
        }
        depth -= 1;
        if depth == 0 || nesting == Nesting::Ignored {
            return Closing::Even(line);
        }
        first = first.or(Some(line));
    }
    first.map_or(Closing::None, Closing::Uneven)
}

impl Fence<'_> {
    /// Whatever would close `self` would also close `other`.
    fn closes_less_than(&self, other: &Self) -> bool {
        self.mark == other.mark && self.length >= other.length && self.indent <= other.indent
    }
}

/// What a block is expected to hold: prose has fences of its own, code rarely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Prose,
    Code,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoBlock {
    Missing,
    Unclosed,
    /// Fences inside leave open where it ends.
    Unclear,
}

/// A code block: the lines of its fences, and what stands between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block<'t> {
    pub(super) opens: usize,
    pub(super) closes: usize,
    pub(super) info: &'t str,
    /// Joined by line breaks, without one at the end.
    pub(super) text: String,
    /// Whether the end was told by fences that match, or by the last one.
    pub(super) certain: bool,
}

/// The first opening fence at or after `from`.
pub(super) fn opening(lines: &[&str], from: usize) -> Option<usize> {
    (from..lines.len()).find(|&line| Fence::of(lines[line]).is_some())
}

/// The block that opens at line `opens`.
///
/// A fence with a word after it opens an inner block, a bare one closes. Where
/// that does not come out even, the last closing fence wins (K4). Two readings
/// of code are no guess of ours: the model is asked for a longer fence.
pub(super) fn block<'t>(
    lines: &[&'t str],
    opens: usize,
    content: Content,
) -> Result<Block<'t>, NoBlock> {
    let open = lines
        .get(opens)
        .and_then(|line| Fence::of(line))
        .ok_or(NoBlock::Missing)?;
    let mut depth = 1_usize;
    let mut first = None;
    let mut last = None;
    let mut bare_after = 0_usize;
    let mut worded_after = 0_usize;
    for (line, text) in lines.iter().enumerate().skip(opens + 1) {
        let Some(fence) = Fence::of(text).filter(|fence| fence.belongs_to(&open)) else {
            continue;
        };
        let bare = fence.info.is_empty();
        if first.is_some() {
            bare_after += usize::from(bare);
            worded_after += usize::from(!bare);
        } else if bare {
            depth -= 1;
            first = (depth == 0).then_some(line);
        } else {
            depth += 1;
        }
        if bare {
            last = Some(line);
        }
    }
    let last = last.ok_or(NoBlock::Unclosed)?;
    let (closes, certain) = match first {
        Some(first) if first == last => (first, true),
        None => (last, false),
        Some(_) if content == Content::Prose => (last, false),
        // What follows are whole blocks of their own: talk after the block.
        Some(first) if worded_after == bare_after => (first, true),
        Some(_) if worded_after == 0 && bare_after.is_multiple_of(2) => {
            return Err(NoBlock::Unclear);
        }
        Some(_) => (last, false),
    };
    Ok(Block {
        opens,
        closes,
        info: open.info,
        text: dedented(&lines[opens + 1..closes], open.indent),
        certain,
    })
}

/// The lines without the indentation that their fence has.
pub(super) fn dedented(lines: &[&str], indent: usize) -> String {
    let cut = |line: &&str| -> String {
        let spaces = line.len() - line.trim_start_matches(' ').len();
        line[spaces.min(indent)..].to_owned()
    };
    lines.iter().map(cut).collect::<Vec<_>>().join("\n")
}

/// The text without blank lines around it. Indentation says that a line is
/// code, so the first one keeps it.
pub(super) fn without_blank_edges(text: &str) -> &str {
    let text = text.trim_end();
    let blank = text.len() - text.trim_start().len();
    let start = text[..blank].rfind('\n').map_or(0, |end| end + 1);
    &text[start..]
}

/// The text with the end of a comment or a closing fence where one is missing, so
/// that it hides nothing of what is written after it.
pub(super) fn balanced(text: &str) -> String {
    if hides_what_follows(text) {
        return balanced(&format!("{text}\n-->"));
    }
    let all = lines(text);
    let around = fenced(&all);
    let open = all
        .iter()
        .enumerate()
        .find_map(|(line, text)| Fence::of(text).filter(|_| around[line].is_none()));
    match open {
        Some(open) => {
            let spaces = " ".repeat(open.indent);
            let closed = format!(
                "{text}\n{spaces}{}",
                open.mark.to_string().repeat(open.length)
            );
            balanced_once(closed)
        }
        None => text.to_owned(),
    }
}

/// Whether a comment begins in the text and never ends.
fn hides_what_follows(text: &str) -> bool {
    let all = lines(text);
    let around = fenced(&all);
    let is_open = |(number, line): (usize, &&str)| {
        let begun = line.trim_start_matches(' ').strip_prefix("<!--");
        around[number] == Some(number)
            && begun.is_some_and(|rest| !rest.contains("-->"))
            && !all[number + 1..].iter().any(|line| line.contains("-->"))
    };
    all.iter().enumerate().any(is_open)
}

/// What is still open after one more fence is talk about fences: they are taken out.
fn balanced_once(text: String) -> String {
    let all = lines(&text);
    let around = fenced(&all);
    let kept = all
        .iter()
        .enumerate()
        .filter(|(line, text)| around[*line].is_some() || Fence::of(text).is_none())
        .map(|(_, text)| *text);
    kept.collect::<Vec<_>>().join("\n")
}

/// A fence that no line of the text can close.
pub(super) fn fence_for(text: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    for character in text.chars() {
        run = if character == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    "`".repeat((longest + 1).max(3))
}

#[cfg(test)]
mod tests {
    use super::{Content, NoBlock, block, fence_for, fenced, lines};

    fn text(reply: &str, content: Content) -> Result<String, NoBlock> {
        block(&lines(reply), 0, content).map(|block| block.text)
    }

    #[test]
    fn a_block_ends_at_its_own_fence() {
        assert_eq!(text("```\na\n```\ntalk", Content::Code).as_deref(), Ok("a"));
        assert_eq!(
            text("````\n```\na\n```\n````", Content::Code).as_deref(),
            Ok("```\na\n```")
        );
        assert_eq!(text("~~~\n```\n~~~", Content::Code).as_deref(), Ok("```"));
        assert_eq!(text("```\r\na\r\n```", Content::Code).as_deref(), Ok("a"));
    }

    #[test]
    fn inner_blocks_of_the_same_length_nest_when_they_name_a_language() {
        let reply = "```md\nA\n```sh\nls\n```\nB\n```\nDone.";
        assert_eq!(
            text(reply, Content::Prose).as_deref(),
            Ok("A\n```sh\nls\n```\nB")
        );
        assert_eq!(
            text(reply, Content::Code).as_deref(),
            Ok("A\n```sh\nls\n```\nB")
        );
    }

    #[test]
    fn the_last_closing_fence_wins_in_prose_and_where_fences_are_uneven() {
        let reply = "```md\nA\n```\nls\n```\nB\n```";
        assert_eq!(
            text(reply, Content::Prose).as_deref(),
            Ok("A\n```\nls\n```\nB")
        );
        assert_eq!(text(reply, Content::Code), Err(NoBlock::Unclear));
        let open = "```md\nA\n```sh\nls\n```";
        assert_eq!(text(open, Content::Prose).as_deref(), Ok("A\n```sh\nls"));
    }

    #[test]
    fn whole_blocks_after_a_block_of_code_are_talk() {
        let reply = "```py\nx\n```\nRun it:\n```sh\npython x\n```";
        assert_eq!(text(reply, Content::Code).as_deref(), Ok("x"));
    }

    #[test]
    fn the_context_lines_of_a_patch_close_nothing() {
        let reply = "```diff\n ```\n+x\n ```\n```";
        assert_eq!(text(reply, Content::Code).as_deref(), Ok(" ```\n+x\n ```"));
    }

    #[test]
    fn a_block_without_an_end_is_said_to_be_so() {
        assert_eq!(text("```\na", Content::Code), Err(NoBlock::Unclosed));
        assert_eq!(text("a", Content::Code), Err(NoBlock::Missing));
    }

    #[test]
    fn a_fence_that_never_closes_hides_nothing() {
        let all = lines("```\na\n~~~\nb\n~~~\nc");
        let around = fenced(&all);
        assert_eq!(around, [None, None, Some(2), Some(2), Some(2), None]);
    }

    #[test]
    fn inner_blocks_that_name_a_language_belong_to_the_outer_one() {
        let all = lines("```\na\n```sh\nls\n```\nb\n```\nc");
        let around = fenced(&all);
        assert!(around[..7].iter().all(|line| *line == Some(0)) && around[7].is_none());
        // Uneven: the first end counts.
        let all = lines("```\na\n```sh\nls\n```\nb");
        assert_eq!(fenced(&all)[4..], [Some(0), None]);
    }

    #[test]
    fn a_comment_hides_what_is_in_it() {
        let all = lines("a\n<!-- x -->\nb\n<!--\n```\nc\n-->\nd\n<!--\ne");
        let around = fenced(&all);
        let hidden: Vec<usize> = (0..all.len())
            .filter(|&line| around[line].is_some())
            .collect();
        assert_eq!(hidden, [1, 3, 4, 5, 6, 8, 9]);
    }

    #[test]
    fn a_fence_is_longer_than_any_run_inside() {
        assert_eq!(fence_for("a"), "```");
        assert_eq!(fence_for("a ```` b"), "`````");
    }

    #[test]
    fn many_openings_without_an_end_are_quick() {
        let text: String = (0..5_000)
            .map(|n| format!("{}x\n", "`".repeat(3 + n % 900)))
            .collect();
        assert!(fenced(&lines(&text)).iter().all(Option::is_none));
        let uneven = "```a\n```b\n```\n".repeat(20_000);
        assert!(fenced(&lines(&uneven)).iter().any(Option::is_some));
    }
}
