//! What a packet says, by walking its JSON as the specification tells it.

use retrieval_bench::corvint::Asked;
use serde_json::Value;

/// Ranking, abstention and state.
pub type Said = (Vec<String>, bool, String);

/// `None` where there is no packet. A known member that occurs twice is not noticed here.
pub fn answer(arm: &str, stdout: &[u8], asked: &Asked) -> Option<Said> {
    let packet: Value = serde_json::from_str(str::from_utf8(stdout).ok()?).ok()?;
    packet.as_object()?;
    let mut ranked = Vec::new();
    let (state, abstained);
    match arm {
        "corvint" => {
            let context = object(&packet, "context")?;
            state = string(&context, "state")?;
            for result in array(&context, "results")? {
                let evidence = array(&result, "evidence")?;
                let paths: Vec<String> =
                    evidence.iter().map(|place| string(place, "path")).collect::<Option<_>>()?;
                if let Some(path) = paths.first() {
                    push(path, &mut ranked)?;
                }
            }
            abstained = state == "OUT_OF_SCOPE" || ranked.is_empty();
        }
        "context" => {
            let said = string(&packet, "state")?;
            for result in array(&packet, "results")? {
                let id = string(&result, "id")?;
                if !id.is_empty() {
                    push(&id, &mut ranked)?;
                }
            }
            let coverage = object(&packet, "coverage")?;
            let verdict = string(&object(&coverage, "answerability")?, "verdict")?;
            let unsupported = verdict == "unsupported-conjunction";
            abstained = said == "NO_CANDIDATES" || unsupported || ranked.is_empty();
            state = if unsupported { said + "/" + &verdict } else { said };
        }
        "impact" => {
            let context = object(&packet, "context")?;
            state = string(&context, "state")?;
            for result in array(&context, "results")? {
                for place in array(&result, "evidence")? {
                    push(&string(&place, "path")?, &mut ranked)?;
                }
            }
            remove_change(asked, &mut ranked);
            abstained = state == "OUT_OF_SCOPE" || !ranked.iter().any(|path| is_free(path, asked));
        }
        _ => {
            let plan = object(&packet, "plan")?;
            state = string(&plan, "scope")?;
            for unit in array(&plan, "selected")? {
                for test in array(&unit, "tests")? {
                    push(&text(&test)?, &mut ranked)?;
                }
            }
            remove_change(asked, &mut ranked);
            abstained = !ranked.iter().any(|path| is_free(path, asked));
        }
    }
    ranked.retain(|path| is_free(path, asked));
    ranked.truncate(asked.limit);
    Some((ranked, abstained, state))
}

fn push(path: &str, ranked: &mut Vec<String>) -> Option<()> {
    if !ranked.iter().any(|known| known == path) {
        ranked.push(path.to_owned());
    }
    (!path.contains('\0')).then_some(())
}

fn is_free(path: &str, asked: &Asked) -> bool {
    !asked.excluded.iter().any(|given| given == path)
}

fn remove_change(asked: &Asked, ranked: &mut Vec<String>) {
    ranked.retain(|path| Some(path.as_str()) != asked.changed);
}

/// A member that is an object; null and nothing are an empty one.
fn object(of: &Value, name: &str) -> Option<Value> {
    match known(of)?.get(name) {
        None | Some(Value::Null) => Some(Value::Object(Default::default())),
        Some(found) => found.is_object().then(|| found.clone()),
    }
}

fn array(of: &Value, name: &str) -> Option<Vec<Value>> {
    match known(of)?.get(name) {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(found) => found.as_array().cloned(),
    }
}

fn string(of: &Value, name: &str) -> Option<String> {
    text(known(of)?.get(name).unwrap_or(&Value::Null))
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        other => other.as_str().map(str::to_owned),
    }
}

/// The members of an object; null has none.
fn known(of: &Value) -> Option<serde_json::Map<String, Value>> {
    match of {
        Value::Null => Some(Default::default()),
        other => other.as_object().cloned(),
    }
}
