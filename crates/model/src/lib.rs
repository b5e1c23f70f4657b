//! Speaks to models without the network: requests become bytes and bytes
//! become deltas. Sans-I/O, so that every captured byte stream is a test.
//!
//! ```
//! use tenon_model::codec::{Chat, Codec, Decoder};
//! use tenon_model::{Delta, Quirks};
//!
//! let codec = Chat::new(Quirks::default());
//! let mut decoder = codec.decoder();
//! let mut deltas = Vec::new();
//! let body = b"data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}\n\n";
//! decoder.push(body, &mut |delta| deltas.push(delta))?;
//! decoder.finish(&mut |delta| deltas.push(delta))?;
//! assert_eq!(deltas[0], Delta::Text("Hi".into()));
//! assert!(matches!(deltas[1], Delta::Finished(_)));
//! # Ok::<(), tenon_model::ModelError>(())
//! ```

mod adapt;
mod calls;
mod catalogue;
pub mod codec;
mod contract;
pub mod dialect;
mod endpoint;
mod estimate;
mod failure;
mod family;
mod listing;
mod overflow;
mod presets;
mod quirks;
mod remedy;
mod repair;
mod reply;
pub mod rescue;
mod retry;
mod software;
pub mod sse;
mod think;
mod window;

pub use adapt::{Adaptive, Build, Configured, Dialect, Forgetful, Memory, Variant};
pub use catalogue::{Known, known};
pub use codec::{Chat, Codec, Decoder, Messages, Responses, ResponsesOptions};
pub use contract::{
    Adapted, Delivery, Delta, DeltaStream, Entry, Finished, Holds, Identity, Missing, Model,
    ModelEntry, ModelError, ModelErrorKind, Parameters, Prefix, Prices, Remedy, Request, Vision,
    Warned, Window, WindowSource,
};
pub use endpoint::{Auth, FirstToken, Timeouts, Verify, is_private};
pub use estimate::{
    estimate_message, estimate_text, estimate_tokens, estimate_tool, estimate_usage,
};
pub use family::is_small;
pub use overflow::is_overflow;
pub use presets::{AuthStyle, Kind, Preset, Reach, infer, preset, presets};
pub use quirks::{ContentNull, ImageDetail, MaxTokensField, Quirks, ReturnReasoning, ToolImages};
pub use repair::{Arguments, is_cut, make_ids_unique, parse_arguments, sendable_arguments};
pub use retry::RetryPlan;
pub use software::{SMALL_WINDOW, Software};
pub use window::{Probe, ProbePlace, Survey};
