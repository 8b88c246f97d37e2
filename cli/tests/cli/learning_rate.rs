//! Learning rates that do not match the batch: warnings and suggested values.

use crate::training::refused;
use expect_test::expect;

#[test]
fn learning_rate_scales_with_batch_not_axis() {
    refused(
        "axis",
        "mlp.pir",
        &["--train", "sgd?replicas=linear"],
        expect![[r#"
        error[D003]: the learning rate no longer grows with the size of an axis `data`
         --> --train:1:5
          |
        1 | sgd?replicas=linear
          |     ^^^^^^^^ requested here
          |
          = note: an axis named `data` need not split the batch, and other axes may
          = help: set the batch size that `lr` was chosen for, and leave `replicas` out: `lr_base_batch=SAMPLES`
          = help: scale the rate with the square root of the batch size: `lr_scaling=sqrt`
    "#]],
    );
    refused(
        "no-base",
        "mlp.pir",
        &["--train", "sgd?lr_scaling=sqrt"],
        expect![[r#"
        error[D003]: `lr_scaling` needs the batch size that `lr` was chosen for
         --> --train:1:16
          |
        1 | sgd?lr_scaling=sqrt
          |                ^^^^
          |
          = help: set the batch size that `lr` was chosen for: `lr_base_batch=SAMPLES`
    "#]],
    );
}
