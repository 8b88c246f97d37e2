//! Printing of functions as regions.

use super::literal::dense;
use super::{PrintResult, Writer, comma, tensor};
use crate::counterparts::binary_opcode;
use crate::syntax::Opcode;
use partita_ir::arena::{FuncId, Id, ValueId};
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{Combine, Direction, Literal, Loop};
use partita_ir::program::Op;
use partita_ir::tensor::Scalar;
use smol_str::SmolStr;
use std::fmt::Write;

impl Writer<'_> {
    /// Prints ` ({`, or `, {` before further regions.
    pub(super) fn open_region(&mut self, first: bool) {
        self.out.push_str(if first { " ({\n" } else { ", {\n" });
    }

    /// Prints `}`, and `)` after the last region.
    pub(super) fn close_region(&mut self, last: bool) {
        self.pad();
        self.out.push_str(if last { "})" } else { "}" });
    }

    /// Prints `^bb0(%1: T, %2: T):`.
    fn block(&mut self, args: &[(SmolStr, Type)]) {
        let args = comma(args.iter().map(|(name, ty)| format!("{name}: {}", tensor(ty))));
        self.line(format_args!("^bb0({args}):"));
    }

    /// Prints a function as the only region of an operation.
    pub(super) fn func_region(&mut self, func: FuncId) -> PrintResult {
        self.open_region(true);
        let func = &self.program.funcs[func];
        let args = self.bind(&func.inputs);
        self.block(&args);
        self.indent += 1;
        self.body(func.ops())?;
        self.returned("stablehlo.return", &func.outputs.iter().map(|o| o.value).collect::<Vec<_>>());
        self.indent -= 1;
        self.close_region(true);
        Ok(())
    }

    /// Assigns names to the inputs of a function.
    fn bind(&mut self, inputs: &[ValueId]) -> Vec<(SmolStr, Type)> {
        let mut args = Vec::with_capacity(inputs.len() + 1);
        for &input in inputs {
            let name = self.fresh();
            self.names[input.index()] = name.clone();
            args.push((name, self.program.ty(input).clone()));
        }
        args
    }

    /// Prints `({ x op y })`, the region that combines two scalars. It must be the last region.
    pub(super) fn monoid_region(&mut self, monoid: Monoid, dtype: DType, first: bool) {
        let ty = Type::new(dtype, []);
        let name = binary_opcode(monoid.combining_op()).map_or("stablehlo.add", Opcode::name);
        self.scalar_region(&ty, &tensor(&ty), name, "", first, true);
    }

    /// Prints `({ x >= y })`, the region with which pooling selects one of two scalars.
    pub(super) fn select_region(&mut self, monoid: Monoid, dtype: DType) {
        let direction = if monoid == Monoid::Min { Direction::Le } else { Direction::Ge };
        let properties = format!(" <{{{}}}>", super::ops::comparison(direction, dtype, false));
        self.scalar_region(&Type::new(dtype, []), "tensor<i1>", "stablehlo.compare", &properties, true, false);
    }

    /// Prints a region with one operation on two scalars.
    fn scalar_region(&mut self, ty: &Type, out: &str, name: &str, properties: &str, first: bool, last: bool) {
        self.open_region(first);
        let (x, y, z) = (self.fresh(), self.fresh(), self.fresh());
        self.block(&[(x.clone(), ty.clone()), (y.clone(), ty.clone())]);
        self.indent += 1;
        let ty = tensor(ty);
        self.line(format_args!("{z} = \"{name}\"({x}, {y}){properties} : ({ty}, {ty}) -> {out}"));
        self.line(format_args!("stablehlo.return {z} : {out}"));
        self.indent -= 1;
        self.close_region(last);
    }

    /// Prints the region that combines an existing element with its update, for example `({ y })`.
    pub(super) fn combine_region(&mut self, combine: Combine, dtype: DType) {
        match combine {
            Combine::Sum => self.monoid_region(Monoid::Sum, dtype, true),
            Combine::Prod => self.monoid_region(Monoid::Prod, dtype, true),
            Combine::Max => self.monoid_region(Monoid::Max, dtype, true),
            Combine::Min => self.monoid_region(Monoid::Min, dtype, true),
            Combine::Set => {
                self.open_region(true);
                let (ty, x, y) = (Type::new(dtype, []), self.fresh(), self.fresh());
                self.block(&[(x, ty.clone()), (y.clone(), ty.clone())]);
                self.line(format_args!("  stablehlo.return {y} : {}", tensor(&ty)));
                self.close_region(true);
            }
        }
    }

    /// Prints a scalar constant and returns its name.
    pub(super) fn scalar(&mut self, dtype: DType, x: Scalar) -> SmolStr {
        let (name, ty) = (self.fresh(), Type::new(dtype, []));
        let value = dense(&Literal::Splat(x), &ty);
        self.line(format_args!("{name} = \"stablehlo.constant\"() <{{value = {value}}}> : () -> {}", tensor(&ty)));
        name
    }

    /// Prints the identity of a monoid as a scalar constant and returns its name.
    pub(super) fn identity(&mut self, monoid: Monoid, dtype: DType) -> SmolStr {
        self.scalar(dtype, monoid.identity(dtype))
    }

    /// Prints a loop as a `while` with an additional last value, which counts iterations.
    pub(super) fn while_loop(&mut self, op: &Op, kind: &Loop) -> PrintResult {
        let program = self.program;
        let func = &program.funcs[kind.body];
        let counter = Type::new(DType::I64, []);
        let zero = self.scalar(DType::I64, Scalar::Int(0));
        self.pad();
        let outs: Vec<SmolStr> = op.outs.iter().map(|_| self.fresh()).collect();
        let rounds = self.fresh();
        let args = comma(op.args.iter().map(|&v| &self.names[v.index()]).chain([&zero]));
        let _ = write!(self.out, "{} = \"stablehlo.while\"({args})", comma(outs.iter().chain([&rounds])));

        self.open_region(true);
        let mut block = self.bind(&func.inputs);
        let round = self.fresh();
        block.push((round.clone(), counter.clone()));
        self.block(&block);
        self.indent += 1;
        let scalar = tensor(&counter);
        let go_on = if kind.is_while() {
            self.names[func.inputs[0].index()].clone()
        } else {
            let trip = i64::try_from(kind.trip).unwrap_or(i64::MAX);
            let (trip, go_on) = (self.scalar(DType::I64, Scalar::Int(trip)), self.fresh());
            let less = super::ops::comparison(Direction::Lt, DType::I64, false);
            self.line(format_args!(
                "{go_on} = \"stablehlo.compare\"({round}, {trip}) <{{{less}}}> : ({scalar}, {scalar}) -> tensor<i1>"
            ));
            go_on
        };
        self.line(format_args!("stablehlo.return {go_on} : tensor<i1>"));
        self.indent -= 1;
        self.close_region(false);

        self.open_region(false);
        let mut block = self.bind(&func.inputs);
        let round = self.fresh();
        block.push((round.clone(), counter));
        self.block(&block);
        self.indent += 1;
        self.constrain(&func.inputs);
        self.body(func.ops())?;
        let (one, next) = (self.scalar(DType::I64, Scalar::Int(1)), self.fresh());
        self.line(format_args!("{next} = \"stablehlo.add\"({round}, {one}) : ({scalar}, {scalar}) -> {scalar}"));
        let values = comma(func.outputs.iter().map(|o| &self.names[o.value.index()]).chain([&next]));
        let types = comma(func.outputs.iter().map(|o| self.ty(o.value)).chain([scalar.clone()]));
        self.line(format_args!("stablehlo.return {values} : {types}"));
        self.indent -= 1;
        self.close_region(true);

        let _ = writeln!(self.out, " : ({types}) -> ({types})");
        for (&out, name) in op.outs.iter().zip(outs) {
            self.names[out.index()] = name;
        }
        self.constrain(&op.outs);
        Ok(())
    }

    /// Prints sharding constraints for the values of a loop. XLA drops values that a loop carries unchanged, and then
    /// finds more shardings than values on the `while`. The shardings are therefore printed as constraints after the
    /// loop and at the start of its body.
    fn constrain(&mut self, values: &[ValueId]) {
        for &value in values {
            if let Some(sharding) = self.sharding(value) {
                let (name, ty) = (self.fresh(), self.ty(value));
                let before = std::mem::replace(&mut self.names[value.index()], name.clone());
                self.line(format_args!(
                    "{name} = \"sdy.sharding_constraint\"({before}) <{{sharding = {sharding}}}> : ({ty}) -> {ty}"
                ));
            }
        }
    }
}
