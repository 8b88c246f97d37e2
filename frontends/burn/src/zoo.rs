//! The built-in models of `partita-models` as Burn modules, one file each. They also serve as examples of traceable
//! modules.

pub mod batch_norm;
pub mod bert;
pub mod dropout;
pub mod gpt;
pub mod llama;
pub mod loss;
pub mod mlp;
pub mod mnist_cnn;
pub mod moe;
pub mod transformer;
