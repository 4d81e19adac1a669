//! What the verbs' packets share: their JSON, and how a list of paths becomes a ranking.
//!
//! A packet is one JSON object and white space. Unknown members are ignored; known ones that are absent or null have
//! their default; everything else is an error: a member of another type, a known member twice, bytes behind the object,
//! nothing at all, what is not UTF-8, a lone surrogate, nesting beyond serde_json's bound, a path with a NUL. An error
//! is one short sentence: it repeats no more than the ends of what the packet holds.

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::arm::Answer;

/// What was asked, as far as an answer depends on it.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The longest ranking, from 1.
    pub limit: usize,
    /// Given files that may not be ranked.
    pub excluded: &'a [String],
    /// The changed file, which answers no question about itself.
    pub changed: Option<&'a str>,
}

impl Asked<'_> {
    /// Takes the given files out of `paths`.
    pub(super) fn without_given(&self, mut paths: Vec<String>) -> Vec<String> {
        paths.retain(|path| !self.excluded.contains(path));
        paths
    }

    /// Takes the given files and the changed one out of `paths`.
    pub(super) fn without_known(&self, mut paths: Vec<String>) -> Vec<String> {
        paths.retain(|path| self.changed != Some(path));
        self.without_given(paths)
    }

    /// The answer that ranks `paths`, cut to the limit.
    pub(super) fn answer(
        &self,
        stdout: &[u8],
        mut paths: Vec<String>,
        abstained: bool,
        state: String,
    ) -> Answer {
        paths.truncate(self.limit);
        Answer {
            ranked: paths,
            abstained,
            state,
            packet_bytes: stdout.len() as u64,
            ..Answer::default()
        }
    }
}

/// The packet of `query` and of `impact`.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct Packet {
    pub context: Object<Context>,
}

#[derive(Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct Context {
    #[serde(deserialize_with = "null_as_default")]
    pub state: String,
    #[serde(deserialize_with = "null_as_default")]
    pub results: Vec<Object<Row>>,
}

/// One result: what was found, and where it is seen.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct Row {
    #[serde(deserialize_with = "null_as_default")]
    pub evidence: Vec<Object<Evidence>>,
}

#[derive(Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct Evidence {
    /// Empty where it is missing: that is how such a row is ranked.
    #[serde(deserialize_with = "null_as_default")]
    pub path: String,
}

/// A JSON object, or null for its default. Derived readers would take an array, too.
#[derive(Default)]
pub(super) struct Object<T>(pub T);

impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Members<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de> + Default> Visitor<'de> for Members<T> {
            type Value = T;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }

            fn visit_unit<E>(self) -> Result<T, E> {
                Ok(T::default())
            }
        }

        input.deserialize_any(Members(PhantomData)).map(Object)
    }
}

/// A value, or null for its default.
pub(super) fn null_as_default<'de, T, D>(input: D) -> Result<T, D::Error>
where
    T: Deserialize<'de> + Default,
    D: Deserializer<'de>,
{
    Ok(Option::deserialize(input)?.unwrap_or_default())
}

/// The packet that a call printed.
pub(super) fn read<T: DeserializeOwned + Default>(stdout: &[u8]) -> Result<T, String> {
    let text = match str::from_utf8(stdout) {
        Ok(text) => text,
        Err(error) => {
            let byte = error.valid_up_to() + 1;
            return Err(format!("unreadable packet: byte {byte} is not UTF-8"));
        }
    };
    match text.trim_ascii_start().chars().next() {
        None => return Err("unreadable packet: nothing was printed".to_owned()),
        // Null would otherwise be an object of defaults, and so an abstention.
        Some('n') => return Err("unreadable packet: it is not an object".to_owned()),
        Some(_) => {}
    }
    // Members that nobody reads are held to the grammar and the depth as well.
    serde_json::from_str::<Anything>(text).map_err(|error| unreadable(&error))?;
    serde_json::from_str::<Object<T>>(text)
        .map(|Object(packet)| packet)
        .map_err(|error| unreadable(&error))
}

/// The paths of a packet, each once, in order.
pub(super) fn distinct(paths: impl IntoIterator<Item = String>) -> Result<Vec<String>, String> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for path in paths {
        if path.contains('\0') {
            return Err("unreadable packet: a path holds a NUL".to_owned());
        }
        if seen.insert(path.clone()) {
            found.push(path);
        }
    }
    Ok(found)
}

/// The most that an error repeats from each end of a text of the packet, in characters.
const EXCERPT: usize = 80;

fn unreadable(error: &serde_json::Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = error.to_string();
    let what = text.strip_suffix(&place).unwrap_or(&text);
    format!("unreadable packet: {}{place}", excerpt(what))
}

/// `text` in one line, with its middle left out where it is long.
fn excerpt(text: &str) -> String {
    let clean = |letter: char| if letter.is_control() { ' ' } else { letter };
    let chars = text.chars().count();
    if chars <= 2 * EXCERPT {
        return text.chars().map(clean).collect();
    }
    let (head, tail) = (text.chars().take(EXCERPT), text.chars().skip(chars - EXCERPT));
    head.chain(['…']).chain(tail).map(clean).collect()
}

/// Any value. Unlike serde's own reader of ignored values it looks into strings and keeps to the depth.
struct Anything;

impl<'de> Deserialize<'de> for Anything {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Accept;

        impl<'de> Visitor<'de> for Accept {
            type Value = Anything;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("any value")
            }

            fn visit_bool<E>(self, _: bool) -> Result<Anything, E> {
                Ok(Anything)
            }

            fn visit_i64<E>(self, _: i64) -> Result<Anything, E> {
                Ok(Anything)
            }

            fn visit_u64<E>(self, _: u64) -> Result<Anything, E> {
                Ok(Anything)
            }

            fn visit_f64<E>(self, _: f64) -> Result<Anything, E> {
                Ok(Anything)
            }

            fn visit_str<E>(self, _: &str) -> Result<Anything, E> {
                Ok(Anything)
            }

            fn visit_unit<E>(self) -> Result<Anything, E> {
                Ok(Anything)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Anything, A::Error> {
                while items.next_element::<Anything>()?.is_some() {}
                Ok(Anything)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Anything, A::Error> {
                while members.next_entry::<Anything, Anything>()?.is_some() {}
                Ok(Anything)
            }
        }

        input.deserialize_any(Accept)
    }
}
