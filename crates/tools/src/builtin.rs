//! (to come)
#[derive(Debug)]
pub struct BuiltIn;
