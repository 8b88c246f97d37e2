//! Limits of the search space for a target.

use super::{AxisRole, ZERO_PRESETS};
use crate::problem::SpaceLimits;
use crate::target::Target;

/// Returns the limits without values that no plan for a target has.
pub(crate) fn limits_for_target(limits: &SpaceLimits, target: Target) -> SpaceLimits {
    let mut limits = limits.clone();
    limits.schedules.get_or_insert_with(SpaceLimits::default_schedules).retain(|&kind| target.has_schedule(kind));
    if !target.has_stages() {
        limits.stages.get_or_insert_with(|| vec![1]).retain(|&stages| stages == 1);
    }
    let restrict = |names: &mut Option<Vec<String>>, all: &[&str]| {
        if !all.iter().all(|name| target.has_name(name)) {
            let names = names.get_or_insert_with(|| all.iter().map(ToString::to_string).collect());
            names.retain(|name| target.has_name(name));
        }
    };
    restrict(&mut limits.axes, &AxisRole::ALL.map(AxisRole::name));
    restrict(&mut limits.zero, &ZERO_PRESETS.map(|preset| preset.unwrap_or("none")));
    limits
}
