//! Decomposition of a predicted step by activity.

use crate::report::{Align, Table};
use partita_cost::roofline::parts::TimePart;
use partita_cost::step::{Prediction, StagePrediction};
use partita_ir::arena::Id;
use partita_ir::mesh::{AxisRef, DeviceMesh};
use partita_ir::pipeline::Pipeline;
use partita_ir::units::format_seconds;
use serde_json::{Value, json};
use std::fmt;

/// Seconds of the step's busiest stage by activity. The sum is the duration of the step.
#[derive(Clone, Debug)]
pub struct StepBreakdown {
    rows: Vec<BreakdownRow>,
}

/// Activity with its seconds.
#[derive(Clone, Debug)]
struct BreakdownRow {
    /// Name of the activity in reports.
    name: &'static str,
    /// Mesh axes of a collective, joined by commas.
    axes: Option<String>,
    seconds: f64,
}

impl StepBreakdown {
    /// Decomposes a predicted step.
    pub(super) fn new(prediction: &Prediction, stages: &Pipeline) -> StepBreakdown {
        let Some((busiest, idle)) = prediction.bottleneck() else { return StepBreakdown { rows: Vec::new() } };
        let number = prediction.stages.iter().position(|stage| std::ptr::eq(stage, busiest)).unwrap_or(0);
        let mesh = stages.chunks_of(number).next().map(|chunk| &stages.chunks[chunk].mesh);
        let mut rows: Vec<BreakdownRow> =
            busiest.parts.iter().map(|(part, seconds)| row(part, seconds, mesh)).collect();
        rows.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        // Rounding errors of a single stage are no idle time.
        if idle.abs() > 1e-9 * prediction.seconds {
            rows.push(BreakdownRow { name: "pipeline bubble", axes: None, seconds: idle });
        }
        StepBreakdown { rows }
    }

    /// Decomposes a step predicted for devices that share a process, which distinguishes neither kernels nor
    /// collectives.
    pub(super) fn on_host(prediction: &Prediction) -> StepBreakdown {
        let busy = |stage: &StagePrediction| stage.computing + stage.communicating;
        let busiest = prediction.stages.iter().max_by(|a, b| busy(a).total_cmp(&busy(b)));
        let Some(stage) = busiest else { return StepBreakdown { rows: Vec::new() } };
        let row = |name, seconds| BreakdownRow { name, axes: None, seconds };
        let idle = prediction.seconds - busy(stage);
        let rows = vec![row("kernels", stage.computing), row("collectives", stage.communicating), row("waiting", idle)];
        StepBreakdown { rows }
    }

    /// Formats the breakdown as JSON.
    pub(super) fn to_json(&self) -> Value {
        let row = |row: &BreakdownRow| json!({ "activity": row.name, "axes": row.axes, "seconds": row.seconds });
        self.rows.iter().map(row).collect()
    }
}

fn row(part: &TimePart, seconds: f64, mesh: Option<&DeviceMesh>) -> BreakdownRow {
    let name = |axis: &AxisRef| mesh.map_or(String::new(), |mesh| mesh.axes[axis.axis.index()].name.to_string());
    let (name, axes) = match part {
        TimePart::Products => ("matrix products", None),
        TimePart::Attention => ("attention", None),
        TimePart::MemoryBound => ("memory-bound kernels", None),
        TimePart::Update => ("update", None),
        TimePart::Launches => ("kernel launches", None),
        TimePart::Interference => ("slow-down by collectives", None),
        TimePart::Exposed { kind, axes } => (*kind, Some(axes.iter().map(name).collect::<Vec<_>>().join(","))),
    };
    BreakdownRow { name, axes, seconds }
}

impl StepBreakdown {
    /// Returns the activities with their seconds and shares of the step.
    pub(crate) fn table(&self) -> Table {
        use Align::{Left, Right};
        let all: f64 = self.rows.iter().map(|row| row.seconds).sum();
        let mut table = Table::new([("activity of the busiest stage", Left), ("time", Right), ("share", Right)]);
        let sum = BreakdownRow { name: "step", axes: None, seconds: all };
        for row in self.rows.iter().chain([&sum]) {
            let share = if all > 0.0 { 100.0 * row.seconds / all } else { 0.0 };
            table.row([row.title(), format_seconds(row.seconds), format!("{share:.1} %")]);
        }
        table
    }

    /// Returns the activities with their seconds.
    pub(crate) fn activities(&self) -> impl Iterator<Item = (String, f64)> + '_ {
        self.rows.iter().map(|row| (row.title(), row.seconds))
    }
}

impl BreakdownRow {
    /// Formats the activity and, for a collective, its mesh axes.
    fn title(&self) -> String {
        let axes = self.axes.as_ref().map_or(String::new(), |axes| format!(" over {axes}, exposed"));
        format!("{}{axes}", self.name)
    }
}

impl fmt::Display for StepBreakdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.table().fmt(f)
    }
}
