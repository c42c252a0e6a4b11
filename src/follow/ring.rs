//! The last ids, by their hashes.

use super::token::Codec;

/// Ids that are recognised when they come back.
const IDS: usize = 64;

/// The hashes of the last ids.
#[derive(Debug, Clone)]
pub(super) struct Ring {
    hashes: Vec<u64>,
    /// The oldest, once there are as many as there may be.
    next: usize,
    /// How many hashes end in each byte. Most ids are new, and most of those are known for it here.
    counts: Box<[u8; 256]>,
}

impl Ring {
    pub(super) fn new() -> Self {
        Self { hashes: Vec::new(), next: 0, counts: Box::new([0; 256]) }
    }

    pub(super) fn clear(&mut self) {
        self.hashes.clear();
        self.next = 0;
        *self.counts = [0; 256];
    }

    /// Becomes as `other`, in the memory that it has.
    pub(super) fn copy(&mut self, other: &Self) {
        self.hashes.clone_from(&other.hashes);
        self.next = other.next;
        *self.counts = *other.counts;
    }

    /// Adds a hash; says whether it was not in there.
    pub(super) fn add(&mut self, hash: u64) -> bool {
        if self.count(hash).is_some_and(|count| *count > 0) && self.hashes.contains(&hash) {
            return false;
        }
        if self.hashes.len() < IDS {
            self.hashes.push(hash);
        } else if let Some(oldest) = self.hashes.get_mut(self.next) {
            let gone = std::mem::replace(oldest, hash);
            self.next = (self.next + 1) % IDS;
            if let Some(count) = self.count(gone) {
                *count -= 1;
            }
        }
        if let Some(count) = self.count(hash) {
            *count += 1;
        }
        true
    }

    fn count(&mut self, hash: u64) -> Option<&mut u8> {
        self.counts.get_mut(usize::from(hash as u8))
    }

    /// What of it a token holds, written or read: the hashes, the oldest first.
    pub(super) fn code(&mut self, codec: &mut Codec) {
        let (newer, older) = self.hashes.split_at_checked(self.next).unwrap_or_default();
        let mut hashes = [older, newer].concat();
        codec.list(&mut hashes, IDS, Codec::word);
        if codec.is_reading() {
            hashes.into_iter().for_each(|hash| {
                self.add(hash);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_the_last_ids_and_no_others() {
        let mut ring = Ring::new();
        // Many end in the same byte.
        let hash = |n: u64| (n << 8) + n % 3;
        for n in 0..1000 {
            assert!(ring.add(hash(n)), "{n} is new");
            for old in n.saturating_sub(IDS as u64 - 1)..=n {
                assert!(!ring.add(hash(old)), "{old} is known after {n}");
            }
            if let Some(gone) = n.checked_sub(IDS as u64) {
                assert!(ring.clone().add(hash(gone)), "{gone} is forgotten after {n}");
            }
        }
    }
}
