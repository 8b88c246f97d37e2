//! Expected output of each format of a timeline.

use super::{Category, Counter, Span, Timeline, Track, format_seconds};
use expect_test::{expect, expect_file};

fn span(track: usize, category: Category, label: &str, start: f64, seconds: f64) -> Span {
    let name = format!("{} {label}", category.name()).into();
    let arguments = vec![("micro-batch".into(), label.into())];
    Span { track, name, label: label.into(), category, start, seconds, arguments }
}

/// Returns a timeline of two stages, two micro-batches and the memory of one device.
fn timeline() -> Timeline {
    let track = |group: &str, name: &str| Track { group: group.into(), name: name.into() };
    use Category::{BackwardInput, BackwardWeight, Communication, Forward, Update};
    let spans = vec![
        span(0, Forward, "0", 0.0, 0.001),
        span(0, Forward, "1", 0.001, 0.001),
        span(2, Forward, "0", 0.0015, 0.001),
        span(1, Communication, "0", 0.001, 0.0005),
        span(2, BackwardInput, "0", 0.0025, 0.001),
        span(0, BackwardInput, "0", 0.0035, 0.001),
        span(0, BackwardWeight, "0", 0.0045, 0.0015),
        span(2, BackwardWeight, "0", 0.0035, 0.0015),
        span(2, Update, "", 0.005, 0.0001),
        span(9, Update, "nowhere", 0.0, 0.001),
    ];
    let samples = vec![(0.0, 4096.0), (0.001, 8192.0), (0.0045, 6144.0), (0.006, 0.0)];
    Timeline {
        title: "zb-h1 & <others>".into(),
        tracks: vec![track("stage 0", "stage 0"), track("stage 0", "0 > 1"), track("stage 1", "stage 1")],
        spans,
        counters: vec![Counter { group: "stage 0".into(), name: "memory".into(), samples }],
    }
}

#[test]
fn a_trace_has_names_spans_and_counters() {
    let mut trace = Vec::new();
    timeline().write_trace(&mut trace).unwrap();
    let trace = String::from_utf8(trace).unwrap();
    let read: serde_json::Value = serde_json::from_str(&trace).unwrap();
    assert_eq!(read["traceEvents"].as_array().unwrap().len(), 10 + 9 + 4);
    expect![[r#"
        {"displayTimeUnit":"ms","traceEvents":[
        {"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"stage 0"}},
        {"ph":"M","name":"process_sort_index","pid":1,"tid":0,"args":{"sort_index":1}},
        {"ph":"M","name":"process_name","pid":2,"tid":0,"args":{"name":"stage 1"}},
        {"ph":"M","name":"process_sort_index","pid":2,"tid":0,"args":{"sort_index":2}},
        {"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"stage 0"}},
        {"ph":"M","name":"thread_sort_index","pid":1,"tid":1,"args":{"sort_index":1}},
        {"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"0 > 1"}},
        {"ph":"M","name":"thread_sort_index","pid":1,"tid":2,"args":{"sort_index":2}},
        {"ph":"M","name":"thread_name","pid":2,"tid":3,"args":{"name":"stage 1"}},
        {"ph":"M","name":"thread_sort_index","pid":2,"tid":3,"args":{"sort_index":3}},
        {"ph":"X","name":"forward 0","cat":"forward","pid":1,"tid":1,"ts":0.0,"dur":1000.0,"args":{"micro-batch":"0"}},
        {"ph":"X","name":"forward 1","cat":"forward","pid":1,"tid":1,"ts":1000.0,"dur":1000.0,"args":{"micro-batch":"1"}},
        {"ph":"X","name":"backward input 0","cat":"backward input","pid":1,"tid":1,"ts":3500.0,"dur":1000.0,"args":{"micro-batch":"0"}},
        {"ph":"X","name":"backward weight 0","cat":"backward weight","pid":1,"tid":1,"ts":4500.0,"dur":1500.0,"args":{"micro-batch":"0"}},
        {"ph":"X","name":"communication 0","cat":"communication","pid":1,"tid":2,"ts":1000.0,"dur":500.0,"args":{"micro-batch":"0"}},
        {"ph":"X","name":"forward 0","cat":"forward","pid":2,"tid":3,"ts":1500.0,"dur":1000.0,"args":{"micro-batch":"0"}},
        {"ph":"X","name":"backward input 0","cat":"backward input","pid":2,"tid":3,"ts":2500.0,"dur":1000.0,"args":{"micro-batch":"0"}},
        {"ph":"X","name":"backward weight 0","cat":"backward weight","pid":2,"tid":3,"ts":3500.0,"dur":1500.0,"args":{"micro-batch":"0"}},
        {"ph":"X","name":"update ","cat":"update","pid":2,"tid":3,"ts":5000.0,"dur":100.0,"args":{"micro-batch":""}},
        {"ph":"C","name":"memory","pid":1,"ts":0.0,"args":{"memory":4096.0}},
        {"ph":"C","name":"memory","pid":1,"ts":1000.0,"args":{"memory":8192.0}},
        {"ph":"C","name":"memory","pid":1,"ts":4500.0,"args":{"memory":6144.0}},
        {"ph":"C","name":"memory","pid":1,"ts":6000.0,"args":{"memory":0.0}}
        ]}
    "#]].assert_eq(&trace);
}

#[test]
fn the_svg_matches_the_reviewed_image() {
    expect_file!["tests/two_stages.svg"].assert_eq(&timeline().to_svg());
}

#[test]
fn columns_show_their_dominant_category() {
    expect![[r#"
        stage 0 FFFFFFFFFFFFFFFFF.............IIIIIIIIIWWWWWWWWWWWWW
        0 > 1   .........cccc.......................................
        stage 1 .............FFFFFFFFFIIIIIIIIWWWWWWWWWWWWWU........
                0                                               6 ms
                F forward  I backward input  W backward weight  c communication  U update
    "#]]
    .assert_eq(&timeline().to_text(60, false));
    expect![[r#"
        stage 0 FFFFFF....IIIIWWWW
        0 > 1   ...cc.............
        stage 1 ....FFFFIIIWWWW...
                0             6 ms
                F forward  I backward input  W backward weight  c communication  U update
    "#]]
    .assert_eq(&timeline().to_text(26, false));
}

#[test]
fn colours_change_with_categories() {
    let coloured = timeline().to_text(32, true).replace('\x1b', "^");
    expect![[r#"
        stage 0 ^[38;5;16;48;5;74mFFFFFFFF^[0m      ^[38;5;16;48;5;214mIIII^[0m^[38;5;16;48;5;36mWWWWWW^[0m
        0 > 1       ^[38;5;16;48;5;245mcc^[0m
        stage 1       ^[38;5;16;48;5;74mFFFF^[0m^[38;5;16;48;5;214mIIII^[0m^[38;5;16;48;5;36mWWWWWW^[0m
                0                   6 ms
                ^[38;5;16;48;5;74mF^[0m forward  ^[38;5;16;48;5;214mI^[0m backward input  ^[38;5;16;48;5;36mW^[0m backward weight  ^[38;5;16;48;5;245mc^[0m communication  ^[38;5;16;48;5;175mU^[0m update
    "#]].assert_eq(&coloured);
}

#[test]
fn spans_shorter_than_half_a_column_are_hidden() {
    let spans = vec![span(0, Category::Forward, "", 0.0, 0.4), span(0, Category::Update, "", 3.5, 0.5)];
    let track = Track { group: "".into(), name: "a".into() };
    let timeline = Timeline { tracks: vec![track], spans, ..Timeline::default() };
    assert_eq!(timeline.to_text(6, false).lines().next(), Some("a ...U"));
}

#[test]
fn a_track_with_many_spans_is_drawn_by_columns() {
    let crowd = (0..10_000u32).map(|n| span(0, Category::ALL[n as usize % 2], "0", f64::from(n), 0.9));
    let track = Track { group: "".into(), name: "a".into() };
    let timeline = Timeline { tracks: vec![track], spans: crowd.collect(), ..Timeline::default() };
    assert!(timeline.to_svg().len() < 200_000);
}

#[test]
fn elements_of_pages_have_names_and_tooltips_if_these_are_short() {
    let element = timeline().to_svg_element("t", "two <stages>", true);
    assert!(
        element.starts_with("<svg class=\"timeline\"") && !element.contains("<style") && !element.contains("xmlns")
    );
    assert!(element.contains("aria-labelledby=\"t-title t-description\""));
    assert!(element.contains("<desc id=\"t-description\">two &lt;stages&gt;</desc>"));
    assert!(element.contains("<title>forward 0: 1 ms from 0 ns</title>") && element.contains(">6 ms</text>"));
    // Without a unit, durations are not shown.
    let element = timeline().to_svg_element("t", "", false);
    assert!(!element.contains("ms<") && !element.contains(" ms ") && element.contains("<path class=\"f\" d=\"M"));
    let crowd = (0..10_000u32).map(|n| span(0, Category::ALL[n as usize % 2], "0", f64::from(n), 0.9));
    let track = Track { group: "".into(), name: "a".into() };
    let timeline = Timeline { tracks: vec![track], spans: crowd.collect(), ..Timeline::default() };
    assert!(timeline.to_svg_element("t", "", true).len() < 30_000);
}

#[test]
fn an_empty_timeline_is_empty() {
    let empty = Timeline::default();
    assert!(empty.to_svg().ends_with("</svg>\n"));
    assert_eq!(empty.to_text(0, true).lines().count(), 2);
    assert_eq!(empty.end(), 0.0);
}

#[test]
fn seconds_have_three_significant_digits() {
    let shown = [0.0, 1e-9, 2.5e-6, 0.0123456, 0.1, 0.99999, 1.0, 12.34, 1234.5].map(format_seconds);
    assert_eq!(shown, ["0 ns", "1 ns", "2.5 us", "12.3 ms", "100 ms", "1 s", "1 s", "12.3 s", "1234 s"]);
}
