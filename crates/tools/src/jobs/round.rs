//! One command under the eyes of the warden: what it may do that others may
//! not, what was found when it ended, and who is told.

use super::running::lock;
use super::spec::RunSpec;
use super::warden::{Leave, Line, User, Warden};
use super::{Inner, Jobs, Walls};
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use tenon_sandbox::{Network, Repair, SandboxPolicy};

pub(super) struct Round {
    /// The walls of this command.
    pub(super) policy: Arc<SandboxPolicy>,
    warden: Arc<Warden>,
    user: User,
    ticket: Option<u64>,
    inner: Weak<Inner>,
}

impl Jobs {
    /// The walls of the session, as this command gets them.
    fn sandbox_of(&self, spec: &RunSpec) -> Option<Arc<SandboxPolicy>> {
        let policy = self.sandbox()?;
        Some(match spec.walls {
            Walls::Offline => Arc::new(SandboxPolicy {
                network: Network::Deny,
                ..policy.as_ref().clone()
            }),
            Walls::Inside | Walls::Outside | Walls::Own => policy,
        })
    }

    /// Looks before a command, which is judged by what is `meant`. `None` where
    /// there are no walls.
    pub(super) async fn round(&self, spec: &RunSpec, meant: &str) -> Option<Round> {
        let policy = self.sandbox_of(spec)?;
        let leave = Leave {
            confirmed: spec.confirmed.clone(),
            line: Line::of(&tenon_policy::analyse(meant)),
        };
        let warden = Arc::clone(&self.inner.warden);
        let user = lock(&self.inner.user).clone();
        let (begin, known) = (Arc::clone(&warden), user.clone());
        let asked = Arc::clone(&policy);
        let begun = tokio::task::spawn_blocking(move || begin.begin(&asked, &known, leave)).await;
        // One that crashed has found nothing; the walls stand all the same.
        let Ok(begun) = begun else {
            return Some(Round {
                policy,
                warden,
                user,
                ticket: None,
                inner: Arc::downgrade(&self.inner),
            });
        };
        let round = Round {
            policy: Arc::new(begun.policy),
            warden,
            user,
            ticket: begun.ticket,
            inner: Arc::downgrade(&self.inner),
        };
        round.tell(begun.told);
        Some(round)
    }
}

impl Round {
    /// Judges what there is now; the command may go on.
    pub(super) async fn look(&self) {
        let Some(ticket) = self.ticket else {
            return;
        };
        let warden = Arc::clone(&self.warden);
        let (policy, user) = (Arc::clone(&self.policy), self.user.clone());
        let told =
            tokio::task::spawn_blocking(move || warden.look_after(ticket, &policy, &user)).await;
        self.tell(told.unwrap_or_default());
    }

    fn tell(&self, told: Vec<Repair>) {
        let Some(inner) = self.inner.upgrade() else {
            return;
        };
        let listener = lock(&inner.repairs).clone();
        if let Some(listener) = listener {
            for what in &told {
                listener(what);
            }
        }
        let texts = told.into_iter().map(|repair| repair.text);
        lock(&inner.judged).extend(texts);
    }
}

impl fmt::Debug for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Round")
            .field("ticket", &self.ticket)
            .finish_non_exhaustive()
    }
}

impl Drop for Round {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            self.warden.end(ticket);
        }
    }
}

/// Whose commands they are, by the environment that they get.
pub(super) fn user(environment: &[(OsString, OsString)]) -> User {
    let path = |wanted: &str| {
        let found = environment.iter().find(|(name, _)| name == wanted);
        found
            .map(|(_, value)| PathBuf::from(value))
            .filter(|path| path.is_absolute())
    };
    let home = path("HOME");
    let of_config = path("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
    let settings = match path("GIT_CONFIG_GLOBAL") {
        Some(file) => vec![file],
        None => home
            .iter()
            .map(|home| home.join(".gitconfig"))
            .chain(of_config.map(|folder| folder.join("git/config")))
            .collect(),
    };
    User {
        home,
        settings,
        opened: Vec::new(),
    }
}
