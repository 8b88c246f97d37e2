//! Cursor over MLIR text, which reads its tokens. Where a function has an argument `what`, it describes the expected
//! token in messages.
//! Invariant: the cursor is at the first byte of the next token. Each function that consumes a token also skips the
//! whitespace and comments after it.

use crate::fault::{Fault, Result, excerpt};
use std::ops::Range;

/// Position in the text.
#[derive(Clone)]
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// Byte offset of the end of the last token.
    token_end: usize,
    line: u32,
}

/// Bytes that a bare word may contain.
const IS_WORD_BYTE: [bool; 256] = {
    let mut table = [false; 256];
    let mut b = 0;
    while b < 256 {
        let c = b as u8;
        table[b] = c.is_ascii_alphanumeric() || c == b'_' || c == b'.' || c == b'$';
        b += 1;
    }
    table
};

impl<'a> Cursor<'a> {
    /// Creates a cursor at the first token of `text`.
    pub fn new(text: &'a str) -> Self {
        let mut cursor = Cursor { text, at: 0, token_end: 0, line: 1 };
        cursor.skip_blanks();
        cursor
    }

    /// Returns the byte offset of the next token.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Returns the line of the next token, starting at 1.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Returns true at the end of the text.
    pub fn at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// Returns the first byte of the next token; 0 at the end.
    #[inline]
    pub fn peek(&self) -> u8 {
        self.byte(0)
    }

    #[inline]
    fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Returns the text from the next token on.
    pub fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Returns the byte range of `part` in the text; `None` if `part` is not a slice of the text.
    pub fn range_of(&self, part: &str) -> Option<Range<usize>> {
        let start = (part.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize)?;
        (start + part.len() <= self.text.len()).then(|| start..start + part.len())
    }

    /// Returns the text from `start` to the end of the last token.
    pub fn text_since(&self, start: usize) -> &'a str {
        self.text.get(start..self.token_end).unwrap_or_default()
    }

    #[inline]
    fn skip_blanks(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&b) = bytes.get(self.at) {
            match b {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\n' => {
                    self.at += 1;
                    self.line = self.line.saturating_add(1);
                }
                b'/' if self.byte(1) == b'/' => {
                    let rest = &bytes[self.at..];
                    self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                }
                _ => break,
            }
        }
    }

    /// Advances over a token of `n` bytes, and over the whitespace and comments after it.
    #[inline]
    pub fn advance(&mut self, n: usize) {
        self.at += n;
        self.token_end = self.at;
        self.skip_blanks();
    }

    /// Advances over `n` bytes that may contain line breaks, and over the whitespace and comments after them.
    pub fn advance_lines(&mut self, n: usize) {
        let lines = self.text.as_bytes()[self.at..self.at + n].iter().filter(|&&b| b == b'\n').count();
        self.line = self.line.saturating_add(lines as u32);
        self.advance(n);
    }

    /// Consumes `byte` if it is next, and returns true.
    #[inline]
    pub fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte && !self.at_end();
        if found {
            self.advance(1);
        }
        found
    }

    /// Consumes `->` if it is next, and returns true.
    pub fn eat_arrow(&mut self) -> bool {
        let found = self.peek() == b'-' && self.byte(1) == b'>';
        if found {
            self.advance(2);
        }
        found
    }

    /// Consumes the bytes of `token` if they are next, regardless of the text after them, and returns true.
    pub fn eat_str(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.advance(token.len());
        }
        found
    }

    /// Consumes the bare word `word` if it is next, and returns true.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word) && !IS_WORD_BYTE[usize::from(self.byte(word.len()))];
        if found {
            self.advance(word.len());
        }
        found
    }

    /// Consumes `byte`. Errors: another token is next. `what` describes the purpose of the byte, for example "after the
    /// operands".
    #[inline]
    pub fn expect(&mut self, byte: u8, what: &str) -> Result<()> {
        if self.eat(byte) { Ok(()) } else { Err(self.unexpected(&format!("`{}` {what}", byte as char))) }
    }

    /// Consumes the bare word `word`. Errors: another token is next.
    pub fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}`"))) }
    }

    /// Consumes a possibly empty bare word: letters, digits, `_`, `.` and `$`.
    #[inline]
    pub fn word(&mut self) -> &'a str {
        let rest = &self.text.as_bytes()[self.at..];
        let n = rest.iter().position(|&b| !IS_WORD_BYTE[usize::from(b)]).unwrap_or(rest.len());
        let word = &self.text[self.at..self.at + n];
        self.advance(n);
        word
    }

    /// Consumes a nonempty bare word. Errors: another token is next.
    pub fn name(&mut self, what: &str) -> Result<&'a str> {
        if IS_WORD_BYTE[usize::from(self.peek())] && !self.at_end() {
            Ok(self.word())
        } else {
            Err(self.unexpected(what))
        }
    }

    /// Consumes a sigil such as `%` or `#` and its word, which may contain `-`. Returns the word without the sigil.
    #[inline]
    pub fn sigil(&mut self, sigil: u8, what: &str) -> Result<&'a str> {
        if self.peek() != sigil {
            return Err(self.unexpected(what));
        }
        let rest = &self.text.as_bytes()[self.at + 1..];
        let n = rest.iter().position(|&b| !IS_WORD_BYTE[usize::from(b)] && b != b'-').unwrap_or(rest.len());
        if n == 0 {
            return Err(self.unexpected(what));
        }
        let word = &self.text[self.at + 1..self.at + 1 + n];
        self.advance(1 + n);
        Ok(word)
    }

    /// Consumes `@name` or `@"name"`, and returns it without the `@`.
    pub fn symbol(&mut self, what: &str) -> Result<&'a str> {
        if self.peek() == b'@' && self.byte(1) == b'"' {
            self.at += 1;
            return self.string(what);
        }
        self.sigil(b'@', what)
    }

    /// Consumes a string literal, and returns the raw text between the quotes.
    pub fn string(&mut self, what: &str) -> Result<&'a str> {
        if self.peek() != b'"' {
            return Err(self.unexpected(what));
        }
        let start = self.at + 1;
        let bytes = self.text.as_bytes();
        let mut end = start;
        loop {
            match bytes.get(end) {
                Some(b'"') => break,
                Some(b'\\') => end += 2,
                Some(b'\n') | None => {
                    let at = self.at..end.min(bytes.len());
                    return Err(Fault::malformed("a string is not closed", at).label("opened here"));
                }
                Some(_) => end += 1,
            }
        }
        let string = &self.text[start..end];
        self.at = end;
        self.advance(1);
        Ok(string)
    }

    /// Consumes a number, and returns its text: digits, sign, point, exponent, or `0x` and hexadecimal digits.
    pub fn number(&mut self, what: &str) -> Result<&'a str> {
        let bytes = &self.text.as_bytes()[self.at..];
        let sign = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
        if !bytes.get(sign).is_some_and(u8::is_ascii_digit) {
            return Err(self.unexpected(what));
        }
        let mut n = sign;
        let hex = bytes[n..].starts_with(b"0x") || bytes[n..].starts_with(b"0X");
        if hex {
            n += 2;
            n += bytes[n..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
        } else {
            n += bytes[n..].iter().take_while(|b| b.is_ascii_digit()).count();
            if bytes.get(n) == Some(&b'.') {
                n += 1 + bytes[n + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
            }
            let exponent = usize::from(matches!(bytes.get(n), Some(b'e' | b'E')));
            let signed = exponent + usize::from(exponent == 1 && matches!(bytes.get(n + 1), Some(b'-' | b'+')));
            if exponent == 1 && bytes.get(n + signed).is_some_and(u8::is_ascii_digit) {
                n += signed;
                n += bytes[n..].iter().take_while(|b| b.is_ascii_digit()).count();
            }
        }
        let number = &self.text[self.at..self.at + n];
        self.advance(n);
        Ok(number)
    }

    /// Consumes a signed integer.
    #[inline]
    pub fn integer(&mut self, what: &str) -> Result<i64> {
        let at = self.at;
        let number = self.number(what)?;
        number.parse().map_err(|_| {
            Fault::malformed(format!("`{}` is not a 64-bit integer", excerpt(number)), at..at + number.len())
        })
    }

    /// Consumes a balanced pair of brackets, and returns the text between them. The cursor must be at the opening
    /// bracket. Nesting is counted without recursion, so that its depth is unlimited.
    pub fn balanced(&mut self) -> Result<&'a str> {
        if !matches!(self.peek(), b'(' | b'[' | b'{' | b'<') {
            return Err(self.unexpected("an opening bracket"));
        }
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut depth = 0usize;
        while let Some(&b) = bytes.get(self.at) {
            match b {
                b'(' | b'[' | b'{' | b'<' => depth += 1,
                b'-' if self.byte(1) == b'>' => self.at += 1,
                b')' | b']' | b'}' | b'>' => {
                    depth -= 1;
                    if depth == 0 {
                        let inside = &self.text[start + 1..self.at];
                        self.advance(1);
                        return Ok(inside);
                    }
                }
                b'"' => {
                    self.string("a string")?;
                    continue;
                }
                b'\n' => self.line = self.line.saturating_add(1),
                _ => {}
            }
            self.at += 1;
        }
        let open = self.text[start..].chars().next().unwrap_or(' ');
        Err(Fault::malformed(format!("the text ends before this `{open}` is closed"), start..start + 1)
            .label("opened here"))
    }

    /// Returns the byte range of the next token, for messages.
    pub fn token_range(&self) -> Range<usize> {
        let n = match self.rest().chars().next() {
            Some(c) if c.is_ascii() && IS_WORD_BYTE[c as usize] => {
                self.rest().bytes().take_while(|&b| IS_WORD_BYTE[usize::from(b)]).count()
            }
            Some(c) => c.len_utf8(),
            None => 0,
        };
        self.at..self.at + n
    }

    /// Builds the fault for a token other than `what`.
    #[cold]
    pub fn unexpected(&self, what: &str) -> Box<Fault> {
        if self.at_end() {
            return Fault::malformed(format!("the text ends where {what} is expected"), self.at..self.at)
                .label("ends here")
                .help("the file is truncated: write it again");
        }
        let found = excerpt(self.rest());
        Fault::malformed(format!("expected {what}, found `{found}`"), self.token_range())
    }
}
