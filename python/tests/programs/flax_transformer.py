"""Loss and gradients of a language model in Flax: embeddings, two transformer blocks and a head."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

PLANS = [
    {"mesh": "data=8", "preset": "data"},
    {"mesh": "data=2,model=4", "preset": "data,megatron"},
    {"mesh": "data=8", "preset": "zero3"},
]
VOCABULARY, WIDTH, HEADS, SEQUENCE, BATCH = 64, 32, 4, 16, 8


class Block(nn.Module):
    @nn.compact
    def __call__(self, x, mask):
        attention = nn.MultiHeadDotProductAttention(num_heads=HEADS, name="attention")
        x = x + attention(nn.LayerNorm(name="norm1")(x), mask=mask)
        hidden = nn.gelu(nn.Dense(4 * WIDTH, name="up")(nn.LayerNorm(name="norm2")(x)))
        return x + nn.Dense(WIDTH, name="down")(hidden)


class Transformer(nn.Module):
    @nn.compact
    def __call__(self, tokens):
        x = nn.Embed(VOCABULARY, WIDTH, name="embed")(tokens)
        x = x + nn.Embed(SEQUENCE, WIDTH, name="positions")(jnp.arange(SEQUENCE))
        mask = nn.make_causal_mask(tokens)
        for layer in range(2):
            x = Block(name=f"block{layer}")(x, mask)
        return nn.Dense(VOCABULARY, name="head")(nn.LayerNorm(name="norm")(x))


def build():
    model = Transformer()
    tokens = jax.random.randint(jax.random.key(1), (BATCH, SEQUENCE), 0, VOCABULARY)
    targets = jnp.roll(tokens, -1, axis=1)

    def gradients(params, tokens, targets):
        def loss(params):
            logits = model.apply(params, tokens)
            return optax.softmax_cross_entropy_with_integer_labels(logits, targets).mean()

        return jax.value_and_grad(loss)(params)

    return gradients, (model.init(jax.random.key(0), tokens), tokens, targets)
