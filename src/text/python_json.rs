//! What Python's `json.dumps(value, ensure_ascii=False, sort_keys=True)` writes for a value that `json.loads` read.
//!
//! The benchmark's query texts are made by that call, and texts that differ in a byte are different queries. The
//! rules (spec: reference harness 14.1; benchmark 1.2): separators `", "` and `": "`, members in code-point order,
//! integers exact, floats as `repr` writes them, only `"`, `\` and C0 controls escaped.

use std::fmt;
use std::fmt::Write;

use super::json::Json;

/// The most digits Python converts between text and integer (`sys.int_info.default_max_str_digits`).
pub const MAX_INTEGER_DIGITS: usize = 4_300;

/// An integer that Python refuses to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerTooLong {
    /// How many digits it has.
    pub digits: usize,
}

impl fmt::Display for IntegerTooLong {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "an integer of {} digits, more than the {MAX_INTEGER_DIGITS} that Python reads",
            self.digits
        )
    }
}

impl std::error::Error for IntegerTooLong {}

/// Writes `value` as Python would.
pub fn dumps(value: &Json) -> Result<String, IntegerTooLong> {
    let mut out = String::new();
    write_value(value, &mut out)?;
    Ok(out)
}

fn write_value(value: &Json, out: &mut String) -> Result<(), IntegerTooLong> {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(true) => out.push_str("true"),
        Json::Bool(false) => out.push_str("false"),
        Json::Number(lexeme) => write_number(lexeme, out)?,
        Json::String(text) => write_string(text, out),
        Json::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(index, out);
                write_value(item, out)?;
            }
            out.push(']');
        }
        Json::Object(members) => {
            out.push('{');
            for (index, (name, item)) in members.iter().enumerate() {
                separate(index, out);
                write_string(name, out);
                out.push_str(": ");
                write_value(item, out)?;
            }
            out.push('}');
        }
    }
    Ok(())
}

fn separate(index: usize, out: &mut String) {
    if index > 0 {
        out.push_str(", ");
    }
}

fn write_number(lexeme: &str, out: &mut String) -> Result<(), IntegerTooLong> {
    if lexeme.contains(['.', 'e', 'E']) {
        // A JSON number is always a Rust float literal; overflow gives an infinity, as in Python.
        out.push_str(&float_repr(lexeme.parse().unwrap_or(f64::NAN)));
        return Ok(());
    }
    let digits = lexeme.trim_start_matches('-').len();
    if digits > MAX_INTEGER_DIGITS {
        return Err(IntegerTooLong { digits });
    }
    out.push_str(if lexeme == "-0" { "0" } else { lexeme });
    Ok(())
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            control if control < ' ' => {
                let _ = write!(out, "\\u{:04x}", control as u32);
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

/// Python's `repr` of a float, with JSON's names for what is not finite: the shortest digits that read back to
/// `value`; an exponent of at least two digits where the decimal exponent is below -4 or at least 16.
pub fn float_repr(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let scientific = format!("{:e}", value.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits: String = mantissa.chars().filter(|letter| *letter != '.').collect();
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if !(-4..16).contains(&exponent) {
        let direction = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{mantissa}e{direction}{:02}", exponent.unsigned_abs());
    }
    if exponent < 0 {
        let zeros = "0".repeat(exponent.unsigned_abs() as usize - 1);
        return format!("{sign}0.{zeros}{digits}");
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        return format!("{sign}{digits:0<whole$}.0");
    }
    let (before, after) = digits.split_at(whole);
    format!("{sign}{before}.{after}")
}
