//! Bytes as lowercase hexadecimal, as digests are written.

/// Two digits a byte.
pub fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}
