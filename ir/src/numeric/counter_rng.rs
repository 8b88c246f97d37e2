//! Counter-based random number generators: functions of a key and a counter (Salmon, Moraes, Dror and Shaw, "Parallel
//! random numbers: as easy as 1, 2, 3", SC 2011).

/// Computes Threefry 2x32 with 20 rounds.
pub fn threefry(key: [u32; 2], counter: [u32; 2]) -> [u32; 2] {
    const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
    let keys = [key[0], key[1], key[0] ^ key[1] ^ 0x1bd1_1bda];
    let mut x = [counter[0].wrapping_add(keys[0]), counter[1].wrapping_add(keys[1])];
    for group in 0..5u32 {
        for rotation in ROTATIONS[group as usize % 2] {
            x[0] = x[0].wrapping_add(x[1]);
            x[1] = x[1].rotate_left(rotation) ^ x[0];
        }
        let next = group as usize + 1;
        x[0] = x[0].wrapping_add(keys[next % 3]);
        x[1] = x[1].wrapping_add(keys[(next + 1) % 3]).wrapping_add(group + 1);
    }
    x
}

/// Computes Philox 4x32 with 10 rounds.
pub(crate) fn philox(mut key: [u32; 2], mut x: [u32; 4]) -> [u32; 4] {
    let product = |a: u32, b: u32| u64::from(a) * u64::from(b);
    for _ in 0..10 {
        let (a, b) = (product(x[0], 0xd251_1f53), product(x[2], 0xcd9e_8d57));
        x = [(b >> 32) as u32 ^ x[1] ^ key[0], b as u32, (a >> 32) as u32 ^ x[3] ^ key[1], a as u32];
        key = [key[0].wrapping_add(0x9e37_79b9), key[1].wrapping_add(0xbb67_ae85)];
    }
    x
}

/// Splits a number into its low and high 32 bits.
pub(crate) fn split_u64(x: u64) -> [u32; 2] {
    [x as u32, (x >> 32) as u32]
}

/// Combines low and high 32 bits to one number.
pub(crate) fn join_u32(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test vectors published with the reference implementation (Random123, `kat_vectors`).
    #[test]
    fn equals_the_published_test_vectors() {
        assert_eq!(threefry([0, 0], [0, 0]), [0x6b20_0159, 0x99ba_4efe]);
        assert_eq!(threefry([u32::MAX; 2], [u32::MAX; 2]), [0x1cb9_96fc, 0xbb00_2be7]);
        assert_eq!(threefry([0x13198a2e, 0x03707344], [0x243f6a88, 0x85a308d3]), [0xc492_3a9c, 0x483d_f7a0]);
        assert_eq!(philox([0, 0], [0; 4]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(philox([u32::MAX; 2], [u32::MAX; 4]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
    }
}
