//! What can be had for what: of all plans that were found on more and fewer devices, with more and less memory, those
//! than which no other one is better in time, memory and devices at once (the Pareto front).

use super::candidate::SideBySide;
use super::{Candidate, Goal, Nothing, Watch, find, precisions};
use crate::error::Result;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_machine::Machine;
use serde_json::json;
use std::fmt;
use std::iter::successors;
use std::time::Instant;

/// The front, the fastest plan first. Prints as a table.
pub struct Front {
    model: String,
    machine: String,
    plans: Vec<Candidate>,
    memory: u64,
    /// How many searches there were.
    searches: usize,
    interrupted: bool,
    seconds: f64,
}

/// With so much of what the smallest plan held is searched for smaller ones.
const LESS: f64 = 0.8;

/// So often at most for each number of devices.
const MOST_SEARCHES: usize = 4;

impl Front {
    /// Searches on all devices, on half of them and so on, each with as much memory as there is and then with less,
    /// until nothing fits.
    ///
    /// # Errors
    /// As [`Search::run`](super::Search::run), if there is no plan at all.
    pub fn of(program: &Program, base: &Plan, machine: &Machine, goal: &Goal, watch: &mut Watch<'_>) -> Result<Front> {
        let started = Instant::now();
        let all = goal.devices.unwrap_or(machine.device_count());
        let mut plans: Vec<Candidate> = Vec::new();
        let (mut memory, mut searches, mut goes_on) = (0, 0, true);
        for count in successors(Some(all), |count| (*count > 1).then_some(count / 2)) {
            let mut goal = Goal { devices: Some(count), shown: usize::MAX, keepers: false, ..goal.clone() };
            for _ in 0..MOST_SEARCHES {
                // What is decided may need all devices, and all of the memory.
                let found = match precisions::each(base, &goal, &mut |base| find(program, base, machine, &goal, watch))
                {
                    Ok(Ok(found)) => found,
                    Ok(Err(Nothing { .. })) | Err(_) if !plans.is_empty() => break,
                    _ => {
                        super::search(program, machine).plan(base).goal(&goal).on_progress(&mut *watch).run()?;
                        break;
                    }
                };
                searches += 1;
                goes_on &= !found.interrupted;
                memory = memory.max(found.memory);
                let smallest = found.plans.iter().map(|one| one.peak).min().unwrap_or(0);
                goal.memory = Some((LESS * smallest as f64) as u64);
                plans.extend(found.plans.into_iter().filter(|one| one.peak <= found.memory));
                if !goes_on {
                    break;
                }
            }
            if !goes_on {
                break;
            }
        }
        Ok(Front {
            model: program.source.to_string(),
            machine: machine.name.to_string(),
            plans: undominated(plans),
            memory,
            searches,
            interrupted: !goes_on,
            seconds: started.elapsed().as_secs_f64(),
        })
    }

    /// The plans, the fastest one first.
    pub fn plans(&self) -> &[Candidate] {
        &self.plans
    }

    /// Calls the model by another name.
    pub fn named(mut self, model: &str) -> Front {
        model.clone_into(&mut self.model);
        self
    }

    /// As JSON: what a search says of plans, and their texts.
    pub fn to_json(&self) -> String {
        let plan = |one: &Candidate| {
            let mut json = one.to_json(self.memory);
            json["plan"] = one.plan.to_toml().into();
            json
        };
        let object = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "model": self.model,
            "machine": self.machine,
            "plans": self.plans.iter().map(plan).collect::<Vec<_>>(),
            "searches": self.searches,
            "stop": if self.interrupted { "interrupted" } else { "optimal" },
            "seconds": self.seconds,
        });
        format!("{object:#}")
    }
}

/// Those that no other one is better than in time, memory and devices at once, the fastest one first.
fn undominated(mut plans: Vec<Candidate>) -> Vec<Candidate> {
    plans.sort_by(|a, b| (a.seconds.total_cmp(&b.seconds)).then((a.peak, a.devices).cmp(&(b.peak, b.devices))));
    let mut front: Vec<Candidate> = Vec::new();
    for one in plans {
        // What comes before is no slower.
        if front.iter().all(|other| other.peak > one.peak || other.devices > one.devices) {
            front.push(one);
        }
    }
    front
}

impl fmt::Display for Front {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} on {}: {} searches in {:.2} s{}; no plan that was found is better than one of these in time, memory \
             and devices\n",
            self.model,
            self.machine,
            self.searches,
            self.seconds,
            if self.interrupted { ", then interrupted" } else { "" },
        )?;
        write!(f, "{}", SideBySide::of(&self.plans, self.memory))
    }
}
