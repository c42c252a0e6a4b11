//! How much of each kind of content has been seen, and a hash of it.
//!
//! A server may divide text differently when it replays it, or leave ids out; but per channel the
//! text is the same text. So content is compared by channel: text by its bytes, all else by frames.

use super::hash::{Running, of_pieces};
use super::token::Codec;
use crate::cloud::{Content, Frame};

/// Channels that are told apart; the rest share one.
const CHANNELS: usize = 64;

/// The key of the one that the rest share.
const SHARED: u64 = 0;

/// One channel: units (bytes of text, or frames) and the hash of all of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Channel {
    key: u64,
    pub(super) units: u64,
    hash: Running,
    /// Both as they were after the channel's first frame: a late start shows there at once.
    first_units: u64,
    first_hash: u64,
}

/// All channels of a run, or of one connection to it.
#[derive(Debug, Clone, Default)]
pub(super) struct Channels(Vec<Channel>);

/// What one frame adds to its channel.
pub(super) struct Addition<'a> {
    key: u64,
    /// Hash of the whole frame: id or none, event, data.
    pub(super) frame: u64,
    pub(super) content: Content<'a>,
}

impl<'a> Addition<'a> {
    pub(super) fn of(frame: &Frame<'a>) -> Self {
        let content = Content::of(frame);
        let kind = [u8::from(content.update), u8::from(content.text.is_some())];
        Self {
            key: of_pieces(&[&kind, content.channel]),
            frame: of_pieces(&[frame.id.unwrap_or_default(), frame.event_name(), frame.data]),
            content,
        }
    }
}

impl Channels {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Becomes as `other`, in the memory that it has.
    pub(super) fn copy(&mut self, other: &Self) {
        self.0.clone_from(&other.0);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Channel> {
        self.0.iter()
    }

    pub(super) fn get(&self, key: u64) -> Option<&Channel> {
        self.0.iter().find(|channel| channel.key == key)
    }

    /// The key under which an addition is counted here: its own, or the shared one.
    fn counted_key(&self, addition: &Addition<'_>) -> u64 {
        if self.0.len() < CHANNELS || self.get(addition.key).is_some() { addition.key } else { SHARED }
    }

    /// Where a key is counted, which is the shared one when there are too many of their own.
    fn index_of(&mut self, key: u64, bounded: bool) -> usize {
        if let Some(index) = self.0.iter().position(|channel| channel.key == key) {
            return index;
        }
        if bounded && self.0.len() >= CHANNELS && key != SHARED {
            return self.index_of(SHARED, bounded);
        }
        self.0.push(Channel { key, units: 0, hash: Running::new(), first_units: 0, first_hash: 0 });
        self.0.len() - 1
    }

    /// Counts a frame, and says what it was like against the `delivered` channels.
    pub(super) fn add(&mut self, addition: &Addition<'_>, delivered: Option<&Self>) -> Added {
        let key = delivered.map_or(addition.key, |other| other.counted_key(addition));
        let known = delivered.and_then(|other| other.get(key)).copied();
        let index = self.index_of(key, delivered.is_none());
        let known_units = known.map_or(0, |known| known.units);
        let mut added = Added { index, before: 0, known: known_units, differs: false };
        let Some(channel) = self.0.get_mut(index) else { return added };
        added.before = channel.units;
        match addition.content.text {
            Some(text) => text.each_piece(|piece| added.differs |= channel.feed(piece, known.as_ref())),
            None => {
                channel.hash.feed(&addition.frame.to_le_bytes());
                channel.units += 1;
                added.differs |= known.is_some_and(|known| channel.differs(&known));
            }
        }
        if added.before == 0 && channel.first_units == 0 {
            channel.first_units = channel.units;
            channel.first_hash = channel.hash.value();
        }
        added
    }

    /// Whether everything that `delivered` holds has been seen here.
    pub(super) fn reach(&self, delivered: &Self) -> bool {
        delivered.iter().all(|known| self.get(known.key).is_some_and(|seen| seen.units >= known.units))
    }

    pub(super) fn code(&mut self, codec: &mut Codec) {
        codec.list(&mut self.0, CHANNELS + 1, |codec, channel: &mut Channel| {
            let (mut state, mut tail, mut length) = channel.hash.parts();
            for word in [&mut channel.key, &mut state, &mut channel.first_hash] {
                codec.word(word);
            }
            for number in [&mut channel.units, &mut channel.first_units, &mut length, &mut tail] {
                codec.number(number);
            }
            channel.hash = Running::of_parts((state, tail, length));
        });
    }

    /// A channel, by where it is.
    pub(super) fn at(&self, index: usize) -> Option<&Channel> {
        self.0.get(index)
    }

    /// Takes over how far a channel has come elsewhere, with the same content.
    pub(super) fn take(&mut self, from: &Channel) {
        match self.0.iter_mut().find(|channel| channel.key == from.key) {
            Some(channel) => *channel = *from,
            None => self.0.push(*from),
        }
    }
}

/// What [`Channels::add`] found.
pub(super) struct Added {
    /// Where its channel is.
    pub(super) index: usize,
    /// Units before the frame.
    pub(super) before: u64,
    /// Units delivered.
    pub(super) known: u64,
    /// The content is not what was delivered.
    pub(super) differs: bool,
}

impl Channel {
    /// Counts a piece of text; says whether it differs from what is known at a place it reaches.
    #[inline(never)]
    fn feed(&mut self, piece: &[u8], known: Option<&Self>) -> bool {
        let mut differs = false;
        let mut rest = piece;
        if let Some(known) = known {
            for mark in [known.first_units.min(known.units), known.units] {
                let ahead = mark.saturating_sub(self.units) as usize;
                if ahead > 0
                    && let Some((before, after)) = rest.split_at_checked(ahead)
                {
                    self.take(before);
                    differs |= self.differs(known);
                    rest = after;
                }
            }
        }
        self.take(rest);
        differs
    }

    fn take(&mut self, bytes: &[u8]) {
        self.hash.feed(bytes);
        self.units += bytes.len() as u64;
    }

    /// Whether this channel, where it now stands, is at a known place and not the same.
    fn differs(&self, known: &Self) -> bool {
        (self.units == known.units && self.hash != known.hash)
            || (self.units == known.first_units && self.hash.value() != known.first_hash)
    }
}
