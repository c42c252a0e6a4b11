//! Where a consumer is, and was: what a resume token says.

use super::channel::Channel;
use super::resume::Resume;
use super::status::Statuses;
use super::token::Codec;

/// A place in a run.
#[derive(Debug)]
pub(super) struct Mark {
    resume: Resume,
    statuses: Statuses,
    ended: bool,
}

impl Mark {
    fn new() -> Self {
        Self { resume: Resume::new(), statuses: Statuses::default(), ended: false }
    }

    #[inline(never)]
    pub(super) fn of(ended: bool, statuses: &Statuses, resume: &Resume) -> Self {
        let mut mark = Self::new();
        mark.take(ended, statuses, resume);
        mark
    }

    /// The place that a token tells; `None` when it is no token of this run.
    pub(super) fn read(token: &str, run: &str) -> Option<Self> {
        let mut codec = Codec::reader(token, run)?;
        let mut mark = Self::new();
        mark.code(&mut codec);
        codec.is_done().then_some(mark)
    }

    #[inline(never)]
    fn take(&mut self, ended: bool, statuses: &Statuses, resume: &Resume) {
        self.ended = ended;
        self.statuses.copy(statuses);
        self.resume.copy(resume);
    }

    pub(super) fn token(mut self, run: &str) -> String {
        let mut codec = Codec::writer();
        self.code(&mut codec);
        codec.finish(run)
    }

    #[inline(never)]
    fn code(&mut self, codec: &mut Codec) {
        codec.flag(&mut self.ended);
        self.statuses.code(codec);
        self.resume.code(codec);
    }

    pub(super) fn into_parts(self) -> (bool, Statuses, Resume) {
        (self.ended, self.statuses, self.resume)
    }
}

/// What a frame that was delivered has changed.
#[derive(Debug, Clone, Copy)]
enum Change {
    /// Content: the hash of the frame, and its channel as it was then. Its text is the frame's id.
    Content(u64, Channel),
    /// A status was told: its text.
    Status,
    /// Everything is delivered again.
    Anew,
}

#[derive(Debug, Clone, Copy)]
struct Step {
    /// How many messages had been made before.
    at: u64,
    change: Change,
    /// How much of the texts is this step's.
    text: usize,
}

/// The way that was gone from a place on, so that each place on it can be told: consumers read what
/// was handed over a message at a time, and not all at the same pace.
#[derive(Debug)]
pub(super) struct Trail {
    start: Mark,
    steps: Vec<Step>,
    texts: Vec<u8>,
}

impl Trail {
    pub(super) fn new() -> Self {
        Self { start: Mark::new(), steps: Vec::new(), texts: Vec::new() }
    }

    /// Begins here: nobody needs what was before.
    pub(super) fn begin(&mut self, ended: bool, statuses: &Statuses, resume: &Resume) {
        self.start.take(ended, statuses, resume);
        self.steps.clear();
        self.texts.clear();
    }

    /// Becomes as `other`.
    pub(super) fn copy(&mut self, other: &Self) {
        let Mark { resume, statuses, ended } = &other.start;
        self.begin(*ended, statuses, resume);
        self.steps.extend_from_slice(&other.steps);
        self.texts.extend_from_slice(&other.texts);
    }

    pub(super) fn content(&mut self, at: u64, hash: u64, channel: &Channel, id: Option<&[u8]>) {
        self.step(at, Change::Content(hash, *channel), id.unwrap_or_default());
    }

    pub(super) fn status(&mut self, at: u64, told: &[u8]) {
        self.step(at, Change::Status, told);
    }

    pub(super) fn anew(&mut self, at: u64) {
        self.step(at, Change::Anew, &[]);
    }

    #[inline(never)]
    fn step(&mut self, at: u64, change: Change, text: &[u8]) {
        self.steps.push(Step { at, change, text: text.len() });
        self.texts.extend_from_slice(text);
    }

    /// Moves the start to where so many messages had been read.
    pub(super) fn advance(&mut self, read: u64) {
        self.start = self.place(read);
        let done = self.steps.iter().take_while(|step| step.at < read).count();
        let used: usize = self.steps.iter().take(done).map(|step| step.text).sum();
        self.steps.drain(..done);
        self.texts.drain(..used);
    }

    /// Where somebody is who has read so many messages.
    #[inline(never)]
    pub(super) fn place(&self, read: u64) -> Mark {
        let Mark { resume, statuses, ended } = &self.start;
        let mut mark = Mark::of(*ended, statuses, resume);
        let mut texts = self.texts.as_slice();
        for step in self.steps.iter().take_while(|step| step.at < read) {
            let (text, rest) = texts.split_at_checked(step.text).unwrap_or_default();
            texts = rest;
            match &step.change {
                Change::Content(hash, channel) => mark.resume.take_step(text, *hash, channel),
                Change::Status => mark.statuses.set_told(text),
                Change::Anew => mark.resume.begin_anew(),
            }
        }
        mark
    }
}
