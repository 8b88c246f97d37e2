//! Parsing of custom assembly formats into the generic form.

use super::Opcode;
use super::attribute::{Attr, Entry, Ints};
use super::parse::Parser;
use super::{ParsedOp as Op, ParsedRegion as Region};
use crate::fault::{Fault, Result};
use smallvec::SmallVec;

impl<'a> Parser<'a> {
    /// Parses the text after the name of an operation in its custom format.
    pub fn assembly(&mut self, op: &mut Op<'a>, results: usize) -> Result<()> {
        match op.code {
            Opcode::Constant => self.constant(op),
            Opcode::Reduce => self.reduce(op, results),
            Opcode::While => self.while_loop(op),
            Opcode::Convolution | Opcode::DynamicConv => self.convolution(op, results),
            Opcode::CustomCall | Opcode::FuncCall => self.call(op, results),
            Opcode::Composite => {
                self.cursor.string("the name of the composite")?;
                self.clauses(op)?;
                self.tail(op, results)
            }
            Opcode::Return | Opcode::FuncReturn | Opcode::SdyReturn => self.terminator(op),
            Opcode::SdyManualComputation => self.manual_computation(op, results),
            Opcode::CheckExpectAlmostEqConst | Opcode::CheckExpectEqConst => self.check_constant(op),
            Opcode::SdyShardingConstraint | Opcode::SdyReshard | Opcode::SdyDataFlowEdge => {
                self.sharded_identity(op)?;
                self.tail(op, results)
            }
            Opcode::SdyPropagationBarrier | Opcode::SdyShardingGroup => {
                op.operands.push(self.operand()?);
                self.clause(op)?;
                self.tail(op, results)
            }
            _ => {
                let parenthesised = self.cursor.eat(b'(');
                self.clauses(op)?;
                if parenthesised {
                    self.cursor.expect(b')', "after the operands")?;
                }
                self.tail(op, results)
            }
        }
    }

    /// Parses `%a <sharding>`, `%a sharding=<sharding>`, or the form of Shardy's collectives, `[axes] %a
    /// out_sharding=<sharding>`.
    fn sharded_identity(&mut self, op: &mut Op<'a>) -> Result<()> {
        if self.cursor.peek() != b'%' {
            self.cursor.balanced()?;
        }
        op.operands.push(self.operand()?);
        let named = self.cursor.eat_word("sharding") || self.cursor.eat_word("out_sharding");
        if named {
            self.cursor.expect(b'=', "and the sharding")?;
        }
        // An edge without a sharding is followed by its type.
        if named || op.code != Opcode::SdyDataFlowEdge {
            let sharding = self.sharding()?;
            op.attrs.push(("sharding", Attr::Shardings(vec![sharding])));
        }
        Ok(())
    }

    /// Parses `{attributes} : signature`.
    fn tail(&mut self, op: &mut Op<'a>, results: usize) -> Result<()> {
        op.inherent = op.attrs.len();
        self.optional_dictionary(&mut op.attrs)?;
        self.cursor.expect(b':', "and the types of the operation")?;
        self.signature(op, results)
    }

    /// Parses the clauses of most operations: operands, `key = value` and enumerators, separated by commas.
    fn clauses(&mut self, op: &mut Op<'a>) -> Result<()> {
        loop {
            match self.cursor.peek() {
                b'%' => {
                    op.operands.push(self.operand()?);
                    if op.code == Opcode::Slice && self.cursor.peek() == b'[' {
                        self.slice_ranges(op)?;
                    }
                }
                b':' | b'{' | b')' => return Ok(()),
                _ => self.clause(op)?,
            }
            if !self.cursor.eat(b',') {
                return Ok(());
            }
        }
    }

    /// Parses `key = value`, `key = [..] x [..]`, or an enumerator.
    fn clause(&mut self, op: &mut Op<'a>) -> Result<()> {
        let key = self.cursor.name("an operand or an attribute")?;
        if !self.cursor.eat(b'=') {
            let has_direction = op.attrs.iter().any(|(name, _)| *name == "comparison_direction");
            let name = if has_direction { "compare_type" } else { "comparison_direction" };
            op.attrs.push((name, Attr::Word(key)));
            return Ok(());
        }
        let start = self.cursor.offset();
        let value = match op.code {
            // The type of the number is followed by that of the operands.
            Opcode::CheckExpectAlmostEq | Opcode::CheckExpectClose if self.number_has_type() => self.attribute()?,
            _ => self.value()?,
        };
        if !self.cursor.eat_word("x") {
            if op.code == Opcode::ReducePrecision && key == "format" {
                return self.float_format(op, value, start);
            }
            op.attrs.push((generic_name(op.code, key), value));
            return Ok(());
        }
        let (lhs, rhs) = match key {
            "batching_dims" => ("lhs_batching_dimensions", "rhs_batching_dimensions"),
            _ => ("lhs_contracting_dimensions", "rhs_contracting_dimensions"),
        };
        let pair = [(lhs, value), (rhs, self.value()?)];
        match op.attrs.iter_mut().find(|(name, _)| *name == "dot_dimension_numbers") {
            Some((_, Attr::Dict(entries))) => entries.extend(pair),
            _ => op.attrs.push(("dot_dimension_numbers", Attr::Dict(pair.to_vec()))),
        }
        Ok(())
    }

    /// Returns true if a number with a scalar type follows: `0.1 : f64`.
    fn number_has_type(&self) -> bool {
        let after = self.cursor.rest().split_once(':').map_or("", |(_, after)| after.trim_start());
        !after.starts_with("tensor")
    }

    /// Converts a float format such as `e8m7`.
    fn float_format(&mut self, op: &mut Op<'a>, value: Attr<'a>, start: usize) -> Result<()> {
        let bits = |digits: &str| digits.parse().ok().map(Attr::Int);
        let parts = value.as_word().and_then(|w| w.strip_prefix('e')).and_then(|w| w.split_once('m'));
        match parts.and_then(|(e, m)| Some((bits(e)?, bits(m)?))) {
            Some((exponent, mantissa)) => {
                op.attrs.extend([("exponent_bits", exponent), ("mantissa_bits", mantissa)]);
                Ok(())
            }
            None => {
                let text = self.cursor.text_since(start);
                Err(Fault::malformed(format!("`{text}` is not a format such as `e8m7`"), start..start + text.len()))
            }
        }
    }

    /// Parses `[0:3, 1:8:2]`.
    fn slice_ranges(&mut self, op: &mut Op<'a>) -> Result<()> {
        let (mut starts, mut limits, mut strides) = (Ints::new(), Ints::new(), Ints::new());
        self.cursor.expect(b'[', "before the ranges")?;
        while !self.cursor.eat(b']') {
            starts.push(self.cursor.integer("the start of a range")?);
            self.cursor.expect(b':', "and the limit of the range")?;
            limits.push(self.cursor.integer("the limit of a range")?);
            let stride = if self.cursor.eat(b':') { self.cursor.integer("the stride of a range")? } else { 1 };
            strides.push(stride);
            self.comma_or(b']', "in the ranges of a slice")?;
        }
        op.attrs.extend([
            ("start_indices", Attr::Ints(starts)),
            ("limit_indices", Attr::Ints(limits)),
            ("strides", Attr::Ints(strides)),
        ]);
        Ok(())
    }

    /// Parses `{attributes} dense<..> : type`.
    fn constant(&mut self, op: &mut Op<'a>) -> Result<()> {
        self.optional_dictionary(&mut op.attrs)?;
        let value = self.value()?;
        op.attrs.push(("value", value));
        self.cursor.expect(b':', "and the type of the constant")?;
        op.types.push(self.tensor()?);
        Ok(())
    }

    /// Parses `(%a) in_shardings=[<..>] out_shardings=[<..>] manual_axes={"x"} (%b: T) { ops } : signature`.
    fn manual_computation(&mut self, op: &mut Op<'a>, results: usize) -> Result<()> {
        self.cursor.expect(b'(', "before the operands")?;
        self.operands_until(b')', op)?;
        for name in ["in_shardings", "out_shardings"] {
            self.cursor.expect_word(name)?;
            self.cursor.expect(b'=', "and the shardings")?;
            self.cursor.expect(b'[', "before the shardings")?;
            let mut all = Vec::new();
            while !self.cursor.eat(b']') {
                all.push(self.sharding()?);
                self.comma_or(b']', "in a list of shardings")?;
            }
            op.attrs.push((name, Attr::Shardings(all)));
        }
        self.cursor.expect_word("manual_axes")?;
        self.cursor.expect(b'=', "and the manual axes")?;
        self.cursor.expect(b'{', "before the manual axes")?;
        let mut axes = Vec::new();
        while !self.cursor.eat(b'}') {
            axes.push(Attr::Str(self.cursor.string("an axis in quotes")?));
            self.comma_or(b'}', "in the manual axes")?;
        }
        op.attrs.push(("manual_axes", Attr::List(axes)));
        op.inherent = op.attrs.len();
        let body = self.scoped(|p| {
            let first = p.next_local();
            let mut args = Vec::new();
            p.cursor.expect(b'(', "before the arguments of the body")?;
            while !p.cursor.eat(b')') {
                args.push(p.arg()?);
                p.location()?;
                p.comma_or(b')', "in the arguments of the body")?;
            }
            p.cursor.expect(b'{', "before the body")?;
            Ok(Region { first, args, ops: p.ops_until_brace()? })
        })?;
        op.regions.push(body);
        self.optional_dictionary(&mut op.attrs)?;
        self.cursor.expect(b':', "and the types of the operation")?;
        self.signature(op, results)
    }

    /// Parses `%a, dense<..> : T, tolerance = 0.1`.
    fn check_constant(&mut self, op: &mut Op<'a>) -> Result<()> {
        op.operands.push(self.operand()?);
        self.cursor.expect(b',', "and the expected value")?;
        let value = self.attribute()?;
        op.attrs.push(("value", value));
        if self.cursor.eat(b',') {
            self.cursor.expect_word("tolerance")?;
            self.cursor.expect(b'=', "and the tolerance")?;
            let tolerance = self.attribute()?;
            op.attrs.push(("tolerance", tolerance));
        }
        self.optional_dictionary(&mut op.attrs)
    }

    /// Parses `%a, %b : T, T`.
    fn terminator(&mut self, op: &mut Op<'a>) -> Result<()> {
        while self.cursor.peek() == b'%' {
            op.operands.push(self.operand()?);
            if !self.cursor.eat(b',') {
                break;
            }
        }
        self.optional_dictionary(&mut op.attrs)?;
        if op.operands.is_empty() {
            return Ok(());
        }
        self.cursor.expect(b':', "and the types of the operands")?;
        self.signature(op, 0)
    }

    /// Parses `@callee(%a) {attributes} : signature`.
    fn call(&mut self, op: &mut Op<'a>, results: usize) -> Result<()> {
        let key = if op.code == Opcode::FuncCall { "callee" } else { "call_target_name" };
        let callee = self.cursor.symbol("what is called")?;
        op.attrs.push((key, Attr::Symbol(callee)));
        self.cursor.expect(b'(', "before the operands")?;
        self.operands_until(b')', op)?;
        self.tail(op, results)
    }

    /// Parses `(%a, %b) dim_numbers = [..]x[..]->[..], window = {..} {attributes} : signature`.
    fn convolution(&mut self, op: &mut Op<'a>, results: usize) -> Result<()> {
        self.cursor.expect(b'(', "before the operands")?;
        self.operands_until(b')', op)?;
        self.cursor.expect_word("dim_numbers")?;
        self.cursor.expect(b'=', "and the dimension numbers")?;
        let dims = self.conv_dims()?;
        op.attrs.push(("dimension_numbers", Attr::Conv(Box::new(dims))));
        if self.cursor.eat(b',') {
            self.cursor.expect_word("window")?;
            self.cursor.expect(b'=', "and the window")?;
            let window = self.dictionary()?;
            op.attrs.extend(window.into_iter().map(|(key, value): Entry<'a>| (window_name(key), value)));
        }
        self.tail(op, results)
    }

    /// Parses `(%a init: %i), (%b init: %j) applies op across dimensions = [..] {attributes} : signature`, or the form
    /// with a region `reducer(%x: T, %y: T) (..) { ops }` after the signature.
    fn reduce(&mut self, op: &mut Op<'a>, results: usize) -> Result<()> {
        let mut inits: SmallVec<[u32; 4]> = SmallVec::new();
        loop {
            self.cursor.expect(b'(', "before an operand and its initial value")?;
            op.operands.push(self.operand()?);
            self.cursor.expect_word("init")?;
            self.cursor.expect(b':', "and the initial value")?;
            inits.push(self.operand()?);
            self.cursor.expect(b')', "after the initial value")?;
            if !self.cursor.eat(b',') {
                break;
            }
        }
        op.operands.extend(inits);
        let inline = self.cursor.eat_word("applies");
        if inline {
            let name = self.cursor.name("the operation that is applied")?;
            op.attrs.push(("applies", Attr::Word(name)));
        }
        self.cursor.expect_word("across")?;
        self.cursor.expect_word("dimensions")?;
        self.cursor.expect(b'=', "and the dimensions")?;
        let dims = self.value()?;
        op.attrs.push(("dimensions", dims));
        self.tail(op, results)?;
        if !inline {
            self.cursor.expect_word("reducer")?;
            let reducer = self.scoped(Self::reducer)?;
            op.regions.push(reducer);
        }
        Ok(())
    }

    /// Parses `(%x0: T, %y0: T) (%x1: U, %y1: U) { ops }`: one pair per operand. In the generic form all accumulators
    /// precede all elements.
    fn reducer(&mut self) -> Result<Region<'a>> {
        let first = self.next_local();
        let (mut args, mut elements) = (Vec::new(), Vec::new());
        while self.cursor.eat(b'(') {
            args.push(self.arg()?);
            self.location()?;
            self.cursor.expect(b',', "between accumulator and element")?;
            elements.push(self.arg()?);
            self.location()?;
            self.cursor.expect(b')', "after the element")?;
        }
        args.append(&mut elements);
        self.cursor.expect(b'{', "before the reducer")?;
        Ok(Region { first, args, ops: self.ops_until_brace()? })
    }

    /// Parses `(%x = %a, %y = %b) : T, U attributes {..} cond { ops } do { ops }`.
    fn while_loop(&mut self, op: &mut Op<'a>) -> Result<()> {
        let mut names = Vec::new();
        self.cursor.expect(b'(', "before the values of the loop")?;
        while !self.cursor.eat(b')') {
            let start = self.cursor.offset();
            let name = self.cursor.sigil(b'%', "a value of the loop")?;
            names.push((name, start..start + name.len() + 1));
            self.cursor.expect(b'=', "and its initial value")?;
            op.operands.push(self.operand()?);
            self.comma_or(b')', "in the values of a loop")?;
        }
        self.cursor.expect(b':', "and the types of the loop's values")?;
        self.signature(op, names.len())?;
        if op.types.len() != names.len() {
            let title = format!("the loop has {} values and types for {}", names.len(), op.types.len());
            return Err(Fault::malformed(title, op.span()));
        }
        if self.cursor.eat_word("attributes") {
            self.optional_dictionary(&mut op.attrs)?;
        }
        for keyword in ["cond", "do"] {
            self.cursor.expect_word(keyword)?;
            self.cursor.expect(b'{', "before a region of the loop")?;
            let region = self.scoped(|p| {
                let first = p.next_local();
                let mut args = Vec::with_capacity(names.len());
                for ((name, at), ty) in names.iter().zip(&op.types) {
                    let value = p.bind(name, std::slice::from_ref(ty), at)?;
                    args.push(super::Arg { value, ty: ty.clone(), at: at.clone(), location: "" });
                }
                Ok(Region { first, args, ops: p.ops_until_brace()? })
            })?;
            op.regions.push(region);
        }
        Ok(())
    }
}

/// Returns the generic name of an attribute that the assembly format names `key`.
fn generic_name(code: Opcode, key: &str) -> &str {
    match (code, key) {
        (Opcode::BroadcastInDim | Opcode::DynamicBroadcastInDim, "dims") => "broadcast_dimensions",
        (Opcode::Transpose, "dims") => "permutation",
        (Opcode::Reverse, "dims") => "dimensions",
        (Opcode::Iota | Opcode::DynamicIota, "dim") => "iota_dimension",
        (Opcode::Concatenate | Opcode::GetDimensionSize, "dim") => "dimension",
        (Opcode::DynamicSlice, "sizes") => "slice_sizes",
        (Opcode::Pad, "low") => "edge_padding_low",
        (Opcode::Pad, "high") => "edge_padding_high",
        (Opcode::Pad, "interior") => "interior_padding",
        (Opcode::DotGeneral, "precision") => "precision_config",
        (Opcode::Fft, "type") => "fft_type",
        (Opcode::Fft, "length") => "fft_length",
        (Opcode::RngBitGenerator, "algorithm") => "rng_algorithm",
        _ => key,
    }
}

/// Returns the generic name of a convolution window attribute that the assembly format names `key`.
fn window_name(key: &str) -> &str {
    match key {
        "stride" => "window_strides",
        "pad" => "padding",
        "lhs_dilate" => "lhs_dilation",
        "rhs_dilate" => "rhs_dilation",
        "reverse" => "window_reversal",
        _ => key,
    }
}
