def mesh(devices=None):
    """Returns the mesh, by default of the first devices that JAX has."""
    available = list(jax.devices() if devices is None else devices)
    if len(available) < len(DEVICES):
        raise ValueError(f"the plan needs {len(DEVICES)} devices, and {len(available)} are available")
    grid = np.array([available[number] for number in DEVICES], dtype=object).reshape(tuple(AXES.values()))
    return Mesh(grid, tuple(AXES))


def in_shardings(on, f, *args):
    """Returns the shardings of the arguments of `f`, as trees like `args`: for jax.jit(f, in_shardings=...)."""
    names = list(inspect.signature(f).parameters)
    paths = []

    def spec(path, _):
        name = ".".join([names[path[0].idx], *(jax.tree_util.keystr((key,), simple=True) for key in path[1:])])
        paths.append(re.sub(r"[=*?\",\s]", "_", name))
        return NamedSharding(on, IN_SPECS.get(paths[-1], PartitionSpec()))

    shardings = jax.tree_util.tree_map_with_path(spec, args)
    unknown = [name for name in IN_SPECS if name not in paths]
    if unknown:
        raise ValueError(f"the function has no arguments {', '.join(unknown)}; its arguments are {', '.join(paths)}")
    return shardings


def out_shardings(on, f, *args):
    """Returns the shardings of the results of `f`, as a tree like the results: for jax.jit(f, out_shardings=...)."""
    leaves, tree = jax.tree_util.tree_flatten(jax.eval_shape(f, *args))
    if len(leaves) != len(OUT_SPECS):
        raise ValueError(f"the function has {len(leaves)} results, and the plan has {len(OUT_SPECS)}")
    return tree.unflatten([NamedSharding(on, spec) for spec in OUT_SPECS])


def constrain(on, name, value):
    """Returns an intermediate value with the layout that the plan has for it, inside of a jitted function."""
    return jax.lax.with_sharding_constraint(value, NamedSharding(on, INNER_SPECS[name]))


def jit(f, *args, on=None, **options):
    """Returns jax.jit(f) with the layouts of the plan for its arguments, which are like `args`, and its results."""
    on = mesh() if on is None else on
    options.setdefault("in_shardings", in_shardings(on, f, *args))
    options.setdefault("out_shardings", out_shardings(on, f, *args))
    return jax.jit(f, **options)
