//! What is said between a run and its guard: messages, each a list of byte strings.
//!
//! Both ends are this program, so a message that cannot be read means that the other end is gone. Lengths are bounded all
//! the same, since memory is allocated by them.

use std::io::{self, Read, Write};

/// The longest message: an answer of 8 MiB, or a question of a few, and room for the rest.
const LONGEST: u32 = 64 << 20;

/// Sends a message in one write.
pub(super) fn send(to: &mut impl Write, parts: &[&[u8]]) -> io::Result<()> {
    let length = |bytes: &[u8]| {
        u32::try_from(bytes.len()).ok().filter(|&length| length <= LONGEST).ok_or_else(too_long)
    };
    let mut message = Vec::new();
    message.extend(u32::try_from(parts.len()).map_err(|_| too_long())?.to_le_bytes());
    for part in parts {
        message.extend(length(part)?.to_le_bytes());
        message.extend_from_slice(part);
    }
    to.write_all(&length(&message)?.to_le_bytes())?;
    to.write_all(&message)
}

/// Waits for a message. The end of the stream is an error, wherever it comes.
pub(super) fn receive(from: &mut impl Read) -> io::Result<Vec<Vec<u8>>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > LONGEST {
        return Err(too_long());
    }
    let mut message = vec![0; length as usize];
    from.read_exact(&mut message)?;
    parse(&message).ok_or_else(|| io::Error::other("a message of the guard is damaged"))
}

fn parse(mut rest: &[u8]) -> Option<Vec<Vec<u8>>> {
    let number = |rest: &mut &[u8]| -> Option<usize> {
        let (head, tail) = rest.split_first_chunk::<4>()?;
        *rest = tail;
        usize::try_from(u32::from_le_bytes(*head)).ok()
    };
    let count = number(&mut rest)?;
    let mut parts = Vec::new();
    for _ in 0..count {
        let length = number(&mut rest)?;
        let (part, tail) = rest.split_at_checked(length)?;
        parts.push(part.to_vec());
        rest = tail;
    }
    rest.is_empty().then_some(parts)
}

fn too_long() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "a message of over 64 MiB")
}
