//! The policy as its callers see it.

mod commands;
mod grants;
mod paths;
mod properties;
mod reading;
mod rules;
mod script;
mod shell;
mod support;
