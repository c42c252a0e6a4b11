//! Where the consumer is, to be told as a token, and going on from there.

use super::Follower;
use crate::follow::mark::Mark;

impl Follower {
    /// Where the consumer is that has got what was handed over, as text for
    /// [`Follower::resume_from`]. At most 4 kB.
    pub fn token(&self) -> String {
        self.token_at(self.handed)
    }

    /// Where it was when it had read so many messages, not fewer than at the last pull.
    pub fn token_at(&self, read: u64) -> String {
        self.place(read).token(&self.options.run)
    }

    fn place(&self, read: u64) -> Mark {
        if read >= self.handed && self.out.is_empty() {
            Mark::of(self.is_at_end(), &self.statuses, &self.resume)
        } else {
            self.trail.place(read.min(self.handed))
        }
    }

    /// Goes on where a token was taken, with another follower of the same run. Before the first
    /// pull; false when it is no token of this run.
    pub fn resume_from(&mut self, token: &str) -> bool {
        let mark = Mark::read(token, &self.options.run);
        let is_token = mark.is_some();
        if let Some(mark) = mark {
            self.go_to(mark);
            self.trail.begin(self.ended, &self.statuses, &self.resume);
        }
        is_token
    }

    /// Goes on, before the first pull, where the consumer of another follower of the same run is that
    /// has got what was handed over there; its places of before may be asked for here.
    pub fn fork(&mut self, other: &Self) {
        self.go_to(other.place(other.handed));
        self.handed = other.handed;
        self.trail.copy(&other.trail);
    }

    fn go_to(&mut self, mark: Mark) {
        (self.ended, self.statuses, self.resume) = mark.into_parts();
        self.first = false;
    }
}
