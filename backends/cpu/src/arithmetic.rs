//! Arithmetic on `f32` and `f64` that writes its result over an operand that nobody reads afterwards.

use partita_ir::dtype::DType;
use partita_ir::op::Evaluated;
use partita_ir::ops::BinaryOp;
use partita_ir::tensor::{Data, Tensor};
use partita_runtime::kernel::{Kernel, KernelCx, Reference};
use std::ops::{Add, Div, Mul, Sub};
use std::sync::Arc;

/// One of the four operations.
pub(crate) struct Arithmetic(pub(crate) BinaryOp);

impl Arithmetic {
    /// Whether it is one of the four.
    pub(crate) fn covers(op: BinaryOp) -> bool {
        matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div)
    }

    /// Writes `x op y` over `x`, or over `y` when `into_right`. Whether it did: only for numbers that need no rounding
    /// after the operation.
    fn apply(&self, into: &mut Tensor, other: &Tensor, into_right: bool) -> bool {
        if into.ty != other.ty || !matches!(into.ty.dtype, DType::F32 | DType::F64) {
            return false;
        }
        match (&mut into.data, &other.data) {
            (Data::F32(into), Data::F32(other)) => self.floats(into, other, into_right),
            (Data::F64(into), Data::F64(other)) => self.floats(into, other, into_right),
            _ => false,
        }
    }

    fn floats<T>(&self, into: &mut [T], other: &[T], into_right: bool) -> bool
    where
        T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T> + Div<Output = T>,
    {
        let pairs = into.iter_mut().zip(other);
        match (self.0, into_right) {
            (BinaryOp::Add, _) => pairs.for_each(|(x, &y)| *x = *x + y),
            (BinaryOp::Mul, _) => pairs.for_each(|(x, &y)| *x = *x * y),
            (BinaryOp::Sub, false) => pairs.for_each(|(x, &y)| *x = *x - y),
            (BinaryOp::Sub, true) => pairs.for_each(|(y, &x)| *y = x - *y),
            (BinaryOp::Div, false) => pairs.for_each(|(x, &y)| *x = *x / y),
            (BinaryOp::Div, true) => pairs.for_each(|(y, &x)| *y = x / *y),
            _ => return false,
        }
        true
    }
}

impl Kernel for Arithmetic {
    fn run(&self, cx: &KernelCx<'_>, mut args: Vec<Arc<Tensor>>) -> Evaluated {
        if let [x, y] = &mut args[..] {
            let over_x = Arc::get_mut(x).is_some_and(|x| self.apply(x, y, false));
            if over_x || Arc::get_mut(y).is_some_and(|y| self.apply(y, x, true)) {
                let result = args.swap_remove(usize::from(!over_x));
                return Ok(vec![Arc::unwrap_or_clone(result)]);
            }
        }
        Reference.run(cx, args)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use partita_ir::diag::Source;
    use partita_ir::dtype::Type;
    use partita_ir::interp::Place;
    use partita_ir::mesh::Mesh;
    use partita_ir::text::parse;

    const ITEMS: [[f64; 6]; 2] =
        [[1.5, -2.0, 0.0, f64::INFINITY, 3e38, f64::NAN], [0.25, 3.0, -0.0, f64::INFINITY, 2e38, 1.0]];

    /// `op` of the items, with the operands as they come; and where they were.
    fn run(op: BinaryOp, dtype: DType, args: [Arc<Tensor>; 2]) -> Tensor {
        let name = op.name();
        let text = format!("form traced input %x : {dtype}[6] input %y : {dtype}[6] %z = {name} %x, %y : {dtype}[6]");
        let program = parse(&Source::new("test.pir", text)).unwrap();
        let mesh = Mesh::new::<&str>("m", []);
        let place = Place { mesh: &mesh, coords: mesh.coords(0) };
        let op_of = program.ops.values().next().unwrap();
        let cx = KernelCx { program: &program, op: op_of, place: &place };
        Arithmetic(op).run(&cx, args.into()).unwrap().remove(0)
    }

    fn bits(tensor: &Tensor) -> Vec<Option<u64>> {
        tensor.scalars().map(|x| Some(x.to_f64()).filter(|x| !x.is_nan()).map(f64::to_bits)).collect()
    }

    #[test]
    fn whichever_operand_is_written_over_the_result_is_the_reference() {
        for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div] {
            for dtype in [DType::F32, DType::F64, DType::BF16] {
                let args = ITEMS.map(|items| Arc::new(Tensor::from_floats(Type::new(dtype, [6]), items.to_vec())));
                let own = |i: usize| Arc::new(Tensor::clone(&args[i]));
                // Held here too, so neither may be written over.
                let want = bits(&run(op, dtype, args.clone()));
                assert_eq!(bits(&run(op, dtype, [own(0), args[1].clone()])), want);
                assert_eq!(bits(&run(op, dtype, [args[0].clone(), own(1)])), want);
                assert_eq!(bits(&run(op, dtype, [own(0), own(1)])), want);
            }
        }
    }

    #[test]
    fn a_dying_operand_lends_its_buffer() {
        let tensor = |i: usize| Tensor::from_floats(Type::new(DType::F32, [6]), ITEMS[i].to_vec());
        let buffer = |t: &Tensor| if let Data::F32(v) = &t.data { v.as_ptr() as usize } else { 0 };
        let (x, y) = (Arc::new(tensor(0)), Arc::new(tensor(1)));
        let (at_x, at_y) = (buffer(&x), buffer(&y));
        assert_eq!(buffer(&run(BinaryOp::Sub, DType::F32, [x, y.clone()])), at_x);
        let kept = Arc::new(tensor(0));
        assert_eq!(buffer(&run(BinaryOp::Sub, DType::F32, [kept.clone(), y])), at_y);
        assert_eq!(bits(&kept), bits(&tensor(0)));
    }
}
