//! Exchange of weights with Burn in both directions: a module initialises training, and trained weights and checkpoints
//! are loaded into a module. Values are compared with Burn's own forward and backward pass on its CPU device.

use crate::TwoTowers;
use partita::burn::module::{Module, Param};
use partita::burn::tensor::{Device, Tensor as BurnTensor, TensorData};
use partita::burn::{read_weights, write_weights};
use partita::ir::dtype::{DType, Type};
use partita::prelude::*;
use partita::runtime::io::read_tensors;
use partita::{Dataset, Trainer, TrainingResult, Weights};
use std::path::PathBuf;

/// Number of pairs of a user and an item. A batch contains all of them, so that losses do not depend on their order.
const PAIRS: usize = 32;

/// Learning rate of the training runs.
const RATE: f64 = 0.5;

/// Largest difference of scores and parameters between Burn and Partita.
const TOLERANCE: f64 = 1e-4;

type Pair = (BurnTensor<2>, BurnTensor<2>);

/// Mean squared difference of the scores of pairs and their ratings `[pairs, 1]`.
fn loss(towers: &TwoTowers, (users, items, ratings): (BurnTensor<2>, BurnTensor<2>, BurnTensor<2>)) -> BurnTensor<1> {
    let (users, items) = towers.embed((users, items));
    ((users * items).mean_dim(1) - ratings).powi_scalar(2).mean()
}

/// Features of users and items, and their ratings.
fn samples() -> [Tensor; 3] {
    let wave = |columns: usize, rate: f64| {
        let items = (0..PAIRS * columns).map(|i| (i as f64 * rate).sin()).collect();
        Tensor::from_floats(Type::new(DType::F32, [PAIRS, columns]), items)
    };
    [wave(96, 0.37), wave(96, 0.91), wave(1, 1.7)]
}

fn burn_tensor(tensor: &Tensor, device: &Device) -> BurnTensor<2> {
    let items: Vec<f32> = tensor.scalars().map(|x| x.to_f64() as f32).collect();
    BurnTensor::from_data(TensorData::new(items, tensor.shape().to_vec()), device)
}

fn pairs(device: &Device) -> Pair {
    let [users, items, _] = samples();
    (burn_tensor(&users, device), burn_tensor(&items, device))
}

fn burn_loss(towers: &TwoTowers, device: &Device) -> BurnTensor<1> {
    let (users, items) = pairs(device);
    loss(towers, (users, items, burn_tensor(&samples()[2], device)))
}

/// Folder for the checkpoints of a test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("partita-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Trains on a mesh of two by two devices, beginning as `start` states.
fn train(steps: u64, start: impl FnOnce(Trainer) -> Trainer) -> partita::Result<TrainingResult> {
    let model = Program::trace(TwoTowers::new, loss, ([PAIRS, 96], [PAIRS, 96], [PAIRS, 1]))?;
    let plan = Plan::new(Mesh::new([("data", 2), ("model", 2)])?)
        .rules("users:data; hidden:model")
        .train(format!("sgd?lr={RATE}"));
    let fields = samples().into_iter().enumerate().map(|(i, field)| (format!("input.{i}"), field));
    let data = Dataset::tensors("ratings", fields.collect())?;
    start(Trainer::new(&model, &plan, data).scale(1.0).steps(steps)).run(&mut |_| {})
}

/// Scores of Partita's forward program with the given weights, on two by two devices.
fn scores(weights: &Weights) -> partita::Result<Vec<f64>> {
    let model = Program::trace(TwoTowers::new, TwoTowers::forward, ([PAIRS, 96], [PAIRS, 96]))?;
    let plan = Plan::new(Mesh::new([("data", 2), ("model", 2)])?).rules("hidden:model");
    let [users, items, _] = samples();
    let inputs = model.inputs().iter().map(|&v| match model.path_of(v) {
        "input.0" => users.clone(),
        "input.1" => items.clone(),
        path => weights[path].clone(),
    });
    let scores = model.partition(&plan)?.run(&inputs.collect::<Vec<_>>())?;
    Ok(scores[0].scalars().map(|x| x.to_f64()).collect())
}

/// Scores of Burn's forward pass.
fn burn_scores(towers: &TwoTowers) -> Vec<f64> {
    towers.forward(pairs(&Device::flex())).into_data().iter::<f64>().collect()
}

/// Largest difference, relative to the largest number of `b`.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let largest = b.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / largest
}

/// A step of SGD by Burn's autodiff and one by Partita give the same parameters.
#[test]
fn a_module_initialises_training() -> partita::Result<()> {
    let towers = TwoTowers::new(&Device::flex());
    let initial = read_weights(&towers)?;
    let trained = train(1, |trainer| trainer.weights(initial.clone()))?;

    let learning = towers.train();
    let device = Device::flex().autodiff();
    let burn_loss = burn_loss(&learning, &device);
    let gradients = burn_loss.backward();
    let first = burn_loss.into_scalar::<f32>();
    assert!((trained.records[0].loss - f64::from(first)).abs() < TOLERANCE, "{} {first}", trained.records[0].loss);
    let updated = |weight: &Param<BurnTensor<2>>| {
        let gradient = weight.val().grad(&gradients).expect("a gradient");
        let (weight, gradient) = (weight.val().into_data(), gradient.into_data());
        weight.iter::<f64>().zip(gradient.iter::<f64>()).map(|(w, g)| w - RATE * g).collect::<Vec<_>>()
    };
    for (path, weight) in [("user.weight", &learning.user.weight), ("item.weight", &learning.item.weight)] {
        let numbers = |weights: &Weights| weights[path].scalars().map(|x| x.to_f64()).collect::<Vec<_>>();
        let found = difference(&numbers(&trained.parameters), &updated(weight));
        assert!(found < TOLERANCE, "{path}: {found}");
        // The step is large enough to distinguish the parameters before it from those after it.
        let step = difference(&numbers(&initial), &updated(weight));
        assert!(step > 10.0 * TOLERANCE, "{path}: {step}");
    }
    Ok(())
}

#[test]
fn trained_weights_and_checkpoints_are_loaded_into_a_module() -> partita::Result<()> {
    let folder = Folder::new("burn-checkpoint");
    let trained = train(5, |trainer| trainer.save(&folder.0, 5))?;
    let by_weights = write_weights(TwoTowers::new(&Device::flex()), &trained.parameters)?;
    let checkpoint = trained.checkpoint.as_ref().expect("a checkpoint");
    let saved = read_tensors(checkpoint)?;
    let by_file = write_weights(TwoTowers::new(&Device::flex()), &saved)?;

    let expected = scores(&trained.parameters)?;
    for towers in [&by_weights, &by_file] {
        let found = difference(&burn_scores(towers), &expected);
        assert!(found < TOLERANCE, "{found}");
    }
    // A weight whose elements are in the order of its transpose is detected.
    let mut wrong = trained.parameters.clone();
    let weight = &mut wrong["user.weight"];
    let [inputs, outputs] = weight.shape()[..] else { panic!("{}", weight.ty) };
    let items = (0..inputs * outputs).map(|i| weight.get(i % inputs * outputs + i / inputs).to_f64()).collect();
    *weight = Tensor::from_floats(weight.ty.clone(), items);
    let towers = write_weights(TwoTowers::new(&Device::flex()), &wrong)?;
    let found = difference(&burn_scores(&towers), &expected);
    assert!(found > 100.0 * TOLERANCE, "{found}");
    Ok(())
}
