//! What stands over the composer for a while and takes the keys: questions,
//! lists to pick from, the pager, help.

pub mod ask;
pub mod chart;
mod field;
mod fold;
pub mod help;
pub mod menu;
mod needle;
pub mod pager;
pub mod picker;
mod scroll;
