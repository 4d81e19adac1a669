//! What a fact about a system is: one row of a table, from which reading, schema and documentation follow.

use std::collections::BTreeMap;

use schemars::Schema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::host_root::HostRoot;

/// What a known value looks like in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A string that is not empty.
    Text,
    /// A whole number.
    Count,
    /// A number.
    Number,
    /// A list of numbers.
    Numbers,
    /// `true` or `false`.
    Flag,
    /// How many CPUs have each value: an object of whole numbers.
    Tally,
}

/// One fact.
#[derive(Debug)]
pub struct Fact {
    /// Its member's name.
    pub name: &'static str,
    /// Where it is read, beneath the root.
    pub at: &'static str,
    /// What a known value looks like.
    pub kind: Kind,
    /// What it says, in one sentence.
    pub about: &'static str,
    /// The value, or why there is none.
    pub read: fn(&HostRoot) -> Result<Value, String>,
}

/// The facts of one table as they were read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// Why a fact is `null`, by its name.
    #[serde(default)]
    pub unknown: BTreeMap<String, String>,
    /// Every fact of the table; `null` where it could not be read.
    #[serde(flatten)]
    pub values: BTreeMap<String, Value>,
}

impl Facts {
    /// Reads every fact of a table.
    pub fn read(root: &HostRoot, table: &[Fact]) -> Facts {
        let mut facts = Facts::default();
        for fact in table {
            let value = (fact.read)(root).unwrap_or_else(|reason| {
                facts.unknown.insert(fact.name.to_owned(), reason);
                Value::Null
            });
            facts.values.insert(fact.name.to_owned(), value);
        }
        facts
    }

    /// A fact, or why it is unknown.
    pub fn get(&self, name: &str) -> Result<&Value, String> {
        match self.values.get(name) {
            Some(value) if !value.is_null() => Ok(value),
            _ => Err(self.unknown.get(name).cloned().unwrap_or_else(|| "it was not read".into())),
        }
    }

    /// A number, or why it is unknown.
    pub fn number(&self, name: &str) -> Result<f64, String> {
        self.get(name)?.as_f64().ok_or_else(|| "it is no number".to_owned())
    }
}

/// The schema of an object that holds the facts of a table, why some are `null`, and `others`.
pub(super) fn schema(about: &str, table: &[Fact], others: Vec<(&str, Value)>) -> Schema {
    let mut members = Map::new();
    for fact in table {
        let mut member = known(fact.kind);
        let about = format!("{} Read from {}.", fact.about, fact.at);
        member.insert("description".to_owned(), about.into());
        members.insert(fact.name.to_owned(), member.into());
    }
    let reasons = json!({
        "type": "object",
        "description": "Why a member is null, by its name.",
        "additionalProperties": {"type": "string"},
    });
    members.insert("unknown".to_owned(), reasons);
    members.extend(others.into_iter().map(|(name, member)| (name.to_owned(), member)));
    let required: Vec<&String> = members.keys().collect();
    let required = json!(required);
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("description".to_owned(), about.into());
    schema.insert("properties".to_owned(), members.into());
    schema.insert("required".to_owned(), required);
    schema.into()
}

/// The schema of a value of this kind, or `null`.
fn known(kind: Kind) -> Map<String, Value> {
    let schema = match kind {
        Kind::Text => json!({"type": ["string", "null"], "minLength": 1}),
        Kind::Count => json!({"type": ["integer", "null"], "minimum": 0}),
        Kind::Number => json!({"type": ["number", "null"]}),
        Kind::Numbers => json!({"type": ["array", "null"], "items": {"type": "number"}}),
        Kind::Flag => json!({"type": ["boolean", "null"]}),
        Kind::Tally => json!({
            "type": ["object", "null"],
            "additionalProperties": {"type": "integer", "minimum": 1},
        }),
    };
    match schema {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}
