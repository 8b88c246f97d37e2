//! Lexer of program text: tokens and a cursor.

use crate::diag::{Code, Diagnostic, Source, Span};
use std::ops::Range;
use std::sync::Arc;

/// Token of program text.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Token<'a> {
    /// Keyword, op name, axis name or dtype.
    Word(&'a str),
    /// `%name` or `%"name"`, without the sign and the quotes. A name in quotes has no escapes.
    Value(&'a str),
    /// `@name`, without the sign.
    Symbol(&'a str),
    /// Number, including its sign: `12`, `-1.5e3`, `0x7F`.
    Number(&'a str),
    /// Quoted string, without the quotes and with its escapes.
    Text(&'a str),
    /// Single punctuation character; `->` is [`Token::Arrow`].
    Punct(char),
    /// `->`
    Arrow,
    /// End of the text.
    End,
}

/// Lexer state: the current token and its position.
#[derive(Clone)]
pub struct Cursor<'a> {
    source: &'a Arc<Source>,
    text: &'a str,
    at: usize,
    token: Token<'a>,
    span: Range<usize>,
}

/// Appends a quoted string.
pub fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            _ => out.push(c),
        }
    }
    out.push('"');
}

/// Returns the string that [`quote`] quoted, given the text between the quotes.
pub fn unquote(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some(c) => out.push(c),
                None => {}
            },
            _ => out.push(c),
        }
    }
    out
}

/// Returns true if a byte may occur in a value name without quotes.
pub fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.'
}

/// Returns true if a character may occur in a value name: all but quotes, which delimit the name, and control
/// characters.
pub fn is_name_char(c: char) -> bool {
    c != '"' && !c.is_control()
}

/// Result of parsing.
pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;

impl<'a> Cursor<'a> {
    /// Creates a cursor at the first token.
    pub fn new(source: &'a Arc<Source>) -> Cursor<'a> {
        let mut cursor = Cursor { source, text: &source.text, at: 0, token: Token::End, span: 0..0 };
        cursor.advance();
        cursor
    }

    /// Returns the current token.
    pub fn peek(&self) -> Token<'a> {
        self.token
    }

    /// Returns the span of the current token.
    pub fn span(&self) -> Span {
        Span::new(self.source, self.span.clone())
    }

    /// Returns the start of the current token in bytes.
    pub fn start(&self) -> usize {
        self.span.start
    }

    /// Returns the source that is parsed.
    pub fn source(&self) -> &'a Arc<Source> {
        self.source
    }

    /// Returns true if the current token is the first one on its line.
    pub fn starts_line(&self) -> bool {
        let before = &self.text.as_bytes()[..self.span.start];
        before.iter().rev().take_while(|&&b| b != b'\n').all(u8::is_ascii_whitespace)
    }

    /// Moves to the first token after the current line.
    pub fn skip_line(&mut self) {
        let rest = &self.text.as_bytes()[self.span.start..];
        self.at = self.span.start + rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.advance();
    }

    /// Returns the current token and moves to the next one.
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
        let name = is_name_byte;
        let signed = first == b'-' && bytes.get(start + 1).is_some_and(u8::is_ascii_digit);
        match first {
            b'%' if bytes.get(start + 1) == Some(&b'"') => {
                let end = text[start + 2..].find(|c| !is_name_char(c)).map(|length| start + 2 + length);
                match end {
                    Some(end) if bytes[end] == b'"' => {
                        self.at = end + 1;
                        Token::Value(&text[start + 2..end])
                    }
                    _ => {
                        self.at = start + 1;
                        Token::Punct('%') // never closed
                    }
                }
            }
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
                    return Token::Punct('"'); // never closed
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
                // The exponent may have a sign: 1e-5.
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
                Token::Punct(sign)
            }
        }
    }

    /// Creates an error at the current token.
    pub fn error(&self, title: impl Into<String>) -> Box<Diagnostic> {
        Box::new(Diagnostic::new(Code::T001, title).label(self.span(), ""))
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

    /// Creates an error that states what was expected instead of the current token.
    pub fn expected(&self, what: &str) -> Box<Diagnostic> {
        self.error(format!("expected {what}, {}", self.found()))
    }

    /// Consumes the current token if it is `word`.
    pub fn eat(&mut self, word: &str) -> bool {
        let hit = match self.token {
            Token::Word(w) => w == word,
            Token::Arrow => word == "->",
            Token::Punct(c) => {
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

    /// Consumes `word`, or returns an error.
    pub fn expect(&mut self, word: &str) -> Result<()> {
        if self.eat(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    /// Consumes several consecutive tokens (`-> dim`) if all of them match.
    pub fn eat_all(&mut self, words: &str) -> bool {
        let mut ahead = self.clone();
        let all = words.split(' ').all(|w| ahead.eat(w));
        if all {
            *self = ahead;
        }
        all
    }

    /// Consumes a keyword or name.
    pub fn word(&mut self, what: &str) -> Result<&'a str> {
        match self.token {
            Token::Word(w) => {
                self.advance();
                Ok(w)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// Consumes a number of type `T`.
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

    /// Consumes a list: `[item, item, ...]`.
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
