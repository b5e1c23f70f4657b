//! Finds words in all sessions. The index is a cache beside the logs: it can be
//! deleted at any time and is made again from them, and what it finds is read
//! from the logs before anybody sees it. Nothing that runs a session uses it.
//!
//! ```
//! use tenon_index::{Filter, Index, Query};
//! use tenon_session::Store;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let home = tempfile::tempdir()?;
//! let store = Store::new(home.path().join("sessions"));
//! let mut index = Index::open(&home.path().join("cache/sessions.db"), &store)?;
//! index.update()?;
//! let query = Query::parse("\"flaky test\" retry")?;
//! let found = index.search(&query, &Filter::default())?;
//! assert!(found.hits.is_empty());
//! # Ok(())
//! # }
//! ```

mod database;
mod error;
mod fold;
mod found;
mod look_up;
mod passage;
mod query;
mod scan;
mod search;
mod snippet;
mod update;

pub use database::Index;
pub use error::IndexError;
pub use found::{Filter, Found, Hit, Speaker};
pub use look_up::{Answer, Freshness, look_up};
pub use query::{Query, QueryError};
pub use scan::scan;
pub use snippet::Snippet;
pub use update::{Behind, Updated};
