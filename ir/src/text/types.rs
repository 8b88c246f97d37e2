//! Text syntax of types and layouts: `f32[32@data, 512@a+b?, 7!1] on @m2 sum(model) all(expert) host`.
//!
//! A dimension is its size, followed by `@` and the axes that shard it (major to minor; `model:(2)4` is a factor of an
//! axis), `?` if propagation may add axes (open), and `!1` for propagation priority 1. After the dimensions follow `on
//! @mesh` (for a mesh other than the program's first one), partial axes with their reductions, explicitly replicated
//! axes (`all`), and `host` for a value in host memory.
//!
//! A type without any of these marks, apart from `host`, has no layout. A replicated layout on the first mesh without
//! marks is written `whole`. Text and layout therefore determine each other, in all forms of programs.

use crate::arena::{Arena, Id, MeshId};
use crate::diag::{Code, Diagnostic, Source, nearest};
use crate::dtype::{DType, Shape, Type};
use crate::layout::{DimLayout, Layout, Monoid};
use crate::mesh::{Axes, AxisRef, DeviceMesh};
use crate::program::{MemorySpace, Name, Program, Value};
use crate::syntax::MAX_RANK;
use crate::syntax::attr::{read_axis, write_axis};
use crate::syntax::lex::{Cursor, Result, Token};
use std::fmt::Write;

/// Appends the text of a value's type, layout and memory space to `out`.
pub fn write_type(value: &Value, program: &Program, out: &mut String) {
    let mesh = value.layout.as_ref().and_then(|layout| program.meshes.get(layout.mesh));
    write_type_on(value, mesh, out);
}

/// Formats the type, layout and memory space of a value as in program text, for a program whose only mesh is `mesh`.
pub fn print_type(value: &Value, mesh: &DeviceMesh) -> String {
    let mut text = String::new();
    write_type_on(value, Some(mesh), &mut text);
    text
}

/// Parses the text that [`print_type`] returns. The resulting value has no name.
///
/// # Errors
/// The errors of [`parse`](super::parse()).
pub fn parse_type(text: &str, mesh: &DeviceMesh) -> std::result::Result<Value, Diagnostic> {
    let source = Source::new("a type", text);
    let mut c = Cursor::new(&source);
    let mut meshes: Arena<MeshId, DeviceMesh> = Arena::default();
    meshes.push(mesh.clone());
    let value = read_type(&mut c, &meshes).map_err(|error| *error)?;
    if c.peek() == Token::End { Ok(value) } else { Err(*c.expected("the end of a type")) }
}

fn write_type_on(value: &Value, mesh: Option<&DeviceMesh>, out: &mut String) {
    let layout = value.layout.as_ref();
    let _ = write!(out, "{}[", value.ty.dtype);
    let mut marked = false;
    for (i, size) in value.ty.shape.iter().enumerate() {
        let _ = write!(out, "{}{size}", if i == 0 { "" } else { ", " });
        if let Some(dim) = layout.and_then(|l| l.dims.get(i)) {
            marked |= *dim != DimLayout::default();
            write_dim(dim, mesh, out);
        }
    }
    out.push(']');
    if let Some(layout) = layout {
        write_tail(layout, mesh, marked, out);
    }
    if value.space == MemorySpace::Host {
        out.push_str(" host");
    }
}

fn write_dim(dim: &DimLayout, mesh: Option<&DeviceMesh>, out: &mut String) {
    if !dim.axes.is_empty() {
        out.push('@');
        write_axes(dim.axes.iter().copied(), mesh, out);
    }
    if dim.open {
        out.push('?');
    }
    if dim.priority != 0 {
        let _ = write!(out, "!{}", dim.priority);
    }
}

fn write_axes(axes: impl IntoIterator<Item = AxisRef>, mesh: Option<&DeviceMesh>, out: &mut String) {
    for (i, axis) in axes.into_iter().enumerate() {
        if i > 0 {
            out.push('+');
        }
        write_axis(axis, mesh, out);
    }
}

fn write_tail(layout: &Layout, mesh: Option<&DeviceMesh>, marked: bool, out: &mut String) {
    if layout.mesh.index() > 0 {
        let _ = write!(out, " on @{}", mesh.map_or("?", |m| &m.name));
    } else if !marked && layout.partial.is_empty() && layout.replicated.is_empty() {
        out.push_str(" whole");
    }
    for run in layout.partial.chunk_by(|a, b| a.1 == b.1) {
        let _ = write!(out, " {}(", run[0].1.name());
        write_axes(run.iter().map(|p| p.0), mesh, out);
        out.push(')');
    }
    if !layout.replicated.is_empty() {
        out.push_str(" all(");
        write_axes(layout.replicated.iter().copied(), mesh, out);
        out.push(')');
    }
}

/// Parses a type with its layout and memory space, as written by [`write_type`]. The resulting value has no name yet.
pub(super) fn read_type(c: &mut Cursor<'_>, meshes: &Arena<MeshId, DeviceMesh>) -> Result<Value> {
    let dtype = read_dtype(c)?;
    let id = mesh_of_type(c, meshes)?;
    let mesh = meshes.get(id);
    let mut reader = LayoutParser { mesh, used: Axes::new(), layout: Layout::replicated(id, 0), marked: false };
    let shape = reader.dims(c)?;
    if c.eat("on") {
        find_mesh(c, meshes)?;
        reader.marked = true;
    }
    let space = reader.tail(c)?;
    if reader.marked && mesh.is_none() {
        return Err(c.error("a layout is written, but no mesh is declared before"));
    }
    let layout = reader.marked.then(|| reader.layout.into());
    Ok(Value { name: Name::default(), ty: Type { shape, dtype }, layout, space, donated: false })
}

fn read_dtype(c: &mut Cursor<'_>) -> Result<DType> {
    let at = c.clone();
    let name = c.word("a type, such as `f32[2, 3]`")?;
    DType::from_name(name).ok_or_else(|| {
        let span = at.span();
        let error = Diagnostic::new(Code::T001, format!("`{name}` is not an element type")).label(span.clone(), "");
        Box::new(match nearest(name, DType::ALL.map(DType::name)) {
            Some(near) => error.fix("there is an element type with a similar name", span, near),
            None => error.note(format!("element types are {}", DType::ALL.map(DType::name).join(", "))),
        })
    })
}

/// Returns the mesh of the type that follows: the one of `on @mesh` after its dimensions, or the first mesh.
fn mesh_of_type(c: &Cursor<'_>, meshes: &Arena<MeshId, DeviceMesh>) -> Result<MeshId> {
    let first = MeshId::from_index(0);
    if meshes.len() < 2 {
        return Ok(first);
    }
    let mut ahead = c.clone();
    while matches!(ahead.peek(), Token::Number(_) | Token::Symbol(_) | Token::Word(_))
        || matches!(ahead.peek(), Token::Punct(s) if "[,+?!:()".contains(s))
    {
        ahead.take();
    }
    if ahead.eat_all("] on") { find_mesh(&mut ahead, meshes) } else { Ok(first) }
}

/// Parses `@mesh` and returns the mesh, which must have been declared.
pub(super) fn find_mesh(c: &mut Cursor<'_>, meshes: &Arena<MeshId, DeviceMesh>) -> Result<MeshId> {
    let Token::Symbol(name) = c.peek() else { return Err(c.expected("a mesh, `@name`")) };
    if let Some((id, _)) = meshes.iter().find(|(_, m)| m.name == name) {
        c.take();
        return Ok(id);
    }
    let error = Diagnostic::new(Code::T002, format!("no mesh `@{name}` is declared before")).label(c.span(), "");
    Err(Box::new(match nearest(name, meshes.values().map(|m| m.name.as_str())) {
        Some(near) => error.fix("there is a mesh with a similar name", c.span(), format!("@{near}")),
        None => error,
    }))
}

/// Parser state of a layout.
struct LayoutParser<'a> {
    mesh: Option<&'a DeviceMesh>,
    used: Axes,
    layout: Layout,
    marked: bool,
}

impl LayoutParser<'_> {
    fn dims(&mut self, c: &mut Cursor<'_>) -> Result<Shape> {
        let start = c.clone();
        let mut shape = Shape::default();
        c.expect("[")?;
        while !c.eat("]") {
            if shape.rank() > 0 {
                c.expect(",")?;
            }
            if shape.rank() == MAX_RANK {
                return Err(too_large(format!("a shape has at most {MAX_RANK} dimensions"), c));
            }
            shape.0.push(read_size(c)?);
            let dim = self.dim(c)?;
            self.marked |= dim != DimLayout::default();
            self.layout.dims.push(dim);
        }
        if shape.checked_count().is_none() {
            let product: Vec<String> = shape.iter().map(usize::to_string).collect();
            let error = Diagnostic::new(Code::T004, "this shape has more elements than can be counted")
                .label(start.span(), "")
                .note(format!("{} is more than {}", product.join(" x "), Shape::MAX_COUNT));
            return Err(Box::new(error));
        }
        Ok(shape)
    }

    fn dim(&mut self, c: &mut Cursor<'_>) -> Result<DimLayout> {
        let mut dim = DimLayout::default();
        if matches!(c.peek(), Token::Symbol(_)) {
            dim.axes = self.axes(c)?;
        }
        dim.open = c.eat("?");
        if c.eat("!") {
            dim.priority = c.number("a priority, 0 to 255")?;
        }
        Ok(dim)
    }

    /// Parses axes joined by `+`. An axis may be used once per type.
    fn axes(&mut self, c: &mut Cursor<'_>) -> Result<Axes> {
        let mut axes = Axes::new();
        loop {
            let at = c.clone();
            let axis = read_axis(c, self.mesh)?;
            if self.used.iter().any(|&a| a == axis || a.overlaps(axis)) {
                let mut name = String::new();
                write_axis(axis, self.mesh, &mut name);
                let error = Diagnostic::new(Code::L002, format!("axis `{name}` is used twice in one type"))
                    .label(at.span(), "used before")
                    .note(format!("a device has one position on `{name}`, so it can store only one shard along it"));
                return Err(Box::new(error));
            }
            self.used.push(axis);
            axes.push(axis);
            if !c.eat("+") {
                return Ok(axes);
            }
        }
    }

    fn tail(&mut self, c: &mut Cursor<'_>) -> Result<MemorySpace> {
        let mut space = MemorySpace::Device;
        while let Token::Word(word) = c.peek() {
            if word == "whole" {
                c.take();
            } else if word == "host" {
                c.take();
                space = MemorySpace::Host;
                continue;
            } else if c.eat_all("all (") {
                let axes = self.axes(c)?;
                self.layout.replicated.extend(axes);
                c.expect(")")?;
            } else if let Some(monoid) = Monoid::from_name(word) {
                c.take();
                c.expect("(")?;
                let axes = self.axes(c)?;
                self.layout.partial.extend(axes.into_iter().map(|a| (a, monoid)));
                c.expect(")")?;
            } else {
                break;
            }
            self.marked = true;
        }
        Ok(space)
    }
}

fn read_size(c: &mut Cursor<'_>) -> Result<usize> {
    match c.peek() {
        Token::Number(n) if n.parse::<usize>().is_err() && n.bytes().all(|b| b.is_ascii_digit()) => {
            Err(too_large(format!("a dimension of {} digits is too large", n.len()), c))
        }
        _ => c.number("the size of a dimension"),
    }
}

/// Creates an error at the cursor for a number or shape beyond the limits of programs.
pub(super) fn too_large(title: impl Into<String>, c: &Cursor<'_>) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(Code::T004, title).label(c.span(), ""))
}
