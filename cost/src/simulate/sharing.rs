//! How flows share links: max-min fairly, so that none could be faster without making one slower that is no faster
//! (Bertsekas and Gallager 1992, Data Networks, section 6.5.2).
//!
//! Rates change only where a flow begins or ends, and only those of flows that share a link with it, or a link with one
//! of these.

use super::{Hardware, LinkUse};

/// Bytes that are under way.
#[derive(Debug)]
struct Flow<'a> {
    activity: u32,
    links: &'a [usize],
    bytes: f64,
    /// Bytes that were left when its rate was set.
    left: f64,
    /// Bytes a second.
    rate: f64,
    /// When that was.
    since: f64,
    /// Counts changes of its rate, and flows that had its place before.
    version: u32,
    /// Whether it is to be given a rate.
    is_open: bool,
}

/// The flows that are under way.
pub(super) struct Sharing<'a> {
    rates: &'a [f64],
    flows: Vec<Flow<'a>>,
    /// Places of flows that are done.
    free: Vec<u32>,
    /// By link, the flows over it; one that leads over it twice is there twice.
    on_link: Vec<Vec<u32>>,
    used: Vec<LinkUse>,
    /// By link, since when it carries something.
    since: Vec<f64>,
    /// Links whose flows have changed.
    changed: Vec<usize>,
    /// By link, its place among those that are shared anew; none between two times.
    place: Vec<Option<usize>>,
}

/// A link while its flows are given their rates.
struct Share {
    link: usize,
    /// Bytes a second that are not given away.
    left: f64,
    /// Flows without a rate.
    count: usize,
}

impl Share {
    fn fair(&self) -> f64 {
        self.left / self.count as f64
    }
}

impl<'a> Sharing<'a> {
    pub(super) fn of(hardware: &'a Hardware) -> Sharing<'a> {
        let count = hardware.links.len();
        Sharing {
            rates: &hardware.links,
            flows: Vec::new(),
            free: Vec::new(),
            on_link: vec![Vec::new(); count],
            used: vec![LinkUse::default(); count],
            since: vec![0.0; count],
            changed: Vec::new(),
            place: vec![None; count],
        }
    }

    /// What links have carried.
    pub(super) fn links(self) -> Vec<LinkUse> {
        self.used
    }

    /// Adds a flow, whose rate is set when all that begin now have been added.
    pub(super) fn join(&mut self, activity: u32, bytes: f64, links: &'a [usize], now: f64) {
        let place = self.free.pop().unwrap_or(self.flows.len() as u32);
        let version = self.flows.get(place as usize).map_or(0, |flow| flow.version + 1);
        let flow = Flow { activity, links, bytes, left: bytes, rate: 0.0, since: now, version, is_open: false };
        match self.flows.get_mut(place as usize) {
            Some(old) => *old = flow,
            None => self.flows.push(flow),
        }
        for &link in links {
            if self.on_link[link].is_empty() {
                self.since[link] = now;
            }
            self.on_link[link].push(place);
            self.changed.push(link);
        }
    }

    /// Takes away a flow that is done, unless its rate has changed since that was foreseen; its activity.
    pub(super) fn leave(&mut self, place: u32, version: u32, now: f64) -> Option<u32> {
        let flow = &mut self.flows[place as usize];
        if flow.version != version {
            return None;
        }
        flow.version += 1;
        for &link in flow.links {
            self.on_link[link].retain(|&other| other != place);
            self.used[link].bytes += flow.bytes;
            if self.on_link[link].is_empty() {
                self.used[link].busy += now - self.since[link];
                self.since[link] = now;
            }
            self.changed.push(link);
        }
        self.free.push(place);
        Some(flow.activity)
    }

    /// Sets rates anew where something has changed, and says when the first of the flows there will be done: then they
    /// are set again.
    pub(super) fn settle(&mut self, now: f64, mut foresee: impl FnMut(u32, u32, f64)) {
        for link in std::mem::take(&mut self.changed) {
            let (shares, flows) = self.concerned(link);
            self.share(shares, now);
            let done = |place: &u32| {
                let flow = &self.flows[*place as usize];
                (flow.since + flow.left / flow.rate).max(now)
            };
            let first = flows.iter().map(done).fold(f64::INFINITY, f64::min);
            for place in flows.iter().filter(|place| done(place) <= first) {
                foresee(*place, self.flows[*place as usize].version, first);
            }
        }
    }

    /// Gives the flows over these links their rates.
    fn share(&mut self, mut shares: Vec<Share>, now: f64) {
        let mut rate: f64 = 0.0;
        while let Some(narrow) =
            shares.iter().filter(|share| share.count > 0).min_by(|a, b| a.fair().total_cmp(&b.fair()))
        {
            // What a link has left for each only grows while others are served; less is rounding.
            rate = rate.max(narrow.fair());
            for &place in &self.on_link[narrow.link] {
                let flow = &mut self.flows[place as usize];
                if !std::mem::replace(&mut flow.is_open, false) {
                    continue;
                }
                for share in flow.links.iter().filter_map(|&link| self.place[link]) {
                    shares[share].left -= rate;
                    shares[share].count -= 1;
                }
                if rate != flow.rate {
                    flow.left = (flow.left - flow.rate * (now - flow.since)).max(0.0);
                    (flow.rate, flow.since, flow.version) = (rate, now, flow.version + 1);
                }
            }
        }
        for share in shares {
            self.place[share.link] = None;
        }
    }

    /// The links that share flows with this one, or with one that does, and all flows over them.
    fn concerned(&mut self, link: usize) -> (Vec<Share>, Vec<u32>) {
        let (mut shares, mut flows) = (Vec::new(), Vec::new());
        let mut links = vec![link];
        while let Some(link) = links.pop() {
            if self.place[link].is_some() || self.on_link[link].is_empty() {
                continue;
            }
            self.place[link] = Some(shares.len());
            shares.push(Share { link, left: self.rates[link], count: self.on_link[link].len() });
            for &place in &self.on_link[link] {
                let flow = &mut self.flows[place as usize];
                if !std::mem::replace(&mut flow.is_open, true) {
                    flows.push(place);
                    links.extend(flow.links);
                }
            }
        }
        (shares, flows)
    }
}
