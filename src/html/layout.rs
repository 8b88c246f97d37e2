//! Pictures of layouts: a tensor divided into its shards, with the shard of one device filled.

use maud::{Markup, html};

/// Width of a picture in its own units.
const WIDTH: f64 = 40.0;

/// Height of a picture in its own units.
const HEIGHT: f64 = 24.0;

/// Height of the picture of a vector in the same units.
const VECTOR_HEIGHT: f64 = 8.0;

/// Maximum number of shards of a dimension that are drawn individually.
const MAX_DRAWN_SHARDS: usize = 8;

/// Draws two dimensions of a tensor: those that are sharded, or else the last ones. The text beside the picture has the
/// same information.
pub(super) fn picture(shape: &[usize], local_shape: &[usize]) -> Markup {
    let counts: Vec<usize> =
        shape.iter().zip(local_shape).map(|(&all, &one)| all.div_ceil(one.max(1)).max(1)).collect();
    let [rows, columns] = drawn(&counts);
    let height = if shape.len() < 2 { VECTOR_HEIGHT } else { HEIGHT };
    let top = (HEIGHT - height) / 2.0;
    let (row, column) = (height / rows as f64, WIDTH / columns as f64);
    let cuts = |count: usize| if count <= MAX_DRAWN_SHARDS { 1..count } else { 0..0 };
    let across: String = cuts(rows).map(|at| format!("M0 {}h{WIDTH}", number(top + at as f64 * row))).collect();
    let down: String = cuts(columns).map(|at| format!("M{} {top}v{height}", number(at as f64 * column))).collect();
    html! {
        svg.layout viewBox="-1 -1 42 26" aria-hidden="true" {
            rect.tensor y=(top) width=(WIDTH) height=(height) {}
            rect.shard y=(top) width=(number(column.max(1.0))) height=(number(row.max(1.0))) {}
            @if rows * columns > 1 {
                path.cut d={ (across) (down) } {}
            }
        }
    }
}

/// Returns the shard counts of the rows and columns of the picture.
fn drawn(counts: &[usize]) -> [usize; 2] {
    let sharded: Vec<usize> = (0..counts.len()).filter(|&dim| counts[dim] > 1).collect();
    let last = counts.len().saturating_sub(1);
    match (counts, &sharded[..]) {
        ([], _) => [1, 1],
        ([only], _) => [1, *only],
        (_, []) => [1, 1],
        (_, [dim]) if *dim == last => [1, counts[*dim]],
        (_, [dim]) => [counts[*dim], 1],
        (_, [first, second, ..]) => [counts[*first], counts[*second]],
    }
}

/// Formats a coordinate with at most two decimal places.
fn number(x: f64) -> f64 {
    (100.0 * x).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sharded_dimensions_are_drawn() {
        assert_eq!(drawn(&[]), [1, 1]);
        assert_eq!(drawn(&[4]), [1, 4]);
        assert_eq!(drawn(&[1, 1, 2]), [1, 2]);
        assert_eq!(drawn(&[2, 1, 1]), [2, 1]);
        assert_eq!(drawn(&[2, 1, 8, 4]), [2, 8]);
    }

    #[test]
    fn empty_dimensions_have_one_shard() {
        let text = picture(&[0, 8], &[0, 4]).into_string();
        assert!(text.contains("width=\"20\" height=\"24\""), "{text}");
    }
}
