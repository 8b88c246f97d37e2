//! Sliding windows, shared by `convolution`, `reduce_window` and `select_and_scatter`.

use crate::rule::{FactorId, FactorKind, Rule, Window};
use smallvec::SmallVec;

/// Returns the number of outputs of a window over `input` elements. Errors: a zero attribute, or no outputs.
pub(crate) fn outputs(window: &Window, input: usize) -> Result<usize, String> {
    let Window { size, stride, dilation, base, .. } = *window;
    for (what, number) in [("size", size), ("stride", stride), ("dilation", dilation), ("base dilation", base)] {
        if number == 0 {
            return Err(format!("a window has {what} 0"));
        }
    }
    let padding = format!("padding {} and {}", window.low, window.high);
    window.outputs(input).ok_or_else(|| format!("a window over {input} elements with {padding} has no outputs"))
}

/// Returns the taps of output `output` that read elements of the input rather than padding or holes, as pairs of tap
/// and element.
pub(crate) fn reads(window: &Window, output: usize, input: usize) -> impl Iterator<Item = (usize, usize)> + use<> {
    let Window { size, stride, dilation, base, low, .. } = *window;
    let wide = |x: usize| x as i128;
    let start = wide(output) * wide(stride) - i128::from(low);
    let end = start + wide(size - 1) * wide(dilation);
    let first = (start.max(0) + wide(base) - 1) / wide(base);
    let past_last = if end < 0 { 0 } else { wide(input).min(end / wide(base) + 1) };
    // Distance from the first tap to the first element that a tap may read.
    let ahead = first * wide(base) - start;
    let (first, past_last) = (first.min(past_last) as usize, past_last as usize);
    (first..past_last).filter_map(move |element| {
        let at = ahead as usize + (element - first) * base;
        at.is_multiple_of(dilation).then_some((at / dilation, element))
    })
}

/// Returns true if windows neither overlap nor leave gaps, so that each output has a separate range of inputs.
pub(crate) fn tiles(window: &Window, input: usize, output: usize) -> bool {
    let plain = (window.low, window.high, window.dilation, window.base) == (0, 0, 1, 1);
    plain && (window.stride == window.size || output == 1) && input == output * window.size
}

/// Factors of one dimension along which a window slides.
pub(crate) struct WindowFactors {
    /// Factors of the input dimension.
    pub input: SmallVec<[FactorId; 2]>,
    /// Factors of the output dimension.
    pub output: SmallVec<[FactorId; 2]>,
    /// Factors of the taps, if windows tile the input.
    pub taps: SmallVec<[FactorId; 2]>,
}

/// Adds the factors of a dimension with a window to a rule.
///
/// - Windows slide along a `Window` factor, which may need a halo, if the op supports that (`slides`).
/// - Otherwise, and for a single window, windows that tile the input have an outer factor, which passes through, and an
///   inner one of kind `inner` within each window.
/// - Windows of one element pass through. Other windows cannot be sharded.
pub(crate) fn factors(
    rule: &mut Rule,
    window: &Window,
    input: usize,
    output: usize,
    inner: FactorKind,
    slides: bool,
) -> WindowFactors {
    if tiles(window, input, output) && !(slides && window.size > 1 && output > 1) {
        let outer = rule.dim(output, FactorKind::PassThrough);
        let taps = rule.dim(window.size, inner);
        return WindowFactors { input: outer.iter().chain(&taps).copied().collect(), output: outer, taps };
    }
    let reach = (window.size - 1).saturating_mul(window.dilation).saturating_add(1);
    let (input_factors, output_factors) = if slides && reach < input && output > 1 {
        let along = rule.dim(output, FactorKind::Window(*window));
        (along.clone(), along)
    } else {
        (rule.dim(input, FactorKind::NeedReplication), rule.dim(output, FactorKind::NeedReplication))
    };
    WindowFactors { input: input_factors, output: output_factors, taps: SmallVec::new() }
}

/// Adds the factors of a dimension whose taps are summed over and can be sharded. A device with some of the taps reads
/// the elements that correspond to them at every output: a window of the outputs that slides along the taps.
pub(crate) fn tap_factors(rule: &mut Rule, window: &Window, input: usize, output: usize) -> WindowFactors {
    let dilated = input.saturating_sub(1).saturating_mul(window.base).saturating_add(1);
    let reach = (window.size - 1).saturating_mul(window.dilation);
    let span = reach.saturating_add(output.saturating_sub(1).saturating_mul(window.stride)).saturating_add(1);
    if output == 0 || input == 0 {
        return WindowFactors {
            input: rule.dim(input, FactorKind::NeedReplication),
            output: rule.dim(output, FactorKind::NeedReplication),
            taps: SmallVec::new(),
        };
    }
    let turned = Window {
        size: output,
        stride: window.dilation,
        dilation: window.stride,
        // Ends at the last element that the last tap reads; a remainder that the stride skips is unused.
        high: (span as i64).saturating_sub(dilated as i64).saturating_sub(window.low),
        ..*window
    };
    let taps = rule.dim(window.size, FactorKind::Window(turned));
    WindowFactors { input: taps.clone(), output: rule.dim(output, FactorKind::NeedReplication), taps }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn invalid_windows_are_errors() {
        let error = |window| outputs(&window, 4).unwrap_err();
        assert_eq!(error(Window { stride: 0, ..Window::default() }), "a window has stride 0");
        assert_eq!(
            error(Window { low: -5, ..Window::default() }),
            "a window over 4 elements with padding -5 and 0 has no outputs"
        );
        let huge = Window { size: usize::MAX, dilation: usize::MAX, low: i64::MAX, ..Window::default() };
        assert!(outputs(&huge, 4).is_err());
        let far = Window { low: i64::MIN, high: i64::MAX, ..Window::default() };
        assert_eq!(outputs(&far, 4), Ok(3));
        assert_eq!(reads(&far, 0, 4).count(), 0);
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(
            (size, stride, low, high) in (1usize..5, 1usize..4, -2i64..4, -2i64..4),
            (dilation, base, input) in (1usize..4, 1usize..4, 0usize..7),
        ) {
            let window = Window { size, stride, low, high, dilation, base };
            for output in 0..outputs(&window, input).unwrap_or(0) {
                let want: Vec<(usize, usize)> = (0..size)
                    .filter_map(|tap| {
                        let at = (output * stride + tap * dilation) as i64 - low;
                        let element = usize::try_from(at).ok().filter(|at| at.is_multiple_of(base))? / base;
                        (element < input).then_some((tap, element))
                    })
                    .collect();
                prop_assert_eq!(reads(&window, output, input).collect::<Vec<_>>(), want);
            }
        }
    }
}
