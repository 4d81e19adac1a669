//! What the pages of a Parquet column say they decode to, from their headers alone.
//!
//! The decoder allocates what a header says before it looks at the page, and a header of twenty bytes can say two
//! gigabytes. So the headers are read first (Thrift's compact protocol, as far as the format uses it). This looks at no
//! page and decodes nothing.

/// The encodings whose decoder allocates no more than the headers say: plain, and both names of the dictionary's.
const ENCODINGS: [i64; 3] = [0, 2, 8];

/// Pages of values and of dictionaries; any others are skipped by the decoder.
const DATA: i64 = 0;
const DICTIONARY: i64 = 2;
const DATA_V2: i64 = 3;

/// The smallest string of a dictionary: its length.
const LEAST_ENTRY: i64 = 4;

/// Structures in structures in structures: one more than the format has.
const MOST_DEPTH: usize = 4;

/// The bytes that all pages of a column chunk of strings decode to.
pub(super) fn decoded_bytes(mut chunk: &[u8]) -> Result<u64, &'static str> {
    let mut total: u64 = 0;
    while !chunk.is_empty() {
        let mut header = Compact(chunk);
        let page = header.structure(0).ok_or("the header of a page is broken")?;
        let (Some(decoded), Some(stored)) = (page.integer(2), page.integer(3)) else {
            return Err("the header of a page says no size");
        };
        total = u64::try_from(decoded)
            .ok()
            .and_then(|decoded| total.checked_add(decoded))
            .ok_or("the header of a page says a size below zero")?;
        let encoding = match page.integer(1) {
            Some(DATA) => page.structure(5).and_then(|data| data.integer(2)),
            Some(DATA_V2) => page.structure(8).and_then(|data| data.integer(4)),
            Some(DICTIONARY) => {
                let dictionary = page.structure(7);
                let entries = dictionary.and_then(|dictionary| dictionary.integer(1));
                if entries.is_none_or(|entries| entries > decoded / LEAST_ENTRY) {
                    return Err("a dictionary has more entries than bytes");
                }
                dictionary.and_then(|dictionary| dictionary.integer(2))
            }
            _ => Some(ENCODINGS[0]),
        };
        if !encoding.is_some_and(|encoding| ENCODINGS.contains(&encoding)) {
            return Err(
                "its strings are neither plain nor in a dictionary, the encodings that are read",
            );
        }
        let stored = usize::try_from(stored).ok();
        chunk = stored.and_then(|stored| header.0.get(stored..)).ok_or("a page is cut")?;
    }
    Ok(total)
}

/// The fields of a structure that are looked at.
struct Structure(Vec<(u64, Field)>);

enum Field {
    Integer(i64),
    Structure(Structure),
    Other,
}

impl Structure {
    fn integer(&self, id: u64) -> Option<i64> {
        self.0.iter().find_map(|(known, field)| match field {
            Field::Integer(value) if *known == id => Some(*value),
            _ => None,
        })
    }

    fn structure(&self, id: u64) -> Option<&Structure> {
        self.0.iter().find_map(|(known, field)| match field {
            Field::Structure(value) if *known == id => Some(value),
            _ => None,
        })
    }
}

/// A reader of the compact protocol: what is left to read.
struct Compact<'a>(&'a [u8]);

impl Compact<'_> {
    fn skip(&mut self, bytes: u64) -> Option<()> {
        self.0 = self.0.get(usize::try_from(bytes).ok()?..)?;
        Some(())
    }

    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(byte)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn integer(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn structure(&mut self, depth: usize) -> Option<Structure> {
        let (mut fields, mut id) = (Vec::new(), 0_u64);
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Some(Structure(fields));
            }
            id = match head >> 4 {
                0 => u64::try_from(self.integer()?).ok()?,
                delta => id.checked_add(u64::from(delta))?,
            };
            let field = match head & 0x0f {
                // A truth is told by its type alone.
                1 | 2 => Field::Other,
                kind => self.value(kind, depth)?,
            };
            fields.push((id, field));
        }
    }

    fn value(&mut self, kind: u8, depth: usize) -> Option<Field> {
        match kind {
            1..=3 => self.skip(1)?,
            4..=6 => return self.integer().map(Field::Integer),
            7 => self.skip(8)?,
            8 => {
                let length = self.varint()?;
                self.skip(length)?;
            }
            12 if depth < MOST_DEPTH => return self.structure(depth + 1).map(Field::Structure),
            // No page header holds a list or a map.
            _ => return None,
        }
        Some(Field::Other)
    }
}
