
def device_mesh(device_type="cuda"):
    """Returns the mesh of the processes. All processes call it."""
    grid = torch.tensor(PROCESSES).reshape(MESH_SHAPE)
    return DeviceMesh(device_type, grid, mesh_dim_names=tuple(MESH_AXES))


def distribute(model, mesh):
    """Makes a DTensor of each parameter, with the placements of the plan, and returns the model. All values that are
    computed from them are DTensors, and gradients have the placements of the parameters. Parameters that the plan stores
    in shards and gathers for use need `parallelize`."""
    if SHARD_AXES:
        raise ValueError(f"the plan gathers parameters over {', '.join(SHARD_AXES)}; use `parallelize`")
    tied = _tied(model)
    for name, parameter in list(model.named_parameters()):
        placements, others = _placements(name, parameter), tied.get(name, ())
        if others and any(isinstance(one, Shard) for one in placements):
            raise ValueError(f"PyTorch cannot add the gradients of `{name}` and `{others[0]}`, which are tied, in shards; "
                             f"leave the parameter whole: `--shard '{name}=_, _'`")
        placed = distribute_tensor(parameter.data, mesh, placements)
        new = torch.nn.Parameter(placed, requires_grad=parameter.requires_grad)
        for path in (name, *others):
            module_path, _, leaf = path.rpartition(".")
            module = model.get_submodule(module_path)
            setattr(module, leaf, new)
            if isinstance(module, torch.nn.Embedding):
                module.register_forward_hook(_without_partial)
    return model


def distribute_input(name, value, mesh):
    """Returns an input of the whole batch as a DTensor, for a model of `distribute`."""
    return distribute_tensor(value, mesh, INPUTS[name])


def parallelize(model, mesh):
    """Applies tensor parallelism by module, then stores parameters in shards where the plan does, and returns the model.
    Each process passes its own shard of the batch, of equal size. Column-wise layers return their shard of the features,
    so that code which divides them into heads infers the number of heads: `x.view(batch, length, -1, width)`. The last
    layer returns a DTensor: compute the loss within `torch.distributed.tensor.parallel.loss_parallel()`. Without
    SHARD_AXES, call `average_gradients` after each backward pass."""
    if PARALLELIZE_PLAN is None:
        raise ValueError("no style of a module has these placements; use `distribute`")
    for name, others in _tied(model).items():
        if any(axis == TENSOR_AXIS and isinstance(one, Shard) for axis, one in zip(MESH_AXES, PLACEMENTS.get(name, ()))):
            raise ValueError(f"`{others[0]}` is tied to `{name}`, and no style preserves that; leave it whole: "
                             f"`--shard '{name}=_, _'`, and use `distribute`")
    if PARALLELIZE_PLAN:
        parallelize_module(model, mesh[TENSOR_AXIS], PARALLELIZE_PLAN)
    if SHARD_AXES:
        names = {parameter: name for name, parameter in model.named_parameters()}
        axis = MESH_AXES.index(SHARD_AXES[-1])

        def placement(parameter):
            placed = _placements(names[parameter], parameter)[axis] if parameter in names else Shard(0)
            return placed if isinstance(placed, Shard) else Shard(0)

        over = mesh[tuple(SHARD_AXES)] if len(SHARD_AXES) > 1 else mesh[SHARD_AXES[0]]
        for module in [*(model.get_submodule(path) for path in LAYERS), model]:
            fully_shard(module, mesh=over, shard_placement_fn=placement)
    return model


def average_gradients(model, mesh):
    """Averages gradients over the axes that shard the batch, for a model of `parallelize`."""
    for number, axis in enumerate(MESH_AXES):
        shards_batch = any(isinstance(placements[number], Shard) for placements in INPUTS.values())
        if axis in (TENSOR_AXIS, *SHARD_AXES) or not shards_batch:
            continue
        for parameter in model.parameters():
            if parameter.grad is not None:
                grad = parameter.grad.to_local() if isinstance(parameter.grad, DTensor) else parameter.grad
                dist.all_reduce(grad, group=mesh.get_group(axis))
                grad /= MESH_SHAPE[number]


def pipeline_schedule(stages, **options):
    """Returns the schedule of a pipeline. `stages` are the `PipelineStage` of this process, one for each of its entries of
    STAGES."""
    schedule = getattr(pipelining, SCHEDULE)
    only = stages if SCHEDULE == "ScheduleInterleaved1F1B" else stages[0]
    return schedule(only, n_microbatches=MICRO_BATCHES, **options)


def _without_partial(module, args, result):
    """Returns the result of an embedding with the partial results of its rows combined, once for all readers."""
    return result.redistribute(placements=[Replicate() if one.is_partial() else one for one in result.placements])


def _tied(model):
    """Returns the other names of parameters that have several, by their first one."""
    first, others = {}, {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        if first.setdefault(parameter, name) != name:
            others.setdefault(first[parameter], []).append(name)
    return others


def _placements(name, parameter):
    """Returns the placements of a parameter as the module stores it."""
    if name not in PLACEMENTS:
        raise ValueError(f"the plan has no parameter `{name}`")
    shape, planned = list(parameter.shape), SHAPES[name]
    if name in TRANSPOSED:
        # A linear layer of PyTorch stores [out, in].
        if shape != planned[::-1]:
            raise ValueError(f"`{name}` has the shape {shape}, and the plan has the transpose of {planned}")
        return [Shard(1 - placed.dim) if isinstance(placed, Shard) else placed for placed in PLACEMENTS[name]]
    if shape != planned:
        raise ValueError(f"`{name}` has the shape {shape}, and the plan has {planned}")
    return PLACEMENTS[name]
