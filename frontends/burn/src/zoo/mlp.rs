//! `zoo:mlp`: linear layers that go from `width` to `hidden` features and back, ReLU between them.

use super::dropout::Dropout;
use super::loss::mean_squared_error;
use crate::trace;
use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor};
use partita_ir::diag::Diagnostic;
use partita_ir::program::Program;
use partita_models::{Entry, Kind, Opt, Options};

/// Multi-layer perceptron on `[batch, width]`.
#[derive(Module, Debug)]
pub struct Mlp {
    layers: Vec<Linear>,
    dropout: Dropout,
}

impl Mlp {
    /// `layers` linear layers whose sizes alternate between `width` and `hidden`.
    pub fn new(layers: usize, width: usize, hidden: usize, dropout: f64, device: &Device) -> Self {
        let layer = |i| match i % 2 {
            0 => LinearConfig::new(width, hidden).init(device),
            _ => LinearConfig::new(hidden, width).init(device),
        };
        Self { layers: (0..layers).map(layer).collect(), dropout: Dropout::new(dropout) }
    }

    /// `x: [batch, width]` to `[batch, width]`, or to `[batch, hidden]` when the number of layers is odd.
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let mut x = x;
        for (i, layer) in self.layers.iter().enumerate() {
            if i > 0 {
                x = self.dropout.forward(relu(x));
            }
            x = layer.forward(x);
        }
        x
    }
}

pub(super) const ENTRY: Entry = Entry {
    name: "mlp",
    about: "linear layers with ReLU between; mean squared error",
    options: &[
        Opt::LAYERS,
        Opt::new("width", "64", Kind::SIZE, "features of the input"),
        Opt::new("hidden", "512", Kind::SIZE, "features of every other layer"),
        Opt::new("batch", "32", Kind::SIZE, "rows of the input"),
        Opt::DROPOUT,
        Opt::LOSS,
    ],
    program,
};

fn program(options: &Options) -> Result<Program, Vec<Diagnostic>> {
    let [layers, width, hidden, batch] = options.sizes(["layers", "width", "hidden", "batch"]);
    let init = |device: &Device| Mlp::new(layers, width, hidden, options.probability("dropout"), device);
    let input = [batch, width];
    if options.flag("loss") {
        let target = [batch, if layers % 2 == 0 { width } else { hidden }];
        trace(init, |mlp, (x, y): (Tensor<2>, Tensor<2>)| mean_squared_error(mlp.forward(x), y), (input, target))
    } else {
        trace(init, |mlp, x: Tensor<2>| mlp.forward(x), input)
    }
}
