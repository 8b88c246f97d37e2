//! Input formats: seeds, repair of mutated seeds, and readers.

use partita::{Dataset, Plan, Program};
use partita_ir::diag::Source;
use partita_ir::input_file::read_text;
use partita_ir::text::print;
use partita_runtime::checkpoint::{Checkpoint, Folder, Progress};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// A format of files or requests.
pub struct Format {
    /// Name of the format, and of its seed folder.
    pub name: &'static str,
    /// File name extension.
    pub ending: &'static str,
    /// Turns a mutated seed into a file: recomputes checksums, so that mutations reach the data that they protect.
    pub finish: fn(Vec<u8>) -> Vec<u8>,
    /// Valid inputs with their names.
    pub seeds: fn() -> Vec<(String, Vec<u8>)>,
    /// Reads a file.
    pub read: fn(&Path) -> Verdict,
}

/// Success, or the reason for the rejection.
pub type Verdict = Result<(), String>;

/// Defines a format whose seeds are the files of a folder.
macro_rules! in_corpus {
    ($name:literal, $ending:literal, $read:expr) => {
        Format { name: $name, ending: $ending, finish: |bytes| bytes, seeds: || corpus($name), read: $read }
    };
}

/// Returns the files of a corpus folder, sorted by name.
fn corpus(name: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(name);
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut seeds: Vec<_> = files.map(|path| (path.display().to_string(), std::fs::read(&path).unwrap())).collect();
    seeds.sort();
    seeds
}

/// Discards the parsed value.
fn verdict<T, E: ToString>(read: Result<T, E>) -> Verdict {
    read.map(drop).map_err(|e| e.to_string())
}

/// Program text, which is also printed and parsed again.
pub fn pir() -> Format {
    in_corpus!("pir", "pir", |path| {
        let program = partita::load(path.to_str().unwrap()).map_err(|e| e.to_string())?;
        let printed = print(&program);
        let again = partita::parse("printed.pir", &printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
        assert_eq!(print(&again), printed, "printed text must parse to an equal program");
        Ok(())
    })
}

/// StableHLO text.
pub fn mlir() -> Format {
    in_corpus!("mlir", "mlir", |path| verdict(partita::load(path.to_str().unwrap())))
}

/// ONNX files, with their weights.
pub fn onnx() -> Format {
    in_corpus!("onnx", "onnx", |path| verdict(partita::load_with_weights(path.to_str().unwrap())))
}

/// Exported PyTorch programs, with their weights.
pub fn pt2() -> Format {
    in_corpus!("pt2", "pt2", |path| verdict(partita::load_with_weights(path.to_str().unwrap())))
}

/// Plans, which are also written and read again.
pub fn plan() -> Format {
    in_corpus!("plan", "toml", |path| {
        let read = |text: String| Plan::from_toml(&Source::new("plan.toml", text));
        let plan = read_text(path).and_then(read).map_err(|e| e.to_string())?;
        let written = plan.to_toml();
        let again = read(written.clone()).unwrap_or_else(|e| panic!("{e}\n{written}"));
        assert_eq!(again, plan, "{written}");
        Ok(())
    })
}

/// Machine files.
pub fn machine() -> Format {
    in_corpus!("machine", "toml", |path| verdict(partita::load_machine(path.to_str().unwrap())))
}

/// Sweep files.
pub fn sweep() -> Format {
    in_corpus!("sweep", "toml", |path| {
        let text = read_text(path).map_err(|e| e.to_string())?;
        verdict(partita::sweep::Sweep::read(&Source::new("sweep.toml", text)))
    })
}

/// Returns a model with four input features and two outputs, for a batch of two examples.
fn model() -> Program {
    let text = "form traced\nparam %w \"w\" : f32[4, 2]\ninput %x : f32[2, 4]\n  %y = matmul %x, %w : f32[2, 2]\noutput %y \"y\"\n";
    partita::parse("model.pir", text).unwrap()
}

/// Data sets as text.
pub fn csv() -> Format {
    in_corpus!("csv", "csv", |path| verdict(Dataset::read(path, &model())))
}

/// Tensor files.
pub fn safetensors() -> Format {
    in_corpus!("safetensors", "safetensors", |path| verdict(partita_runtime::io::read_tensors(path)))
}

/// Checkpoints with valid checksums, and the plan stored in them.
pub fn checkpoint() -> Format {
    Format {
        name: "checkpoint",
        ending: "safetensors",
        finish: sealed_checkpoint,
        seeds: checkpoints,
        read: |path| {
            let saved = partita::predict::TrainedCheckpoint::open(path).map_err(|e| e.to_string())?;
            saved.plan().and_then(|_| saved.built_in_model().map(drop)).map_err(|e| e.to_string())
        },
    }
}

fn checkpoints() -> Vec<(String, Vec<u8>)> {
    let tensors = partita_runtime::io::read_tensors(Path::new(&corpus("safetensors")[0].0)).unwrap();
    let plan = String::from_utf8(corpus("plan")[0].1.clone()).unwrap();
    let progress = Progress { step: 3, epoch: 1, seed: 7, model: "zoo:mlp".into(), plan, ..Progress::default() };
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-checkpoints-{}", std::process::id()));
    let saved = Folder::open(&path, 1).and_then(|folder| folder.save(&Checkpoint { progress, tensors })).unwrap();
    let bytes = std::fs::read(saved).unwrap();
    std::fs::remove_dir_all(path).unwrap();
    vec![("made here".into(), bytes)]
}

/// Corrects the length and checksum fields if the header still has them.
fn sealed_checkpoint(mut bytes: Vec<u8>) -> Vec<u8> {
    let behind =
        |bytes: &[u8], word: &[u8]| bytes.windows(word.len()).position(|w| w == word).map(|at| at + word.len());
    let length = format!("{:020}", bytes.len());
    if let Some(at) = behind(&bytes, b" length:").filter(|at| at + length.len() <= bytes.len()) {
        bytes[at..at + length.len()].copy_from_slice(length.as_bytes());
    }
    if let Some(at) = behind(&bytes, b"xxh3:").filter(|at| at + 16 <= bytes.len()) {
        bytes[at..at + 16].fill(b'0');
        let sum = format!("{:016x}", xxh3_64(&bytes));
        bytes[at..at + 16].copy_from_slice(sum.as_bytes());
    }
    bytes
}

#[cfg(feature = "gpu")]
pub use compiled::artefact;

#[cfg(feature = "gpu")]
mod compiled {
    use super::{Format, verdict};
    use partita::{Artefact, Compiler, Mesh, Plan};
    use serde_json::Value;
    use std::io::{Cursor, Read, Write};
    use xxhash_rust::xxh3::xxh3_64;
    use zip::write::{SimpleFileOptions, ZipWriter};
    use zip::{CompressionMethod, ZipArchive};

    /// Prefix of an entry in a seed; the entry's name and a line break follow.
    const ENTRY: &str = "\n==== entry ";

    /// Compiled files with valid checksums. A seed is the text of all entries.
    pub fn artefact() -> Format {
        Format {
            name: "artefact",
            ending: "partita",
            finish: packed,
            seeds: || vec![("made here".into(), unpacked(&compiled()))],
            read: |path| verdict(Artefact::load(path)),
        }
    }

    fn compiled() -> Vec<u8> {
        let plan = Plan::new(Mesh::new([("data", 2)]).unwrap()).name("x", "batch, _").rules("batch:data");
        Compiler::new(&super::model()).plan(&plan).partition().unwrap().compile(&["wgsl"]).unwrap().to_bytes().unwrap()
    }

    fn unpacked(file: &[u8]) -> Vec<u8> {
        let mut zip = ZipArchive::new(Cursor::new(file)).unwrap();
        let mut seed = Vec::new();
        for index in 0..zip.len() {
            let mut entry = zip.by_index(index).unwrap();
            seed.extend(format!("{ENTRY}{}\n", String::from_utf8_lossy(entry.name_raw())).bytes());
            entry.read_to_end(&mut seed).unwrap();
        }
        seed
    }

    /// Returns the file with a seed's entries, with correct lengths and checksums.
    fn packed(seed: Vec<u8>) -> Vec<u8> {
        let mut entries: Vec<(String, Vec<u8>)> = Vec::new();
        let starts = seed.windows(ENTRY.len()).enumerate().filter(|(_, w)| *w == ENTRY.as_bytes()).map(|(at, _)| at);
        let starts: Vec<usize> = starts.chain([seed.len()]).collect();
        for range in starts.windows(2) {
            let entry = &seed[range[0] + ENTRY.len()..range[1]];
            let end = entry.iter().position(|&byte| byte == b'\n').unwrap_or(entry.len());
            let content = entry.get(end + 1..).unwrap_or_default().to_vec();
            entries.push((String::from_utf8_lossy(&entry[..end]).into_owned(), content));
        }
        if let Some(mut manifest) = entries.first().and_then(|(_, text)| serde_json::from_slice::<Value>(text).ok()) {
            for record in manifest["entries"].as_array_mut().into_iter().flatten() {
                let Some((_, bytes)) = entries.iter().find(|(name, _)| record["name"] == **name) else { continue };
                if record.is_object() {
                    record["bytes"] = bytes.len().into();
                    record["xxh3"] = format!("{:016x}", xxh3_64(bytes)).into();
                }
            }
            entries[0].1 = serde_json::to_vec(&manifest).unwrap();
        }
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in &entries {
            let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
            // A duplicate name ends the archive; the entries before it form a valid file.
            if zip.start_file(name.as_str(), options).is_err() {
                break;
            }
            zip.write_all(bytes).unwrap();
        }
        zip.set_comment(format!("partita xxh3:{:016x}", 0)).unwrap();
        let mut file = zip.finish().unwrap().into_inner();
        let end = file.len() - 16;
        let sum = format!("{:016x}", xxh3_64(&file[..end]));
        file[end..].copy_from_slice(sum.as_bytes());
        file
    }
}

pub use served::http;

mod served {
    use super::{Format, Verdict, corpus, model};
    use partita::{Plan, Predictor, Tensor, Weights};
    use partita_ir::dtype::{DType, Type};
    use partita_serve::{ModelInfo, Options, Server};
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpStream};
    use std::path::Path;
    use std::sync::OnceLock;
    use std::time::Duration;

    /// Bodies of requests to a server on the loopback address.
    pub fn http() -> Format {
        in_corpus!("http", "json", ask)
    }

    /// Returns the address of a server that lives as long as the process.
    fn address() -> SocketAddr {
        static SERVER: OnceLock<Server> = OnceLock::new();
        let start = || {
            let weight = Tensor::from_floats(Type::new(DType::F32, [4, 2]), (0..8).map(f64::from).collect());
            let weights: Weights = [("w".to_owned(), weight)].into_iter().collect();
            let predictor = Predictor::with_weights(&model(), &Plan::default(), &weights).unwrap();
            let listen = SocketAddr::from(([127, 0, 0, 1], 0));
            let options = Options { listen, max_delay: Duration::ZERO, ..Options::default() };
            Server::start(predictor, ModelInfo { model: "model.pir".into(), checkpoint: None }, options).unwrap()
        };
        SERVER.get_or_init(start).address()
    }

    fn ask(path: &Path) -> Verdict {
        let body = std::fs::read(path).unwrap();
        let mut stream = TcpStream::connect(address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let head =
            "POST /v1/predict HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json";
        stream.write_all(format!("{head}\r\ncontent-length: {}\r\n\r\n", body.len()).as_bytes()).unwrap();
        stream.write_all(&body).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        match answer.split(' ').nth(1) {
            Some("200") => Ok(()),
            Some(status) if status.starts_with('4') => Err(answer),
            _ => panic!("{answer}"),
        }
    }
}
