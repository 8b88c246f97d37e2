//! Exported placements and styles of a feed-forward and of attention, evaluated by the model of DTensor.

use super::dtensor_model::{Array, Grid, Linear, Placed};
use super::exported;
use partita::search::Target;
use serde_json::Value;
use std::collections::BTreeMap;

/// Linear layers of PyTorch, `[out, in]`, with 10 hidden features, which four devices divide into 3, 3, 3 and 1.
const FEED_FORWARD: &str = r#"form traced
param %w1 "up.weight" : f32[10, 6]
param %b1 "up.bias" : f32[10]
param %w2 "down.weight" : f32[6, 10]
param %b2 "down.bias" : f32[6]
input %x : f32[8, 6]
  %t1 = transpose [1, 0] %w1 : f32[6, 10]
  %h = matmul %x, %t1 : f32[8, 10]
  %c1 = broadcast [1] %b1 : f32[8, 10]
  %a = add %h, %c1 : f32[8, 10]
  %r = tanh %a : f32[8, 10]
  %t2 = transpose [1, 0] %w2 : f32[10, 6]
  %y = matmul %r, %t2 : f32[8, 6]
  %c2 = broadcast [1] %b2 : f32[8, 6]
  %z = add %y, %c2 : f32[8, 6]
output %z "z"
"#;

/// Attention with four heads of two features.
const ATTENTION: &str = r#"form traced
param %wq "attn.query.weight" : f32[8, 6]
param %bq "attn.query.bias" : f32[8]
param %wk "attn.key.weight" : f32[8, 6]
param %bk "attn.key.bias" : f32[8]
param %wv "attn.value.weight" : f32[8, 6]
param %bv "attn.value.bias" : f32[8]
param %wo "attn.output.weight" : f32[6, 8]
param %bo "attn.output.bias" : f32[6]
input %x : f32[4, 5, 6]
  %tq = transpose [1, 0] %wq : f32[6, 8]
  %pq = dot_general contract [2]x[0] %x, %tq : f32[4, 5, 8]
  %cq = broadcast [2] %bq : f32[4, 5, 8]
  %q = add %pq, %cq : f32[4, 5, 8]
  %tk = transpose [1, 0] %wk : f32[6, 8]
  %pk = dot_general contract [2]x[0] %x, %tk : f32[4, 5, 8]
  %ck = broadcast [2] %bk : f32[4, 5, 8]
  %k = add %pk, %ck : f32[4, 5, 8]
  %tv = transpose [1, 0] %wv : f32[6, 8]
  %pv = dot_general contract [2]x[0] %x, %tv : f32[4, 5, 8]
  %cv = broadcast [2] %bv : f32[4, 5, 8]
  %v = add %pv, %cv : f32[4, 5, 8]
  %q4 = reshape %q : f32[4, 5, 4, 2]
  %k4 = reshape %k : f32[4, 5, 4, 2]
  %v4 = reshape %v : f32[4, 5, 4, 2]
  %qh = transpose [0, 2, 1, 3] %q4 : f32[4, 4, 5, 2]
  %kh = transpose [0, 2, 1, 3] %k4 : f32[4, 4, 5, 2]
  %vh = transpose [0, 2, 1, 3] %v4 : f32[4, 4, 5, 2]
  %o = attention scale 0.5 %qh, %kh, %vh : f32[4, 4, 5, 2]
  %ot = transpose [0, 2, 1, 3] %o : f32[4, 5, 4, 2]
  %oj = reshape %ot : f32[4, 5, 8]
  %to = transpose [1, 0] %wo : f32[8, 6]
  %po = dot_general contract [2]x[0] %oj, %to : f32[4, 5, 6]
  %co = broadcast [2] %bo : f32[4, 5, 6]
  %y = add %po, %co : f32[4, 5, 6]
output %y "y"
"#;

/// An exported plan, as JSON.
struct Exported {
    grid: Grid,
    placements: BTreeMap<String, Vec<Placed>>,
    input: Vec<Placed>,
    styles: BTreeMap<String, String>,
    /// Position of the axis of tensor parallelism.
    axis: usize,
}

impl Exported {
    fn new(text: &str, toml: &str) -> Exported {
        let program = partita::parse("block.pir", text).unwrap();
        let export = exported(&program, toml, Target::Dtensor);
        let json: Value = serde_json::from_str(&export.json.unwrap()).unwrap();
        let placed = |list: &Value| -> Vec<Placed> {
            list.as_array().unwrap().iter().map(|one| Placed::parse(one.as_str().unwrap())).collect()
        };
        let map = |of: &Value| -> BTreeMap<String, Vec<Placed>> {
            of.as_object().unwrap().iter().map(|(name, list)| (name.clone(), placed(list))).collect()
        };
        let numbers = |of: &Value| of.as_array().unwrap().iter().map(|one| one.as_u64().unwrap() as usize).collect();
        let names: Vec<&str> =
            json["mesh"]["axes"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
        let styles = json["parallelize_plan"].as_object().unwrap();
        assert_eq!(json["transposed"].as_array().unwrap().len(), 0, "the weights are stored as [out, in]");
        Exported {
            grid: Grid(numbers(&json["mesh"]["shape"])),
            placements: map(&json["placements"]),
            input: map(&json["inputs"])["x"].clone(),
            styles: styles.iter().map(|(name, style)| (name.clone(), style.as_str().unwrap().to_owned())).collect(),
            axis: names.iter().position(|name| json["tensor_axis"] == **name).unwrap(),
        }
    }

    /// Distributes the linear layer of a module.
    fn layer(&self, module: &str, [output, input]: [usize; 2], seed: u64) -> (Linear, Array, Array) {
        let (weight, bias) = (Array::arbitrary(&[output, input], seed), Array::arbitrary(&[output], seed + 1));
        let placed = |leaf: &str| &self.placements[&format!("{module}.{leaf}")][..];
        (Linear::new(&self.grid, (&weight, placed("weight")), (&bias, placed("bias"))), weight, bias)
    }

    /// Applies the style of a module.
    fn apply(&self, module: &str, layer: &Linear, inputs: &[Array]) -> Result<Vec<Array>, String> {
        match self.styles.get(module).map(String::as_str) {
            Some("ColwiseParallel()") => layer.colwise(inputs),
            Some("RowwiseParallel()") => layer.rowwise(inputs, &self.grid, self.axis),
            other => Err(format!("`{module}` has the style {other:?}")),
        }
    }

    /// Returns the difference between the distributed and the unpartitioned feed-forward.
    fn feed_forward(&self) -> Result<f64, String> {
        let x = Array::arbitrary(&[8, 6], 3);
        let (up, w1, b1) = self.layer("up", [10, 6], 5);
        let (down, w2, b2) = self.layer("down", [6, 10], 7);
        let expected = x.linear(&w1)?.add(&b1)?.map(f64::tanh).linear(&w2)?.add(&b2)?;
        let inputs: Vec<Array> = (0..self.grid.devices()).map(|at| self.grid.local(&x, &self.input, at)).collect();
        let hidden: Vec<Array> = self.apply("up", &up, &inputs)?.iter().map(|h| h.map(f64::tanh)).collect();
        let outputs = self.apply("down", &down, &hidden)?;
        self.compare(&outputs, &expected)
    }

    /// Returns the difference between the distributed and the unpartitioned attention.
    fn attention(&self) -> Result<f64, String> {
        let x = Array::arbitrary(&[4, 5, 6], 3);
        let named = ["query", "key", "value", "output"].map(|name| format!("attn.{name}"));
        let inputs: Vec<Array> = (0..self.grid.devices()).map(|at| self.grid.local(&x, &self.input, at)).collect();
        let (mut whole, mut shards) = (Vec::new(), Vec::new());
        for (number, module) in named[..3].iter().enumerate() {
            let (layer, weight, bias) = self.layer(module, [8, 6], 11 * number as u64);
            whole.push(x.linear(&weight)?.add(&bias)?);
            shards.push(self.apply(module, &layer, &inputs)?);
        }
        let (output, weight, bias) = self.layer(&named[3], [6, 8], 47);
        let expected = attend(&whole[0], &whole[1], &whole[2]).linear(&weight)?.add(&bias)?;
        let attended = (0..inputs.len()).map(|at| attend(&shards[0][at], &shards[1][at], &shards[2][at]));
        let outputs = self.apply(&named[3], &output, &attended.collect::<Vec<Array>>())?;
        self.compare(&outputs, &expected)
    }

    /// Returns the largest difference of the whole output on any device. Outputs have the placements of the input.
    fn compare(&self, outputs: &[Array], expected: &Array) -> Result<f64, String> {
        let differences =
            (0..outputs.len()).map(|at| Ok(self.grid.full(outputs, &self.input, at)?.difference(expected)));
        differences.collect::<Result<Vec<f64>, String>>().map(|all| all.into_iter().fold(0.0, f64::max))
    }
}

/// Computes attention on `[batch, length, features]` with heads of two features. There may be fewer of them than in the
/// model.
fn attend(query: &Array, key: &Array, value: &Array) -> Array {
    let &[batch, length, features] = &query.shape[..] else { panic!("three dimensions") };
    let mut result = query.map(|_| 0.0);
    let at = |b: usize, s: usize, f: usize| (b * length + s) * features + f;
    for (b, s, head) in
        (0..batch).flat_map(|b| (0..length).flat_map(move |s| (0..features / 2).map(move |h| (b, s, h))))
    {
        let dims = [2 * head, 2 * head + 1];
        let score = |t: usize| -> f64 {
            0.5 * dims.iter().map(|&f| query.data[at(b, s, f)] * key.data[at(b, t, f)]).sum::<f64>()
        };
        let weights: Vec<f64> = (0..length).map(|t| score(t).exp()).collect();
        let total: f64 = weights.iter().sum();
        for f in dims {
            let sum: f64 = (0..length).map(|t| weights[t] * value.data[at(b, t, f)]).sum();
            result.data[at(b, s, f)] = sum / total;
        }
    }
    result
}

/// Largest difference that rounding explains.
const TOLERANCE: f64 = 1e-12;

/// Plans of both blocks: tensor parallelism alone and on a mesh of two axes.
const PLANS: [&str; 2] =
    ["mesh = { model = 4 }\npresets = 'megatron'", "mesh = { data = 2, model = 2 }\npresets = 'data, megatron'"];

#[test]
fn the_feed_forward_is_that_of_one_device() {
    for toml in PLANS {
        let plan = Exported::new(FEED_FORWARD, toml);
        let difference = plan.feed_forward().unwrap();
        assert!(difference < TOLERANCE, "{toml}: {difference}");
    }
}

#[test]
fn attention_is_that_of_one_device() {
    for toml in PLANS {
        let plan = Exported::new(ATTENTION, toml);
        let difference = plan.attention().unwrap();
        assert!(difference < TOLERANCE, "{toml}: {difference}");
    }
}

#[test]
fn wrong_placements_and_styles_are_detected() {
    let sound = || Exported::new(FEED_FORWARD, PLANS[1]);
    let names: Vec<String> = sound().placements.keys().cloned().collect();
    let is_wrong = |result: Result<f64, String>| result.is_err() || result.is_ok_and(|difference| difference > 1e-3);
    for name in &names {
        for (axis, wrong) in
            [(0, Placed::Shard(0)), (1, Placed::Shard(1)), (1, Placed::Shard(0)), (1, Placed::Replicate)]
        {
            let mut plan = sound();
            let rank = if name.ends_with("bias") { 1 } else { 2 };
            let placed = plan.placements.get_mut(name).unwrap();
            if placed[axis] == wrong || wrong == Placed::Shard(1) && rank == 1 {
                continue;
            }
            placed[axis] = wrong;
            assert!(is_wrong(plan.feed_forward()), "`{name}` with {wrong:?} along axis {axis}");
        }
    }
    for (module, wrong) in [("up", "RowwiseParallel()"), ("down", "ColwiseParallel()")] {
        let mut plan = sound();
        plan.styles.insert(module.to_owned(), wrong.to_owned());
        assert!(is_wrong(plan.feed_forward()), "`{module}` with {wrong}");
    }
    let mut plan = sound();
    plan.input[1] = Placed::Shard(0);
    assert!(is_wrong(plan.feed_forward()), "an input that tensor parallelism shards");
}

#[test]
fn transposes_are_those_of_the_graph() {
    // The names are those of linear layers, but the weights are stored as [in, out].
    let text = FEED_FORWARD
        .replace("\"up.weight\" : f32[10, 6]", "\"up.weight\" : f32[6, 10]")
        .replace("\"down.weight\" : f32[6, 10]", "\"down.weight\" : f32[10, 6]")
        .replace("  %t1 = transpose [1, 0] %w1 : f32[6, 10]\n", "")
        .replace("  %t2 = transpose [1, 0] %w2 : f32[10, 6]\n", "")
        .replace("%x, %t1", "%x, %w1")
        .replace("%r, %t2", "%r, %w2");
    let program = partita::parse("stored.pir", &text).unwrap();
    let export = exported(&program, PLANS[0], Target::Dtensor);
    let json: Value = serde_json::from_str(export.json.as_ref().unwrap()).unwrap();
    assert_eq!(json["placements"]["up.weight"][0], "Shard(1)");
    assert_eq!(json["placements"]["down.weight"][0], "Shard(0)");
    assert_eq!(json["parallelize_plan"]["up"], "ColwiseParallel()", "{}", export.text);
    assert_eq!(json["parallelize_plan"]["down"], "RowwiseParallel()");
    assert_eq!(json["transposed"].as_array().unwrap().len(), 2);
    let plan = Exported::new(FEED_FORWARD, PLANS[0]);
    assert_eq!(plan.placements["up.weight"], [Placed::Shard(0)]);
    assert_eq!(plan.placements["down.weight"], [Placed::Shard(1)]);
}

#[test]
fn layers_that_agree_are_one_entry_of_a_tp_plan() {
    let program =
        partita::load("zoo:gpt?layers=4&width=32&heads=4&hidden=64&seq=16&vocab=48&batch=8&tied=false").unwrap();
    let toml = "mesh = { model = 2 }\npresets = 'megatron'";
    let json: Value = serde_json::from_str(&exported(&program, toml, Target::TpPlan).json.unwrap()).unwrap();
    let plan: BTreeMap<String, String> = serde_json::from_value(json["tp_plan"].clone()).unwrap();
    let column = ["attention.query", "attention.key", "attention.value", "feed_forward.up"];
    for name in column {
        assert_eq!(plan[&format!("blocks.*.{name}")], "colwise", "{plan:?}");
    }
    for name in ["attention.output", "feed_forward.down"] {
        assert_eq!(plan[&format!("blocks.*.{name}")], "rowwise", "{plan:?}");
    }
    assert_eq!(plan["tokens"], "embedding_rowwise", "{plan:?}");
    assert_eq!(plan["head"], "colwise_gather_output", "{plan:?}");
    assert_eq!(plan.len(), 8, "{plan:?}");
}

#[test]
fn a_layer_that_differs_has_an_entry_of_its_own() {
    let program =
        partita::load("zoo:gpt?layers=4&width=32&heads=4&hidden=64&seq=16&vocab=48&batch=8&tied=false").unwrap();
    let toml = "mesh = { model = 2 }\npresets = 'megatron'\n[shard]\n'blocks.1.feed_forward.up.weight' = '_, _'\n\
                'blocks.1.feed_forward.up.bias' = '_'\n'blocks.1.feed_forward.down.weight' = '_, _'";
    let json: Value = serde_json::from_str(&exported(&program, toml, Target::TpPlan).json.unwrap()).unwrap();
    let plan: BTreeMap<String, String> = serde_json::from_value(json["tp_plan"].clone()).unwrap();
    assert!(
        !plan.contains_key("blocks.*.feed_forward.up") && !plan.contains_key("blocks.1.feed_forward.up"),
        "{plan:?}"
    );
    assert_eq!(plan["blocks.0.feed_forward.up"], "colwise");
    assert_eq!(plan["blocks.*.attention.query"], "colwise");
}
