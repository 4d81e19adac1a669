//! JSON Schema (draft 2020-12) of what this program writes.
//!
//! The schemas follow from the types, and describe what is written, not the older reports that are read as well.
//! Objects are closed: a member that the schema does not name is an error in the program or in the file.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

use super::model::Report;
use crate::registration::Registration;

/// The schema of a report.
pub fn report_schema() -> Value {
    schema_of::<Report>("A report of retrieval-bench")
}

/// The schema of a registration file.
pub fn registration_schema() -> Value {
    schema_of::<Registration>("A registration of retrieval-bench")
}

fn schema_of<T: JsonSchema>(title: &str) -> Value {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema: Schema = generator.into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    let mut schema = schema.to_value();
    close(&mut schema);
    schema
}

/// Closes every object that names its members.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if is_open(members) {
                members.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
            members.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

fn is_open(schema: &Map<String, Value>) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("object")
        && schema.get("properties").is_some_and(Value::is_object)
        && !schema.contains_key("additionalProperties")
        && !schema.contains_key("patternProperties")
        && !schema.contains_key("unevaluatedProperties")
}
