//! Bounds checks of machine code for CUDA. The driver receives a pointer without a length, so that no offset in the
//! headers may point past the end.
//!
//! A cubin is an ELF file of 64 bits, little-endian (System V ABI, chapter 4).

/// Sizes in bytes of the file header, and of an entry in the tables of sections and segments.
const HEADER_BYTES: usize = 64;
const SECTION_BYTES: usize = 64;
const SEGMENT_BYTES: usize = 56;

/// The type of sections that have no bytes in the file, such as `.bss`.
const NOBITS: u64 = 8;

/// Checks that tables, sections and segments are within the file.
///
/// # Errors
/// A description of the table or range that is out of bounds.
pub(super) fn check(bytes: &[u8]) -> Result<(), String> {
    let is_elf = bytes.len() >= HEADER_BYTES && bytes.starts_with(b"\x7fELF\x02\x01");
    if !is_elf {
        return Err("is not machine code for CUDA".into());
    }
    let number = |at: usize, width: usize| {
        let digits = bytes.get(at..at.saturating_add(width)).unwrap_or_default();
        digits.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
    };
    let is_inside = |start: u64, length: u64| start.checked_add(length).is_some_and(|end| end <= bytes.len() as u64);
    let table = |what: &str, start: usize, sizes: usize, entry: usize| {
        let (start, size, count) = (number(start, 8), number(sizes, 2), number(sizes + 2, 2));
        if count > 0 && (size != entry as u64 || !is_inside(start, size * count)) {
            return Err(format!(
                "has {count} {what} of {size} bytes from byte {start}, but only {} bytes",
                bytes.len()
            ));
        }
        Ok((0..count as usize).map(move |i| start as usize + i * entry))
    };
    let mut ranges: Vec<(u64, u64)> =
        table("segments", 32, 54, SEGMENT_BYTES)?.map(|at| (number(at + 8, 8), number(at + 32, 8))).collect();
    let sections = table("sections", 40, 58, SECTION_BYTES)?.filter(|at| number(at + 4, 4) != NOBITS);
    ranges.extend(sections.map(|at| (number(at + 24, 8), number(at + 32, 8))));
    match ranges.into_iter().find(|&(start, length)| !is_inside(start, length)) {
        Some((start, length)) => Err(format!("names {length} bytes from byte {start}, but has only {}", bytes.len())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    /// Returns an ELF file with a header, and a segment and a section of four bytes each.
    fn code() -> Vec<u8> {
        let mut bytes = vec![0; 64 + 56 + 64 + 4];
        let mut put =
            |at: usize, value: u64, width: usize| bytes[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
        put(0, 0x0001_0102_464c_457f, 8);
        let header = [(32, 64, 8), (40, 120, 8), (54, 56, 2), (56, 1, 2), (58, 64, 2), (60, 1, 2)];
        let segment = [(64 + 8, 184, 8), (64 + 32, 4, 8)];
        let section = [(120 + 4, 1, 4), (120 + 24, 184, 8), (120 + 32, 4, 8)];
        for (at, value, width) in header.into_iter().chain(segment).chain(section) {
            put(at, value, width);
        }
        bytes
    }

    #[test]
    fn out_of_bounds_ranges_are_rejected() {
        let good = code();
        assert_eq!(check(&good), Ok(()));
        for (at, value) in [
            (0, 0),
            (4, 1),
            (32, 200),
            (40, 125),
            (54, 55),
            (56, 9),
            (60, 2),
            (58, 63),
            (72, 185),
            (96, 5),
            (144, 188),
            (152, 255),
        ] {
            let mut bad = good.clone();
            bad[at] = value;
            assert!(check(&bad).is_err(), "byte {at}");
        }
        for at in [39, 47, 79, 103, 151, 159] {
            let mut bad = good.clone();
            bad[at] = 255;
            assert!(check(&bad).is_err(), "byte {at}");
        }
        for length in 0..good.len() {
            assert!(check(&good[..length]).is_err(), "{length} bytes");
        }
        // A section of type `NOBITS` occupies no bytes, so that its offset is not checked.
        let mut empty = good;
        (empty[124], empty[152]) = (8, 255);
        assert_eq!(check(&empty), Ok(()));
    }
}
