//! Canonical JSON: the standard's own examples, and what any value must satisfy.

use proptest::prelude::*;
use retrieval_bench::report::{ReportError, to_canonical};
use serde_json::{Value, json};

use crate::fixture::shared;

fn text(value: &impl serde::Serialize) -> String {
    String::from_utf8(to_canonical(value).expect("JSON has it")).expect("JSON is UTF-8")
}

fn recanonical(input: &str) -> String {
    text(&serde_json::from_str::<Value>(input).expect("the example is JSON"))
}

#[test]
fn the_examples_of_rfc_8785_come_out_as_printed_there() {
    let input = r#"{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }"#;
    let wanted = r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#;
    assert_eq!(recanonical(input), format!("{wanted}\n"));

    let input = r#"{"\u20ac":5,"\r":1,"\ufb33":7,"1":2,"\ud83d\ude00":6,"\u0080":3,"\u00f6":4}"#;
    let wanted = "{\"\\r\":1,\"1\":2,\"\u{80}\":3,\"ö\":4,\"€\":5,\"😀\":6,\"\u{fb33}\":7}\n";
    assert_eq!(recanonical(input), wanted, "members are sorted by UTF-16 code units");
}

#[test]
fn numbers_are_written_as_in_the_table_of_rfc_8785() {
    for (bits, wanted) in [
        (0x0000_0000_0000_0000_u64, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
        (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"),
        (0xc340_0000_0000_0000, "-9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
        (0x44b5_2d02_c7e1_4af6, "1e+23"),
        (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
        (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
        (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
        (0x444b_1ae4_d6e2_ef50, "1e+21"),
        (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
        (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0x41b3_de43_5555_5553, "333333333.3333332"),
        (0x41b3_de43_5555_5554, "333333333.33333325"),
        (0x41b3_de43_5555_5555, "333333333.3333333"),
        (0x41b3_de43_5555_5556, "333333333.3333334"),
        (0x41b3_de43_5555_5557, "333333333.33333343"),
        (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
    ] {
        assert_eq!(text(&f64::from_bits(bits)), format!("{wanted}\n"), "{bits:016x}");
    }
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(matches!(to_canonical(&value), Err(ReportError::Render(_))), "{value}");
    }
}

#[test]
fn numbers_of_the_reference_come_out_the_same_except_for_negative_zero() {
    let Some(path) = shared("data/harness-golden/unit/floats.json") else { return };
    let table: Vec<Value> =
        serde_json::from_slice(&std::fs::read(path).expect("readable")).expect("it is JSON");
    assert!(!table.is_empty());
    for row in table {
        for (bits, json) in [("bits", "json"), ("rounded_bits", "rounded_json")] {
            let bits = row[bits].as_str().expect("hexadecimal");
            let value = f64::from_bits(u64::from_str_radix(bits, 16).expect("hexadecimal"));
            if !value.is_finite() {
                continue; // what the largest numbers round to
            }
            let wanted = row[json].as_str().expect("a number's text");
            let wanted = if wanted == "-0" { "0" } else { wanted };
            assert_eq!(text(&value), format!("{wanted}\n"), "{row}");
        }
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        proptest::num::f64::NORMAL.prop_map(Value::from),
        proptest::num::f64::SUBNORMAL.prop_map(Value::from),
        Just(json!(-0.0)),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 8, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            proptest::collection::btree_map(any::<String>(), inner, 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn canonical_text_is_a_fixed_point_on_one_line(value in any_json()) {
        let once = text(&value);
        prop_assert_eq!(once.find('\n'), Some(once.len() - 1));
        prop_assert!(!once.contains("-0,") && once != "-0\n");
        let parsed: Value = serde_json::from_str(&once).expect("canonical text is JSON");
        prop_assert_eq!(text(&parsed), once);
    }
}
