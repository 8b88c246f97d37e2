//! `zoo:mlp`: linear layers that go from `width` to `hidden` features and back, ReLU between them.

use crate::builder::ModelBuilder;
use crate::layers::{linear, mean_squared_error};
use crate::options::{Entry, Kind, Opt, Options};
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::DType;
use partita_ir::ops::UnaryOp;

pub(crate) const ENTRY: Entry = Entry {
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
    build,
};

fn build(options: &Options, m: &mut ModelBuilder<'_>) -> Result<(), Vec<Diagnostic>> {
    let [layers, width, hidden, batch] = options.sizes(["layers", "width", "hidden", "batch"]);
    let dropout = options.probability("dropout");
    let features = |layer: usize| if layer.is_multiple_of(2) { hidden } else { width };
    let input = m.input(DType::F32, [batch, width]);
    let target = options.flag("loss").then(|| m.input(DType::F32, [batch, features(layers - 1)]));
    let result = m.module("layers", |m| {
        let output = (0..layers).fold(input, |x, i| {
            let x = match i {
                0 => x,
                _ => {
                    let x = m.b.unary(UnaryOp::Relu, x);
                    m.dropout(x, dropout)
                }
            };
            linear(m, &i.to_string(), x, features(i))
        });
        match target {
            Some(target) => mean_squared_error(m, output, target),
            None => output,
        }
    });
    m.output(result);
    Ok(())
}
