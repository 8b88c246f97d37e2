//! Tensor types of a module. Element types that programs do not have, complex and quantised numbers, are lowered to
//! those that they have.

use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::mini_float::MiniFloat;
use partita_ir::syntax::MAX_RANK;
use std::fmt;
use std::sync::Arc;

/// The type of a token.
pub const TOKEN: &str = "!stablehlo.token";

/// Tensor type of a module.
#[derive(Clone, PartialEq, Debug)]
pub struct TensorType {
    /// Sizes of the dimensions.
    pub shape: Shape,
    /// Element type.
    pub element: Element,
}

/// Element type of a module.
#[derive(Clone, PartialEq, Debug)]
pub enum Element {
    /// An element type of programs.
    Plain(DType),
    /// A pair of a real and an imaginary part of the given type, `f32` or `f64`.
    Complex(DType),
    /// An integer that represents a real number.
    Quantized(Arc<Quantization>),
    /// No number: the value is a token, which only orders operations.
    Token,
}

/// Quantisation parameters: the stored integer `q` of channel `c` represents `(q - zero_points[c]) * scales[c]`.
#[derive(Clone, PartialEq, Debug)]
pub struct Quantization {
    /// Type of the stored integers.
    pub storage: DType,
    /// Smallest and largest stored integer.
    pub range: (i64, i64),
    /// Type of the numbers that are represented.
    pub expressed: DType,
    /// Dimension of the channels, or `None` if all elements have the same parameters.
    pub channel_dim: Option<usize>,
    /// Scale of each channel.
    pub scales: Vec<f64>,
    /// Zero point of each channel.
    pub zero_points: Vec<i64>,
}

/// Result of parsing the start of a text as the contents of `tensor<..>`.
pub enum Prefix {
    /// A type, and the length of its text.
    Type(TensorType, usize),
    /// More dimensions than [`MAX_RANK`]; the length of the accepted ones.
    TooManyDims(usize),
    /// A size or an element count that overflows.
    TooLarge,
    /// No type with static sizes and a known element type.
    Unknown,
}

impl TensorType {
    /// Creates a tensor type with an element type of programs.
    pub fn plain(dtype: DType, dims: impl Into<Shape>) -> TensorType {
        TensorType { shape: dims.into(), element: Element::Plain(dtype) }
    }

    /// Returns the scalar type with the same element type.
    pub fn scalar(&self) -> TensorType {
        TensorType { shape: Shape::scalar(), element: self.element.clone() }
    }

    /// Returns the type of the real part of a complex tensor, and any other type itself.
    pub fn real_part(&self) -> TensorType {
        match self.element {
            Element::Complex(part) => TensorType::plain(part, self.shape.clone()),
            Element::Plain(_) | Element::Quantized(_) | Element::Token => self.clone(),
        }
    }

    /// Returns the type as a type of programs, or `None` for an element type that programs do not have.
    pub fn as_plain(&self) -> Option<Type> {
        match self.element {
            Element::Plain(dtype) => Some(Type { shape: self.shape.clone(), dtype }),
            Element::Complex(_) | Element::Quantized(_) | Element::Token => None,
        }
    }

    /// Returns true if the types are equal, except for the parameters of quantised numbers.
    pub fn has_same_numbers(&self, other: &TensorType) -> bool {
        let elements_agree = match (&self.element, &other.element) {
            (Element::Quantized(a), Element::Quantized(b)) => a.expressed == b.expressed,
            (a, b) => a == b,
        };
        elements_agree && self.shape == other.shape
    }

    /// Parses the text between the brackets of `tensor<..>`, up to the first character that does not belong to it.
    pub fn parse_prefix(text: &str) -> Prefix {
        let bytes = text.as_bytes();
        let mut shape = Shape::default();
        let mut n = 0;
        while let Some(digits @ 1..) = bytes.get(n..).map(|b| b.iter().take_while(|b| b.is_ascii_digit()).count()) {
            if bytes.get(n + digits) != Some(&b'x') {
                break;
            }
            let Ok(size) = text[n..n + digits].parse() else { return Prefix::TooLarge };
            if shape.rank() == MAX_RANK {
                return Prefix::TooManyDims(n);
            }
            shape.0.push(size);
            n += digits + 1;
        }
        if shape.checked_count().is_none() {
            return Prefix::TooLarge;
        }
        match Element::parse_prefix(&text[n..]) {
            Some((element, length)) => Prefix::Type(TensorType { shape, element }, n + length),
            None => Prefix::Unknown,
        }
    }
}

impl From<Type> for TensorType {
    fn from(ty: Type) -> TensorType {
        TensorType { shape: ty.shape, element: Element::Plain(ty.dtype) }
    }
}

/// Formats the type in MLIR syntax, for example `tensor<4x8xf32>`.
impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.element == Element::Token {
            return f.write_str(TOKEN);
        }
        f.write_str("tensor<")?;
        self.shape.iter().try_for_each(|size| write!(f, "{size}x"))?;
        write!(f, "{}>", self.element)
    }
}

impl Element {
    /// Returns true if elements are floats or represent real numbers.
    pub fn is_float(&self) -> bool {
        match self {
            Element::Plain(dtype) => dtype.is_float(),
            Element::Complex(_) | Element::Token => false,
            Element::Quantized(_) => true,
        }
    }

    /// Parses an element type at the start of a text. Returns also the length of its text.
    fn parse_prefix(text: &str) -> Option<(Element, usize)> {
        if let Some(body) = text.strip_prefix("complex<") {
            let (part, _) = body.split_once('>')?;
            let dtype = dtype(part).filter(|dtype| matches!(dtype, DType::F32 | DType::F64))?;
            return Some((Element::Complex(dtype), "complex<>".len() + part.len()));
        }
        if let Some(body) = text.strip_prefix("!quant.uniform<") {
            // The range of the storage type has brackets of its own: `i8<-127:127>`.
            let mut open = 1;
            let end = body.bytes().position(|byte| {
                open += i32::from(byte == b'<') - i32::from(byte == b'>');
                open == 0
            })?;
            let parameters = &body[..end];
            let quantization = Quantization::parse(parameters)?;
            return Some((Element::Quantized(quantization.into()), "!quant.uniform<>".len() + parameters.len()));
        }
        let length = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
        Some((Element::Plain(dtype(&text[..length])?), length))
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Element::Plain(dtype) => f.write_str(spelling(*dtype)),
            Element::Complex(dtype) => write!(f, "complex<{}>", spelling(*dtype)),
            Element::Token => f.write_str(TOKEN),
            Element::Quantized(q) => {
                write!(f, "!quant.uniform<{}:{}", spelling(q.storage), spelling(q.expressed))?;
                if let Some(dim) = q.channel_dim {
                    write!(f, ":{dim}")?;
                }
                let pairs: Vec<String> =
                    q.scales.iter().zip(&q.zero_points).map(|(scale, zero)| format!("{scale:?}:{zero}")).collect();
                match q.channel_dim {
                    Some(_) => write!(f, ", {{{}}}>", pairs.join(", ")),
                    None => write!(f, ", {}>", pairs.join(", ")),
                }
            }
        }
    }
}

impl Quantization {
    /// Parses the text between the brackets of `!quant.uniform<..>`: `i8:f32, 0.5:-3`, `i8<-127:127>:f32:1, {0.1,
    /// 0.2:4}`.
    fn parse(text: &str) -> Option<Quantization> {
        let (types, parameters) = text.split_once(',')?;
        let types = types.trim();
        let (storage, range, others) = match types.split_once('<') {
            Some((storage, rest)) => {
                let (range, others) = rest.split_once(">:")?;
                let (low, high) = range.split_once(':')?;
                (storage, Some((low.trim().parse().ok()?, high.trim().parse().ok()?)), others)
            }
            None => {
                let (storage, others) = types.split_once(':')?;
                (storage, None, others)
            }
        };
        // MLIR's quantised types write unsigned integers as `u8`.
        let storage = dtype(storage).or_else(|| dtype(&storage.replace('u', "ui"))).filter(|dtype| dtype.is_int())?;
        let (expressed, channel_dim) = match others.split_once(':') {
            Some((expressed, dim)) => (expressed, Some(dim.trim().parse().ok()?)),
            None => (others, None),
        };
        let expressed = dtype(expressed.trim()).filter(|dtype| dtype.is_float())?;
        let parameters = parameters.trim();
        let list = match channel_dim {
            Some(_) => parameters.strip_prefix('{')?.strip_suffix('}')?,
            None => parameters,
        };
        let (mut scales, mut zero_points) = (Vec::new(), Vec::new());
        for pair in list.split(',') {
            let (scale, zero_point) = pair.trim().split_once(':').unwrap_or((pair.trim(), "0"));
            scales.push(scale.trim().parse().ok()?);
            zero_points.push(zero_point.trim().parse().ok()?);
        }
        let one_pair = channel_dim.is_some() || scales.len() == 1;
        let range = range.unwrap_or_else(|| storage.int_range());
        one_pair.then_some(Quantization { storage, range, expressed, channel_dim, scales, zero_points })
    }
}

/// Returns the element type with an MLIR name; `None` for unsupported types.
pub fn dtype(name: &str) -> Option<DType> {
    DType::ALL.into_iter().find(|&d| spelling(d) == name)
}

/// Returns the MLIR name of an element type.
pub const fn spelling(dtype: DType) -> &'static str {
    match dtype {
        DType::F64 => "f64",
        DType::F32 => "f32",
        DType::F16 => "f16",
        DType::BF16 => "bf16",
        DType::Mini(format) => mini_float_spelling(format),
        DType::I64 => "i64",
        DType::I32 => "i32",
        DType::I16 => "i16",
        DType::I8 => "i8",
        DType::I4 => "i4",
        DType::I2 => "i2",
        DType::U64 => "ui64",
        DType::U32 => "ui32",
        DType::U16 => "ui16",
        DType::U8 => "ui8",
        DType::U4 => "ui4",
        DType::U2 => "ui2",
        DType::Bool => "i1",
    }
}

const fn mini_float_spelling(format: MiniFloat) -> &'static str {
    match format {
        MiniFloat::E5M2 => "f8E5M2",
        MiniFloat::E5M2Fnuz => "f8E5M2FNUZ",
        MiniFloat::E4M3 => "f8E4M3",
        MiniFloat::E4M3Fn => "f8E4M3FN",
        MiniFloat::E4M3Fnuz => "f8E4M3FNUZ",
        MiniFloat::E4M3B11Fnuz => "f8E4M3B11FNUZ",
        MiniFloat::E3M4 => "f8E3M4",
        MiniFloat::E8M0Fnu => "f8E8M0FNU",
        MiniFloat::E3M2Fn => "f6E3M2FN",
        MiniFloat::E2M3Fn => "f6E2M3FN",
        MiniFloat::E2M1Fn => "f4E2M1FN",
    }
}
