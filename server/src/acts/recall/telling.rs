//! What is told of what was found: as much as fits the budget, with a receipt that says so.

use super::{Item, Shelf, doubts_of, named, with_doubts};
use crate::{
    App,
    engines::{
        freshness,
        recall::{
            Hit,
            pack::{self, Given, Packed, Ranked},
        },
        tokens,
    },
    model::{
        MemoryId, ReceiptId,
        recall::{Detail, Recall, Receipt, Text, Told},
    },
    problem::Problem,
    store::{Permission, Scope},
};
use std::{collections::HashMap, time::Instant};
use time::OffsetDateTime;

/// Who is told, and what they asked.
pub(super) struct Telling<'a, P> {
    pub scope: &'a Scope<P>,
    pub surface: &'a str,
    pub asked: &'a Recall,
    pub started: Instant,
    pub now: OffsetDateTime,
    /// When it was so: now, or what was asked for.
    pub moment: OffsetDateTime,
    /// What it asked for was erased when the answer was about to leave: its words are kept nowhere.
    pub unsaid: bool,
}

/// Items with the receipt that is kept of them, and what was left out.
pub(super) struct Kept {
    pub receipt: Receipt,
    pub items: Vec<Item>,
    pub omitted_tokens: u32,
}

/// What came of telling what was foreseen.
pub(super) enum Foreseen {
    /// The texts have to be read first to know what is told.
    Nothing,
    /// Some of it was erased meanwhile, and nobody was told.
    Gone,
    Told(Box<Kept>),
}

impl<P: Permission> Telling<'_, P> {
    /// In one trip, where the index knows what will be told before the texts are read.
    pub(super) async fn foreseen(&self, app: &App, of: &Shelf, hits: &[Hit]) -> Result<Foreseen, Problem> {
        // What was then is not only in the index; and who asks once more is told what is there.
        if self.asked.as_of.is_some() || self.unsaid {
            return Ok(Foreseen::Nothing);
        }
        let Some(packed) = pack::foresee(hits, &self.request()).filter(|packed| !packed.given.is_empty()) else {
            return Ok(Foreseen::Nothing);
        };
        let told: Vec<Told> = packed.given.iter().map(|given| self.told(&hits[given.place], given)).collect();
        let hits: Vec<Hit> = packed.given.iter().map(|given| hits[given.place]).collect();
        // Before the texts: an erasure that waits for the receipt ends right after it, and from then on nothing more may be asked.
        let doubts = doubts_of(app, self.scope, &hits).await?;
        let mut receipt = self.receipt(told, &packed);
        let (versions, authors) = named(&hits);
        let Some(texts) = app.db().texts_with_receipt(self.scope, &versions, &authors, &receipt).await? else {
            let gone = app.db().changes(of.mark(), of.horizon()).await?.gone;
            let erased = versions.iter().any(|(id, _)| gone.contains(id));
            return Ok(if erased { Foreseen::Gone } else { Foreseen::Nothing });
        };
        of.must_be_of(app.db())?;
        let mut by_id = by_id(with_doubts(texts, doubts));
        let item = |told: &Told| by_id.remove(&told.memory_id).map(|memory| self.item(told.clone(), memory.content.clone(), memory));
        let mut items: Vec<Item> = receipt.items.iter().filter_map(item).collect();
        look_through(&mut items);
        receipt.took_ms = self.took_ms();
        Ok(Foreseen::Told(Box::new(Kept { receipt, items, omitted_tokens: packed.omitted_tokens })))
    }

    /// Fills the budget with what was found and may be seen.
    pub(super) fn pack(&self, hits: &[Hit], texts: Vec<Text>) -> (Vec<Item>, Packed) {
        let mut by_id = by_id(texts);
        let seen: Vec<(Hit, &Text)> = hits.iter().filter_map(|hit| Some((*hit, by_id.get(&hit.id)?))).collect();
        let ranked = seen.iter().map(|(hit, text)| Ranked {
            hit,
            title: text.title.as_deref().unwrap_or_default(),
            content: text.content.as_deref().unwrap_or_default(),
        });
        let ranked: Vec<Ranked<'_>> = ranked.collect();
        let mut packed = pack::pack(&ranked, &self.request(), &tokens::count);
        let told = |mut given: Given| (self.told(&seen[given.place].0, &given), given.text.take());
        let told: Vec<(Told, Option<String>)> = std::mem::take(&mut packed.given).into_iter().map(told).collect();
        let item = |(told, text): (Told, Option<String>)| by_id.remove(&told.memory_id).map(|memory| self.item(told, text, memory));
        (told.into_iter().filter_map(item).collect(), packed)
    }

    /// Not kept, and nothing, if some of it is gone by now: then it must not be told.
    pub(super) async fn keep(&self, app: &App, mut items: Vec<Item>, packed: &Packed) -> Result<Option<Kept>, Problem> {
        let receipt = self.receipt(items.iter().map(|item| item.told.clone()).collect(), packed);
        // The receipt is on its way when the texts are looked through.
        let (kept, ()) = tokio::join!(app.db().keep_receipt(self.scope, &receipt), async { look_through(&mut items) });
        Ok(kept?.then_some(Kept { receipt, items, omitted_tokens: packed.omitted_tokens }))
    }

    fn request(&self) -> pack::Request<'_> {
        let Recall { query, detail, limit, token_budget, .. } = self.asked;
        pack::Request { query, detail: *detail, limit: *limit, budget: *token_budget }
    }

    fn told(&self, hit: &Hit, given: &Given) -> Told {
        Told {
            memory_id: hit.id,
            version: hit.version,
            score: hit.score,
            why: hit.why,
            freshness: hit.freshness,
            tokens: if self.asked.detail == Detail::Index { hit.tokens } else { given.tokens },
            detail: self.asked.detail,
            passage: given.passage.as_ref().map(|place| (place.start, place.end)),
            folded: given.folded.clone(),
        }
    }

    fn item(&self, told: Told, text: Option<String>, memory: Text) -> Item {
        let freshness = freshness::judge_on(&memory, self.scope.settings(), self.moment, self.asked.branch.as_deref());
        Item { told, memory, text, freshness, flagged: None }
    }

    fn receipt(&self, items: Vec<Told>, packed: &Packed) -> Receipt {
        let said = (!self.unsaid).then_some(self.asked);
        Receipt {
            id: ReceiptId::new(),
            at: self.now,
            actor: self.scope.actor().clone(),
            session_id: self.asked.session_id.or(self.scope.session()),
            surface: self.surface.to_owned(),
            query: said.map(|asked| asked.query.clone()),
            asked: said.cloned().unwrap_or_default(),
            items,
            tokens: packed.tokens,
            omitted: packed.omitted,
            took_ms: self.took_ms(),
        }
    }

    fn took_ms(&self) -> f32 {
        self.started.elapsed().as_secs_f32() * 1000.0
    }
}

/// Those that have a text.
fn by_id(texts: Vec<Text>) -> HashMap<MemoryId, Text> {
    texts.into_iter().filter(|text| text.content.is_some()).map(|text| (text.id, text)).collect()
}

fn look_through(items: &mut [Item]) {
    for item in items {
        item.flagged = item.speaks_to_the_model();
    }
}
