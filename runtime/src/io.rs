//! Inputs from and outputs to safetensors files, by name.
//!
//! A parameter's name is its path in the model, every other input's and output's the one that the program gives it.
//! What a training step leaves behind is what the next one begins with: the file has all parameters, frozen ones among
//! them, and the state of the optimizer, also that of parameters that this step did not train.

use indexmap::IndexMap;
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic, nearest};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::input_file::{self, Limit};
use partita_ir::interp::starting_state;
use partita_ir::program::{OPTIMIZER, Op, Param, ParamKind, Program};
use partita_ir::tensor::{Tensor, Weights};
use safetensors::SafeTensorError;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// What a file holds for a program.
#[derive(Clone, PartialEq, Debug)]
pub struct Inputs {
    /// The inputs, in the order of the main function.
    pub tensors: Vec<Tensor>,
    /// State of an optimizer that the program has no use for, as parameters are frozen; sorted by name.
    pub state: Vec<(String, Tensor)>,
    /// Names of other tensors in the file that the program has no use for, sorted.
    pub ignored: Vec<String>,
    /// Whether the file says nothing of inputs that are no parameters, and they were drawn.
    pub drawn: bool,
}

/// Reads the inputs of a program, parameters among them. State that the file does not have starts anew.
///
/// # Errors
/// `C001` when the file cannot be read, `F002` when it is not a whole safetensors file, `R001` when a tensor is
/// missing, `R002` when one has not the shape or the dtype of the program: nothing is converted, but weights to 8 bits
/// where the program wants them so.
pub fn read_inputs(path: &Path, program: &Program) -> Result<Inputs, Diagnostic> {
    read_over(path, program, &Weights::new(), None)
}

/// Makes up all inputs.
pub type Draw<'d> = &'d dyn Fn() -> Result<Vec<Tensor>, Diagnostic>;

/// The same for a model that came with weights, which stand for the parameters that the file does not have. The data of
/// a training step may be drawn: when the file has none of the inputs that are no parameters, they are taken from
/// `draw`, which gives all inputs.
///
/// # Errors
/// As [`read_inputs`], and what `draw` says.
pub fn read_over(
    path: &Path,
    program: &Program,
    weights: &Weights,
    draw: Option<Draw<'_>>,
) -> Result<Inputs, Diagnostic> {
    let bytes = input_file::read(path, Limit::TENSORS)?;
    let file = deserialize(path, &bytes)?;
    let mut unused = file.names();
    unused.sort_unstable();
    let names = unused.clone();
    let wide = |name: &str, ty: &Type| match file.tensor(name).ok().filter(|view| view.dtype() == Dtype::F32) {
        Some(view) => decode(&view, ty, name).map(Some),
        None => Ok(None),
    };
    let mut tensors = Vec::with_capacity(program.inputs().len());
    let mut missing: Vec<&str> = Vec::new();
    let mut data = program.inputs().iter().filter(|&&v| program.param_of(v).is_none());
    let has_data = data.any(|&v| names.contains(&program.path_of(v)));
    let drawn = draw.filter(|_| !has_data).map(|draw| draw()).transpose()?;
    for (i, &value) in program.inputs().iter().enumerate() {
        let name = program.path_of(value);
        if let Some(tensor) = drawn.as_ref().and_then(|all| all.get(i))
            && program.param_of(value).is_none()
        {
            tensors.push(tensor.clone());
            continue;
        }
        match (file.tensor(name), starting_state(program, value)) {
            (Ok(view), _) => {
                unused.retain(|&n| n != name);
                tensors.push(match quantised(&wide, program, value)? {
                    Some([weight, _]) => weight,
                    None => decode(&view, program.ty(value), name)?,
                });
            }
            (Err(_), None) if let Some([_, scale]) = quantised(&wide, program, value)? => tensors.push(scale),
            (Err(_), Some(start)) => tensors.push(start),
            (Err(_), None) if let Some(weight) = weight(program, value, weights)? => tensors.push(weight),
            (Err(_), None) => missing.push(name),
        }
    }
    if let [first, others @ ..] = &missing[..] {
        let title = format!("`{}` has no tensor `{first}`", path.display());
        let mut error = Diagnostic::new(Code::R001, title);
        if !others.is_empty() {
            error = error.note(format!("{} more are missing, the next one is `{}`", others.len(), others[0]));
        }
        return Err(match nearest(first, unused.iter().copied()) {
            Some(near) => error.help(format!("it has `{near}`: was that meant?")),
            None => error.help(has(&names)),
        });
    }
    let is_state = |name: &str| name.starts_with(OPTIMIZER);
    let state = unused.iter().filter(|name| is_state(name)).filter_map(|&name| {
        let view = file.tensor(name).ok()?;
        let dtype = DType::ALL.into_iter().find(|&d| file_dtype(d) == view.dtype())?;
        let tensor = decode(&view, &Type { dtype, shape: Shape::from(view.shape()) }, name).ok()?;
        Some((name.to_owned(), tensor))
    });
    let state: Vec<(String, Tensor)> = state.collect();
    let ignored = unused.into_iter().filter(|name| !state.iter().any(|(n, _)| n == name)).map(str::to_owned).collect();
    Ok(Inputs { tensors, state, ignored, drawn: drawn.is_some() })
}

/// Puts the weights that a model came with in the place of its parameters.
///
/// # Errors
/// `R002` when one has not the shape or the dtype of the program.
pub fn put_weights(program: &Program, weights: &Weights, inputs: &mut [Tensor]) -> Result<(), Diagnostic> {
    for (&value, input) in program.inputs().iter().zip(inputs) {
        if let Some(weight) = weight(program, value, weights)? {
            *input = weight;
        }
    }
    Ok(())
}

/// What an input is according to the weights of the model, in 8 bits where the program wants it so.
///
/// # Errors
/// `R002` when it has not the shape or the dtype of the program.
pub fn weight(program: &Program, value: ValueId, weights: &Weights) -> Result<Option<Tensor>, Diagnostic> {
    let wide = |name: &str, ty: &Type| Ok(weights.get(name).filter(|weight| weight.ty == *ty).cloned());
    let (path, ty) = (program.path_of(value), program.ty(value));
    Ok(match (weights.get(path), quantised(&wide, program, value)?) {
        (Some(_), Some([weight, _])) => Some(weight),
        (None, Some([_, scale])) => Some(scale),
        (Some(weight), None) if weight.ty != *ty => {
            let title = format!("`{path}` is {ty} in the program, but the model came with {}", weight.ty);
            return Err(Diagnostic::new(Code::R002, title));
        }
        (weight, None) => weight.cloned(),
    })
}

/// The tensor of that name, if there is one of that type.
type Find<'f> = &'f dyn Fn(&str, &Type) -> Result<Option<Tensor>, Diagnostic>;

/// For a weight of 8 bits that there is as `f32` (`wide` finds it), or its scale: both of them. A
/// channel's scale is a 127th of its largest magnitude.
fn quantised(wide: Find<'_>, program: &Program, value: ValueId) -> Result<Option<[Tensor; 2]>, Diagnostic> {
    let Some(param) = program.param_of(value) else { return Ok(None) };
    let weight = program.params[param].of.unwrap_or(param);
    let scale = program.params.values().find(|p| p.of == Some(weight) && p.kind == ParamKind::Const);
    let (Some(scale), Param { path, value, .. }) = (scale, &program.params[weight]) else { return Ok(None) };
    let ty = program.ty(*value);
    if ty.dtype != DType::I8 {
        return Ok(None);
    }
    let Some(wide) = wide(path, &Type { dtype: DType::F32, shape: ty.shape.clone() })? else { return Ok(None) };
    // Whoever reads the scale spreads it along the dimension of the channels. Of one channel nothing is spread.
    // entry only: weights of 8 bits are widened in it, in front of loops, too
    let mut ops = program.entry_ops().map(|at| at.op);
    let spread = ops.find_map(|op| spread(program, op, scale.value));
    let dim = spread.or_else(|| ty.shape.iter().position(|&n| n == 1)).unwrap_or(0);
    let (channels, behind) = (ty.shape[dim], ty.shape[dim + 1..].iter().product::<usize>().max(1));
    let mut largest = vec![0f64; channels];
    for (i, x) in wide.scalars().enumerate() {
        let most = &mut largest[i / behind % channels];
        *most = most.max(x.to_f64().abs());
    }
    let scales: Vec<f64> = largest.iter().map(|most| f64::from((most / 127.0) as f32)).collect();
    let rounded = wide.scalars().enumerate().map(|(i, x)| {
        let scale = scales[i / behind % channels];
        if scale > 0.0 { (x.to_f64() / scale).round().clamp(-127.0, 127.0) as i64 } else { 0 }
    });
    let weight = Tensor::from_ints(ty.clone(), rounded.collect());
    Ok(Some([weight, Tensor::from_floats(program.ty(scale.value).clone(), scales)]))
}

/// The dimension of its result along which an op spreads a vector.
fn spread(program: &Program, op: &Op, vector: ValueId) -> Option<usize> {
    let arg = op.args.iter().position(|&arg| arg == vector)?;
    let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
    let factor = rule.args.get(arg)?.first()?.first()?;
    rule.outs.first()?.iter().position(|factors| factors.contains(factor))
}

fn has(names: &[&str]) -> String {
    const SHOWN: usize = 5;
    let list: Vec<String> = names.iter().take(SHOWN).map(|n| format!("`{n}`")).collect();
    match names.len() {
        0 => "the file has no tensors".to_owned(),
        n if n <= SHOWN => format!("the file has {}", list.join(", ")),
        n => format!("the file has {} and {} more", list.join(", "), n - SHOWN),
    }
}

/// The file's name of a dtype.
pub(crate) fn file_dtype(dtype: DType) -> Dtype {
    match dtype {
        DType::F64 => Dtype::F64,
        DType::F32 => Dtype::F32,
        DType::F16 => Dtype::F16,
        DType::BF16 => Dtype::BF16,
        DType::I64 => Dtype::I64,
        DType::I32 => Dtype::I32,
        DType::I8 => Dtype::I8,
        DType::U64 => Dtype::U64,
        DType::U32 => Dtype::U32,
        DType::U8 => Dtype::U8,
        DType::Bool => Dtype::BOOL,
    }
}

/// The tensor of that name in a file, of that type.
pub(crate) fn decode(view: &TensorView<'_>, ty: &Type, name: &str) -> Result<Tensor, Diagnostic> {
    if view.shape() != &ty.shape[..] || view.dtype() != file_dtype(ty.dtype) {
        let dtype = DType::ALL.into_iter().find(|&d| file_dtype(d) == view.dtype());
        let dtype = dtype.map_or_else(|| view.dtype().to_string().to_lowercase(), |d| d.to_string());
        let title = format!("`{name}` is {ty} in the model, but {dtype}{} in the file", Shape::from(view.shape()));
        let error = Diagnostic::new(Code::R002, title);
        return Err(if view.shape() == &ty.shape[..] {
            error.help(format!("element types are not converted: store it as {}", ty.dtype))
        } else {
            error
        });
    }
    Ok(Tensor::from_bytes(ty.clone(), view.data()))
}

/// Writes the outputs of a program, in the order of the main function. The file is complete or not there: it is written
/// under another name and renamed.
///
/// # Errors
/// `C001` when the file cannot be written.
pub fn write_outputs(path: &Path, program: &Program, outputs: &[Tensor]) -> Result<(), Diagnostic> {
    let names = program.outputs().iter().map(|o| o.name.to_string());
    write_tensors(path, names.zip(outputs))
}

/// The same for a training step, so that the next one can begin with the file: parameters that it did not replace are
/// written as they came, and so is state of the optimizer that it had no use for.
///
/// # Errors
/// `C001` when the file cannot be written.
pub fn write_training(
    path: &Path,
    program: &Program,
    inputs: &[Tensor],
    state: &[(String, Tensor)],
    outputs: &[Tensor],
) -> Result<(), Diagnostic> {
    let main = &program.funcs[program.entry()];
    let given = main.outputs.iter().map(|o| o.name.to_string()).zip(outputs);
    let params = main.inputs.iter().zip(inputs).filter(|(v, _)| program.param_of(**v).is_some());
    let params = params.map(|(&v, tensor)| (program.path_of(v).to_owned(), tensor));
    let state = state.iter().map(|(name, tensor)| (name.clone(), tensor));
    let mut all: IndexMap<String, &Tensor> = IndexMap::new();
    for (name, tensor) in given.chain(params).chain(state) {
        all.entry(name).or_insert(tensor);
    }
    write_tensors(path, all)
}

/// Writes tensors under those names, as [`write_file`] does.
///
/// # Errors
/// `C001` when the file cannot be written.
pub fn write_tensors<'t>(
    path: &Path,
    tensors: impl IntoIterator<Item = (String, &'t Tensor)>,
) -> Result<(), Diagnostic> {
    let cannot = |e: &dyn ToString| {
        Diagnostic::new(Code::C001, format!("cannot write `{}`", path.display())).note(e.to_string())
    };
    let bytes = to_bytes(tensors, None).map_err(|e| cannot(&e))?;
    write_file(path, &bytes)
}

/// Writes a file, which is complete or not there: it is written under another name and renamed. What is no file (a
/// pipe, a device, a link) is not replaced but written to.
///
/// # Errors
/// `C001` when it cannot be written.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Diagnostic> {
    let is_other = path.symlink_metadata().is_ok_and(|there| !there.is_file());
    let written = if is_other { fs::write(path, bytes) } else { replace(path, bytes) };
    written.map_err(|e| Diagnostic::of_file("write", path, &e))
}

/// Writes a file that the user did not name. A link of that name is replaced, not followed, and so is a special file.
///
/// # Errors
/// `C001` when it cannot be written.
pub fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), Diagnostic> {
    replace(path, bytes).map_err(|e| Diagnostic::of_file("write", path, &e))
}

/// Creates a file for writing in place of what an interrupted process left under that name; a link is removed, not
/// followed.
///
/// # Errors
/// What the operating system says.
pub fn create_anew(path: &Path) -> std::io::Result<File> {
    match File::create_new(path) {
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {
            fs::remove_file(path)?;
            File::create_new(path)
        }
        created => created,
    }
}

/// A safetensors file of those tensors, with a text under one name besides.
pub(crate) fn to_bytes<'t>(
    tensors: impl IntoIterator<Item = (String, &'t Tensor)>,
    remark: Option<(&str, String)>,
) -> Result<Vec<u8>, SafeTensorError> {
    let encoded: Vec<(String, &Type, Vec<u8>)> =
        tensors.into_iter().map(|(name, tensor)| (name, &tensor.ty, tensor.to_bytes())).collect();
    let views = encoded.iter().map(|(name, ty, bytes)| {
        let view = TensorView::new(file_dtype(ty.dtype), ty.shape.to_vec(), bytes);
        view.map(|view| (name, view))
    });
    let views: Vec<_> = views.collect::<Result<_, _>>()?;
    safetensors::serialize(views, remark.map(|(name, text)| [(name.to_owned(), text)].into()))
}

/// A safetensors file of those tensors.
///
/// # Errors
/// `F002` when they cannot stand in one file.
pub fn tensors_to_bytes(tensors: &IndexMap<String, Tensor>) -> Result<Vec<u8>, Diagnostic> {
    let tensors = tensors.iter().map(|(name, tensor)| (name.clone(), tensor));
    to_bytes(tensors, None).map_err(|e| Diagnostic::new(Code::F002, format!("cannot be put into one file: {e}")))
}

/// Every tensor of a safetensors file with those bytes, sorted by name; `path` is what messages call it.
///
/// # Errors
/// `F002` when it is not a whole safetensors file, or has an element type that is not known.
pub fn tensors_from_bytes(path: &Path, bytes: &[u8]) -> Result<IndexMap<String, Tensor>, Diagnostic> {
    all_tensors(&deserialize(path, bytes)?)
}

/// Every tensor of a safetensors file, sorted by name.
pub(crate) fn all_tensors(file: &SafeTensors<'_>) -> Result<IndexMap<String, Tensor>, Diagnostic> {
    let mut names = file.names();
    names.sort_unstable();
    let mut tensors = IndexMap::new();
    for name in names {
        let unreadable = || Diagnostic::new(Code::F002, format!("`{name}` has an element type that is not known"));
        let view = file.tensor(name).map_err(|_| unreadable())?;
        let dtype = DType::ALL.into_iter().find(|&d| file_dtype(d) == view.dtype()).ok_or_else(unreadable)?;
        let ty = Type { dtype, shape: Shape::from(view.shape()) };
        tensors.insert(name.to_owned(), decode(&view, &ty, name)?);
    }
    Ok(tensors)
}

/// Reads every tensor of a safetensors file, sorted by name.
///
/// # Errors
/// `C001` when the file cannot be read, `F002` when it is not a whole safetensors file.
pub fn read_tensors(path: &Path) -> Result<IndexMap<String, Tensor>, Diagnostic> {
    let bytes = input_file::read(path, Limit::TENSORS)?;
    all_tensors(&deserialize(path, &bytes)?)
}

/// The file that these bytes are.
fn deserialize<'b>(path: &Path, bytes: &'b [u8]) -> Result<SafeTensors<'b>, Diagnostic> {
    SafeTensors::deserialize(bytes).map_err(|e| {
        let title = format!("`{}` is truncated, or not a safetensors file", path.display());
        Diagnostic::new(Code::F002, title).note(e.to_string())
    })
}

/// Writes a file under another name and renames it.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let unfinished = beside(path);
    let written = create_anew(&unfinished).and_then(|mut file| file.write_all(bytes));
    written.and_then(|()| fs::rename(&unfinished, path)).inspect_err(|_| {
        // Nothing more can be done about a file that cannot even be removed.
        let _ = fs::remove_file(&unfinished);
    })
}

/// A name in the same folder that no other process uses.
fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(format!(".{}.part", std::process::id()));
    PathBuf::from(name)
}
