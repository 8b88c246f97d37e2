//! TypeLowering of element types that programs do not have: complex and quantised numbers, and tokens.
//!
//! A complex value becomes two values, its real and its imaginary part; a quantised value becomes its stored integers.
//! A token becomes no value: all operations of a program are ordered by the values that they use. Each operation on
//! them becomes operations on these values, with the definitions of the StableHLO specification. The result is a module
//! of the same structure whose element types are those of programs, so that no other part of the compiler knows of the
//! others.

mod check;
mod complex;
mod complex_math;
mod names;
mod quantized;
mod signature;

use crate::fault::{Fault, Result};
use crate::rewrite::{Output, Site};
use crate::syntax::{
    Arg, Attr, Attrs, Element, Func, Local, Module, Op, Opcode, ParsedArg, ParsedFunc, ParsedModule, ParsedOp,
    ParsedRegion, ParsedValue, Region, TensorType,
};
use partita_ir::dtype::Type;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

/// Lowers all functions of a module.
///
/// # Errors
/// Operations that are not defined, or not supported, for complex or quantised numbers.
pub fn lower_types<'a>(module: ParsedModule<'a>) -> Result<Module<'a>> {
    let ParsedModule { attrs, meshes, funcs, locations } = module;
    let lower = |func: ParsedFunc<'a>| TypeLowering::new(&func).func(&func, &locations);
    let funcs = funcs.into_iter().map(lower).collect::<Result<_>>()?;
    Ok(Module { attrs, meshes, funcs, locations })
}

/// Values that represent a value of the module.
#[derive(Clone, Copy)]
enum Parts {
    /// The value itself.
    Plain(Local),
    /// Real and imaginary part.
    Complex([Local; 2]),
    /// The stored integers of a quantised value.
    Stored(Local),
    /// The number that a quantised value represents. Inside of the region of a reduction of quantised values, which is
    /// computed without rounding to the stored integers.
    Expressed(Local),
    /// No value, for a token.
    Token,
}

impl Parts {
    fn locals(self) -> SmallVec<[Local; 2]> {
        match self {
            Parts::Plain(x) | Parts::Stored(x) | Parts::Expressed(x) => smallvec![x],
            Parts::Complex(parts) => SmallVec::from_slice(&parts),
            Parts::Token => SmallVec::new(),
        }
    }
}

/// State of the lowering of a function.
struct TypeLowering<'a> {
    /// The lowered function.
    out: Output<'a>,
    /// Values of the function, including those added for reducers that are named instead of written.
    source: Vec<ParsedValue<'a>>,
    /// Lowered values of each value of the function.
    parts: Vec<Option<Parts>>,
    /// True inside of the region of a reduction of quantised values.
    expressed: bool,
}

impl<'a> TypeLowering<'a> {
    fn new(func: &ParsedFunc<'a>) -> Self {
        TypeLowering {
            out: Output::default(),
            source: func.values.clone(),
            parts: vec![None; func.values.len()],
            expressed: false,
        }
    }

    fn func(mut self, func: &ParsedFunc<'a>, locations: &FxHashMap<&str, &str>) -> Result<Func<'a>> {
        let body = self.region(&func.body)?;
        let (arg_attrs, result_attrs, results) = signature::attributes(func);
        let (arg_names, result_names) = names::names(func, locations);
        Ok(Func {
            name: func.name,
            private: func.private,
            at: func.at.clone(),
            arg_attrs,
            result_attrs,
            results,
            body,
            values: self.out.values,
            arg_names,
            result_names,
        })
    }

    /// Lowers a region with its arguments.
    fn region(&mut self, region: &ParsedRegion<'a>) -> Result<Region<'a>> {
        let first = self.out.values.len() as Local;
        let args = region.args.iter().flat_map(|arg| self.arg(arg)).collect();
        let ops = self.block(&region.ops)?;
        Ok(Region { first, args, ops })
    }

    /// Lowers the operations of a block.
    fn block(&mut self, ops: &[ParsedOp<'a>]) -> Result<Vec<Op<'a>>> {
        let outside = std::mem::replace(&mut self.out.ops, Vec::with_capacity(ops.len()));
        let lowered = ops.iter().try_for_each(|op| self.op(op));
        let ops = std::mem::replace(&mut self.out.ops, outside);
        lowered.map(|()| ops)
    }

    /// Defines the values of an argument of a region.
    fn arg(&mut self, arg: &ParsedArg<'a>) -> SmallVec<[Arg<'a>; 2]> {
        let at = arg.at.clone();
        let types = self.lowered_types(&arg.ty);
        let source = &self.source[arg.value as usize];
        self.out.site = Site { name: source.name, index: source.index, name_at: source.at, ..self.out.site };
        let location = arg.location;
        let args: SmallVec<[Arg<'a>; 2]> = types
            .into_iter()
            .map(|ty| Arg { value: self.out.new_value(ty.clone()), ty, at: at.clone(), location })
            .collect();
        let locals: SmallVec<[Local; 2]> = args.iter().map(|arg| arg.value).collect();
        self.define(arg.value, &arg.ty, &locals);
        args
    }

    /// Returns the types of the values that represent a value of type `ty`.
    fn lowered_types(&self, ty: &TensorType) -> SmallVec<[Type; 2]> {
        let part = |dtype| Type { shape: ty.shape.clone(), dtype };
        match &ty.element {
            Element::Plain(dtype) => smallvec![part(*dtype)],
            Element::Complex(dtype) => smallvec![part(*dtype), part(*dtype)],
            Element::Quantized(q) if self.expressed => smallvec![part(q.expressed)],
            Element::Quantized(q) => smallvec![part(q.storage)],
            Element::Token => SmallVec::new(),
        }
    }

    /// Records the lowered values of a value of type `ty`.
    fn define(&mut self, local: Local, ty: &TensorType, lowered: &[Local]) {
        let parts = match (&ty.element, lowered) {
            (Element::Plain(_), &[x]) => Parts::Plain(x),
            (Element::Complex(_), &[re, im]) => Parts::Complex([re, im]),
            (Element::Quantized(_), &[x]) if self.expressed => Parts::Expressed(x),
            (Element::Quantized(_), &[x]) => Parts::Stored(x),
            (Element::Token, []) => Parts::Token,
            _ => return,
        };
        if let Some(slot) = self.parts.get_mut(local as usize) {
            *slot = Some(parts);
        }
    }

    /// Returns the lowered values of a value. Errors: it is used outside of the region that defines it.
    fn parts_of(&self, local: Local) -> Result<Parts> {
        self.parts.get(local as usize).copied().flatten().ok_or_else(|| {
            let at = self.out.site.at as usize;
            Fault::malformed("a value is used where it is not defined", at..at)
        })
    }

    /// Lowers an operation.
    fn op(&mut self, op: &ParsedOp<'a>) -> Result<()> {
        if let Some(check) = self.check_op(op)? {
            return self.op(&check);
        }
        let name = self.source.get(op.first_result as usize).filter(|_| !op.types.is_empty());
        let (name, index, name_at) = name.map_or(("v", None, op.at), |value| (value.name, value.index, value.at));
        self.out.site = Site { at: op.at, line: op.line, location: op.location, name, index, name_at };
        let element_of = |local: &Local| self.source.get(*local as usize).map(|value| &value.ty.element);
        let elements = op.operands.iter().filter_map(element_of).chain(op.types.iter().map(|ty| &ty.element));
        let (mut complex, mut quantized) = (false, false);
        for element in elements {
            complex |= matches!(element, Element::Complex(_));
            quantized |= matches!(element, Element::Quantized(_));
        }
        if op.code == Opcode::AfterAll {
            self.define(op.first_result, &op.types[0], &[]);
            return Ok(());
        }
        match (complex, quantized) {
            (true, true) => Err(self.unsupported(op, "of complex and quantised numbers")),
            (true, false) => self.complex_op(op),
            (false, true) => self.quantized_op(op),
            (false, false) => self.flattened(op, op.attrs.clone()),
        }
    }

    /// Emits the operation itself, with the lowered values of its operands and results, and lowered regions.
    fn flattened(&mut self, op: &ParsedOp<'a>, attrs: Attrs<'a>) -> Result<()> {
        let mut operands: SmallVec<[Local; 4]> = SmallVec::new();
        for &operand in &op.operands {
            operands.extend(self.parts_of(operand)?.locals());
        }
        let site = self.out.site;
        let regions = op.regions.iter().map(|region| self.region(region)).collect::<Result<Vec<_>>>()?;
        self.out.site = site;
        let mut attrs = attrs;
        self.expand_shardings(op, &mut attrs);
        let first_result = self.out.values.len() as Local;
        let mut types: SmallVec<[Type; 1]> = SmallVec::new();
        for (local, ty) in op.results().zip(&op.types) {
            if let Some(source) = self.source.get(local as usize) {
                self.out.site = Site { name: source.name, index: source.index, name_at: source.at, ..self.out.site };
            }
            let lowered: SmallVec<[Local; 2]> = self
                .lowered_types(ty)
                .into_iter()
                .map(|part| {
                    types.push(part.clone());
                    self.out.new_value(part)
                })
                .collect();
            self.define(local, ty, &lowered);
        }
        let inherent = op.inherent.min(attrs.len());
        let Op { code, at, line, location, .. } = *op;
        self.out.ops.push(Op { code, at, line, operands, first_result, types, attrs, inherent, regions, location });
        Ok(())
    }

    /// Repeats the sharding of each result, and of each operand of a manual computation, for each of its lowered
    /// values.
    fn expand_shardings(&self, op: &ParsedOp<'a>, attrs: &mut Attrs<'a>) {
        let operand_type = |local: &Local| self.source.get(*local as usize).map(|value| &value.ty);
        for (name, attr) in attrs {
            let Attr::Shardings(shardings) = attr else { continue };
            let types: SmallVec<[&TensorType; 4]> = match *name {
                "in_shardings" => op.operands.iter().filter_map(operand_type).collect(),
                _ => op.types.iter().collect(),
            };
            if shardings.len() == types.len() {
                let counts = types.iter().map(|ty| self.lowered_types(ty).len());
                *shardings =
                    shardings.iter().zip(counts).flat_map(|(s, n)| std::iter::repeat_n(s.clone(), n)).collect();
            }
        }
    }

    /// Builds the fault for an operation that is not supported for some numbers.
    #[cold]
    fn unsupported(&self, op: &ParsedOp<'a>, numbers: &str) -> Box<Fault> {
        Fault::unsupported(format!("`{}` {numbers} is not supported", op.code.name()), op.span())
    }
}
