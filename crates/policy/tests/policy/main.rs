//! The policy as its callers see it.

mod commands;
mod confirm;
mod free;
mod grants;
mod lines;
mod masking;
mod modes;
mod paths;
mod properties;
mod reading;
mod repeats;
mod rules;
mod scenarios;
mod script;
mod shell;
mod support;
mod walk;
