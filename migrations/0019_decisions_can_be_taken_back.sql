-- ── Decided in one sitting ──────────────────────────────────────────────────────────────────────
-- What a person approves, rejects or resolves with one press of a button belongs together, and can be taken back together.
-- The versions that it wrote name the same id as their run. Ids only.
alter table proposals add column review_id uuid;
alter table conflicts add column review_id uuid;
create index proposals_review on proposals (workspace_id, review_id) where review_id is not null;
create index conflicts_review on conflicts (workspace_id, review_id) where review_id is not null;
