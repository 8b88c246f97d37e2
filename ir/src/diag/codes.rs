//! Every error code, with the text that `partita explain CODE` prints.

use std::fmt;

/// Declares the codes: name, title, explanation.
macro_rules! codes {
    ($($name:ident: $title:literal, $text:literal;)*) => {
        /// An error code.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Code {
            $(#[doc = $title] $name,)*
        }

        impl Code {
            /// Every code.
            pub const ALL: &[Code] = &[$(Code::$name),*];

            /// As printed: `L001`.
            pub const fn name(self) -> &'static str {
                match self { $(Code::$name => stringify!($name)),* }
            }

            /// The one-line title.
            pub const fn title(self) -> &'static str {
                match self { $(Code::$name => $title),* }
            }

            /// The explanation.
            pub const fn text(self) -> &'static str {
                match self { $(Code::$name => $text),* }
            }
        }
    };
}

codes! {
    L001: "unknown mesh axis",
        "A layout or rule names an axis that the mesh does not have. Axes are declared once, with the mesh \
         (`--mesh data=2,model=4`), and every other mention must use one of those names.";
    L002: "axis used twice in one value",
        "A device has one position along a mesh axis, so an axis can split at most one dimension of a value. Split the \
         second dimension by another axis, or leave it whole.";
    L003: "dimension does not divide",
        "The dimension is not a multiple of the number of devices that split it. Partita pads it and masks what must \
         not be seen; this code only appears where padding was forbidden.";
    L004: "contradictory annotations",
        "Two annotations that you wrote ask for different layouts of the same value or of dimensions that an operation \
         ties together. What you wrote is strict, so Partita does not choose for you: make them agree, or drop one.";
    L005: "more memory than the budget",
        "At its fullest a device holds more bytes than the plan allows it with `budget`, or than the machine's devices \
         have. What it holds is known before anything runs: parameters, gradients, the state of the optimizer, what is \
         kept for the backward pass, and what an operation needs while it runs. Each fix that is offered was tried: \
         the model was planned again with it.";
    L006: "annotation matches nothing",
        "A path, glob or dimension name in the plan matches no parameter or input of the model, so it would silently \
         do nothing. Correct it, or end it with `?` to say that it may match nothing.";
    L007: "bad mesh",
        "A mesh needs at least one axis, sizes of at least 1, distinct names, and at most 65536 devices.";
    L008: "bad layout text",
        "A layout is one entry a dimension, separated by commas: an axis name, several joined by `+` (major to minor), \
         or `_` for a dimension that stays whole. A trailing `?` leaves a dimension open for propagation.";
    L009: "layout of the wrong rank",
        "The layout has more or fewer entries than the value has dimensions. Write one entry for each, `_` where it \
         stays whole.";
    L010: "bad rule text",
        "Rules are `dimension:axis` pairs separated by `;`, as in `batch:data; hidden:model`. Several axes are joined \
         by `+`.";
    L011: "bad plan file",
        "The plan file is not valid TOML or has an unknown key.";
    L012: "reads a pending sum",
        "A value that is still partial over an axis may be read only by an operation that is linear in it, together \
         with the whole of its linear group, or by a reshard.";
    L013: "asks for a sum that nothing leaves pending",
        "A layout with `sum(axis)` keeps a value partial over the axis, so that it is reduced later. Only what an \
         operation computes can be partial: when it sums over a dimension that the axis splits, or is linear in a \
         value that is partial. Inputs and parameters are whole where they enter.";
    L014: "preset finds nothing",
        "A preset is a layout that is known by a name. It finds its pattern in the model's graph (parameters, what is \
         contracted with them, which dimensions must be split alike) and lays it out on the mesh axes that it is known \
         for. Where the model does not have the pattern, or the mesh not the axis, the preset has nothing to say.";
    L015: "presets that do not go together",
        "Some presets need another one, and some exclude each other: `zero1`, `zero2` and `zero3` are stages of one \
         method, and `sequence` goes on where `megatron` leaves off.";
    L016: "unknown preset",
        "No layout is known by that name.";
    L017: "no amount of memory",
        "Memory is said in bytes or with a unit: `80GiB`, `512 MiB`, `40GB`.";
    L018: "no effect on this model",
        "The plan says something that changes nothing here: an option of training steps where nothing is trained, an \
         element type that nothing has, or a mesh axis that splits nothing, so that all devices along it compute the \
         same. The message says what would give it an effect.";
    T001: "syntax error in program text",
        "The text does not follow the `.pir` syntax.";
    T002: "unknown name in program text",
        "A value, function, mesh, axis or operation was used but not declared before.";
    T003: "declared twice",
        "Every value, function and mesh has one declaration.";
    T004: "value too large",
        "A number, shape or nesting depth is beyond what a program may have.";
    V001: "operation does not fit its operands",
        "The shapes or element types of the operands do not fit the operation, or its declared result differs from \
         what the operation gives.";
    V002: "invariant of the form violated",
        "The program does not keep the promise of the form that it claims: see the list at the head of the verifier \
         for that form.";
    V003: "operands do not satisfy the rule",
        "In an explicit program the layouts of an operation's operands and results must follow from one split of the \
         factors of its rule.";
    F001: "the frontend does not know this operation",
        "The model uses an operation that cannot be lowered yet. The message names it and where it stands.";
    F002: "malformed model file",
        "The file is truncated, or is not what its ending says.";
    F003: "unsupported feature of the model format",
        "The model uses a feature of its format that Partita refuses by name: dynamic shapes, manual computations, an \
         element type that is not supported, an opset that is not known, or weights in files outside of the model's \
         folder.";
    F004: "unknown model or option",
        "A model is a file that ends in `.mlir`, `.onnx` or `.pir`, or a built-in one: \
         `zoo:NAME?option=value&option=value`. An ONNX file may have dimensions without a size, which are given in the \
         same way: `model.onnx?batch=8&seq=128`.";
    R001: "missing input",
        "The inputs file has no tensor for a parameter or input of the model.";
    R002: "input of the wrong shape or dtype",
        "A tensor in the inputs file does not have the type that the model declares.";
    R003: "the partitioned program disagrees",
        "The results of the partitioned program and of the one-device program differ by more than the tolerance.";
    R004: "execution failed",
        "The program could not be executed.";
    R005: "a device did not arrive in time",
        "A collective waited for a device longer than the deadline. Another device failed before it, or their programs \
         differ.";
    B001: "a pass broke the program",
        "The program kept the promise of its form before the pass and does not keep it afterwards: a mistake of \
         Partita, not of your model. `crash.pir` holds the program that the pass was given, and the message has the \
         command that replays it.";
    P001: "passes do not chain",
        "A pass needs a form that the pipeline has not reached.";
    P002: "unknown pass",
        "No pass has that name.";
    D001: "operation that cannot be differentiated",
        "A gradient would have to pass through an operation that has no derivative, or none that is known. Freeze the \
         parameters before it, or write the model without it.";
    D002: "not a loss",
        "Training makes one number smaller: the loss must be a float result of the model with one element.";
    D003: "bad training option",
        "How to train is written `OPTIMIZER?option=value&option=value`, as in `adamw?lr=1e-3&warmup=100`.";
    D004: "nothing to train",
        "No parameter that may be trained has any influence on the loss.";
    D005: "unknown precision",
        "A model computes in `bf16` or `f16`, with master weights and sums in `f32`; parts of it may stay `f32` by \
         path.";
    D006: "cannot recompute so",
        "What of the forward pass is computed again in the backward pass is `none`, `selective`, `full`, or \
         `auto?budget=8GiB`, for everything or by path.";
    D007: "the batch cannot go through in parts",
        "With `accumulate=N` the batch goes through the model in N parts, one after the other. Its size must be a \
         multiple of N, and no operation may need all of it at once, as a norm over the batch does.";
    D008: "bad size of a bucket",
        "Gradients are reduced together in buckets of so many bytes: `bucket = \"25MiB\"`, or `none` to reduce each \
         alone.";
    D009: "the loss is no number",
        "A step of training gave a loss that is infinite or not a number, so that nothing can be learned from it. The \
         message names the first value of the step that is not finite; a smaller learning rate, `clip=1` or a warm-up \
         help most often.";
    D010: "bad rule for freezing",
        "When layers are frozen is written `norm<1e-3 for 20`: layers at the front whose gradient has had a smaller \
         norm in that many steps in a row.";
    D011: "cannot be cached",
        "What frozen layers give is kept by sample only if it depends on nothing but the sample: no random numbers, no \
         running state, and no other sample of the batch.";
    D012: "unknown pipeline schedule",
        "What stages of a pipeline do in which order is `vanilla` (one micro-batch at a time), `gpipe` (all forward, \
         then all backward passes), `1f1b` (one of each in turn), `interleaved?chunks=2` (the same with several chunks \
         a stage), `zb-h1` or `zb-h2` (gradients of parameters where a stage would wait otherwise).";
    S001: "bad data set",
        "A data set is a `.csv` file (a header, a column `label`, numbers), a `.txt` file (for models of characters), \
         or a `.safetensors` file with one tensor for each input, whose first dimension counts the samples.";
    S002: "data set and model do not fit",
        "Each input of the model that is no parameter is fed from a field of the data set: the one of its name, or \
         else the next one of its kind (numbers or integers) with as many elements a sample.";
    K001: "damaged checkpoint",
        "The file is shorter than it was when it was written, or its checksum does not match. Training writes a \
         checkpoint under another name, syncs and renames it, so that this happened later.";
    K002: "checkpoint of another model",
        "A checkpoint has parameters by their dotted names, whole, so that any mesh and any preset can go on from it; \
         but the model must have the same parameters.";
    K003: "no checkpoint to go on from, or one in the way",
        "Training goes on from a checkpoint with `--resume`, and starts over only in a folder that has none.";
    K004: "checkpoint cannot be written",
        "The operating system refused. A checkpoint has its name only once it is complete, so that the ones before it \
         are as they were.";
    K005: "data scaled otherwise than for the checkpoint",
        "Floats of the data are divided by one number: that of `--scale`, or else the largest magnitude of what is \
         trained on. Parameters that were learned from data so divided mean nothing for others, so a checkpoint keeps \
         that number: who goes on from it, predicts or serves divides alike.";
    K006: "folder of checkpoints in use",
        "One training run at a time keeps checkpoints in a folder: two would remove each other's. A run locks the \
         folder until it ends, however it ends, so that a lock is never left over. The file `.lock` there says who has \
         it.";
    K007: "checkpoint of another training run",
        "A checkpoint keeps the seed, how the model is trained, and fingerprints of the model and the data. Who goes \
         on from it with others gets a result that neither run alone would give, so this must be asked for: \
         `--resume-with-changes`. The mesh, the presets and in how many parts the batch goes through the model may be \
         others: they change nothing but how fast it is.";
    C001: "cannot read or write a file",
        "The operating system refused, or the path is not a regular file. Named pipes, sockets and devices are not \
         read, since reading one may block or never end: save the content to a file, or pipe it in where a command \
         reads `/dev/stdin`.";
    I001: "not a model to predict with",
        "Predictions are made for examples that have nothing to do with each other but share a batch. So every input \
         that is no parameter, and every prediction, has a first dimension that counts examples, and no operation \
         mixes them as a norm over the batch does. What a model predicts are its results with a row for each example, \
         or else what its loss compares with labels. Its parameters come from a checkpoint, or from the model's own \
         file if that is an `.onnx` file.";
    I002: "cannot serve",
        "The address that requests should come in at cannot be listened on, or the limits contradict each other.";
    A001: "damaged artefact",
        "The file is shorter than it was when it was written, is no artefact, or a checksum does not match: that of \
         the whole file, which stands at its end, or that of one of its entries. An artefact has its name only once it \
         is complete, so that this happened later: copy it again, or compile the model again.";
    A002: "artefact of another format",
        "Another version of Partita wrote the artefact, in a format that this one does not read. The model is compiled \
         again in seconds: `partita inspect` of the version that wrote it prints the plan, and `partita compile MODEL \
         --plan PLAN.toml` makes a new one.";
    A003: "no device for the artefact",
        "An artefact holds kernels for the targets that it was compiled for: `wgsl` for whatever has a Vulkan, Metal \
         or DirectX 12 driver, `cuda:sm_90` for a GPU with that compute capability. This machine has no such device, \
         or not as many as are needed; `partita doctor` says what there is.";
    A004: "artefact that contradicts itself",
        "All checksums are right, but what the artefact says does not fit together: an entry that the manifest does \
         not name, an address beyond its buffer, a kernel that does not exist, a program that does not verify. No \
         version of Partita writes such a file, so it is not loaded.";
    A005: "unknown target",
        "Kernels are printed for `wgsl` or for CUDA with an architecture, as in `cuda:sm_90`; several with commas. \
         Which of them are built in is decided by cargo features.";
    A006: "does not fit on the device",
        "The device has less memory than the program takes, binds fewer buffers to one kernel than it has, or cannot \
         have a buffer as large. What a device takes is what `plan` and `inspect` say: split the model over more \
         devices, make the batch smaller, or use a larger one.";
    A007: "not built in",
        "This build was made without GPUs. They are in the cargo feature `gpu`, which is on by default.";
    A008: "not the expected artefact",
        "The file does not have the SHA-256 that `run --sha256` names, or what is run is no compiled file. Running an \
         artefact runs its author's code on the GPU, so compare the digest with the one that the author published: \
         `partita inspect` prints that of a file.";
    G001: "nothing to cut into stages",
        "A pipeline is cut out of a loop over micro-batches, which a training step has when its batch goes through in \
         parts: say how many with `--microbatches`. Programs that came as finished training steps have none.";
    G002: "cannot be cut so",
        "The stages do not fit the model: there are more of them than it has operations, a stage would have to wait \
         for a later one, or a path matches nothing.";
    G003: "a stage whose devices are free",
        "All parameters of a stage are frozen, so that it has little to do: its layers were merged into the stages \
         beside it, and its devices are not needed.";
    H001: "bad machine file",
        "The file that describes the hardware is not valid TOML, has an unknown key, or an amount without its unit: \
         operations are written `15.7T`, bytes `32GB`, bandwidths `25GB/s`, times `3us`.";
    H002: "a machine that contradicts itself",
        "The file that describes the hardware names a device or a kind that it does not have, links one with itself, \
         or leaves devices without a connection: every device of a node reaches every other one over links and \
         switches, and nodes that are several have ports to the network.";
    C002: "unknown name",
        "Nothing in the program has that name.";
    C003: "not an option",
        "An option that consists of several, `--effort` or `--efficiencies`, has names with a value each: \
         `widest=100000,gap=0.01`. One of them has no such name, or a value that is none.";
    W001: "bad sweep file",
        "A sweep file lists `models` and `machines`, and under `[constraints.NAME]` what searches keep to; each model \
         is searched for on each machine under each of them. What stands above all sections holds for all of them. Its \
         results are one line of JSON each, of which only the last one may be torn.";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The code of that name, in any case.
pub fn explain(name: &str) -> Option<Code> {
    Code::ALL.iter().copied().find(|c| c.name().eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::{Code, explain};
    use std::collections::BTreeSet;

    #[test]
    fn every_code_has_an_explanation_of_its_own() {
        let (mut titles, mut texts) = (BTreeSet::new(), BTreeSet::new());
        for &code in Code::ALL {
            let (name, title, text) = (code.name(), code.title(), code.text());
            assert_eq!(explain(&name.to_lowercase()), Some(code));
            assert!(!title.is_empty() && !title.ends_with('.') && title.trim() == title, "{name}: {title:?}");
            assert!(text.ends_with('.') && text.trim() == text, "{name} is explained in sentences: {text:?}");
            assert!(text.len() > title.len(), "{name}: the explanation says no more than the title");
            assert!(titles.insert(title), "{name}: another code has the title {title:?}");
            assert!(texts.insert(text), "{name}: another code has the same explanation");
        }
    }
}
