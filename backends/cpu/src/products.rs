//! Rewriting of sums of products over devices to one product of gathered operands.
//!
//! An `all_reduce` of one product for each device equals one product of the concatenated operands: `sum_d a_d b_d =
//! [a_1 a_2 ...] [b_1 b_2 ...]`. In one process, where a device may compute for its replicas, gathering the operands
//! moves far fewer bytes than reducing the products if the products are large and their contracted dimension is short,
//! as for weight gradients of a small batch. The rewrite is applied where it reduces the number of bytes.
//!
//! Recogniser: a sum of products that is not found is computed as the program states it.

use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::layout::Monoid;
use partita_ir::mesh::{Axes, shard_count};
use partita_ir::op::OpKind;
use partita_ir::ops::{AllGather, BinaryOp};
use partita_ir::program::{Program, Values};
use partita_runtime::replicas::Replicas;
use rustc_hash::FxHashMap;

/// Replaces sums over devices of products by products of gathered operands where this moves fewer bytes.
pub(crate) fn gather_operands(program: &mut Program, replicas: &Replicas<'_>) {
    let found = ProductFinder::new(program, replicas).products();
    if found.is_empty() {
        return;
    }
    let mut names = Namer::from_program(program);
    let mut gathered: FxHashMap<(ValueId, usize, Axes), ValueId> = FxHashMap::default();
    let mut replacements: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    let mut body = Vec::new();
    for id in std::mem::take(program.entry_ops_mut()) {
        for arg in &mut program.ops[id].args {
            *arg = replacements.get(arg).copied().unwrap_or(*arg);
        }
        if let Some(product) = found.iter().find(|p| p.op == id) {
            for (operand, dim) in product.dims.into_iter().enumerate() {
                let shard = program.ops[id].args[operand];
                let global = *gathered.entry((shard, dim, product.axes.clone())).or_insert_with(|| {
                    let mut builder = Builder::new(program, &mut names);
                    let mut ty = builder.ty(shard);
                    ty.shape[dim] *= shard_count(&product.axes);
                    let name = builder.program.values[shard].name.clone();
                    let global = builder.op(&name, AllGather { dim, axes: product.axes.clone() }, &[shard], ty);
                    body.extend(builder.body);
                    global
                });
                program.ops[id].args[operand] = global;
            }
        }
        // Removes operands whose sum is complete after the rewrite.
        let op = &mut program.ops[id];
        let is_done = |arg: &ValueId| found.iter().any(|p| p.sum == id && p.summand == *arg);
        let (args, outs) = (op.args.clone(), op.outs.clone());
        let (done, left): (Vec<_>, Vec<_>) = args.into_iter().zip(outs).partition(|(arg, _)| is_done(arg));
        replacements.extend(done.iter().map(|&(arg, out)| (out, arg)));
        if !done.is_empty() {
            (op.args, op.outs) = left.into_iter().unzip::<_, _, Values, Values>();
        }
        if done.is_empty() || !op.args.is_empty() {
            body.push(id);
        }
    }
    let entry = program.entry();
    let main = &mut program.funcs[entry];
    *main.ops_mut() = body;
    for output in &mut main.outputs {
        output.value = replacements.get(&output.value).copied().unwrap_or(output.value);
    }
}

/// Product whose results are summed over devices, where the sum is needed on one device only.
struct Product {
    /// Op of the product.
    op: OpId,
    /// Gathered dimension of each operand, which is a contracted dimension.
    dims: [usize; 2],
    /// The `all_reduce` and its operand.
    sum: OpId,
    summand: ValueId,
    axes: Axes,
}

struct ProductFinder<'a> {
    program: &'a Program,
    replicas: &'a Replicas<'a>,
    /// Op that computes each value, and number of reads of each value.
    defining_op: Vec<Option<OpId>>,
    read_counts: Vec<usize>,
}

impl<'a> ProductFinder<'a> {
    fn new(program: &'a Program, replicas: &'a Replicas<'a>) -> ProductFinder<'a> {
        let mut defining_op = vec![None; program.values.len()];
        let mut read_counts = vec![0; program.values.len()];
        // entry only: products within loops are not rewritten
        for &id in program.funcs[program.entry()].ops() {
            let op = &program.ops[id];
            op.outs.iter().for_each(|out| defining_op[out.index()] = Some(id));
            op.args.iter().for_each(|arg| read_counts[arg.index()] += 1);
        }
        program.outputs().iter().for_each(|o| read_counts[o.value.index()] += 1);
        ProductFinder { program, replicas, defining_op, read_counts }
    }

    fn products(&self) -> Vec<Product> {
        let mut found = Vec::new();
        // entry only: products within loops are not rewritten
        for &sum in self.program.funcs[self.program.entry()].ops() {
            let op = &self.program.ops[sum];
            let OpKind::AllReduce(all_reduce) = &op.kind else { continue };
            if all_reduce.monoid != Monoid::Sum {
                continue;
            }
            for (&summand, &out) in op.args.iter().zip(&op.outs) {
                let axes = &all_reduce.axes;
                if self.replicas.is_needed_once(out, axes)
                    && let Some((op, dims)) = self.product(summand, axes)
                    && self.moves_fewer_bytes(op, axes)
                {
                    found.push(Product { op, dims, sum, summand, axes: axes.clone() });
                }
            }
        }
        found
    }

    /// Returns the product that a value results from by transposing, reshaping or replicated scaling, if it has no
    /// other readers, with a contracted dimension of each operand.
    fn product(&self, value: ValueId, axes: &Axes) -> Option<(OpId, [usize; 2])> {
        if self.read_counts[value.index()] != 1 {
            return None;
        }
        let id = self.defining_op[value.index()]?;
        let op = &self.program.ops[id];
        match &op.kind {
            OpKind::DotGeneral(dot) => Some((id, [*dot.contract.lhs.first()?, *dot.contract.rhs.first()?])),
            OpKind::Transpose(_) | OpKind::Reshape(_) => self.product(op.args[0], axes),
            OpKind::Binary(binary) if binary.op == BinaryOp::Mul => match (op.args[0], op.args[1]) {
                (x, scale) if self.replicas.is_replicated(scale, axes) => self.product(x, axes),
                (scale, x) if self.replicas.is_replicated(scale, axes) => self.product(x, axes),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns true if the operands of all devices together are smaller than the product.
    fn moves_fewer_bytes(&self, product: OpId, axes: &Axes) -> bool {
        let op = &self.program.ops[product];
        let bytes = |v: &ValueId| self.program.ty(*v).bytes();
        let operands = op.args.iter().map(bytes).fold(0, u64::saturating_add);
        operands.saturating_mul(shard_count(axes) as u64) < bytes(&op.outs[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use partita_ir::diag::Source;
    use partita_ir::text::{parse, print};

    /// A weight with a small gradient, and one whose gradient every device reads.
    const STEP: &str = "form local
        mesh @m = [a=2, b=2]
        param %w \"w\" : f32[64, 64] whole
        param %v \"v\" : f32[4, 64] whole
        param %u \"u\" : f32[64, 64] whole
        input %x : f32[8@a, 64]
        input %y : f32[8@a, 4]
          %p = dot_general contract [0]x[0] %x, %x : f32[64, 64]
          %t = transpose [1, 0] %p : f32[64, 64]
          %q = dot_general contract [0]x[0] %y, %x : f32[4, 64]
          %r = dot_general contract [0]x[0] %x, %x : f32[64, 64]
          %ps, %qs = all_reduce sum over a %t, %q : f32[64, 64], f32[4, 64]
          %rs = all_reduce sum over a %r : f32[64, 64]
          %wn = sub %w, %ps : f32[64, 64] whole
          %vn = sub %v, %qs : f32[4, 64] whole
          %un = matmul %x, %rs : f32[4, 64]
        output %wn \"w\"
        output %vn \"v\"
        output %un \"u\"";

    #[test]
    fn products_of_large_sums_gather_their_operands() {
        let mut program = parse(&Source::new("test.pir", STEP)).unwrap();
        let annotated = program.clone();
        let (_, mesh) = annotated.mesh().unwrap();
        for value in program.values.values_mut() {
            value.ty = value.local_type();
            value.layout = None;
        }
        let replicas = Replicas::analyze(&program, mesh, &|v| annotated.values[v].layout.as_deref());
        gather_operands(&mut program, &replicas);
        expect![[r#"
            form local
            mesh @m = [a=2, b=2]
            param %w "w" : f32[64, 64]
            param %v "v" : f32[4, 64]
            param %u "u" : f32[64, 64]
            input %x : f32[4, 64]
            input %y : f32[4, 4]
              %x.1 = all_gather dim 0 over a %x : f32[8, 64]
              %p = dot_general contract [0]x[0] %x.1, %x.1 : f32[64, 64]
              %t = transpose [1, 0] %p : f32[64, 64]
              %q = dot_general contract [0]x[0] %y, %x : f32[4, 64]
              %r = dot_general contract [0]x[0] %x, %x : f32[64, 64]
              %qs = all_reduce sum over a %q : f32[4, 64]
              %rs = all_reduce sum over a %r : f32[64, 64]
              %wn = sub %w, %t : f32[64, 64]
              %vn = sub %v, %qs : f32[4, 64]
              %un = matmul %x, %rs : f32[4, 64]
            output %wn "w"
            output %vn "v"
            output %un "u"
        "#]]
        .assert_eq(&print(&program));
    }
}
