//! Where a consumer is, and was: what a resume token says.

use super::resume::Resume;
use super::status::Statuses;
use super::token::Codec;

/// How many places are remembered: before the last hand-over but one, before the last, and after it.
pub(super) const MARKS: usize = 3;

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

    /// The place that a token tells; `None` when it is no token.
    pub(super) fn read(token: &str) -> Option<Self> {
        let mut codec = Codec::reader(token)?;
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

    pub(super) fn token(mut self) -> String {
        let mut codec = Codec::writer();
        self.code(&mut codec);
        codec.finish()
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

/// The last places. They are taken down at each hand-over, in memory that is used again.
#[derive(Debug)]
pub(super) struct Marks {
    marks: [Mark; MARKS],
    newest: usize,
}

impl Marks {
    pub(super) fn new() -> Self {
        Self { marks: [Mark::new(), Mark::new(), Mark::new()], newest: 0 }
    }

    pub(super) fn add(&mut self, ended: bool, statuses: &Statuses, resume: &Resume) {
        self.newest = (self.newest + 1) % MARKS;
        if let Some(mark) = self.marks.get_mut(self.newest) {
            mark.take(ended, statuses, resume);
        }
    }

    /// The place before the newest, or before that.
    pub(super) fn before(&self, last_but_one: bool) -> Mark {
        let back = if last_but_one { 2 } else { 1 };
        match self.marks.get((self.newest + MARKS - back) % MARKS) {
            Some(mark) => Mark::of(mark.ended, &mark.statuses, &mark.resume),
            None => Mark::new(),
        }
    }
}
