//! Reading inputs from and writing outputs to safetensors files, by name.
//!
//! The name of a parameter is its path in the model; other inputs and outputs are named by the program. The output file
//! of a training step is a valid input file of the next one: it contains all parameters, including frozen ones, and the
//! complete optimizer state, including that of parameters that the step did not train. An output that replaces an input
//! may have another name, such as `out0`; the input is then read by that name.
//!
//! A program has complex tensors as two, `x.re` and `x.im`. Files have them as one tensor `x` of type `C64`; parts of
//! type `f64`, for which the format has no complex type, are stored by their own names.

use indexmap::IndexMap;
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic, nearest};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::input_file::{self, FileLimit};
use partita_ir::interp::initial_optimizer_state;
use partita_ir::mini_float::MiniFloat;
use partita_ir::numeric::cast;
use partita_ir::program::{COMPLEX_PARTS, OPTIMIZER_PREFIX, Param, ParamKind, Program};
use partita_ir::tensor::{Tensor, Weights};
use safetensors::SafeTensorError;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Inputs of a program, read from a file.
#[derive(Clone, PartialEq, Debug)]
pub struct Inputs {
    /// Inputs in the order of the main function.
    pub tensors: Vec<Tensor>,
    /// Optimizer state of frozen parameters, which the program does not use, sorted by name.
    pub state: Vec<(String, Tensor)>,
    /// Names of other tensors in the file that the program does not use, sorted.
    pub ignored: Vec<String>,
    /// True if the file contains no data inputs and they were generated.
    pub drawn: bool,
}

/// Reads the inputs of a program, including parameters. Optimizer state absent from the file is initialised.
///
/// # Errors
/// `C001` when the file cannot be read, `F002` when it is not a complete safetensors file, `R001` when a tensor is
/// missing, `R002` when the shape or dtype of a tensor differs from the program. Dtypes are not converted, except that
/// `f32` weights are rounded if the program has them in 16 bits, and quantised if it has them as `i8`.
pub fn read_inputs(path: &Path, program: &Program) -> Result<Inputs, Diagnostic> {
    read_inputs_with(path, program, &Weights::new(), None)
}

/// Callback that generates all inputs.
pub type Draw<'d> = &'d dyn Fn() -> Result<Vec<Tensor>, Diagnostic>;

/// [`read_inputs`] with defaults: `weights` for parameters absent from the file, and `draw` for the data inputs if the
/// file contains none of them.
///
/// # Errors
/// Same as [`read_inputs`], and the errors of `draw`.
pub fn read_inputs_with(
    path: &Path,
    program: &Program,
    weights: &Weights,
    draw: Option<Draw<'_>>,
) -> Result<Inputs, Diagnostic> {
    let bytes = input_file::read(path, FileLimit::TENSORS)?;
    let file = deserialize(path, &bytes)?;
    let mut unused = file.names();
    unused.sort_unstable();
    let names = unused.clone();
    let find_f32 = |name: &str, ty: &Type| match file.tensor(name).ok().filter(|view| view.dtype() == Dtype::F32) {
        Some(view) => decode(&view, ty, name).map(Some),
        None => Ok(None),
    };
    let mut tensors = Vec::with_capacity(program.inputs().len());
    let mut missing: Vec<&str> = Vec::new();
    let mut data = program.inputs().iter().filter(|&&v| program.param_of(v).is_none());
    let has_data = data.any(|&v| names.contains(&program.path_of(v)));
    let name_of = |value: ValueId| name_in_file(program, value, &names);
    let drawn = draw.filter(|_| !has_data).map(|draw| draw()).transpose()?;
    for (i, &value) in program.inputs().iter().enumerate() {
        let name = name_of(value);
        if let Some(tensor) = drawn.as_ref().and_then(|all| all.get(i))
            && program.param_of(value).is_none()
        {
            tensors.push(tensor.clone());
            continue;
        }
        match (file.tensor(name), initial_optimizer_state(program, value)) {
            (Ok(view), _) => {
                unused.retain(|&n| n != name);
                tensors.push(match (rounded(&find_f32, program, value)?, quantised(&find_f32, program, value)?) {
                    (Some(weight), _) | (None, Some([weight, _])) => weight,
                    (None, None) => decode(&view, program.ty(value), name)?,
                });
            }
            (Err(_), None) if let Some((whole, part)) = complex_part(&file, name) => {
                unused.retain(|&n| n != whole.0);
                tensors.push(decode_part(&whole.1, part, program.ty(value), name)?);
            }
            (Err(_), None) if let Some([_, scale]) = quantised(&find_f32, program, value)? => tensors.push(scale),
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
            None => error.help(list_tensors(&names)),
        });
    }
    let is_state = |name: &str| name.starts_with(OPTIMIZER_PREFIX);
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

/// Returns the name by which a file with tensors of the given names has an input: its own, or that of the output that
/// replaces it.
fn name_in_file<'p>(program: &'p Program, value: ValueId, names: &[&str]) -> &'p str {
    let own = program.path_of(value);
    let output = program.outputs().iter().find(|output| output.replaces == Some(value));
    let of_output = output.map(|output| &*output.name).filter(|name| !names.contains(&own) && names.contains(name));
    of_output.unwrap_or(own)
}

/// Replaces parameters by the weights of an imported model.
///
/// # Errors
/// `R002` when the shape or dtype of a weight differs from the program.
pub fn put_weights(program: &Program, weights: &Weights, inputs: &mut [Tensor]) -> Result<(), Diagnostic> {
    for (&value, input) in program.inputs().iter().zip(inputs) {
        if let Some(weight) = weight(program, value, weights)? {
            *input = weight;
        }
    }
    Ok(())
}

/// Returns the value of an input in the weights of a model, rounded to 16 bits or quantised to 8 bits if the program
/// stores it so.
///
/// # Errors
/// `R002` when the shape or dtype differs from the program.
pub fn weight(program: &Program, value: ValueId, weights: &Weights) -> Result<Option<Tensor>, Diagnostic> {
    let find_f32 = |name: &str, ty: &Type| Ok(weights.get(name).filter(|weight| weight.ty == *ty).cloned());
    let (path, ty) = (program.path_of(value), program.ty(value));
    if let Some(weight) = rounded(&find_f32, program, value)? {
        return Ok(Some(weight));
    }
    Ok(match (weights.get(path), quantised(&find_f32, program, value)?) {
        (Some(_), Some([weight, _])) => Some(weight),
        (None, Some([_, scale])) => Some(scale),
        (Some(weight), None) if weight.ty != *ty => {
            let title = format!("`{path}` is {ty} in the program, but {} in the weights of the model", weight.ty);
            return Err(Diagnostic::new(Code::R002, title));
        }
        (weight, None) => weight.cloned(),
    })
}

/// Callback that returns the tensor of a given name and type.
type FindTensor<'f> = &'f dyn Fn(&str, &Type) -> Result<Option<Tensor>, Diagnostic>;

/// Returns a weight of a 16-bit type, rounded from the `f32` weight if `find_f32` finds it.
fn rounded(find_f32: FindTensor<'_>, program: &Program, value: ValueId) -> Result<Option<Tensor>, Diagnostic> {
    let (path, ty) = (program.path_of(value), program.ty(value));
    let is_narrow = ty.dtype.is_float() && ty.dtype.bytes() < DType::F32.bytes();
    if !is_narrow || program.param_of(value).is_none() {
        return Ok(None);
    }
    let f32_weight = find_f32(path, &Type { dtype: DType::F32, shape: ty.shape.clone() })?;
    Ok(f32_weight.map(|weight| Tensor::from_floats(ty.clone(), weight.scalars().map(|x| x.to_f64()).collect())))
}

/// Returns the quantised weight and the scale for an 8-bit weight or its scale, if `find_f32` finds the `f32` weight.
/// The scale of a channel is its largest magnitude divided by 127.
fn quantised(find_f32: FindTensor<'_>, program: &Program, value: ValueId) -> Result<Option<[Tensor; 2]>, Diagnostic> {
    let Some(param) = program.param_of(value) else { return Ok(None) };
    let weight = program.params[param].parent.unwrap_or(param);
    let scale = program.params.values().find(|p| p.parent == Some(weight) && p.kind == ParamKind::Const);
    let (Some(scale), Param { path, value, .. }) = (scale, &program.params[weight]) else { return Ok(None) };
    let ty = program.ty(*value);
    if ty.dtype != DType::I8 {
        return Ok(None);
    }
    let Some(find_f32) = find_f32(path, &Type { dtype: DType::F32, shape: ty.shape.clone() })? else { return Ok(None) };
    let Some(dim) = channel_dim(&ty.shape, &program.ty(scale.value).shape) else { return Ok(None) };
    let (channels, inner) = (ty.shape[dim], ty.shape[dim + 1..].iter().product::<usize>().max(1));
    let mut largest = vec![0f64; channels];
    for (i, x) in find_f32.scalars().enumerate() {
        let most = &mut largest[i / inner % channels];
        *most = most.max(x.to_f64().abs());
    }
    let scales: Vec<f64> = largest.iter().map(|most| f64::from((most / 127.0) as f32)).collect();
    let rounded = find_f32.scalars().enumerate().map(|(i, x)| {
        let scale = scales[i / inner % channels];
        if scale > 0.0 { (x.to_f64() / scale).round().clamp(-127.0, 127.0) as i64 } else { 0 }
    });
    let weight = Tensor::from_ints(ty.clone(), rounded.collect());
    Ok(Some([weight, Tensor::from_floats(program.ty(scale.value).clone(), scales)]))
}

/// Returns the dimension of a weight along which its scale has one number for each channel; the scale has size 1 in the
/// other dimensions. `None` if it has another shape.
fn channel_dim(weight: &Shape, scale: &Shape) -> Option<usize> {
    let dim = scale.iter().position(|&size| size > 1).unwrap_or(0);
    let is_scale = |(at, (&n, &of_scale)): (usize, (&usize, &usize))| of_scale == if at == dim { n } else { 1 };
    (weight.rank() == scale.rank() && weight.iter().zip(scale.iter()).enumerate().all(is_scale)).then_some(dim)
}

fn list_tensors(names: &[&str]) -> String {
    const SHOWN: usize = 5;
    let list: Vec<String> = names.iter().take(SHOWN).map(|n| format!("`{n}`")).collect();
    match names.len() {
        0 => "the file has no tensors".to_owned(),
        n if n <= SHOWN => format!("the file has {}", list.join(", ")),
        n => format!("the file has {} and {} more", list.join(", "), n - SHOWN),
    }
}

/// Returns the element type in which a safetensors file stores a dtype: the same one, or for types that the format does
/// not have the narrowest one that contains all its numbers.
pub(crate) fn stored_dtype(dtype: DType) -> DType {
    match dtype {
        DType::I4 | DType::I2 => DType::I8,
        DType::U4 | DType::U2 => DType::U8,
        DType::Mini(MiniFloat::E2M1Fn | MiniFloat::E2M3Fn | MiniFloat::E4M3) => DType::F16,
        DType::Mini(MiniFloat::E3M2Fn | MiniFloat::E3M4 | MiniFloat::E4M3B11Fnuz) => DType::F16,
        _ => dtype,
    }
}

/// Returns the safetensors equivalent of the type in which a dtype is stored.
pub(crate) fn file_dtype(dtype: DType) -> Dtype {
    match stored_dtype(dtype) {
        DType::F64 => Dtype::F64,
        DType::F32 => Dtype::F32,
        DType::F16 => Dtype::F16,
        DType::BF16 => Dtype::BF16,
        DType::I64 => Dtype::I64,
        DType::I32 => Dtype::I32,
        DType::I16 => Dtype::I16,
        DType::I8 | DType::I4 | DType::I2 => Dtype::I8,
        DType::U64 => Dtype::U64,
        DType::U32 => Dtype::U32,
        DType::U16 => Dtype::U16,
        DType::U8 | DType::U4 | DType::U2 => Dtype::U8,
        DType::Mini(MiniFloat::E5M2) => Dtype::F8_E5M2,
        DType::Mini(MiniFloat::E5M2Fnuz) => Dtype::F8_E5M2FNUZ,
        DType::Mini(MiniFloat::E4M3Fn) => Dtype::F8_E4M3,
        DType::Mini(MiniFloat::E4M3Fnuz) => Dtype::F8_E4M3FNUZ,
        DType::Mini(MiniFloat::E8M0Fnu) => Dtype::F8_E8M0,
        DType::Mini(_) => Dtype::F16,
        DType::Bool => Dtype::BOOL,
    }
}

/// Returns the bytes of a tensor in a file.
fn stored_bytes(tensor: &Tensor) -> Vec<u8> {
    match stored_dtype(tensor.ty.dtype) {
        dtype if dtype == tensor.ty.dtype => tensor.to_bytes(),
        dtype => cast(tensor, dtype).to_bytes(),
    }
}

/// Decodes a tensor of a file, which must have the given type.
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
    let stored = Type { shape: ty.shape.clone(), dtype: stored_dtype(ty.dtype) };
    Ok(cast(&Tensor::from_bytes(stored, view.data()), ty.dtype))
}

/// Returns the complex tensor of a file whose part has the given name, with its name, and the number of the part.
fn complex_part<'f>(file: &SafeTensors<'f>, name: &str) -> Option<((String, TensorView<'f>), usize)> {
    let part = COMPLEX_PARTS.iter().position(|suffix| name.ends_with(suffix))?;
    let whole = name.strip_suffix(COMPLEX_PARTS[part])?;
    let view = file.tensor(whole).ok().filter(|view| view.dtype() == Dtype::C64)?;
    Some(((whole.to_owned(), view), part))
}

/// Decodes the real or the imaginary part of a complex tensor of a file, which must have the given type.
fn decode_part(view: &TensorView<'_>, part: usize, ty: &Type, name: &str) -> Result<Tensor, Diagnostic> {
    if view.shape() != &ty.shape[..] || ty.dtype != DType::F32 {
        let title = format!("`{name}` is {ty} in the model, but complex{} in the file", Shape::from(view.shape()));
        return Err(Diagnostic::new(Code::R002, title));
    }
    let bytes: Vec<u8> = view.data().chunks_exact(8).flat_map(|pair| &pair[4 * part..][..4]).copied().collect();
    Ok(Tensor::from_bytes(ty.clone(), &bytes))
}

/// Returns the bytes of a complex tensor whose parts are of type `f32`.
fn complex_bytes(re: &Tensor, im: &Tensor) -> Vec<u8> {
    let (re, im) = (re.to_bytes(), im.to_bytes());
    re.chunks_exact(4).zip(im.chunks_exact(4)).flat_map(|(re, im)| [re, im].concat()).collect()
}

/// Writes the outputs of a program in the order of the main function. The file is written under a temporary name and
/// renamed.
///
/// # Errors
/// `C001` when the file cannot be written.
pub fn write_outputs(path: &Path, program: &Program, outputs: &[Tensor]) -> Result<(), Diagnostic> {
    let names = program.outputs().iter().map(|o| o.name.to_string());
    write_tensors(path, names.zip(outputs))
}

/// Writes the outputs of a training step together with everything the next step needs: parameters that the step did not
/// update and optimizer state that it did not use.
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
    let is_kept = |value: ValueId| main.outputs.iter().all(|output| output.replaces != Some(value));
    let params = main.inputs.iter().zip(inputs).filter(|(v, _)| program.param_of(**v).is_some() && is_kept(**v));
    let params = params.map(|(&v, tensor)| (program.path_of(v).to_owned(), tensor));
    let state = state.iter().map(|(name, tensor)| (name.clone(), tensor));
    let mut all: IndexMap<String, &Tensor> = IndexMap::new();
    for (name, tensor) in given.chain(params).chain(state) {
        all.entry(name).or_insert(tensor);
    }
    write_tensors(path, all)
}

/// Writes named tensors to a safetensors file with [`write_file`].
///
/// # Errors
/// `C001` when the file cannot be written.
pub fn write_tensors<'t>(
    path: &Path,
    tensors: impl IntoIterator<Item = (String, &'t Tensor)>,
) -> Result<(), Diagnostic> {
    let refused = |e: &dyn ToString| {
        Diagnostic::new(Code::C001, format!("cannot write `{}`", path.display())).note(e.to_string())
    };
    let bytes = to_bytes(tensors, None).map_err(|e| refused(&e))?;
    write_file(path, &bytes)
}

/// Writes a file atomically under a temporary name and renames it. Pipes, devices and links are written to instead of
/// being replaced.
///
/// # Errors
/// `C001` when it cannot be written.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Diagnostic> {
    let is_other = path.symlink_metadata().is_ok_and(|there| !there.is_file());
    let written = if is_other { fs::write(path, bytes) } else { replace(path, bytes) };
    written.map_err(|e| Diagnostic::io_error("write", path, &e))
}

/// Writes a file with a generated name. Links and special files of that name are replaced, not followed.
///
/// # Errors
/// `C001` when it cannot be written.
pub fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), Diagnostic> {
    replace(path, bytes).map_err(|e| Diagnostic::io_error("write", path, &e))
}

/// Creates a file for writing, replacing a file left by an interrupted process. A link is removed, not followed.
///
/// # Errors
/// The error of the operating system.
pub fn create_anew(path: &Path) -> std::io::Result<File> {
    match File::create_new(path) {
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {
            fs::remove_file(path)?;
            File::create_new(path)
        }
        created => created,
    }
}

/// Serialises tensors as a safetensors file with an optional metadata entry.
pub(crate) fn to_bytes<'t>(
    tensors: impl IntoIterator<Item = (String, &'t Tensor)>,
    metadata: Option<(&str, String)>,
) -> Result<Vec<u8>, SafeTensorError> {
    let mut encoded: Vec<(String, Dtype, &Type, Vec<u8>)> = Vec::new();
    let mut tensors = tensors.into_iter().peekable();
    while let Some((name, tensor)) = tensors.next() {
        // The parts of a complex tensor follow each other.
        let whole = name.strip_suffix(COMPLEX_PARTS[0]).filter(|_| tensor.ty.dtype == DType::F32);
        let is_other_part = |(other, imaginary): &(String, &Tensor)| {
            imaginary.ty == tensor.ty && other.strip_suffix(COMPLEX_PARTS[1]) == whole
        };
        match tensors.next_if(|next| whole.is_some() && is_other_part(next)) {
            Some((_, imaginary)) => {
                let whole = whole.unwrap_or(&name).to_owned();
                encoded.push((whole, Dtype::C64, &tensor.ty, complex_bytes(tensor, imaginary)));
            }
            None => encoded.push((name, file_dtype(tensor.ty.dtype), &tensor.ty, stored_bytes(tensor))),
        }
    }
    let views = encoded.iter().map(|(name, dtype, ty, bytes)| {
        let view = TensorView::new(*dtype, ty.shape.to_vec(), bytes);
        view.map(|view| (name, view))
    });
    let views: Vec<_> = views.collect::<Result<_, _>>()?;
    safetensors::serialize(views, metadata.map(|(name, text)| [(name.to_owned(), text)].into()))
}

/// Serialises tensors as a safetensors file.
///
/// # Errors
/// `F002` when they cannot be stored in one file.
pub fn tensors_to_bytes(tensors: &IndexMap<String, Tensor>) -> Result<Vec<u8>, Diagnostic> {
    let tensors = tensors.iter().map(|(name, tensor)| (name.clone(), tensor));
    to_bytes(tensors, None)
        .map_err(|e| Diagnostic::new(Code::F002, format!("cannot store the tensors in one file: {e}")))
}

/// Parses a safetensors file and returns its tensors, sorted by name; `path` is its name in messages.
///
/// # Errors
/// `F002` when it is not a complete safetensors file, or has an unsupported element type.
pub fn tensors_from_bytes(path: &Path, bytes: &[u8]) -> Result<IndexMap<String, Tensor>, Diagnostic> {
    all_tensors(&deserialize(path, bytes)?)
}

/// Returns all tensors of a safetensors file, sorted by name.
pub(crate) fn all_tensors(file: &SafeTensors<'_>) -> Result<IndexMap<String, Tensor>, Diagnostic> {
    let mut names = file.names();
    names.sort_unstable();
    let mut tensors = IndexMap::new();
    for name in names {
        let unreadable = || Diagnostic::new(Code::F002, format!("`{name}` has an unsupported element type"));
        let view = file.tensor(name).map_err(|_| unreadable())?;
        let dtype = DType::ALL.into_iter().find(|&d| file_dtype(d) == view.dtype()).ok_or_else(unreadable)?;
        let ty = Type { dtype, shape: Shape::from(view.shape()) };
        tensors.insert(name.to_owned(), decode(&view, &ty, name)?);
    }
    Ok(tensors)
}

/// Reads all tensors of a safetensors file, sorted by name.
///
/// # Errors
/// `C001` when the file cannot be read, `F002` when it is not a complete safetensors file.
pub fn read_tensors(path: &Path) -> Result<IndexMap<String, Tensor>, Diagnostic> {
    let bytes = input_file::read(path, FileLimit::TENSORS)?;
    all_tensors(&deserialize(path, &bytes)?)
}

/// Parses a safetensors file.
fn deserialize<'b>(path: &Path, bytes: &'b [u8]) -> Result<SafeTensors<'b>, Diagnostic> {
    SafeTensors::deserialize(bytes).map_err(|e| {
        let title = format!("`{}` is truncated, or not a safetensors file", path.display());
        Diagnostic::new(Code::F002, title).note(e.to_string())
    })
}

/// Writes a file under a temporary name and renames it.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let temporary = temporary_path(path);
    let written = create_anew(&temporary).and_then(|mut file| file.write_all(bytes));
    written.and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| {
        // A file that cannot be removed is left behind.
        let _ = fs::remove_file(&temporary);
    })
}

/// Returns a name in the same folder that no other process uses.
fn temporary_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(format!(".{}.part", std::process::id()));
    PathBuf::from(name)
}
