//! Mutations of an input: bytes, words and byte ranges that are removed, repeated, replaced or taken from another seed.

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::{Index, select};

/// Words and numbers at which readers tend to fail.
const WORDS: [&str; 24] = [
    "0",
    "-1",
    "1",
    "2",
    "65536",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "1e308",
    "1e-320",
    "1e999",
    "NaN",
    "inf",
    "true",
    "null",
    "{}",
    "[]",
    "\"\"",
    "[[[[[[[[",
    "\u{0}",
    "\u{e9}",
    "\n",
];

/// Maximum length of the byte range that a mutation moves.
const MAX_RANGE_BYTES: usize = 64;

/// One mutation of an input. Positions are fractions of the input's length, so that a mutation applies to any input.
#[derive(Clone, Debug)]
pub enum Mutation {
    /// Replace the input by another seed.
    Begin(Index),
    /// Remove a byte range.
    Remove(Index, usize),
    /// Repeat a byte range.
    Repeat(Index, usize, usize),
    /// Replace a byte.
    Byte(Index, u8),
    /// Replace the word at a position.
    Word(Index, &'static str),
    /// Insert a word.
    Insert(Index, &'static str),
    /// Replace the word at a position by one of any seed.
    Exchange(Index, Index, Index),
    /// Write a little- or big-endian number of the given number of bytes.
    Number(Index, u64, usize),
    /// Insert a byte range of any seed.
    Splice(Index, Index, Index, usize),
    /// Truncate the input.
    Truncate(Index),
}

/// Returns a strategy for sequences of mutations.
pub fn mutations() -> impl Strategy<Value = Vec<Mutation>> {
    let index = any::<Index>;
    let number =
        prop_oneof![Just(0), Just(u64::MAX), Just(1 << 31), Just(1 << 40), Just(i64::MAX as u64), any::<u64>()];
    let change = prop_oneof![
        2 => (index(), 1..MAX_RANGE_BYTES).prop_map(|(at, length)| Mutation::Remove(at, length)),
        2 => (index(), 1..MAX_RANGE_BYTES, 1..200usize)
            .prop_map(|(at, length, times)| Mutation::Repeat(at, length, times)),
        3 => (index(), any::<u8>()).prop_map(|(at, byte)| Mutation::Byte(at, byte)),
        4 => (index(), select(&WORDS[..])).prop_map(|(at, word)| Mutation::Word(at, word)),
        2 => (index(), select(&WORDS[..])).prop_map(|(at, word)| Mutation::Insert(at, word)),
        4 => (index(), index(), index()).prop_map(|(at, seed, from)| Mutation::Exchange(at, seed, from)),
        2 => (index(), number, 1..9usize).prop_map(|(at, number, bytes)| Mutation::Number(at, number, bytes)),
        2 => (index(), index(), index(), 1..MAX_RANGE_BYTES)
            .prop_map(|(at, seed, from, n)| Mutation::Splice(at, seed, from, n)),
        1 => index().prop_map(Mutation::Truncate),
    ];
    (index(), vec(change, 1..6)).prop_map(|(seed, mut changes)| {
        changes.insert(0, Mutation::Begin(seed));
        changes
    })
}

/// Returns a seed with mutations applied.
pub fn mutated_seed(seeds: &[Vec<u8>], mutations: &[Mutation]) -> Vec<u8> {
    let mut bytes = seeds[0].clone();
    for mutation in mutations {
        let place = |index: &Index| index.index(bytes.len() + 1);
        match mutation {
            Mutation::Begin(seed) => bytes = seed.get(seeds).clone(),
            Mutation::Remove(at, length) => {
                let at = place(at);
                bytes.drain(at..bytes.len().min(at + length));
            }
            Mutation::Repeat(at, length, times) => {
                let at = place(at);
                let stretch = bytes[at..bytes.len().min(at + length)].repeat(*times);
                bytes.splice(at..at, stretch);
            }
            Mutation::Byte(at, byte) => {
                let at = place(at);
                bytes.get_mut(at).into_iter().for_each(|old| *old = *byte);
            }
            Mutation::Word(at, word) => {
                let old = word_at(&bytes, place(at));
                bytes.splice(old, word.bytes());
            }
            Mutation::Insert(at, word) => {
                let at = place(at);
                bytes.splice(at..at, word.bytes());
            }
            Mutation::Exchange(at, seed, from) => {
                let seed = seed.get(seeds);
                let new = seed[word_at(seed, from.index(seed.len() + 1))].to_vec();
                let old = word_at(&bytes, place(at));
                bytes.splice(old, new);
            }
            Mutation::Number(at, number, width) => {
                let at = place(at);
                let old = at..bytes.len().min(at + width);
                bytes.splice(old, number.to_le_bytes()[..*width].iter().copied());
            }
            Mutation::Splice(at, seed, from, length) => {
                let (at, seed) = (place(at), seed.get(seeds));
                let from = from.index(seed.len() + 1);
                bytes.splice(at..at, seed[from..seed.len().min(from + length)].to_vec());
            }
            Mutation::Truncate(at) => bytes.truncate(place(at)),
        }
    }
    bytes
}

/// Returns the range of the word at a position (letters, digits, and characters of numbers and names), or of the byte
/// at that position.
fn word_at(bytes: &[u8], at: usize) -> std::ops::Range<usize> {
    let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.-+".contains(byte);
    let start = at - bytes[..at].iter().rev().take_while(is_word).count();
    let end = at + bytes[at..].iter().take_while(is_word).count();
    if start == end { at..bytes.len().min(at + 1) } else { start..end }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole() {
        assert_eq!(word_at(b"a = 12.5;", 5), 4..8);
        assert_eq!(word_at(b"a = 12.5;", 3), 3..4, "a space before a word");
        assert_eq!(word_at(b"", 0), 0..0);
    }
}
