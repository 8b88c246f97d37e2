//! User annotations of layouts in Shardy's syntax. [`super::gspmd`] reads the GSPMD syntax.

use super::Importer;
use super::gspmd::{self, GspmdMesh, Placement};
use super::region::Scope;
use crate::fault::{Fault, Result, counted};
use crate::syntax::{Attr, AxisName, Entry, INLINE_MESH, Local, MeshDef, Module, Op, Opcode, Sharding};
use partita_ir::arena::{Id, MeshId, OpId, ValueId};
use partita_ir::diag::{Code, nearest};
use partita_ir::layout::{DimLayout, Layout};
use partita_ir::mesh::{Axes, AxisRef, DeviceMesh, MAX_DEVICES};
use partita_ir::ops::Constrain;
use partita_ir::program::{Program, Values};
use partita_ir::rule::Flow;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Meshes of a module: declared by Shardy, or reconstructed from its GSPMD shardings.
pub struct Layouts<'a> {
    meshes: FxHashMap<&'a str, DeclaredMesh<'a>>,
    /// Mesh used by shardings, and its declared name.
    used: Option<(MeshId, &'a str)>,
    /// Mesh of the first sharding without axes: declared if no other sharding uses a mesh.
    without_axes: Option<&'a str>,
    grid: Option<(MeshId, GspmdMesh<'a>)>,
}

/// A declared mesh. `mesh` is `None` for an empty or maximal mesh, which has no axes.
struct DeclaredMesh<'a> {
    def: &'a str,
    mesh: Option<DeviceMesh>,
    /// True for the mesh of one device of a larger mesh. Its shardings have no dimensions.
    is_maximal: bool,
}

impl<'a> Layouts<'a> {
    /// Reads the meshes of a module.
    pub fn new(module: &Module<'a>, text: &'a str, program: &mut Program) -> Result<Self> {
        let mut meshes = FxHashMap::default();
        for def in &module.meshes {
            let mesh = (!def.axes.is_empty()).then(|| mesh(def)).transpose()?;
            let is_maximal = mesh.is_none() && def.devices.is_some();
            if meshes.insert(def.name, DeclaredMesh { def: def.name, mesh, is_maximal }).is_some() {
                return Err(Fault::malformed(format!("the mesh `@{}` is declared twice", def.name), def.at.clone()));
            }
        }
        let grid = match module.meshes.is_empty() {
            true => GspmdMesh::from_module(module, text)?.map(|grid| (program.meshes.push(grid.mesh()), grid)),
            false => None,
        };
        Ok(Layouts { meshes, used: None, without_axes: None, grid })
    }

    /// Returns the layout in the attributes of a function argument or result.
    pub fn layout_from_attrs(
        &mut self,
        attrs: &[Entry<'a>],
        program: &mut Program,
        value: ValueId,
        at: &Range<usize>,
    ) -> Result<Option<Layout>> {
        self.layout_from_entries(attrs, 0, program, value, at)
    }

    /// Returns the layout of result `index` in the attributes of an operation.
    pub fn result_layout(
        &mut self,
        op: &Op<'a>,
        index: usize,
        program: &mut Program,
        value: ValueId,
    ) -> Result<Option<Layout>> {
        if op.attrs.is_empty() {
            return Ok(None);
        }
        let mut layout = self.layout_from_entries(&op.attrs, index, program, value, &op.span())?;
        if let (Opcode::CustomCall, Some(layout)) = (op.code, &mut layout) {
            let config = op.attr("backend_config").and_then(Attr::as_str).unwrap_or_default();
            for dim in gspmd::unspecified_dims(config) {
                if let Some(dim) = layout.dims.get_mut(dim) {
                    dim.open = true;
                }
            }
        }
        Ok(layout)
    }

    fn layout_from_entries(
        &mut self,
        attrs: &[Entry<'a>],
        index: usize,
        program: &mut Program,
        value: ValueId,
        at: &Range<usize>,
    ) -> Result<Option<Layout>> {
        for (name, attr) in attrs {
            match (*name, attr) {
                ("sdy.sharding", Attr::Shardings(all)) => {
                    return match all.get(index) {
                        Some(sharding) => self.layout(sharding, program, value),
                        None => Ok(None),
                    };
                }
                ("mhlo.sharding", Attr::Str(text)) => return self.gspmd_layout(text, index, program, value, at),
                _ => {}
            }
        }
        Ok(None)
    }

    /// Converts a GSPMD sharding to a layout on the reconstructed mesh; `None` if there is no such mesh. Dimensions
    /// without a sharding are open.
    fn gspmd_layout(
        &self,
        text: &'a str,
        index: usize,
        program: &Program,
        value: ValueId,
        at: &Range<usize>,
    ) -> Result<Option<Layout>> {
        if !self.meshes.is_empty() {
            return Err(Fault::unsupported("the module has both `mhlo.sharding` and `sdy.mesh`", at.clone())
                .help("lower the function with one partitioner: `jax_use_shardy_partitioner`"));
        }
        let Some((id, grid)) = &self.grid else { return Ok(None) };
        let rank = program.ty(value).shape.rank();
        let open = Layout::open(*id, rank);
        match grid.placement(text, index) {
            None | Some(Placement::Unspecified) => Ok(Some(open)),
            Some(Placement::Replicated) => Ok(Some(Layout::replicated(*id, rank))),
            Some(Placement::Tiled(dims)) if dims.len() == rank => {
                Ok(Some(Layout::from_axes(*id, dims.iter().cloned())))
            }
            Some(Placement::Tiled(dims)) => {
                let ty = program.ty(value);
                let title = format!("the sharding `{text}` tiles {} of {ty}", counted(dims.len(), "dimension"));
                Err(Fault::new(Code::L009, title, at.clone()))
            }
        }
    }

    /// Converts a Shardy sharding to a layout; `None` if its mesh has no axes and all its dimensions are open.
    ///
    /// A sharding without axes is compatible with all meshes: its closed dimensions are replicated on the mesh of the
    /// other shardings, which is the first of the program, or on the mesh of [`Layouts::declare`]. A value on one
    /// device of a mesh is read as replicated.
    fn layout(&mut self, sharding: &Sharding<'a>, program: &mut Program, value: ValueId) -> Result<Option<Layout>> {
        let declared = self.declared(sharding)?;
        if declared.is_maximal && sharding.dims.is_empty() {
            self.without_axes.get_or_insert(sharding.mesh);
            return Ok(Some(Layout::replicated(MeshId::from_index(0), program.ty(value).shape.rank())));
        }
        let has_axes = sharding.dims.iter().any(|dim| !dim.axes.is_empty())
            || !sharding.replicated.is_empty()
            || !sharding.unreduced.is_empty();
        let id = if has_axes { self.mesh_id(sharding, program)? } else { None };
        let empty = DeviceMesh::new::<&str>("empty", []);
        let mesh = id.map_or(&empty, |id| &program.meshes[id]);
        let ty = program.ty(value);
        if sharding.dims.len() != ty.shape.rank() {
            let (n, rank) = (sharding.dims.len(), ty.shape.rank());
            let title = format!("a sharding of {} for {ty}, which has {rank}", counted(n, "dimension"));
            return Err(
                Fault::new(Code::L009, title, sharding.at.clone()).help("write one `{}` for each replicated dimension")
            );
        }
        let mut layout = Layout::replicated(id.unwrap_or(MeshId::from_index(0)), 0);
        for dim in &sharding.dims {
            let axes = axes(&dim.axes, mesh)?;
            let priority = u8::try_from(dim.priority).unwrap_or(u8::MAX);
            layout.dims.push(DimLayout { axes, open: dim.open, priority });
        }
        layout.replicated = axes(&sharding.replicated, mesh)?;
        layout.partial = axes(&sharding.unreduced, mesh)?.into_iter().map(|a| (a, sharding.reduction)).collect();
        check_axes_used_once(sharding, &layout, mesh)?;
        if id.is_none() {
            let is_unrestricted =
                !layout.dims.is_empty() && layout.dims.iter().all(|dim| dim.open && dim.priority == 0);
            if is_unrestricted && self.declared(sharding)?.mesh.is_none() {
                return Ok(None);
            }
            self.without_axes.get_or_insert(sharding.mesh);
        }
        Ok(Some(layout))
    }

    /// Declares a mesh if the module has one, but no sharding has axes: the mesh of the first sharding, or else the
    /// first of the module, or a mesh of one device instead of one without axes.
    pub fn declare(&self, module: &Module<'a>, program: &mut Program) {
        let first = || module.meshes.iter().find(|def| !def.axes.is_empty()).or(module.meshes.first());
        let name = self.without_axes.or_else(|| Some(first()?.name));
        if let Some(name) = name.filter(|_| program.meshes.is_empty()) {
            let declared = self.meshes.get(name).and_then(|declared| declared.mesh.clone());
            program.meshes.push(declared.unwrap_or_else(|| DeviceMesh::new(&word(name), [("one", 1)])));
        }
    }

    /// Returns the declared mesh of a sharding.
    fn declared(&self, sharding: &Sharding<'a>) -> Result<&DeclaredMesh<'a>> {
        self.meshes.get(sharding.mesh).ok_or_else(|| {
            let title = format!("the mesh `@{}` is not declared", sharding.mesh);
            let mut names: Vec<&str> = self.meshes.keys().copied().collect();
            names.sort_unstable();
            let fault = Fault::new(Code::L007, title, sharding.at.clone());
            match nearest(sharding.mesh, names) {
                Some(near) => fault.help(format!("there is a mesh with a similar name: `@{near}`")),
                None => fault,
            }
        })
    }

    /// Returns the mesh of a sharding, and adds it to the program on first use.
    fn mesh_id(&mut self, sharding: &Sharding<'a>, program: &mut Program) -> Result<Option<MeshId>> {
        let declared = self.declared(sharding)?;
        let Some(mesh) = &declared.mesh else { return Ok(None) };
        match self.used {
            Some((id, name)) if name == declared.def || same_devices(&program.meshes[id], mesh) => Ok(Some(id)),
            Some((_, name)) => {
                let title = format!("shardings refer to two meshes, `@{name}` and `@{}`", declared.def);
                Err(Fault::unsupported(title, sharding.at.clone())
                    .help("use one mesh with all axes, and leave out the axes that a tensor is not split by"))
            }
            None => {
                let id = program.meshes.push(mesh.clone());
                self.used = Some((id, declared.def));
                Ok(Some(id))
            }
        }
    }
}

/// Checks that a sharding uses each axis at most once.
fn check_axes_used_once(sharding: &Sharding<'_>, layout: &Layout, mesh: &DeviceMesh) -> Result<()> {
    let dims = sharding.dims.iter().flat_map(|d| &d.axes);
    let names: Vec<&AxisName<'_>> = dims.chain(&sharding.replicated).chain(&sharding.unreduced).collect();
    let used: Vec<AxisRef> = layout.used_axes().collect();
    for (i, axis) in used.iter().enumerate() {
        if let Some(first) = used[..i].iter().position(|other| other.overlaps(*axis)) {
            let name = &mesh.axes[axis.axis.index()].name;
            return Err(Fault::new(
                Code::L002,
                format!("axis `{name}` is used twice in one sharding"),
                names[i].at.clone(),
            )
            .label("and again here")
            .context(names[first].at.clone(), "first here")
            .note("a device has one position along an axis, so it can store only one shard along it"));
        }
    }
    Ok(())
}

fn same_devices(a: &DeviceMesh, b: &DeviceMesh) -> bool {
    a.axes == b.axes && a.devices == b.devices
}

/// Converts a mesh declaration with axes.
fn mesh(def: &MeshDef<'_>) -> Result<DeviceMesh> {
    let bad = |what: String| Fault::new(Code::L007, format!("the mesh `@{}` {what}", def.name), def.at.clone());
    let mut axes: Vec<(String, u32)> = Vec::with_capacity(def.axes.len());
    let mut count = 1u64;
    for &(name, size) in &def.axes {
        count = count.saturating_mul(u64::try_from(size).unwrap_or(0));
        let Some(size) = u32::try_from(size).ok().filter(|&n| n > 0) else {
            return Err(bad(format!("has axis `{name}` of size {size}")).note("an axis has at least one device"));
        };
        let name = word(name);
        if axes.iter().any(|(other, _)| *other == name) {
            return Err(bad(format!("has two axes `{name}`")));
        }
        axes.push((name, size));
    }
    if count > MAX_DEVICES {
        return Err(bad(format!("has {count} devices")).note(format!("at most {MAX_DEVICES} are supported")));
    }
    let mut mesh = DeviceMesh::new(&word(def.name), axes);
    if let Some(devices) = &def.devices {
        let ids: Option<Vec<u32>> = devices.iter().map(|&d| u32::try_from(d).ok()).collect();
        let mut sorted = ids.clone().unwrap_or_default();
        sorted.sort_unstable();
        sorted.dedup();
        match ids {
            Some(ids) if ids.len() as u64 == count && sorted.len() == ids.len() => mesh.devices = ids,
            _ => return Err(bad(format!("needs {count} distinct devices, and lists {}", devices.len()))),
        }
    }
    Ok(mesh)
}

/// Replaces characters that identifiers in program text cannot contain. A mesh that is written in shardings is named
/// `mesh`.
fn word(name: &str) -> String {
    let name = if name.starts_with(INLINE_MESH) { "mesh" } else { name };
    name.replace(|c: char| !(c.is_ascii_alphanumeric() || c == '_'), "_")
}

/// Resolves axis names on the mesh.
fn axes(names: &[AxisName<'_>], mesh: &DeviceMesh) -> Result<Axes> {
    names.iter().map(|name| axis(name, mesh)).collect()
}

fn axis(axis: &AxisName<'_>, mesh: &DeviceMesh) -> Result<AxisRef> {
    let name = word(axis.name);
    let Some(id) = mesh.axis(&name) else {
        let fault = Fault::new(Code::L001, format!("the mesh has no axis `{}`", axis.name), axis.at.clone())
            .label("not an axis of this mesh");
        return Err(match nearest(&name, mesh.axes.iter().map(|a| a.name.as_str())) {
            Some(near) => fault.help(format!("there is an axis with a similar name: `{near}`")),
            None => fault,
        });
    };
    let whole = AxisRef::full(mesh, id);
    let Some((pre, size)) = axis.factor else { return Ok(whole) };
    let (Ok(pre), Ok(size)) = (u32::try_from(pre), u32::try_from(size)) else {
        return Err(bad_factor(axis, whole.size));
    };
    match pre.checked_mul(size) {
        Some(n) if n > 0 && whole.size.is_multiple_of(n) => Ok(AxisRef { pre, size, ..whole }),
        _ => Err(bad_factor(axis, whole.size)),
    }
}

fn bad_factor(axis: &AxisName<'_>, devices: u32) -> Box<Fault> {
    let (pre, size) = axis.factor.unwrap_or_default();
    let title = format!("axis `{}` has {devices} devices, which do not split as ({pre}){size}", axis.name);
    Fault::new(Code::L001, title, axis.at.clone())
}

/// A value of a sharding group.
pub struct GroupMember {
    /// The value in the module.
    local: Local,
    /// Number of callers and of open scopes where it is defined, and the first value of the innermost scope.
    depth: (usize, usize, Option<Local>),
}

impl<'m, 'a> Importer<'m, 'a> {
    /// Lowers an operation that states the sharding of its result, which is its operand: a constraint, or an edge of
    /// data flow.
    pub(super) fn sharding_constraint(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let sharding = match op.attr("sharding").or(op.attr("out_sharding")) {
            Some(Attr::Shardings(all)) => all.first(),
            _ => None,
        };
        let (Some(sharding), &[arg]) = (sharding, args) else { return Ok(args.into()) };
        let layout = self.layouts.layout(sharding, &mut self.program, arg)?;
        let Some(layout) = layout else { return Ok(args.into()) };
        // Regions of scalars, such as reducers, have no layouts.
        if layout.dims.is_empty() && layout.used_axes().next().is_none() && !self.frame.scopes.is_empty() {
            return Ok(args.into());
        }
        let outs = self.emit(op, Constrain::default(), args)?;
        if let Some(&out) = outs.first() {
            self.program.values[out].layout = Some(layout.into());
        }
        Ok(outs)
    }

    /// Lowers a barrier of propagation.
    pub(super) fn propagation_barrier(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let flow = match op.word("allowed_direction")? {
            "FORWARD" => Flow::Forward,
            "BACKWARD" => Flow::Backward,
            "NONE" => Flow::Blocked,
            _ => Flow::Both,
        };
        self.emit(op, Constrain { flow, ..Constrain::default() }, args)
    }

    /// Lowers the addition of a value to a sharding group: the value is sharded like the first value of the group, if
    /// that one is visible.
    pub(super) fn sharding_group(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let group = op.attr("group_id").and_then(Attr::as_int).unwrap_or_default();
        let (&[local], &[arg]) = (&op.operands[..], args) else { return Ok(Values::new()) };
        let depth = |scopes: usize| (self.callers.len(), scopes, self.frame.scopes[..scopes].last().map(Scope::first));
        let is_own = self.frame.scopes.last().is_none_or(|scope| scope.first() <= local);
        let Some(first) = self.groups.get(&group) else {
            let scopes = self.frame.scopes.iter().take_while(|scope| scope.first() <= local).count();
            self.groups.insert(group, GroupMember { local, depth: depth(scopes) });
            return Ok(Values::new());
        };
        let (_, scopes, _) = first.depth;
        let is_visible = scopes <= self.frame.scopes.len() && depth(scopes) == first.depth;
        if !is_visible || !is_own || first.local == local {
            return Ok(Values::new());
        }
        let like = self.value(first.local)?;
        let ty = self.program.ty(arg).clone();
        if self.program.ty(like).shape != ty.shape {
            let title = format!("has a value of type {ty} in the group {group} of {}", self.program.ty(like));
            return Err(self.op_fault(op, title));
        }
        let member = self.insert_member(arg, like);
        self.define(local, member);
        Ok(Values::new())
    }

    /// Inserts a copy of a value that is sharded like another one, behind the definitions of both, and replaces the
    /// value in the operations that follow.
    fn insert_member(&mut self, value: ValueId, like: ValueId) -> ValueId {
        let (ty, name) = (self.program.ty(value).clone(), self.program.values[value].name.clone());
        let defines = |&op: &OpId| self.program.ops[op].outs.iter().any(|&out| out == value || out == like);
        let at = self.body.iter().rposition(defines).map_or(0, |last| last + 1);
        let following = self.body.split_off(at);
        let member = self.temp(&name, Constrain::default(), &[value, like], ty);
        for &op in &following {
            for arg in self.program.ops[op].args.iter_mut().filter(|arg| **arg == value) {
                *arg = member;
                self.use_counts[value.index()] -= 1;
                self.use_counts[member.index()] += 1;
            }
        }
        self.body.extend(following);
        member
    }

    /// Applies the shardings of an operation to values that it returns.
    pub(super) fn constrained_results(&mut self, op: &'m Op<'a>, results: Values) -> Result<Values> {
        let mut constrained = Values::new();
        for (i, &result) in results.iter().enumerate() {
            let layout = self.layouts.result_layout(op, i, &mut self.program, result)?;
            constrained.push(layout.map_or(result, |layout| self.constrained(result, layout)));
        }
        Ok(constrained)
    }

    /// Emits a copy of a value with a layout.
    pub(super) fn constrained(&mut self, value: ValueId, layout: Layout) -> ValueId {
        let (ty, name) = (self.program.ty(value).clone(), self.program.values[value].name.clone());
        let result = self.temp(&name, Constrain::default(), &[value], ty);
        self.program.values[result].layout = Some(layout.into());
        result
    }
}
