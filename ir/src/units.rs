//! Numbers as people write and read them: `8GiB`, `1.5 MiB`, `1.2 M`.

/// Bytes, with a unit or without: `8GiB`, `512 MiB`, `1e9`. `None` for what is no such number, or not above 0.
pub fn read_bytes(text: &str) -> Option<u64> {
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

/// Bytes in the largest binary unit that leaves at least one before the point: `1.5 MiB`.
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if n < 1024 {
        return format!("{n} B");
    }
    scaled(n as f64 / 1024.0, 1024.0, &UNITS)
}

/// A count in the largest decimal unit: `1.5 G`.
pub fn count(n: u64) -> String {
    const UNITS: [&str; 6] = ["k", "M", "G", "T", "P", "E"];
    if n < 1000 {
        return n.to_string();
    }
    scaled(n as f64 / 1000.0, 1000.0, &UNITS)
}

/// Seconds in a unit that leaves digits before the point: `1.23 us`.
pub fn time(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 1e-3 => format!("{:.2} ms", s * 1e3),
        s if s >= 1e-6 => format!("{:.2} us", s * 1e6),
        s => format!("{:.2} ns", s * 1e9),
    }
}

fn scaled(mut x: f64, step: f64, units: &[&'static str]) -> String {
    let mut unit = 0;
    // 1023.97 would print as 1024.0, which reads badly: it belongs to the next unit.
    while x >= step - 0.05 && unit + 1 < units.len() {
        x /= step;
        unit += 1;
    }
    format!("{x:.1} {}", units[unit])
}

/// So many GiB, in bytes.
pub const fn gib(n: u64) -> u64 {
    n << 30
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_with_units() {
        let read = ["8GiB", "512 MiB", "1e3", "2.5kB", "7B", "3TB"].map(read_bytes);
        let want = [8 << 30, 512 << 20, 1000, 2500, 7, 3_000_000_000_000];
        assert_eq!(read, want.map(Some));
        assert_eq!(["", "GiB", "-1MiB", "0", "inf", "8 gigabytes"].map(read_bytes), [None; 6]);
    }

    #[test]
    fn bytes_choose_their_unit() {
        let shown = [0, 1023, 1024, 1536, 1024 * 1024 - 1, 10_500_000, u64::MAX].map(bytes);
        assert_eq!(shown, ["0 B", "1023 B", "1.0 KiB", "1.5 KiB", "1.0 MiB", "10.0 MiB", "16.0 EiB"]);
    }

    #[test]
    fn counts_choose_their_unit() {
        assert_eq!([999, 1000, 1_250_000].map(count), ["999", "1.0 k", "1.2 M"]);
    }
}
