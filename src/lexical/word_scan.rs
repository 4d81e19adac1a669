//! Where the words of a text are: maximal runs of `[A-Za-z0-9_]`, found 64 bytes at a time.
//!
//! Eight bytes are classified at once inside a `u64` (SWAR, no intrinsics, no `unsafe`) and eight such answers make
//! one 64-bit mask, over which runs are found with bit counting instead of a branch per byte. Held to the byte-wise
//! definition by a property test.

const LOW_BITS: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
const BLOCK: usize = 64;

/// Calls `word(start, end)` for every maximal run of word bytes, in order.
#[inline]
pub fn for_each_word(text: &[u8], mut word: impl FnMut(usize, usize)) {
    let mut open: Option<usize> = None;
    let (blocks, tail) = text.as_chunks::<BLOCK>();
    let mut base = 0;
    for block in blocks {
        scan_block(word_mask(block), base, &mut open, &mut word);
        base += BLOCK;
    }
    let mut last = [0u8; BLOCK];
    last[..tail.len()].copy_from_slice(tail);
    scan_block(word_mask(&last), base, &mut open, &mut word);
    if let Some(start) = open {
        word(start, text.len());
    }
}

/// Emits the runs that end inside a block; `open` carries the start of one that crosses its end.
#[inline(always)]
fn scan_block(
    mut mask: u64,
    base: usize,
    open: &mut Option<usize>,
    word: &mut impl FnMut(usize, usize),
) {
    if let Some(start) = *open {
        let ones = mask.trailing_ones();
        if ones == u64::BITS {
            return;
        }
        word(start, base + ones as usize);
        *open = None;
        mask &= !0 << ones;
    }
    while mask != 0 {
        let start = mask.trailing_zeros();
        let end = start + (mask >> start).trailing_ones();
        if end == u64::BITS {
            *open = Some(base + start as usize);
            return;
        }
        word(base + start as usize, base + end as usize);
        mask &= !0 << end;
    }
}

/// Bit `i` is set where byte `i` is a word byte.
#[inline(always)]
fn word_mask(block: &[u8; BLOCK]) -> u64 {
    let (lanes, _) = block.as_chunks::<8>();
    let mut mask = 0;
    for (lane, bytes) in lanes.iter().enumerate() {
        mask |= gather(word_bytes(u64::from_le_bytes(*bytes))) << (lane * 8);
    }
    mask
}

/// The high bit of each byte that is a word byte. Adding `0x80 - low` to a byte below 0x80 sets its high bit exactly
/// when it is at least `low`, and never carries into the next byte.
#[inline(always)]
fn word_bytes(bytes: u64) -> u64 {
    let ascii = bytes & !HIGH_BITS;
    let at_least = |value: u64, low: u8| value + LOW_BITS * u64::from(0x80 - low);
    let lower = ascii | (LOW_BITS * 0x20);
    let letter = at_least(lower, b'a') & !at_least(lower, b'z' + 1);
    let digit = at_least(ascii, b'0') & !at_least(ascii, b'9' + 1);
    let underscore = HIGH_BITS - (ascii ^ (LOW_BITS * u64::from(b'_')));
    (letter | digit | underscore) & HIGH_BITS & !bytes
}

/// Packs the high bits of eight bytes into eight bits, lowest byte first.
#[inline(always)]
fn gather(high: u64) -> u64 {
    (high >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}
