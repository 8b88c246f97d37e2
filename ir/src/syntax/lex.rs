//! Words of program text, and a cursor over them.

use crate::diag::{Code, Diagnostic, Source, Span};
use std::ops::Range;
use std::sync::Arc;

/// One word of program text.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Token<'a> {
    /// A keyword, op name, axis name or dtype.
    Word(&'a str),
    /// `%name`, without the sign.
    Value(&'a str),
    /// `@name`, without the sign.
    Symbol(&'a str),
    /// A number, sign included: `12`, `-1.5e3`, `0x7F`.
    Number(&'a str),
    /// A quoted string, quotes excluded, escapes kept.
    Text(&'a str),
    /// One sign; `->` is [`Token::Arrow`].
    Sign(char),
    /// `->`
    Arrow,
    /// The end of the text.
    End,
}

/// Position in a program's text.
#[derive(Clone)]
pub struct Cursor<'a> {
    source: &'a Arc<Source>,
    text: &'a str,
    at: usize,
    token: Token<'a>,
    span: Range<usize>,
}

/// What parsing gives.
pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;

impl<'a> Cursor<'a> {
    /// A cursor at the first word.
    pub fn new(source: &'a Arc<Source>) -> Cursor<'a> {
        let mut cursor = Cursor { source, text: &source.text, at: 0, token: Token::End, span: 0..0 };
        cursor.advance();
        cursor
    }

    /// The word at the cursor.
    pub fn peek(&self) -> Token<'a> {
        self.token
    }

    /// Where that word stands.
    pub fn span(&self) -> Span {
        Span::new(self.source, self.span.clone())
    }

    /// Byte at which that word starts.
    pub fn start(&self) -> usize {
        self.span.start
    }

    /// The source that is read.
    pub fn source(&self) -> &'a Arc<Source> {
        self.source
    }

    /// Whether the word is the first one on its line.
    pub fn starts_line(&self) -> bool {
        let before = &self.text.as_bytes()[..self.span.start];
        before.iter().rev().take_while(|&&b| b != b'\n').all(u8::is_ascii_whitespace)
    }

    /// Goes to the first word behind the line of the word at the cursor.
    pub fn skip_line(&mut self) {
        let rest = &self.text.as_bytes()[self.span.start..];
        self.at = self.span.start + rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.advance();
    }

    /// Takes the word.
    pub fn take(&mut self) -> Token<'a> {
        let token = self.token;
        self.advance();
        token
    }

    fn advance(&mut self) {
        let bytes = self.text.as_bytes();
        loop {
            while self.at < bytes.len() && bytes[self.at].is_ascii_whitespace() {
                self.at += 1;
            }
            if !bytes[self.at..].starts_with(b"//") {
                break;
            }
            self.at += bytes[self.at..].iter().position(|&b| b == b'\n').unwrap_or(bytes.len() - self.at);
        }
        let start = self.at;
        self.token = self.lex(bytes, start);
        self.span = start..self.at;
    }

    fn lex(&mut self, bytes: &[u8], start: usize) -> Token<'a> {
        let Some(&first) = bytes.get(start) else { return Token::End };
        let text = self.text;
        let run = |from: usize, ok: fn(u8) -> bool| {
            from + bytes[from..].iter().position(|&b| !ok(b)).unwrap_or(bytes.len() - from)
        };
        let name = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'.';
        let signed = first == b'-' && bytes.get(start + 1).is_some_and(u8::is_ascii_digit);
        match first {
            b'%' | b'@' => {
                self.at = run(start + 1, name);
                let word = &text[start + 1..self.at];
                if first == b'%' { Token::Value(word) } else { Token::Symbol(word) }
            }
            b'"' => {
                let mut end = start + 1;
                while end < bytes.len() && bytes[end] != b'"' {
                    end += if bytes[end] == b'\\' { 2 } else { 1 };
                }
                if end >= bytes.len() {
                    self.at = bytes.len();
                    return Token::Sign('"'); // never closed
                }
                self.at = end + 1;
                Token::Text(&text[start + 1..end])
            }
            b'-' if bytes.get(start + 1) == Some(&b'>') => {
                self.at = start + 2;
                Token::Arrow
            }
            _ if first.is_ascii_digit() || signed => {
                self.at = run(start + 1, |b| b.is_ascii_alphanumeric() || b == b'.');
                // An exponent may carry a sign: 1e-5.
                let exponent = matches!(bytes[self.at - 1], b'e' | b'E') && !text[start..self.at].contains('x');
                if exponent && matches!(bytes.get(self.at), Some(b'-' | b'+')) {
                    self.at = run(self.at + 1, |b| b.is_ascii_digit());
                }
                // `0..8` is a range, not a number.
                if let Some(dots) = text[start..self.at].find("..") {
                    self.at = start + dots;
                }
                Token::Number(&text[start..self.at])
            }
            _ if first.is_ascii_alphabetic() || first == b'_' => {
                self.at = run(start, |b| b.is_ascii_alphanumeric() || b == b'_');
                Token::Word(&text[start..self.at])
            }
            _ => {
                let sign = text[start..].chars().next().unwrap_or('?');
                self.at = start + sign.len_utf8();
                Token::Sign(sign)
            }
        }
    }

    /// An error at the cursor.
    pub fn error(&self, title: impl Into<String>) -> Box<Diagnostic> {
        Box::new(Diagnostic::new(Code::T001, title).at(self.span(), ""))
    }

    fn found(&self) -> String {
        match self.token {
            Token::End => "the text ends here".into(),
            _ => {
                let word: String = self.text[self.span.clone()].chars().take(40).collect();
                format!("found `{word}`")
            }
        }
    }

    /// An error that says what was expected instead of the word at the cursor.
    pub fn expected(&self, what: &str) -> Box<Diagnostic> {
        self.error(format!("expected {what}, {}", self.found()))
    }

    /// Takes the word if it is `word`.
    pub fn eat(&mut self, word: &str) -> bool {
        let hit = match self.token {
            Token::Word(w) => w == word,
            Token::Arrow => word == "->",
            Token::Sign(c) => {
                let mut buffer = [0; 4];
                c.encode_utf8(&mut buffer) == word
            }
            Token::Value(_) | Token::Symbol(_) | Token::Number(_) | Token::Text(_) | Token::End => false,
        };
        if hit {
            self.advance();
        }
        hit
    }

    /// Takes `word`, or fails.
    pub fn expect(&mut self, word: &str) -> Result<()> {
        if self.eat(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    /// Takes several words in a row (`-> dim`) if they are all there.
    pub fn eat_all(&mut self, words: &str) -> bool {
        let mut ahead = self.clone();
        let all = words.split(' ').all(|w| ahead.eat(w));
        if all {
            *self = ahead;
        }
        all
    }

    /// Takes a keyword or name.
    pub fn word(&mut self, what: &str) -> Result<&'a str> {
        match self.token {
            Token::Word(w) => {
                self.advance();
                Ok(w)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// Takes a number of type `T`.
    pub fn number<T: std::str::FromStr>(&mut self, what: &str) -> Result<T> {
        match self.token {
            Token::Number(n) => match n.parse() {
                Ok(value) => {
                    self.advance();
                    Ok(value)
                }
                Err(_) => Err(self.expected(what)),
            },
            _ => Err(self.expected(what)),
        }
    }

    /// Takes `[item, item, ...]`.
    pub fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.expect("[")?;
        let mut items = Vec::new();
        while !self.eat("]") {
            if !items.is_empty() {
                self.expect(",")?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }
}
