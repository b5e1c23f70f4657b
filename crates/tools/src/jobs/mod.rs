//! (to come)
#[derive(Debug, Clone)]
pub struct Jobs;
