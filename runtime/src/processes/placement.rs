//! Assignment of devices to processes.

use partita_ir::diag::{Code, Diagnostic};
use std::ops::Range;

/// Consecutive devices of each process. Numbers of devices differ by at most one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placement {
    devices: usize,
    processes: usize,
}

impl Placement {
    /// Divides devices among processes.
    ///
    /// # Errors
    /// `R004` for more processes than devices.
    pub fn new(devices: usize, processes: usize) -> Result<Placement, Diagnostic> {
        if processes <= devices {
            return Ok(Placement { devices, processes });
        }
        let title =
            format!("{processes} ranks were started for {devices} devices, but each rank executes at least one");
        Err(Diagnostic::new(Code::R004, title)
            .help(format!("start at most {devices} ranks, or choose a mesh of at least {processes} devices")))
    }

    /// Returns the number of devices.
    pub fn device_count(self) -> usize {
        self.devices
    }

    /// Returns the devices of a process.
    pub fn devices_of(self, process: usize) -> Range<usize> {
        let start = |process: usize| process * self.devices / self.processes;
        start(process)..start(process + 1)
    }

    /// Returns the process of a device.
    pub fn process_of(self, device: usize) -> usize {
        ((device + 1) * self.processes - 1) / self.devices
    }
}

#[cfg(test)]
mod tests {
    use super::Placement;

    #[test]
    fn every_device_belongs_to_the_process_that_lists_it() {
        for devices in 1..=13 {
            for processes in 1..=devices {
                let placement = Placement::new(devices, processes).unwrap();
                for process in 0..processes {
                    assert!(!placement.devices_of(process).is_empty());
                    for device in placement.devices_of(process) {
                        assert_eq!(placement.process_of(device), process, "{devices} {processes} {device}");
                    }
                }
            }
        }
        assert!(Placement::new(3, 4).is_err());
    }
}
