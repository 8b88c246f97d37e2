//! Linear assignment problem: assigns each row a distinct column so that the total cost is minimal.

/// Returns the column of each row. Requires at least as many columns as rows. Adds one row after another along the
/// shortest augmenting path, with dual prices of rows and columns that make all reduced costs non-negative. Complexity:
/// `rows^2 * columns`.
pub fn min_cost_assignment(rows: usize, columns: usize, cost: &dyn Fn(usize, usize) -> i128) -> Vec<usize> {
    assert!(rows <= columns, "{rows} rows and {columns} columns");
    // Index 0 is a sentinel. Rows and columns are numbered from 1.
    let (mut row_price, mut column_price) = (vec![0i128; rows + 1], vec![0i128; columns + 1]);
    let mut row_of = vec![0usize; columns + 1];
    for row in 1..=rows {
        row_of[0] = row;
        let (mut least, mut before) = (vec![i128::MAX; columns + 1], vec![0usize; columns + 1]);
        let mut done = vec![false; columns + 1];
        let mut at = 0;
        while row_of[at] != 0 {
            done[at] = true;
            let row = row_of[at];
            let (mut shortest, mut next) = (i128::MAX, 0);
            for column in (1..=columns).filter(|&column| !done[column]) {
                let reduced = cost(row - 1, column - 1) - row_price[row] - column_price[column];
                if reduced < least[column] {
                    (least[column], before[column]) = (reduced, at);
                }
                if least[column] < shortest {
                    (shortest, next) = (least[column], column);
                }
            }
            for column in 0..=columns {
                if done[column] {
                    row_price[row_of[column]] += shortest;
                    column_price[column] -= shortest;
                } else if least[column] < i128::MAX {
                    least[column] -= shortest;
                }
            }
            at = next;
        }
        while at != 0 {
            row_of[at] = row_of[before[at]];
            at = before[at];
        }
    }
    let mut column_of = vec![0; rows];
    for column in 1..=columns {
        if row_of[column] > 0 {
            column_of[row_of[column] - 1] = column - 1;
        }
    }
    column_of
}
