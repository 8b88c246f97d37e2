//! Runs the complete command line on a user-defined Burn module, whose forward function names dimensions:
//!
//! ```text
//! cargo run --features burn --example own_module -- plan --mesh data=2,model=4 --rules 'users:data; hidden:model'
//! cargo run --features burn --example own_module -- run --check --mesh data=2,model=4 \
//!     --shard 'item.weight=_, model'
//! ```

use partita::burn;
use partita::burn::Annotate;
use partita::burn::module::Module;
use partita::burn::nn::{LayerNorm, LayerNormConfig, Linear, LinearConfig};
use partita::burn::tensor::activation::gelu;
use partita::burn::tensor::{Device, Tensor};
use partita::prelude::*;
use std::process::ExitCode;

/// Scores users against items with two towers whose outputs are multiplied.
#[derive(Module, Debug)]
struct TwoTowers {
    user: Linear,
    item: Linear,
    norm: LayerNorm,
}

impl TwoTowers {
    fn new(device: &Device) -> Self {
        let tower = || LinearConfig::new(96, 256).init(device);
        Self { user: tower(), item: tower(), norm: LayerNormConfig::new(256).init(device) }
    }

    /// Maps `[users, 96]` and `[items, 96]` to `[users, 256]` and `[items, 256]`. Annotations have no effect on values:
    /// in a trace they name dimensions, which the rules of a plan map to mesh axes, and elsewhere they do nothing.
    fn embed(&self, (users, items): (Tensor<2>, Tensor<2>)) -> (Tensor<2>, Tensor<2>) {
        let users = self.norm.forward(gelu(self.user.forward(users.named("users, _"))));
        (users, gelu(self.item.forward(items)).named("_, hidden"))
    }

    /// Maps `[users, 96]` and `[items, 96]` to scores `[users, items]`, with the users over the mesh axis `data`.
    fn forward(&self, inputs: (Tensor<2>, Tensor<2>)) -> Tensor<2> {
        let (users, items) = self.embed(inputs);
        users.matmul(items.transpose()).sharded("data, _")
    }
}

fn traced() -> partita::Result<Program> {
    Program::trace(TwoTowers::new, TwoTowers::forward, ([32, 96], [64, 96]))
}

fn main() -> ExitCode {
    partita_cli::main_with("two-towers", traced)
}

#[test]
fn eight_devices_agree_with_one() -> partita::Result<()> {
    let plan = Plan::new(Mesh::new([("data", 2), ("model", 4)])?).rules("users:data; hidden:model");
    let part = traced()?.partition(&plan)?;
    assert!(part.check(&part.random_inputs(0)?)?.ok());
    // `hidden` propagates from the item tower to the user tower through the product of their outputs.
    let layout = |name: &str| part.report().params.into_iter().find(|p| p.name == name).map(|p| p.layout);
    assert_eq!(layout("user.weight").as_deref(), Some("_, model"));
    assert_eq!(layout("item.weight").as_deref(), Some("_, model"));
    assert_eq!(layout("input.0").as_deref(), Some("data, _"));
    Ok(())
}

/// Parameters frozen by the module are treated like parameters frozen by the plan.
#[test]
fn a_tower_is_frozen_by_the_module_or_by_the_plan() -> partita::Result<()> {
    let loss = |towers: &TwoTowers, x: (Tensor<2>, Tensor<2>)| towers.forward(x).mean();
    let with = |frozen: bool| {
        let towers = move |device: &Device| {
            let TwoTowers { user, item, norm } = TwoTowers::new(device);
            TwoTowers { user: if frozen { user.no_grad() } else { user }, item, norm }
        };
        Program::trace(towers, loss, ([32, 96], [64, 96]))
    };
    let plan = || -> partita::Result<Plan> { Ok(Plan::new(Mesh::new([("data", 4)])?).preset("zero2").train("adamw")) };
    let by_module = with(true)?.partition(&plan()?)?;
    let by_plan = with(false)?.partition(&plan()?.freeze("user.**"))?;
    assert!(by_module.local().unwrap() == by_plan.local().unwrap());
    let kept = |name: &str| by_module.report().params.iter().any(|p| p.name == name);
    assert!(kept("optimizer.m.item.weight") && !kept("optimizer.m.user.weight"));
    assert!(by_module.check(&by_module.random_inputs(0)?)?.ok());
    Ok(())
}
