//! What is said about machines of every kind, none of which is this one.

use super::*;
use std::fmt::Write;

fn card(name: &str, arch: u32) -> Card {
    Card { name: name.into(), arch, memory: 80 << 30 }
}

fn machine(cards: &[Card], has_libraries: bool) -> Cards {
    let library = |version: &str, at: &str| match has_libraries {
        true => Ok((version.to_owned(), at.to_owned())),
        false => Err(format!("{at} is not in /usr/local/cuda")),
    };
    Cards {
        driver: Ok("12.9".into()),
        cards: cards.to_vec(),
        nvrtc: library("12.9", "libnvrtc.so"),
        nccl: library("2.27.5", "libnccl.so"),
        cublaslt: library("12.9.1", "libcublasLt.so"),
    }
}

/// What is chosen, or what is said.
fn placed(cards: &Cards, offers: &[(u32, bool)], ranks: usize) -> String {
    let offers: Vec<Offer> = offers.iter().map(|&(arch, has_code)| Offer { arch, has_code }).collect();
    match cards.place("mlp.pir", &offers, ranks) {
        Ok((at, seats)) => format!("{at} {seats:?}"),
        Err(e) => {
            let mut text = format!("{}: {}", e.code.name(), e.title);
            e.notes.iter().for_each(|note| _ = write!(text, "\n  {note}"));
            e.helps.iter().for_each(|help| _ = write!(text, "\n  help: {}", help.text));
            text
        }
    }
}

#[test]
fn machine_code_goes_before_text_and_the_newest_that_runs_before_others() {
    let (a100, a10, h200) = ([card("A100", 80)], [card("A10", 86)], [card("H200", 90)]);
    let both = [(80, true), (90, true)];
    for (cards, offers, want) in [
        (&a100, &both[..], "0 One"),
        (&a10, &both, "0 One"),
        (&h200, &both, "1 One"),
        (&h200, &[(80, false), (90, false)], "1 One"),
        // A newer generation does not run older machine code; text is compiled for what there is.
        (&h200, &[(80, true)], "0 One"),
        (&a100, &[(86, true), (90, true)], "0 One"),
    ] {
        assert_eq!(placed(&machine(cards, true), offers, 1), want, "{} {offers:?}", cards[0].name);
    }
    assert_eq!(placed(&machine(&a10, false), &both, 1), "0 One");
}

#[test]
fn another_architecture_is_named() {
    let a100 = machine(&[card("A100", 80)], false);
    assert_eq!(
        placed(&a100, &[(90, true)], 1),
        "A003: `mlp.pir` is compiled for sm_90, and A100 is sm_80
  machine code for sm_90 runs on sm_90 to sm_99
  help: compile the model again where NVRTC is: `partita compile mlp.pir --target cuda:sm_80`
  help: or let the text be compiled here: pip install nvidia-cuda-nvrtc-cu12 nvidia-cuda-runtime-cu12 nvidia-cuda-cccl-cu12 \
         nvidia-cuda-nvcc-cu12, and set PARTITA_CUDA to the virtual environment"
    );
    assert_eq!(
        placed(&a100, &[(80, false)], 1),
        "A003: `mlp.pir` has kernels for sm_80 as text only, and NVRTC, which compiles it, was not found
  libnvrtc.so is not in /usr/local/cuda
  help: compile the model again where NVRTC is: `partita compile mlp.pir --target cuda:sm_80`
  help: or let the text be compiled here: pip install nvidia-cuda-nvrtc-cu12 nvidia-cuda-runtime-cu12 nvidia-cuda-cccl-cu12 \
         nvidia-cuda-nvcc-cu12, and set PARTITA_CUDA to the virtual environment"
    );
}

#[test]
fn a_machine_without_a_gpu_is_told_what_to_do() {
    let none = Cards { driver: Err("there is no libcuda".into()), ..machine(&[], false) };
    assert_eq!(
        placed(&none, &[(90, true)], 1),
        "A003: this machine has no GPU with a driver for CUDA
  there is no libcuda
  help: install the driver of its GPU: https://www.nvidia.com/drivers
  help: or compile for GPUs of any make, one in software too: --target wgsl"
    );
    assert_eq!(
        placed(&machine(&[], true), &[(90, true)], 1),
        "A003: the driver for CUDA knows no GPU
  help: say which GPUs it may use: CUDA_VISIBLE_DEVICES=0
  help: or compile for GPUs of any make, one in software too: --target wgsl"
    );
}

#[test]
fn ranks_have_a_gpu_each_or_share_the_only_one() {
    let cards = vec![card("H200", 90); 4];
    let offers = [(90, true)];
    let placed = |count: usize, has_libraries, ranks| placed(&machine(&cards[..count], has_libraries), &offers, ranks);
    assert_eq!(placed(1, false, 8), "0 One");
    assert_eq!(placed(4, false, 1), "0 One");
    assert_eq!(placed(4, true, 4), "0 Each");
    assert_eq!(placed(4, true, 2), "0 Each");
    assert_eq!(
        placed(4, true, 8),
        "A003: `mlp.pir` is for 8 devices, and this machine has 4 GPUs
  each device has a GPU of its own, or all of them share one
  help: compile the model for a mesh of 4 devices
  help: or run all of them on one GPU: CUDA_VISIBLE_DEVICES=0 partita run ..."
    );
    assert_eq!(
        placed(4, false, 4),
        "A003: 4 GPUs meet over NCCL, which was not found
  libnccl.so is not in /usr/local/cuda
  help: pip install nvidia-nccl-cu12, and set PARTITA_CUDA to the virtual environment
  help: or run all of them on one GPU: CUDA_VISIBLE_DEVICES=0 partita run ..."
    );
    // All of them must run it.
    let mixed = machine(&[card("H200", 90), card("A100", 80)], true);
    assert_eq!(super::tests::placed(&mixed, &[(90, true), (80, true)], 2), "0 Each");
    let mixed = Cards { nvrtc: Err("no".into()), ..mixed };
    assert!(super::tests::placed(&mixed, &offers, 2).contains("is compiled for sm_90, and A100 is sm_80"));
}

#[test]
fn what_is_found_is_listed_with_what_to_install_for_the_rest() {
    let lines = |cards: &Cards| {
        let line =
            |found: &Finding| format!("{} {} ({})", found.what, found.name.as_deref().unwrap_or("-"), found.about);
        cards.found().iter().map(line).collect::<Vec<_>>()
    };
    let all = machine(&[card("H200", 90)], true);
    assert!(all.found().iter().all(|found| found.help.is_none()));
    assert_eq!(
        lines(&all),
        [
            "driver CUDA 12.9 ()",
            "device H200 (sm_90, 80.0 GiB)",
            "compiler NVRTC 12.9 (libnvrtc.so)",
            "library NCCL 2.27.5 (libnccl.so)",
            "library cuBLASLt 12.9.1 (libcublasLt.so)"
        ]
    );
    let none = Cards { driver: Err("there is no libcuda".into()), ..machine(&[], false) };
    assert!(none.found().iter().all(|found| found.name.is_none() && found.help.is_some()));
    assert_eq!(
        lines(&none),
        [
            "driver - (there is no libcuda)",
            "compiler - (NVRTC: libnvrtc.so is not in /usr/local/cuda)",
            "library - (NCCL: libnccl.so is not in /usr/local/cuda)",
            "library - (cuBLASLt: libcublasLt.so is not in /usr/local/cuda)"
        ]
    );
    assert_eq!(lines(&machine(&[], true))[0], "driver - (CUDA 12.9, and no device)");
}
