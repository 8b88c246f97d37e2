"""Training step of a ResNet in Flax with BatchNorm, whose running statistics are part of the state, and momentum."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

PLANS = [
    {"mesh": "data=8", "preset": "data"},
    {"mesh": "data=8", "preset": "zero3"},
    {"mesh": "rows=4", "shard": {"images": "_, rows, _, _"}},
]


class Residual(nn.Module):
    features: int
    stride: int = 1

    @nn.compact
    def __call__(self, x):
        norm = lambda: nn.BatchNorm(use_running_average=False, momentum=0.9)  # noqa: E731
        y = nn.Conv(self.features, (3, 3), self.stride, use_bias=False)(x)
        y = nn.relu(norm()(y))
        y = norm()(nn.Conv(self.features, (3, 3), use_bias=False)(y))
        if x.shape != y.shape:
            x = norm()(nn.Conv(self.features, (1, 1), self.stride, use_bias=False)(x))
        return nn.relu(x + y)


class ResNet(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.Conv(8, (3, 3), use_bias=False)(x)
        x = nn.relu(nn.BatchNorm(use_running_average=False)(x))
        x = nn.max_pool(x, (2, 2), (2, 2))
        x = Residual(16, 2)(Residual(8)(x))
        return nn.Dense(16)(x.mean((1, 2)))


def build():
    model, optimizer = ResNet(), optax.sgd(0.1, momentum=0.9, nesterov=True)
    images = jax.random.normal(jax.random.key(1), (16, 32, 32, 3))
    labels = jax.random.randint(jax.random.key(2), (16,), 0, 16)
    variables = model.init(jax.random.key(0), images)
    params, statistics = variables["params"], variables["batch_stats"]

    def step(params, statistics, state, images, labels):
        def loss(params):
            logits, updated = model.apply(
                {"params": params, "batch_stats": statistics}, images, mutable=["batch_stats"]
            )
            return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean(), updated["batch_stats"]

        (value, statistics_), gradients = jax.value_and_grad(loss, has_aux=True)(params)
        updates, state = optimizer.update(gradients, state, params)
        return value, optax.apply_updates(params, updates), statistics_, state

    return step, (params, statistics, optimizer.init(params), images, labels)
