//! `zoo:mlp`: linear layers that alternate between `hidden` and `width` output features, with ReLU between them.
//! Output: the features of the last layer or their mean squared error.

use crate::builder::ModelBuilder;
use crate::layers::{linear, mean_squared_error};
use crate::options::{BuiltInModel, ModelOption, ModelOptions, OptionKind};
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::DType;
use partita_ir::ops::UnaryOp;

pub(crate) const ENTRY: BuiltInModel = BuiltInModel {
    name: "mlp",
    about: "linear layers with ReLU between them; mean squared error",
    options: &[
        ModelOption::LAYERS,
        ModelOption::new("width", "64", OptionKind::SIZE, "features of the input"),
        ModelOption::new("hidden", "512", OptionKind::SIZE, "features of every other layer"),
        ModelOption::new("batch", "32", OptionKind::SIZE, "rows of the input"),
        ModelOption::DROPOUT,
        ModelOption::LOSS,
    ],
    build,
};

fn build(options: &ModelOptions, m: &mut ModelBuilder<'_>) -> Result<(), Vec<Diagnostic>> {
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
