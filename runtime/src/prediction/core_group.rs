//! Cores that several processes share. The operating system divides them equally among all running threads.

/// Job of a thread on a group of cores, with the owner `J`.
pub(super) struct CoreGroup<J> {
    cores: usize,
    /// Owners of the jobs in progress, and the seconds of a core that each still needs.
    jobs: Vec<(J, f64)>,
    /// Time to which the jobs were advanced.
    advanced_to: f64,
    /// Number of changes of the set of jobs.
    changes: u64,
}

impl<J> CoreGroup<J> {
    pub(super) fn new(cores: usize) -> CoreGroup<J> {
        CoreGroup { cores, jobs: Vec::new(), advanced_to: 0.0, changes: 0 }
    }

    /// Adds a job of `seconds` seconds of a core.
    pub(super) fn add(&mut self, owner: J, seconds: f64, now: f64) {
        self.advance_to(now);
        self.jobs.push((owner, seconds));
        self.changes += 1;
    }

    /// Returns the time at which the next job ends without further changes, and the number of changes so far.
    pub(super) fn next_end(&self) -> Option<(f64, u64)> {
        let shortest = self.jobs.iter().map(|(_, left)| *left).reduce(f64::min)?;
        Some((self.advanced_to + shortest.max(0.0) / self.rate(), self.changes))
    }

    /// Removes the jobs that end at a time that [`CoreGroup::next_end`] returned, and returns their owners. Returns
    /// nothing if there have been changes since.
    pub(super) fn take_ended(&mut self, now: f64, changes: u64) -> Vec<J> {
        if changes != self.changes {
            return Vec::new();
        }
        self.advance_to(now);
        let shortest = self.jobs.iter().map(|(_, left)| *left).reduce(f64::min).unwrap_or(0.0);
        self.changes += 1;
        self.jobs.extract_if(.., |(_, left)| *left <= shortest).map(|(owner, _)| owner).collect()
    }

    /// Returns the seconds of a core that each job receives in a second.
    fn rate(&self) -> f64 {
        (self.cores as f64 / self.jobs.len().max(1) as f64).min(1.0)
    }

    fn advance_to(&mut self, now: f64) {
        let done = (now - self.advanced_to).max(0.0) * self.rate();
        self.jobs.iter_mut().for_each(|(_, left)| *left -= done);
        self.advanced_to = self.advanced_to.max(now);
    }
}

#[cfg(test)]
mod tests {
    use super::CoreGroup;

    #[test]
    fn jobs_share_cores_equally() {
        let mut group = CoreGroup::new(2);
        group.add('a', 1.0, 0.0);
        group.add('b', 3.0, 0.0);
        let (_, outdated) = group.next_end().unwrap();
        group.add('c', 1.0, 0.5);
        // Each of three jobs has two thirds of a core.
        assert!(group.take_ended(0.5, outdated).is_empty());
        let (end, changes) = group.next_end().unwrap();
        assert!((end - 1.25).abs() < 1e-12, "{end}");
        assert_eq!(group.take_ended(end, changes), ['a']);
        let (end, changes) = group.next_end().unwrap();
        assert!((end - 1.75).abs() < 1e-12, "{end}");
        assert_eq!(group.take_ended(end, changes), ['c']);
        let (end, changes) = group.next_end().unwrap();
        // `b` has run for 0.5 s alone with `a`, at two thirds for 0.75 s, and for 0.5 s beside `c`.
        assert!((end - 3.25).abs() < 1e-12, "{end}");
        assert_eq!(group.take_ended(end, changes), ['b']);
        assert!(group.next_end().is_none());
    }
}
