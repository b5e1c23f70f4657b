//! Words that may follow a command. The session knows them and is asked: for one
//! line at a time, and what it says of another line than the one that stands there
//! by then is not taken.

#[derive(Debug, Default)]
pub(super) struct Words {
    /// The line up to the caret, and the word at its end.
    line: String,
    word: String,
    /// A line that is being asked about.
    asked: Option<String>,
    /// A beginning of the line, and all that was offered for it.
    answer: Option<(String, Vec<String>)>,
    /// What of it fits the word.
    found: Vec<String>,
}

impl Words {
    pub(super) fn seek(&mut self, line: &str, word: &str) {
        line.clone_into(&mut self.line);
        word.clone_into(&mut self.word);
        // What was offered for a shorter line serves until there is more.
        if matches!(&self.answer, Some((of, _)) if !line.starts_with(of.as_str())) {
            self.answer = None;
        }
        self.find();
    }

    /// Nobody looks for a word now.
    pub(super) fn rest(&mut self) {
        self.line.clear();
        self.word.clear();
        self.answer = None;
        self.found.clear();
    }

    /// The line to ask about, if there is something to ask: not while another one
    /// is asked about, and not where nothing was offered for its beginning.
    pub(super) fn ask(&mut self) -> Option<String> {
        let is_known = match &self.answer {
            Some((of, words)) => *of == self.line || words.is_empty(),
            None => self.line.is_empty(),
        };
        if is_known || self.asked.is_some() {
            return None;
        }
        self.asked = Some(self.line.clone());
        self.asked.clone()
    }

    pub(super) fn given(&mut self, line: &str, words: Vec<String>) {
        if self.asked.as_deref() == Some(line) {
            self.asked = None;
        }
        if self.line == line {
            self.answer = Some((line.to_owned(), words));
            self.find();
        }
    }

    fn find(&mut self) {
        let word = self.word.to_lowercase();
        self.found = match &self.answer {
            // The session knows best what fits.
            Some((of, words)) if *of == self.line => words.clone(),
            Some((_, words)) => {
                let fits = |offered: &&String| offered.to_lowercase().contains(&word);
                words.iter().filter(fits).cloned().collect()
            }
            None => Vec::new(),
        };
    }

    pub(super) fn word(&self) -> &str {
        &self.word
    }

    pub(super) fn found(&self) -> &[String] {
        &self.found
    }

    /// Whether all of the word is there, or nothing: then it is not for us to say
    /// what is meant.
    pub(super) fn is_typed(&self) -> bool {
        self.word.is_empty() || self.found.contains(&self.word)
    }
}
