//! Limits of the search space that a user sets for an experiment.

use partita_ir::plan::Plan;
use partita_ir::schedule::ScheduleKind;

/// Limits of the search space. `None` for the default of a decision.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct SpaceLimits {
    /// Numbers of pipeline stages.
    pub stages: Option<Vec<usize>>,
    /// Numbers of micro-batches. Those that do not divide the batch are ignored.
    pub micro_batches: Option<Vec<u64>>,
    /// Names of mesh axes: `data`, `shard`, `expert`, `context`, `model`.
    pub axes: Option<Vec<String>>,
    /// Schedules of pipelines, in addition to or instead of the default ones.
    pub schedules: Option<Vec<ScheduleKind>>,
    /// Levels of recomputation, of [`crate::RECOMPUTE_LEVELS`].
    pub recompute: Option<Vec<String>>,
    /// Stages of ZeRO: `none`, `zero1`, `zero2`, `zero3`.
    pub zero: Option<Vec<String>>,
}

impl SpaceLimits {
    /// Returns the schedules of the space if they are not limited. Stages with fewer layers have no schedules with more
    /// chunks.
    pub(crate) fn default_schedules() -> Vec<ScheduleKind> {
        let chunks = [2, 3, 4, 6, 8, 12, 16].map(|chunks| ScheduleKind::Interleaved { chunks });
        [ScheduleKind::OneFOneB, ScheduleKind::ZbH1, ScheduleKind::ZbH2].into_iter().chain(chunks).collect()
    }

    /// Returns a plan with the first allowed schedule, if the plan has several stages and no schedule.
    pub(crate) fn with_schedule(&self, plan: Plan, stages: usize) -> Plan {
        let first = self.schedules.as_ref().and_then(|all| all.first());
        match first.filter(|_| stages > 1 && plan.schedule.is_none()) {
            Some(schedule) => plan.schedule(schedule.to_string()),
            None => plan,
        }
    }

    /// Returns true if a plan with a level of recomputation is within the limits. Axes and ZeRO stages limit the
    /// compositions of presets only.
    pub(crate) fn allow(&self, plan: &Plan, recompute: &str) -> bool {
        let SpaceLimits { stages, micro_batches, schedules, recompute: levels, axes: _, zero: _ } = self;
        let Ok(pipeline) = plan.pipeline_config() else { return true };
        let count = pipeline.as_ref().map_or(1, |pipeline| pipeline.cuts.count());
        let has_schedule = pipeline.as_ref().filter(|_| plan.schedule.is_some() || count > 1).map(|one| one.kind);
        let divided = pipeline.as_ref().and_then(|pipeline| pipeline.micro_batches);
        stages.as_ref().is_none_or(|all| all.contains(&count))
            && has_schedule.zip(schedules.as_ref()).is_none_or(|(kind, all)| all.contains(&kind))
            && divided.zip(micro_batches.as_ref()).is_none_or(|(count, all)| all.contains(&count))
            && levels.as_ref().is_none_or(|all| all.iter().any(|level| level == recompute))
    }
}
