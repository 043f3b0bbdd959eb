-- What customers and users like, dislike and bookmark, and how many of them do.
-- +goose Up
CREATE TABLE IF NOT EXISTS actions (
  tenant_id       BIGINT      NOT NULL,
  entity_type     VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  entity_id       BIGINT      NOT NULL, -- the row's id: a deleted sku that comes again begins anew
  action_group    VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  actor_kind      VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- customers and users have ids of their own
  actor_id        BIGINT      NOT NULL,
  last_action_id  BIGINT      NOT NULL,
  last_action     VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  last_active     BOOLEAN         NULL, -- null: the last one toggled
  state           VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- the active action of the group, or ''
  updated_time    DATETIME(6) NOT NULL,
  PRIMARY KEY (tenant_id, entity_type, entity_id, action_group, actor_kind, actor_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- One entity's counts are the sums of its shards, so that many who like one thing at
-- once do not wait for one row.
CREATE TABLE IF NOT EXISTS action_counts (
  tenant_id   BIGINT      NOT NULL,
  entity_type VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  entity_id   BIGINT      NOT NULL,
  shard       INT         NOT NULL,
  likes       BIGINT      NOT NULL,
  dislikes    BIGINT      NOT NULL,
  bookmarks   BIGINT      NOT NULL,
  PRIMARY KEY (tenant_id, entity_type, entity_id, shard),
  CONSTRAINT ck_action_counts CHECK (likes >= 0 AND dislikes >= 0 AND bookmarks >= 0)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- +goose Down
DROP TABLE action_counts;
DROP TABLE actions;
