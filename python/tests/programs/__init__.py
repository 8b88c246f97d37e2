"""Programs as users of JAX write them: each module has a function `build`, which returns the function and its
arguments, and the plans for which it is tested."""
