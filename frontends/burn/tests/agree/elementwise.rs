//! Elementwise functions.

use super::harness::{floats, function, ints};
use burn::tensor::activation;
use burn::tensor::{Int, Tensor};

type T = Tensor<2>;

/// Compares functions of one tensor, one per line.
macro_rules! each {
    ($inputs:expr; $($f:expr),+ $(,)?) => { $(function($f, $inputs);)+ };
}

#[test]
fn functions_of_one_float() {
    each! { floats([3, 5]);
        |x: T| x.exp(), |x: T| x.abs().log(), |x: T| x.abs().log1p(), |x: T| x.erf(), |x: T| x.abs().sqrt(),
        |x: T| x.cos(), |x: T| x.cosh(), |x: T| x.sin(), |x: T| x.sinh(), |x: T| x.tan(), |x: T| x.tanh(),
        |x: T| (x / 2.0).acos(), |x: T| (x.abs() + 1.0).acosh(), |x: T| (x / 2.0).asin(), |x: T| x.asinh(),
        |x: T| x.atan(), |x: T| (x / 2.5).atanh(), |x: T| x.round(), |x: T| x.floor(), |x: T| x.ceil(),
        |x: T| x.trunc(),
        |x: T| x.recip(), |x: T| x.neg(), |x: T| x.sign(), |x: T| x.abs(), |x: T| x.is_nan(), |x: T| x.is_inf(),
        |x: T| x.powi_scalar(2), |x: T| x.powi_scalar(3), |x: T| x.abs().powf_scalar(1.5), |x: T| x.square(),
        |x: T| x.clamp(-1.0, 0.5), |x: T| x.clamp_min(0.0), |x: T| x.clamp_max(0.0), |x: T| x.int(),
        |x: T| x.rsqrt_of(),
    }
}

/// Reciprocal square root, which Burn lacks, as a chain of two operations.
trait Rsqrt {
    fn rsqrt_of(self) -> Self;
}

impl Rsqrt for T {
    fn rsqrt_of(self) -> Self {
        self.abs().sqrt().recip()
    }
}

#[test]
fn functions_of_two_floats() {
    each! { (floats([3, 5]), floats([3, 1]));
        |(x, y): (T, T)| x + y, |(x, y): (T, T)| x - y, |(x, y): (T, T)| x * y, |(x, y): (T, T)| x / y,
        |(x, y): (T, T)| x.remainder(y), |(x, y): (T, T)| x.abs().powf(y), |(x, y): (T, T)| x.atan2(y),
        |(x, y): (T, T)| x.hypot(y), |(x, y): (T, T)| x.greater(y), |(x, y): (T, T)| x.greater_equal(y),
        |(x, y): (T, T)| x.lower(y), |(x, y): (T, T)| x.lower_equal(y), |(x, y): (T, T)| x.equal(y),
        |(x, y): (T, T)| x.not_equal(y), |(x, y): (T, T)| x.max_pair(y), |(x, y): (T, T)| x.min_pair(y),
    }
    each! { floats([3, 5]);
        |x: T| x.clone() + 1.5, |x: T| x - 0.5, |x: T| x * 3.0, |x: T| x / 4.0, |x: T| x.remainder_scalar(0.7),
        |x: T| x.remainder_scalar(-0.7), |x: T| x.greater_scalar(0.1), |x: T| x.lower_equal_scalar(0.1),
        |x: T| x.clone().mask_where(x.clone().greater_scalar(0.0), x * 2.0),
        |x: T| x.clone().mask_fill(x.lower_scalar(0.0), 7.0),
    }
}

#[test]
fn functions_of_integers() {
    type I = Tensor<2, Int>;
    each! { (ints([4, 3], 100) - 50, ints([4, 3], 9) + 1);
        |(x, y): (I, I)| x + y, |(x, y): (I, I)| x - y, |(x, y): (I, I)| x * y, |(x, y): (I, I)| x / y,
        |(x, y): (I, I)| x.remainder(y), |(x, y): (I, I)| x.bitwise_and(y), |(x, y): (I, I)| x.bitwise_or(y),
        |(x, y): (I, I)| x.bitwise_xor(y), |(x, y): (I, I)| x.bitwise_left_shift(y),
        |(x, y): (I, I)| x.bitwise_right_shift(y),
    }
    each! { ints([4, 3], 100) - 50;
        |x: I| x.bitwise_not(), |x: I| x.abs(), |x: I| x.sign(), |x: I| x.float(), |x: I| x.clamp(-3, 7),
        |x: I| x.bitwise_and_scalar(6),
        |x: I| x.remainder_scalar(7), |x: I| x.powi_scalar(2), |x: I| x.equal_scalar(3),
        |x: I| x.bitwise_left_shift_scalar(2),
    }
}

#[test]
fn booleans() {
    type I = Tensor<2, Int>;
    each! { (ints([4, 3], 2), ints([4, 3], 2));
        |(x, y): (I, I)| x.bool().bool_and(y.bool()), |(x, y): (I, I)| x.bool().bool_or(y.bool()),
        |(x, y): (I, I)| x.bool().bool_xor(y.bool()), |(x, _): (I, I)| x.bool().bool_not(),
        |(x, _): (I, I)| x.bool().int(), |(x, _): (I, I)| x.bool().float(),
    }
}

#[test]
fn activations() {
    each! { floats([3, 5]);
        |x: T| activation::relu(x), |x: T| activation::leaky_relu(x, 0.1), |x: T| activation::gelu(x),
        |x: T| activation::gelu_approximate(x), |x: T| activation::sigmoid(x),
        |x: T| activation::hard_sigmoid(x, 0.2, 0.5),
        |x: T| activation::log_sigmoid(x), |x: T| activation::softmax(x, 0), |x: T| activation::log_softmax(x, 1),
        |x: T| activation::softmin(x, 1), |x: T| activation::quiet_softmax(x, 1), |x: T| activation::softplus(x, 1.5),
        |x: T| activation::silu(x), |x: T| activation::mish(x), |x: T| activation::tanh(x),
        |x: T| activation::softsign(x),
        |x: T| activation::elu(x, 0.7), |x: T| activation::celu(x, 0.7), |x: T| activation::selu(x),
        |x: T| activation::hard_swish(x),
        |x: T| activation::thresholded_relu(x, 0.3), |x: T| activation::hard_shrink(x, 0.5),
        |x: T| activation::soft_shrink(x, 0.5),
    }
    each! { floats([3, 6]); |x: T| activation::glu(x, 1) }
    each! { (floats([3, 5]), floats([1])); |(x, a): (T, Tensor<1>)| activation::prelu(x, a) }
    each! { (floats([3, 5]), floats([5])); |(x, a): (T, Tensor<1>)| activation::prelu(x, a) }
}
