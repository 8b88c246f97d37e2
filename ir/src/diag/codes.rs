//! Error codes and the texts that `partita explain CODE` prints.

use std::fmt;

/// Declares error codes, each with a name, a title and an explanation.
macro_rules! codes {
    ($($name:ident: $title:literal, $text:literal;)*) => {
        /// Error code of a diagnostic.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Code {
            $(#[doc = $title] $name,)*
        }

        impl Code {
            /// All codes.
            pub const ALL: &[Code] = &[$(Code::$name),*];

            /// Returns the name as printed, such as `L001`.
            pub const fn name(self) -> &'static str {
                match self { $(Code::$name => stringify!($name)),* }
            }

            /// Returns the one-line title.
            pub const fn title(self) -> &'static str {
                match self { $(Code::$name => $title),* }
            }

            /// Returns the explanation in full sentences.
            pub const fn explanation(self) -> &'static str {
                match self { $(Code::$name => $text),* }
            }
        }
    };
}

codes! {
    L001: "unknown mesh axis",
        "A layout, rule or preset refers to an axis that the mesh does not have. Axes are declared once, with the \
         mesh (`--mesh data=2,model=4`). Use one of their names, or add the axis to the mesh.";
    L002: "axis used twice in one value",
        "A device has one position along a mesh axis, so an axis can split at most one dimension of a value. Split \
         the second dimension by another axis, or replicate it (`_`).";
    L003: "dimension does not divide",
        "The size of the dimension is not a multiple of the number of devices that split it. By default, Partita \
         pads such a dimension and masks the padding; this error is reported where `no_padding` forbids padding. \
         Change the size of the dimension or the mesh, or allow padding.";
    L004: "contradictory annotations",
        "Two annotations require different layouts of the same value, or of dimensions that an operation requires to \
         be split in the same way. Annotations are binding, so Partita does not choose between them. Make them \
         agree, remove one of them, or list the value in `allow_reshard`.";
    L005: "more memory than the budget",
        "The peak memory of a device exceeds the `budget` of the plan or the memory of the machine's devices. It is \
         computed before the program runs, and consists of parameters, gradients, optimizer state, activations \
         stored for the backward pass, and temporary memory of operations. Each suggested fix was verified by \
         planning the model with it.";
    L006: "annotation matches nothing",
        "A path, glob or dimension name in the plan matches no parameter or input of the model, so it would have no \
         effect. Correct it, or append `?` to permit that it matches nothing.";
    L007: "invalid mesh",
        "A mesh needs at least one axis, sizes of at least 1, distinct axis names, and at most 65536 devices. Write \
         it as `--mesh data=2,model=4`.";
    L008: "invalid layout text",
        "A layout has one entry per dimension, separated by commas: an axis name, several axis names joined by `+` \
         (major to minor), or `_` for an unsharded dimension. A trailing `?` leaves a dimension open for \
         propagation. Example: `_, data+model`.";
    L009: "layout of the wrong rank",
        "The layout has more or fewer entries than the value has dimensions. Write one entry per dimension, with `_` \
         for dimensions that are not sharded.";
    L010: "invalid rule text",
        "Rules are `dimension:axis` pairs separated by `;`, as in `batch:data; hidden:model`. Several axes are \
         joined by `+`.";
    L011: "invalid plan file",
        "The plan file is not valid TOML, or has an unknown key or a value of the wrong kind. The message points at \
         the wrong place and, for an unknown key, lists the valid ones.";
    L012: "invalid use of a partial sum",
        "A value that is partial over an axis may be read only by a reshard, or by an operation that is linear in \
         exactly the operands that are partial. Inputs and outputs of a program must not be partial. Reduce the \
         value first, with a reshard or an `all_reduce`.";
    L013: "requested partial sum does not exist",
        "A layout with `sum(axis)` leaves a value partial over the axis, so that it is reduced later. Only results \
         of operations can be partial: results of a reduction over a dimension that the axis splits, and of \
         operations that are linear in a partial value. Inputs and parameters are not partial. Remove `sum(axis)` \
         from the layout, or request it for the result of such an operation.";
    L014: "preset does not apply",
        "A preset is a predefined layout. It searches the graph of the model for a pattern (parameters, the products \
         that contract them, and dimensions that must be split in the same way) and assigns certain mesh axes to it. \
         This preset cannot be applied because the model does not contain the pattern. Remove the preset. If the \
         parameters of an imported function were not found, name them: `model.mlir?params=arg0,layers.**`.";
    L015: "incompatible presets",
        "Some presets require another preset, and some exclude each other: `zero1`, `zero2` and `zero3` are stages \
         of one method, and `sequence` extends `megatron`. Add the required preset, or remove one of those that \
         exclude each other.";
    L016: "unknown preset or option",
        "No preset has this name. `partita plan --help` lists all presets.";
    L017: "not an amount of memory",
        "Memory is given in bytes or with a unit: `80GiB`, `512 MiB`, `40GB`.";
    L018: "no effect on this model",
        "A setting of the plan has no effect on this model: a training option for a model that is not trained, an \
         element type that no value has, or a mesh axis that splits no value, so that all devices along it do the \
         same work. Remove the setting, or change the plan as the message suggests.";
    L019: "the target cannot express the plan",
        "`search --target` considers only plans that a framework can execute, and `export --to` writes only those. \
         `jax` has one jitted function with equal shards of all arguments, and no pipelines. `dtensor` has several \
         axes of a dimension in the order of the mesh, optimizer state with the placements of its parameters, and \
         the schedules `gpipe`, `1f1b` and `interleaved`. `tp-plan` has the presets `data` and `megatron`. \
         `megatron`, `torchtitan`, `deepspeed` and `nanotron` have presets only, each its own, and equal pipeline \
         stages. The message names the setting or layout without an equivalent. Change or remove it, search \
         without `--target`, or export the nearest plan with `--nearest`.";
    T001: "syntax error in program text",
        "The text does not follow the `.pir` syntax. The message states what was expected at the marked place.";
    T002: "unknown name in program text",
        "A value, function, mesh, axis or operation is used but not declared before its use. Correct the name, or \
         add the declaration above.";
    T003: "declared twice",
        "Every value, function, mesh and parameter has one declaration. Rename or remove one of the two.";
    T004: "value too large",
        "A number, shape, file or nesting depth exceeds the supported limit. The message states the limit.";
    V001: "operand or result types do not match the operation",
        "The shapes or element types of the operands are not valid for the operation, or the declared result type \
         differs from the one that the operation computes. Correct the types of the operands or of the result.";
    V002: "invariant of the form violated",
        "The program violates an invariant of the form that it declares (`traced`, `planned`, `explicit` or \
         `local`). The message names the value or operation. In a program text of your own, correct it or declare an \
         earlier form; otherwise this is an internal error.";
    V003: "layouts do not satisfy the sharding rule",
        "In an explicit program, the layouts of an operation's operands and results must follow from one assignment \
         of mesh axes to the factors of its sharding rule. Insert a `reshard` for operands that have another layout.";
    F001: "operation not supported by the frontend",
        "The model uses an operation that Partita cannot import yet. The message names the operation and its \
         location in the model. Replace the operation by supported ones before you export the model.";
    F002: "malformed model file",
        "The file is truncated, or its content does not match its file name extension. Export the model again, or \
         correct the extension.";
    F003: "unsupported feature of the model format",
        "The model uses a feature of its format that Partita does not support: dynamic shapes, manual computations, \
         an unsupported element type or opset, or weights in files outside of the model's folder. Export the model \
         without the feature that the message names.";
    F004: "unknown model or option",
        "A model is a file with the extension `.mlir`, `.onnx`, `.pt2` or `.pir`, or a built-in model: \
         `zoo:NAME?option=value&option=value`. Sizes of symbolic dimensions of an ONNX file are given in the same \
         way: `model.onnx?batch=8&seq=128`. Inputs of a file that are parameters are named by \
         `model.mlir?params=arg0,layers.**`; `params=none` states that there are none.";
    R001: "missing input",
        "The inputs file has no tensor for a parameter or input of the model. Add a tensor with the name that the \
         message states.";
    R002: "input of the wrong shape or dtype",
        "The shape or element type of a tensor in the inputs file differs from the one that the model declares. \
         Convert the tensor to the type that the message states.";
    R003: "the partitioned program disagrees",
        "The results of the partitioned program differ from those of the unpartitioned program by more than the \
         tolerance, or devices with replicated values computed different ones. This is an internal error unless the \
         tolerance is too small for the element type.";
    R004: "execution failed",
        "The program could not be executed. The message states the reason.";
    R005: "failure of other devices or processes",
        "A device waited for other devices in a collective for longer than the deadline, or a process of several has \
         failed, gives no sign of life, or cannot be reached. The message names the rank and, if known, its host and \
         the step. Look for an earlier error of that rank: out of memory, a full disk, a signal. If ranks never \
         connect, check that all were started with the same launcher, plan and program, and that the hosts reach \
         each other; `partita doctor` lists the MPI of this machine. Without a failed rank, the devices execute \
         different programs, which is an error in Partita.";
    B001: "internal error: a pass produced an invalid program",
        "The program satisfied the invariants of its form before the pass and violates them after it. This is a bug \
         in Partita, not in your model. The file `crash.pir` contains the input of the pass, and the message \
         contains the command that reproduces the error. Please report both.";
    P001: "passes in the wrong order",
        "A pass requires a program form that the previous passes do not produce. Run the passes that produce the \
         form before it.";
    P002: "unknown pass",
        "No pass has this name. Use one of the names that the message lists.";
    D001: "operation that cannot be differentiated",
        "A gradient would have to pass through an operation without a derivative, or without one that Partita \
         implements. Freeze the parameters before the operation (`--freeze PATH`), or write the model without it.";
    D002: "not a loss",
        "Training minimizes a scalar: the loss must be a float result of the model with one element. Select it with \
         `loss=NAME` among the training options.";
    D003: "invalid training option",
        "Training is configured as `OPTIMIZER?option=value&option=value`, as in `--train \
         \"adamw?lr=1e-3&warmup=100\"`. The message lists the options of the optimizer.";
    D004: "nothing to train",
        "No trainable parameter influences the loss. Unfreeze parameters, or select another loss with `loss=NAME`.";
    D005: "unknown precision",
        "A model computes in `bf16` or `f16`, with master weights and sums in `f32`; parts of it can stay in `f32` \
         by path: `--precision bf16 --precision \"norm.**=f32\"`.";
    D006: "invalid recomputation policy",
        "The recomputation of forward values in the backward pass is `none`, `selective`, `alternate`, `full`, \
         `cheapest?share=50%` or `auto?budget=8GiB`, for the entire model or by path: `--remat \"blocks.**=full\"`. \
         `ops:gelu,layer_norm` recomputes the results of these operations.";
    D007: "the batch cannot be split into micro-batches",
        "With `accumulate=N` or a pipeline, the batch is split into N micro-batches. Its size must be a multiple of \
         N, and no operation may depend on the entire batch, as batch normalization does. Choose another N, or \
         replace the operation that the message names.";
    D008: "invalid bucket size",
        "Gradients are reduced together in buckets of a given size: `bucket = \"25MiB\"`, or `none` to reduce each \
         gradient separately.";
    D009: "the loss is not finite",
        "The loss of a training step is infinite or not a number, so training cannot continue. The message names the \
         first value of the step that is not finite. A smaller learning rate, gradient clipping (`clip=1`) or a \
         warm-up usually helps.";
    D010: "invalid rule for freezing",
        "The rule for freezing layers during training is written `norm<1e-3 for 20`: layers at the input side are \
         frozen when the norm of their gradient was below 1e-3 in 20 consecutive steps.";
    D011: "cannot be cached",
        "Outputs of frozen layers are cached per sample, which requires that they depend on nothing but the sample: \
         no random numbers, no running statistics, and no other samples of the batch. Train without the cache, or \
         freeze fewer layers.";
    D012: "unknown pipeline schedule",
        "The pipeline schedules are `vanilla` (one micro-batch at a time), `gpipe` (all forward passes, then all \
         backward passes), `1f1b` (forward and backward passes in turn), `interleaved?chunks=2` (1f1b with several \
         chunks per stage), and `zb-h1` and `zb-h2` (zero bubble: gradients of parameters fill idle time).";
    S001: "invalid data set",
        "A data set is a `.csv` file (a header, a column `label`, and numeric columns), a `.txt` file (for \
         character-level models), or a `.safetensors` file with one tensor per input, whose first dimension is the \
         number of samples.";
    S002: "data set does not match the model",
        "Each model input that is not a parameter is read from a field of the data set: the field with the same \
         name, otherwise the next field of the same kind (floats or integers) with the same number of elements per \
         sample. Rename the fields, or change their shapes.";
    K001: "damaged checkpoint",
        "A file is missing or shorter than when it was written, or its checksum does not match. A checkpoint gets its \
         name, or its manifest, only once all of it is on stable storage, so the damage occurred later. Resume from an \
         earlier checkpoint of the folder. `partita checkpoint show` verifies a checkpoint.";
    K002: "checkpoint of another model",
        "A checkpoint contains parameters under their dotted names, with their global shapes, so training can resume \
         on any mesh and with any presets. The model must have the same parameters. Select the model that the \
         checkpoint was written for.";
    K003: "no checkpoint to resume from, or an existing one",
        "`--resume` continues from a checkpoint in the folder. Without `--resume`, the folder must not contain \
         checkpoints. Add or remove the flag, or choose another folder.";
    K004: "checkpoint cannot be written",
        "The operating system reported an error while a checkpoint was written. A checkpoint gets its final name \
         only once it is complete, so earlier checkpoints are intact. Free disk space or correct the permissions, \
         and resume.";
    K005: "data scale differs from the checkpoint",
        "Float inputs are divided by one number: the value of `--scale`, or the largest magnitude in the training \
         data. Parameters are only valid for data that is scaled in the same way, so a checkpoint stores the number, \
         and resuming, prediction and serving use it. Remove `--scale`, or give the value of the checkpoint.";
    K006: "checkpoint folder in use",
        "Only one training run at a time may write checkpoints to a folder. A run locks the folder until its process \
         ends, so no stale lock remains. The file `.lock` in the folder names the process. Wait for it, or choose \
         another folder.";
    K007: "checkpoint of another training run",
        "A checkpoint stores the seed, the training configuration, and fingerprints of the model and the data. \
         Resuming with different ones yields a result that neither run alone would produce, so it must be requested \
         with `--resume-with-changes`. The mesh, the presets and the number of micro-batches may differ, since they \
         only affect the speed.";
    C001: "cannot read or write a file",
        "The operating system refused access, or the path is not a regular file. Named pipes, sockets and devices \
         are rejected, because reading them may block or never end. Save the content to a file, or pipe it to a \
         command that reads `/dev/stdin`.";
    I001: "model not suitable for prediction",
        "Prediction batches independent examples. Every input that is not a parameter, and every prediction, must \
         have a first dimension that is the batch dimension, and no operation may mix examples, as batch \
         normalization with batch statistics does. The predictions are the results with one row per example, \
         otherwise the value that the loss compares with labels. Parameters are read from a checkpoint, or from the \
         model file for `.onnx` and `.pt2` models.";
    I002: "cannot start the server",
        "The server cannot listen on the requested address, or its limits contradict each other. Choose a free \
         address, or correct the limits that the message names.";
    A001: "damaged artefact",
        "The file is shorter than when it was written, is not an artefact, or a checksum does not match: that of the \
         file, which is stored at its end, or that of one of its entries. Artefacts get their final name only once \
         they are complete, so the damage occurred later. Copy the file again, or compile the model again.";
    A002: "artefact of another format version",
        "The artefact was written by another version of Partita in a format that this version does not read. Print \
         its plan with `partita inspect` of the version that wrote it, and compile the model again with `partita \
         compile MODEL --plan PLAN.toml`.";
    A003: "no device for the artefact",
        "An artefact contains kernels for the targets that it was compiled for: `wgsl` for devices with a Vulkan, \
         Metal or DirectX 12 driver, `cuda:sm_90` for a GPU with that compute capability. This machine has no such \
         device, or too few of them. `partita doctor` lists the devices.";
    A004: "inconsistent artefact",
        "All checksums match, but the content of the artefact is inconsistent: an entry that the manifest does not \
         list, an address beyond its buffer, a kernel that does not exist, or a program that does not verify. No \
         version of Partita writes such a file, so it is rejected. Compile the model again.";
    A005: "unknown target",
        "Kernels are generated for `wgsl`, `hip`, `metal` and `spirv`, and for CUDA with an architecture, as in \
         `cuda:sm_90`; several targets are separated by commas. `run` executes those for `wgsl` and CUDA.";
    A006: "does not fit on the device",
        "The device has less memory than the program needs, supports fewer buffers per kernel, or does not support a \
         buffer of the required size. `plan` and `inspect` report the memory per device. Partition the model over \
         more devices, reduce the batch size, or use a larger device.";
    A007: "GPU support not built in",
        "This build has no GPU support. Install with it: `cargo install --path cli --features gpu`.";
    A008: "not the expected artefact",
        "The SHA-256 of the file differs from the one given with `run --sha256`, or the file is not an artefact. \
         Running an artefact executes its author's code on the GPU, so compare the digest with the one that the \
         author published. `partita inspect` prints the digest of a file.";
    G001: "no pipeline to configure",
        "A pipeline is created from a loop over micro-batches. A program has this loop if its batch is split into \
         micro-batches: specify their number with `--microbatches`, and the stages with `--pipeline`.";
    G002: "invalid pipeline stages",
        "The stages do not fit the model: the model has fewer operations than stages, a stage would depend on a \
         later one, or a path matches nothing. Choose fewer stages, or move parameters to other stages.";
    G003: "devices of a frozen stage are unused",
        "All parameters of a stage are frozen, so it has little work. Its layers were merged into the adjacent \
         stages, and its devices are not needed. Use fewer stages, or a mesh with fewer devices.";
    H001: "invalid machine file",
        "The file that describes the hardware is not valid TOML, has an unknown key, or has an amount without a \
         unit: operations per second are written `15.7T`, bytes `32GB`, bandwidths `25GB/s`, times `3us`.";
    H002: "inconsistent machine description",
        "The machine file refers to a device or kind that it does not declare, links a device to itself, or leaves \
         devices disconnected. Every device of a node must reach every other device of the node over links and \
         switches, and several nodes must have ports to the network.";
    H003: "invalid measurements",
        "`calibrate --import` reads the output of nccl-tests, and files of matrix products with the columns \
         `m,n,k,dtype,seconds`. The file is neither, a line of it is malformed, or the measurements exceed the rates \
         of the machine.";
    C002: "unknown name or number",
        "Nothing has the given name or number: a value, pass, collective, kernel, machine or GPU. Correct it; the \
         message lists the names or suggests a similar one.";
    C003: "invalid option",
        "Options such as `--effort` and `--efficiencies` consist of names with values: `widest=100000,gap=0.01`. One \
         of the names is unknown, or its value is invalid.";
    W001: "invalid sweep file",
        "A sweep file lists `models` and `machines`, and search constraints under `[constraints.NAME]`. Each model \
         is searched for on each machine under each set of constraints. Keys above all sections apply to all of \
         them. Results are stored as one line of JSON each; only the last line may be incomplete.";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns the code with the name `name`, ignoring case.
pub fn find_code(name: &str) -> Option<Code> {
    Code::ALL.iter().copied().find(|c| c.name().eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::{Code, find_code};
    use std::collections::BTreeSet;

    #[test]
    fn every_code_has_a_distinct_explanation() {
        let (mut titles, mut texts) = (BTreeSet::new(), BTreeSet::new());
        for &code in Code::ALL {
            let (name, title, text) = (code.name(), code.title(), code.explanation());
            assert_eq!(find_code(&name.to_lowercase()), Some(code));
            assert!(!title.is_empty() && !title.ends_with('.') && title.trim() == title, "{name}: {title:?}");
            assert!(text.ends_with('.') && text.trim() == text, "{name} is explained in sentences: {text:?}");
            assert!(text.len() > title.len(), "{name}: the explanation says no more than the title");
            assert!(titles.insert(title), "{name}: another code has the title {title:?}");
            assert!(texts.insert(text), "{name}: another code has the same explanation");
        }
    }
}
