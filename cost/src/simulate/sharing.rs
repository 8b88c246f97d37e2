//! Max-min fair sharing of link bandwidth: no flow can be faster without slowing down a flow that is not faster
//! (Bertsekas and Gallager 1992, Data Networks, section 6.5.2).
//!
//! A flow that starts or ends changes only the rates of flows that share a link with it, directly or through other
//! flows.

use super::{Hardware, LinkUse};

/// A flow in progress.
#[derive(Debug)]
struct Flow<'a> {
    activity: u32,
    links: &'a [usize],
    bytes: f64,
    /// Remaining bytes when the rate was last set.
    remaining: f64,
    /// Bytes per second.
    rate: f64,
    /// Time at which the rate was last set.
    since: f64,
    /// Number of rate changes, including those of earlier flows in the same slot.
    version: u32,
    /// True while the flow has not been assigned a rate.
    needs_rate: bool,
}

/// Bandwidth allocation of all flows in progress.
pub(super) struct BandwidthSharing<'a> {
    bandwidths: &'a [f64],
    flows: Vec<Flow<'a>>,
    /// Slots of finished flows.
    free: Vec<u32>,
    /// Slots of the flows over each link. A flow that uses a link twice is listed twice.
    flows_on_link: Vec<Vec<u32>>,
    used: Vec<LinkUse>,
    /// Time at which each link last became busy or idle.
    since: Vec<f64>,
    /// Links with added or removed flows.
    changed: Vec<usize>,
    /// Index of each link's [`LinkShare`] in the current reallocation. `None` outside of a reallocation.
    share_index: Vec<Option<usize>>,
}

/// Remaining capacity of a link during a reallocation.
struct LinkShare {
    link: usize,
    /// Unassigned bandwidth in bytes per second.
    remaining: f64,
    /// Number of flows without a rate.
    count: usize,
}

impl LinkShare {
    fn fair_rate(&self) -> f64 {
        self.remaining / self.count as f64
    }
}

impl<'a> BandwidthSharing<'a> {
    pub(super) fn new(hardware: &'a Hardware) -> BandwidthSharing<'a> {
        let count = hardware.links.len();
        BandwidthSharing {
            bandwidths: &hardware.links,
            flows: Vec::new(),
            free: Vec::new(),
            flows_on_link: vec![Vec::new(); count],
            used: vec![LinkUse::default(); count],
            since: vec![0.0; count],
            changed: Vec::new(),
            share_index: vec![None; count],
        }
    }

    /// Returns the use of each link.
    pub(super) fn links(self) -> Vec<LinkUse> {
        self.used
    }

    /// Adds a flow. Its rate is set by the next call of [`settle`](BandwidthSharing::settle).
    pub(super) fn join(&mut self, activity: u32, bytes: f64, links: &'a [usize], now: f64) {
        let slot = self.free.pop().unwrap_or(self.flows.len() as u32);
        let version = self.flows.get(slot as usize).map_or(0, |flow| flow.version + 1);
        let flow = Flow { activity, links, bytes, remaining: bytes, rate: 0.0, since: now, version, needs_rate: false };
        match self.flows.get_mut(slot as usize) {
            Some(old) => *old = flow,
            None => self.flows.push(flow),
        }
        for &link in links {
            if self.flows_on_link[link].is_empty() {
                self.since[link] = now;
            }
            self.flows_on_link[link].push(slot);
            self.changed.push(link);
        }
    }

    /// Removes a finished flow and returns its activity. Returns `None` if its rate has changed since the event was
    /// scheduled.
    pub(super) fn leave(&mut self, slot: u32, version: u32, now: f64) -> Option<u32> {
        let flow = &mut self.flows[slot as usize];
        if flow.version != version {
            return None;
        }
        flow.version += 1;
        for &link in flow.links {
            self.flows_on_link[link].retain(|&other| other != slot);
            self.used[link].bytes += flow.bytes;
            if self.flows_on_link[link].is_empty() {
                self.used[link].busy += now - self.since[link];
                self.since[link] = now;
            }
            self.changed.push(link);
        }
        self.free.push(slot);
        Some(flow.activity)
    }

    /// Reallocates bandwidth where flows have changed. Calls `schedule_end` with slot, version and end time of the
    /// affected flows that end first; rates are set again at this time.
    pub(super) fn settle(&mut self, now: f64, mut schedule_end: impl FnMut(u32, u32, f64)) {
        for link in std::mem::take(&mut self.changed) {
            let (shares, flows) = self.affected(link);
            self.share(shares, now);
            let done = |slot: &u32| {
                let flow = &self.flows[*slot as usize];
                (flow.since + flow.remaining / flow.rate).max(now)
            };
            let first = flows.iter().map(done).fold(f64::INFINITY, f64::min);
            for slot in flows.iter().filter(|slot| done(slot) <= first) {
                schedule_end(*slot, self.flows[*slot as usize].version, first);
            }
        }
    }

    /// Assigns rates to all flows over the given links.
    fn share(&mut self, mut shares: Vec<LinkShare>, now: f64) {
        let mut rate: f64 = 0.0;
        while let Some(bottleneck) =
            shares.iter().filter(|share| share.count > 0).min_by(|a, b| a.fair_rate().total_cmp(&b.fair_rate()))
        {
            // The fair share of the remaining links can only grow in this process. A decrease is a rounding error.
            rate = rate.max(bottleneck.fair_rate());
            for &slot in &self.flows_on_link[bottleneck.link] {
                let flow = &mut self.flows[slot as usize];
                if !std::mem::replace(&mut flow.needs_rate, false) {
                    continue;
                }
                for share in flow.links.iter().filter_map(|&link| self.share_index[link]) {
                    shares[share].remaining -= rate;
                    shares[share].count -= 1;
                }
                if rate != flow.rate {
                    flow.remaining = (flow.remaining - flow.rate * (now - flow.since)).max(0.0);
                    (flow.rate, flow.since, flow.version) = (rate, now, flow.version + 1);
                }
            }
        }
        for share in shares {
            self.share_index[share.link] = None;
        }
    }

    /// Returns the links connected to the given one through shared flows, and all flows over them.
    fn affected(&mut self, link: usize) -> (Vec<LinkShare>, Vec<u32>) {
        let (mut shares, mut flows) = (Vec::new(), Vec::new());
        let mut links = vec![link];
        while let Some(link) = links.pop() {
            if self.share_index[link].is_some() || self.flows_on_link[link].is_empty() {
                continue;
            }
            self.share_index[link] = Some(shares.len());
            shares.push(LinkShare { link, remaining: self.bandwidths[link], count: self.flows_on_link[link].len() });
            for &slot in &self.flows_on_link[link] {
                let flow = &mut self.flows[slot as usize];
                if !std::mem::replace(&mut flow.needs_rate, true) {
                    flows.push(slot);
                    links.extend(flow.links);
                }
            }
        }
        (shares, flows)
    }
}
