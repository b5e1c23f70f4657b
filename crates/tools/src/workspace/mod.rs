//! (to come)
#[derive(Debug, Clone)]
pub struct Workspace;
pub trait Journal: Send + Sync {}
