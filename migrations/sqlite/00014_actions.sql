-- What customers and users like, dislike and bookmark, and how many of them do.
-- +goose Up
CREATE TABLE actions (
  tenant_id       INTEGER  NOT NULL,
  entity_type     TEXT     NOT NULL,
  entity_id       INTEGER  NOT NULL, -- the row's id: a deleted sku that comes again begins anew
  action_group    TEXT     NOT NULL,
  actor_kind      TEXT     NOT NULL, -- customers and users have ids of their own
  actor_id        INTEGER  NOT NULL,
  last_action_id  INTEGER  NOT NULL,
  last_action     TEXT     NOT NULL,
  last_active     BOOLEAN      NULL, -- null: the last one toggled
  state           TEXT     NOT NULL, -- the active action of the group, or ''
  updated_time    DATETIME NOT NULL,
  PRIMARY KEY (tenant_id, entity_type, entity_id, action_group, actor_kind, actor_id)
) WITHOUT ROWID;

-- One entity's counts are the sums of its shards, so that many who like one thing at
-- once do not wait for one row.
CREATE TABLE action_counts (
  tenant_id   INTEGER NOT NULL,
  entity_type TEXT    NOT NULL,
  entity_id   INTEGER NOT NULL,
  shard       INTEGER NOT NULL,
  likes       INTEGER NOT NULL,
  dislikes    INTEGER NOT NULL,
  bookmarks   INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, entity_type, entity_id, shard),
  CONSTRAINT ck_action_counts CHECK (likes >= 0 AND dislikes >= 0 AND bookmarks >= 0)
) WITHOUT ROWID;

-- +goose Down
DROP TABLE action_counts;
DROP TABLE actions;
