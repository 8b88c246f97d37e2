//! Parsing and formatting of quantities with units: `8GiB`, `1.5 MiB`, `1.2 M`.

/// Parses a number of bytes with an optional unit: `8GiB`, `512 MiB`, `1e9`. Returns `None` for other text and for
/// amounts that are not positive.
pub fn parse_bytes(text: &str) -> Option<u64> {
    const UNITS: [(&str, u64); 9] = [
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("TiB", 1 << 40),
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
        ("B", 1),
    ];
    let unit = UNITS.into_iter().find_map(|(unit, size)| Some((text.strip_suffix(unit)?, size)));
    let (number, size) = unit.unwrap_or((text, 1));
    let number: f64 = number.trim().parse().ok().filter(|x: &f64| x.is_finite() && *x > 0.0)?;
    Some((number * size as f64) as u64)
}

/// Formats bytes in the largest binary unit with a value of at least one: `1.5 MiB`.
pub fn format_bytes(n: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if n < 1024 {
        return format!("{n} B");
    }
    scaled(n as f64 / 1024.0, 1024.0, &UNITS)
}

/// Formats a count with the largest decimal prefix: `1.5 G`.
pub fn format_count(n: u64) -> String {
    const UNITS: [&str; 6] = ["k", "M", "G", "T", "P", "E"];
    if n < 1000 {
        return n.to_string();
    }
    scaled(n as f64 / 1000.0, 1000.0, &UNITS)
}

/// Formats a number with the largest decimal prefix, joined to a unit: `170.1 TFLOP/s`.
pub fn format_with_unit(x: f64, unit: &str) -> String {
    const UNITS: [&str; 6] = ["k", "M", "G", "T", "P", "E"];
    // 999.97 is 1.0 of the first prefix.
    if x < 1000.0 - 0.05 { format!("{x:.1} {unit}") } else { scaled(x / 1000.0, 1000.0, &UNITS) + unit }
}

/// Formats a rate of things in a second with the largest decimal prefix: `128.2 k`, and `8.4` below 100.
pub fn format_rate(per_second: f64) -> String {
    if per_second < 100.0 - 0.05 { format!("{per_second:.1}") } else { format_count(per_second.round() as u64) }
}

/// Formats seconds with a unit in which the value is at least one, if possible: `1.23 us`.
pub fn format_seconds(seconds: f64) -> String {
    // A value that rounds to 1000.00 of a unit is 1.00 of the next one.
    match seconds {
        0.0 => "0 s".to_owned(),
        s if s >= 0.999_995 => format!("{s:.2} s"),
        s if s >= 0.999_995e-3 => format!("{:.2} ms", s * 1e3),
        s if s >= 0.999_995e-6 => format!("{:.2} us", s * 1e6),
        s => format!("{:.2} ns", s * 1e9),
    }
}

fn scaled(mut x: f64, step: f64, units: &[&'static str]) -> String {
    let mut unit = 0;
    // Advance early so that 1023.97 prints as 1.0 of the next unit, not as 1024.0.
    while x >= step - 0.05 && unit + 1 < units.len() {
        x /= step;
        unit += 1;
    }
    format!("{x:.1} {}", units[unit])
}

/// Converts GiB to bytes.
pub const fn gib(n: u64) -> u64 {
    n << 30
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_with_units() {
        let read = ["8GiB", "512 MiB", "1e3", "2.5kB", "7B", "3TB"].map(parse_bytes);
        let want = [8 << 30, 512 << 20, 1000, 2500, 7, 3_000_000_000_000];
        assert_eq!(read, want.map(Some));
        assert_eq!(["", "GiB", "-1MiB", "0", "inf", "8 gigabytes"].map(parse_bytes), [None; 6]);
    }

    #[test]
    fn bytes_choose_their_unit() {
        let shown = [0, 1023, 1024, 1536, 1024 * 1024 - 1, 10_500_000, u64::MAX].map(format_bytes);
        assert_eq!(shown, ["0 B", "1023 B", "1.0 KiB", "1.5 KiB", "1.0 MiB", "10.0 MiB", "16.0 EiB"]);
    }

    #[test]
    fn counts_choose_their_unit() {
        assert_eq!([999, 1000, 1_250_000].map(format_count), ["999", "1.0 k", "1.2 M"]);
    }

    #[test]
    fn rates_choose_their_unit() {
        let shown = [0.0, 8.44, 99.96, 512.0, 1.282e5].map(format_rate);
        assert_eq!(shown, ["0.0", "8.4", "100", "512", "128.2 k"]);
        let shown = [12.5, 999.97, 4.2e8, 1.701e14].map(|x| format_with_unit(x, "FLOP/s"));
        assert_eq!(shown, ["12.5 FLOP/s", "1.0 kFLOP/s", "420.0 MFLOP/s", "170.1 TFLOP/s"]);
    }

    #[test]
    fn seconds_choose_their_unit() {
        let shown = [0.0, 2.5e-8, 1.234e-5, 0.999_996, 1.0, 75.0].map(format_seconds);
        assert_eq!(shown, ["0 s", "25.00 ns", "12.34 us", "1.00 s", "1.00 s", "75.00 s"]);
    }
}
