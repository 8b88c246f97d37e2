//! The learning rate and the batch: what is refused, and what to write instead.

use crate::training::refused;
use expect_test::expect;

#[test]
fn a_rate_grows_with_the_batch_and_not_with_an_axis() {
    refused(
        "axis",
        "mlp.pir",
        &["--train", "sgd?replicas=linear"],
        expect![[r#"
        error[D003]: the learning rate no longer grows with the size of an axis `data`
         --> --train:1:5
          |
        1 | sgd?replicas=linear
          |     ^^^^^^^^ asks for that
          |
          = note: such an axis need not split the batch, and others may
          = help: say which batch `lr` was chosen for, and leave `replicas` out: `lr_base_batch=SAMPLES`
          = help: it grows in proportion to the batch of the model, or with its root: `lr_scaling=sqrt`
    "#]],
    );
    refused(
        "no-base",
        "mlp.pir",
        &["--train", "sgd?lr_scaling=sqrt"],
        expect![[r#"
        error[D003]: `lr_scaling` does not say from which batch on the rate grows
         --> --train:1:16
          |
        1 | sgd?lr_scaling=sqrt
          |                ^^^^
          |
          = help: say which batch `lr` was chosen for: `lr_base_batch=SAMPLES`
    "#]],
    );
}
