//! The communicator of devices that are threads of one process.
//!
//! Members of a meeting hand each other their tensors by reference, and everyone takes from them what the collective gives
//! it. An `all_reduce` of a large tensor is two meetings: each member reduces its share, then all collect the shares.
//! Shares are reduced in the order of the group, so results are the same bits in every run.

use crate::combine::combine;
use crate::communicator::{Communicator, Site};
use crate::pieces::{concat, cut, exchange, flat, join};
use crate::schedule::{Brought, Schedule, Turn};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::layout::Monoid;
use partita_ir::tensor::Tensor;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Below so many elements every member reduces all of them: a second meeting would cost more.
const SHARED_REDUCTION: usize = 1 << 13;

/// How long devices wait and on how many cores they compute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// How long a device waits in a collective for the others. A deadlock is reported at once, whatever this is; the
    /// deadline is for devices that compute for ever.
    pub deadline: Duration,
    /// How many devices may compute at a time.
    pub cores: usize,
}

impl Default for Limits {
    /// An hour, on all cores of the machine.
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        Limits { deadline: Duration::from_secs(3600), cores }
    }
}

/// What the devices of one run share.
pub struct World {
    schedule: Mutex<Schedule>,
    /// One a device, to wake it alone.
    bells: Vec<Condvar>,
    /// Whether the schedule has a fault; saves computing devices the lock.
    failed: AtomicBool,
    limits: Limits,
}

impl World {
    /// A world of that many devices.
    pub fn new(devices: usize, limits: Limits) -> World {
        World {
            schedule: Mutex::new(Schedule::new(devices, limits.cores)),
            bells: (0..devices).map(|_| Condvar::new()).collect(),
            failed: AtomicBool::new(false),
            limits,
        }
    }

    /// Enters the world as device `rank`, once a core is free. Every device must enter, each from a thread of its own.
    pub fn enter(&self, rank: usize) -> Result<Member<'_>, Diagnostic> {
        let member = Member { world: self, rank };
        self.wait(self.lock(), rank)?;
        Ok(member)
    }

    /// Makes every device fail; the first reason given stays.
    pub fn abort(&self, why: Diagnostic) {
        let mut schedule = self.lock();
        schedule.fail(why);
        self.wake(&mut schedule);
    }

    /// Fails when any device did.
    pub fn check(&self) -> Result<(), Diagnostic> {
        if self.failed.load(Ordering::Acquire) { self.lock().check() } else { Ok(()) }
    }

    fn lock(&self) -> MutexGuard<'_, Schedule> {
        // The schedule is consistent at every point where something could panic.
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self, schedule: &mut Schedule) {
        if schedule.check().is_err() {
            self.failed.store(true, Ordering::Release);
        }
        for rank in schedule.take_woken() {
            self.bells[rank].notify_one();
        }
    }

    /// Sleeps until it is the device's turn to compute.
    fn wait(&self, mut schedule: MutexGuard<'_, Schedule>, rank: usize) -> Result<Option<Brought>, Diagnostic> {
        let start = Instant::now();
        loop {
            match schedule.turn(rank)? {
                Turn::Go(brought) => return Ok(brought),
                Turn::Queue => {
                    schedule = self.bells[rank].wait(schedule).unwrap_or_else(PoisonError::into_inner);
                }
                Turn::Wait => match self.limits.deadline.checked_sub(start.elapsed()).filter(|d| !d.is_zero()) {
                    Some(left) => {
                        let bell = self.bells[rank].wait_timeout(schedule, left);
                        schedule = bell.unwrap_or_else(PoisonError::into_inner).0;
                    }
                    None => {
                        schedule.expire(rank, self.limits.deadline);
                        self.wake(&mut schedule);
                    }
                },
            }
        }
    }
}

/// One device in a [`World`]. Dropping it leaves the world.
pub struct Member<'w> {
    world: &'w World,
    rank: usize,
}

impl Drop for Member<'_> {
    fn drop(&mut self) {
        let mut schedule = self.world.lock();
        if std::thread::panicking() {
            schedule.fail(Diagnostic::new(Code::R004, format!("device {} panicked", self.rank)));
        }
        schedule.finish(self.rank);
        self.world.wake(&mut schedule);
    }
}

impl Member<'_> {
    /// Gives `value` to all members and gets what they brought, in the order of the group.
    fn meet(&self, at: Site<'_>, value: Arc<Tensor>) -> Result<Brought, Diagnostic> {
        let mut schedule = self.world.lock();
        schedule.check()?;
        schedule.come(self.rank, at.group, at.name, value);
        self.world.wake(&mut schedule);
        let brought = self.world.wait(schedule, self.rank)?;
        brought.ok_or_else(|| wrong(at, "had no result".into()))
    }

    /// [`Member::meet`], for tensors of one type.
    fn meet_alike(&self, at: Site<'_>, value: Arc<Tensor>) -> Result<Brought, Diagnostic> {
        let mine = value.clone();
        let brought = self.meet(at, value)?;
        match brought.iter().zip(at.group.members().iter()).find(|(theirs, _)| theirs.ty != mine.ty) {
            None => Ok(brought),
            Some((theirs, peer)) => {
                let (rank, mine, theirs) = (self.rank, &mine.ty, &theirs.ty);
                Err(wrong(at, format!("device {rank} brings {mine}, but device {peer} {theirs}")))
            }
        }
    }
}

impl Communicator for Member<'_> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn all_reduce(&self, at: Site<'_>, monoid: Monoid, value: Arc<Tensor>) -> Result<Arc<Tensor>, Diagnostic> {
        let ty = value.ty.clone();
        let (count, n) = (ty.shape.count(), at.group.len());
        let brought = self.meet_alike(at, value)?;
        // The share of each member, as equal as can be.
        let range = if count < SHARED_REDUCTION {
            0..count
        } else {
            let (me, each) = (at.group.position(), count.div_ceil(n));
            (me * each).min(count)..((me + 1) * each).min(count)
        };
        let parts = brought.iter().map(|v| flat(v, range.clone()));
        let share = reduce(monoid, parts).map_err(|e| wrong(at, e))?;
        if range.len() == count {
            return Ok(Arc::new(Tensor { ty, ..share }));
        }
        drop(brought);
        let shares = self.meet(at, Arc::new(share))?;
        let data = concat(&shares).map_err(|e| wrong(at, e))?;
        Ok(Arc::new(Tensor { ty, data }))
    }

    fn all_gather(&self, at: Site<'_>, dim: usize, size: usize, value: Arc<Tensor>) -> Result<Arc<Tensor>, Diagnostic> {
        let pieces = self.meet_alike(at, value)?;
        join(&pieces, dim, size, at.group).map(Arc::new).map_err(|e| wrong(at, e))
    }

    fn reduce_scatter(
        &self,
        at: Site<'_>,
        monoid: Monoid,
        dim: usize,
        value: Arc<Tensor>,
    ) -> Result<Arc<Tensor>, Diagnostic> {
        let values = self.meet_alike(at, value)?;
        let parts = values.iter().map(|v| cut(v, dim, at.group, at.group.position()));
        reduce(monoid, parts).map(Arc::new).map_err(|e| wrong(at, e))
    }

    fn all_to_all(
        &self,
        at: Site<'_>,
        from: usize,
        size: usize,
        to: usize,
        value: Arc<Tensor>,
    ) -> Result<Arc<Tensor>, Diagnostic> {
        let values = self.meet_alike(at, value)?;
        exchange(&values, from, size, to, at.group).map(Arc::new).map_err(|e| wrong(at, e))
    }

    fn permute(&self, at: Site<'_>, pairs: &[(u32, u32)], value: Arc<Tensor>) -> Result<Arc<Tensor>, Diagnostic> {
        let ty = value.ty.clone();
        let values = self.meet_alike(at, value)?;
        let sender = pairs.iter().find(|(_, to)| *to as usize == at.group.position()).map(|(from, _)| *from as usize);
        let sent = sender.and_then(|from| values.get(from)).cloned();
        Ok(sent.unwrap_or_else(|| Arc::new(Tensor::zeros(ty))))
    }

    fn abort(&self, why: Diagnostic) {
        self.world.abort(why);
    }

    fn check(&self) -> Result<(), Diagnostic> {
        self.world.check()
    }
}

/// What is wrong with a collective.
fn wrong(at: Site<'_>, what: String) -> Diagnostic {
    Diagnostic::new(Code::R004, format!("`{}`: {what}", at.name))
}

/// All values combined, in order.
fn reduce(monoid: Monoid, mut values: impl Iterator<Item = Tensor>) -> Result<Tensor, String> {
    let mut all = values.next().ok_or("nobody takes part")?;
    values.try_for_each(|v| combine(monoid, &mut all, &v))?;
    Ok(all)
}
