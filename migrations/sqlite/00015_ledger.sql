-- Events are only ever added. The counters of an aggregate and its writers are derived
-- from them, and written with them. An event's names hold within its aggregate. Payloads
-- are kept as the JSON text that was sent.
-- +goose Up
CREATE TABLE aggregates (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL, -- that of its last event, or of a later repair
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL,
  type            TEXT     NOT NULL,
  name            TEXT     NOT NULL,
  counters        TEXT     NOT NULL, -- a JSON object of integers
  writer_count    INTEGER  NOT NULL
);
CREATE UNIQUE INDEX uq_aggregates_name ON aggregates (tenant_id, type, name);
CREATE INDEX ix_aggregates_name ON aggregates (tenant_id, name, id);
CREATE INDEX ix_aggregates_updated ON aggregates (tenant_id, updated_time, id);

CREATE TABLE aggregate_events (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  aggregate_id    INTEGER  NOT NULL,
  version         INTEGER  NOT NULL, -- that of the aggregate since the event
  batch_version   INTEGER  NOT NULL, -- and since the last event that was written with it
  client_id       TEXT     NOT NULL,
  client_seq      INTEGER      NULL,
  event_id        TEXT         NULL,
  event_type      TEXT     NOT NULL,
  event_time      DATETIME NOT NULL,
  deltas          TEXT     NOT NULL, -- a JSON object of integers
  payload         TEXT     NOT NULL,
  fingerprint     BLOB     NOT NULL, -- SHA-256 of the content
  created_by      INTEGER  NOT NULL,
  created_by_name TEXT     NOT NULL,
  created_time    DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_aggregate_events_version ON aggregate_events (tenant_id, aggregate_id, version);
CREATE UNIQUE INDEX uq_aggregate_events_seq ON aggregate_events (tenant_id, aggregate_id, client_id, client_seq);
CREATE UNIQUE INDEX uq_aggregate_events_event ON aggregate_events (tenant_id, aggregate_id, event_id);

CREATE TABLE aggregate_writers (
  tenant_id    INTEGER NOT NULL,
  aggregate_id INTEGER NOT NULL,
  client_id    TEXT    NOT NULL,
  last_seq     INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, aggregate_id, client_id)
);

-- +goose Down
DROP TABLE aggregate_writers;
DROP TABLE aggregate_events;
DROP TABLE aggregates;
