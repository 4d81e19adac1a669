//! What the text of a report must be before anything is made of it.
//!
//! One pass that keeps nothing but the names of open objects, so that a hostile report costs no more than its bytes.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// The largest integer that the canonical text can hold (RFC 8785 writes every number as a double).
const MAX_INTEGER: u64 = 1 << 53;

/// Says what is wrong with a text: not JSON, a member twice in one object, an integer that would be rounded, values
/// nested more than 127 deep.
pub(super) fn check(text: &str) -> Result<(), serde_json::Error> {
    serde_json::from_str::<Trusted>(text).map(|Trusted| ())
}

struct Trusted;

impl<'de> Deserialize<'de> for Trusted {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(Check)
    }
}

struct Check;

impl<'de> Visitor<'de> for Check {
    type Value = Trusted;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Trusted, E> {
        Ok(Trusted)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Trusted, E> {
        Ok(Trusted)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Trusted, E> {
        if value > MAX_INTEGER {
            return Err(E::custom(format_args!(
                "{value} is over 2^53, more than a report can hold"
            )));
        }
        Ok(Trusted)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Trusted, E> {
        if value.unsigned_abs() > MAX_INTEGER {
            return Err(E::custom(format_args!(
                "{value} is under -2^53, less than a report can hold"
            )));
        }
        Ok(Trusted)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Trusted, E> {
        Ok(Trusted)
    }

    fn visit_str<E>(self, _: &str) -> Result<Trusted, E> {
        Ok(Trusted)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Trusted, A::Error> {
        while items.next_element::<Trusted>()?.is_some() {}
        Ok(Trusted)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Trusted, A::Error> {
        let mut names = HashSet::new();
        while let Some(name) = members.next_key::<String>()? {
            members.next_value::<Trusted>()?;
            if let Some(name) = names.replace(name) {
                return Err(A::Error::custom(format_args!("member {name:?} occurs twice")));
            }
        }
        Ok(Trusted)
    }
}
