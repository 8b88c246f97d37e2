"""Loss and gradients of an LSTM in Flax: an embedding, a scan over time, and a head."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

PLANS = [
    {"mesh": "data=8", "preset": "data"},
    {"mesh": "data=2,model=4", "preset": "data,megatron"},
    {"mesh": "data=8", "preset": "zero3"},
]
VOCABULARY, WIDTH, HIDDEN, SEQUENCE, BATCH = 32, 16, 32, 8, 16


class Language(nn.Module):
    @nn.compact
    def __call__(self, tokens):
        x = nn.Embed(VOCABULARY, WIDTH, name="embed")(tokens)
        x = nn.RNN(nn.OptimizedLSTMCell(HIDDEN), name="lstm")(x)
        return nn.Dense(VOCABULARY, name="head")(x)


def build():
    model = Language()
    tokens = jax.random.randint(jax.random.key(1), (BATCH, SEQUENCE), 0, VOCABULARY)
    targets = jnp.roll(tokens, -1, axis=1)

    def gradients(params, tokens, targets):
        def loss(params):
            logits = model.apply(params, tokens)
            return optax.softmax_cross_entropy_with_integer_labels(logits, targets).mean()

        return jax.value_and_grad(loss)(params)

    return gradients, (model.init(jax.random.key(0), tokens), tokens, targets)
