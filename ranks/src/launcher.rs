//! Ranks in the environment variables of launchers.
//!
//! | launcher | rank, number of ranks, number of ranks on the host | MPI |
//! |---|---|---|
//! | Open MPI | `OMPI_COMM_WORLD_RANK`, `OMPI_COMM_WORLD_SIZE`, `OMPI_COMM_WORLD_LOCAL_SIZE` | yes |
//! | MPICH | `PMI_RANK`, `PMI_SIZE`, `MPI_LOCALNRANKS` | yes |
//! | Slurm | `SLURM_PROCID`, `SLURM_NTASKS` inside of a step, `SLURM_NTASKS_PER_NODE` | yes |
//! | torchrun | `RANK`, `WORLD_SIZE`, `LOCAL_WORLD_SIZE`, `MASTER_ADDR`, `MASTER_PORT` | no: TCP |

use partita_ir::diag::{Code, Diagnostic};

/// Position of this process among those that a launcher started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Launched {
    /// Name of the launcher.
    pub launcher: &'static str,
    /// Number of this process, from 0.
    pub rank: usize,
    /// Number of processes.
    pub count: usize,
    /// Number of processes on this host; 1 if unknown.
    pub local_count: usize,
    /// True if the launcher connects MPI.
    pub has_mpi: bool,
    /// Host and port of rank 0.
    pub master: Option<(String, u16)>,
}

/// Names of the variables of a launcher.
struct Variables {
    launcher: &'static str,
    rank: &'static str,
    count: &'static str,
    local_count: &'static str,
    /// Variable without which the others belong to an enclosing job.
    required: Option<&'static str>,
    has_mpi: bool,
}

/// Launchers, innermost first: `mpirun` inside of a Slurm job has its own ranks.
const LAUNCHERS: [Variables; 4] = [
    Variables {
        launcher: "Open MPI",
        rank: "OMPI_COMM_WORLD_RANK",
        count: "OMPI_COMM_WORLD_SIZE",
        local_count: "OMPI_COMM_WORLD_LOCAL_SIZE",
        required: None,
        has_mpi: true,
    },
    Variables {
        launcher: "MPICH",
        rank: "PMI_RANK",
        count: "PMI_SIZE",
        local_count: "MPI_LOCALNRANKS",
        required: None,
        has_mpi: true,
    },
    Variables {
        launcher: "torchrun",
        rank: "RANK",
        count: "WORLD_SIZE",
        local_count: "LOCAL_WORLD_SIZE",
        required: Some("MASTER_ADDR"),
        has_mpi: false,
    },
    Variables {
        launcher: "Slurm",
        rank: "SLURM_PROCID",
        count: "SLURM_NTASKS",
        local_count: "SLURM_NTASKS_PER_NODE",
        required: Some("SLURM_STEP_ID"),
        has_mpi: true,
    },
];

/// Returns the position that the launcher has set in the environment; `None` without a launcher.
///
/// # Errors
/// `R005` for variables that are not numbers, or a rank that is not below the number of ranks.
pub fn detect(variable: &dyn Fn(&str) -> Option<String>) -> Result<Option<Launched>, Diagnostic> {
    let is_set = |at: &&Variables| {
        variable(at.rank).is_some()
            && variable(at.count).is_some()
            && at.required.is_none_or(|name| variable(name).is_some())
    };
    let Some(at) = LAUNCHERS.iter().find(is_set) else { return Ok(None) };
    let number = |name: &str| match variable(name) {
        None => Ok(None),
        Some(text) => text.trim().parse::<usize>().map(Some).map_err(|_| {
            let title = format!("`{name}` of {} is `{text}`, which is not a number", at.launcher);
            Diagnostic::new(Code::R005, title)
        }),
    };
    let (rank, count) = (number(at.rank)?.unwrap_or(0), number(at.count)?.unwrap_or(1));
    if rank >= count {
        let title = format!("`{}` is {rank}, but `{}` is {count}", at.rank, at.count);
        return Err(Diagnostic::new(Code::R005, title).help(format!("number the ranks from 0 to {}", count.max(1) - 1)));
    }
    let local_count = number(at.local_count)?.unwrap_or(1).clamp(1, count);
    let master = match (variable("MASTER_ADDR"), number("MASTER_PORT")?) {
        (Some(host), Some(port)) => {
            let invalid = |_| Diagnostic::new(Code::R005, format!("`MASTER_PORT` is {port}, which is not a port"));
            Some((host, u16::try_from(port).map_err(invalid)?))
        }
        _ => None,
    };
    Ok(Some(Launched { launcher: at.launcher, rank, count, local_count, has_mpi: at.has_mpi, master }))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test")]

    use super::{Launched, detect};

    fn from_variables(set: &[(&str, &str)]) -> Result<Option<Launched>, String> {
        let variable = |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        detect(&variable).map_err(|why| why.title)
    }

    #[test]
    fn every_launcher_is_recognised() {
        assert_eq!(from_variables(&[]), Ok(None));
        let found = from_variables(&[
            ("OMPI_COMM_WORLD_RANK", "2"),
            ("OMPI_COMM_WORLD_SIZE", "4"),
            ("OMPI_COMM_WORLD_LOCAL_SIZE", "2"),
            ("SLURM_PROCID", "0"),
            ("SLURM_NTASKS", "1"),
            ("SLURM_STEP_ID", "0"),
        ]);
        let found = found.unwrap().unwrap();
        assert_eq!((found.launcher, found.rank, found.count, found.local_count), ("Open MPI", 2, 4, 2));
        let found = from_variables(&[("PMI_RANK", "1"), ("PMI_SIZE", "2")]).unwrap().unwrap();
        assert_eq!((found.launcher, found.rank, found.count, found.local_count), ("MPICH", 1, 2, 1));
        let torchrun = [
            ("RANK", "3"),
            ("WORLD_SIZE", "4"),
            ("LOCAL_WORLD_SIZE", "4"),
            ("MASTER_ADDR", "h0"),
            ("MASTER_PORT", "29500"),
        ];
        let found = from_variables(&torchrun).unwrap().unwrap();
        assert_eq!((found.launcher, found.has_mpi), ("torchrun", false));
        assert_eq!(found.master, Some(("h0".to_owned(), 29500)));
        // A batch script of Slurm is not a rank.
        assert_eq!(from_variables(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "8")]), Ok(None));
        let step = [("SLURM_PROCID", "7"), ("SLURM_NTASKS", "8"), ("SLURM_STEP_ID", "0")];
        assert_eq!(from_variables(&step).unwrap().unwrap().launcher, "Slurm");
    }

    #[test]
    fn variables_that_contradict_are_errors() {
        let found = from_variables(&[("PMI_RANK", "2"), ("PMI_SIZE", "2")]);
        assert_eq!(found, Err("`PMI_RANK` is 2, but `PMI_SIZE` is 2".to_owned()));
        let found = from_variables(&[("PMI_RANK", "two"), ("PMI_SIZE", "2")]);
        assert_eq!(found, Err("`PMI_RANK` of MPICH is `two`, which is not a number".to_owned()));
    }
}
