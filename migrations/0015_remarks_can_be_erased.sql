-- What somebody said when deciding on a proposal or a conflict is a remark of its own: it may name a person who has to be forgotten.
alter table deletion_request_items drop constraint deletion_request_items_kind_check;
alter table deletion_request_items add constraint deletion_request_items_kind_check
    check (kind in ('memory', 'session', 'session_words', 'event', 'checkpoint', 'task', 'task_item', 'receipt', 'deletion_request', 'proposal', 'conflict'));
