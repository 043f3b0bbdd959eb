-- Events are only ever added. The counters of an aggregate and its writers are derived
-- from them, and written with them. An event's names hold within its aggregate. Payloads
-- are kept as the JSON text that was sent.
-- +goose Up
CREATE TABLE IF NOT EXISTS aggregates (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL, -- that of its last event, or of a later repair
  created_time    DATETIME(6)  NOT NULL,
  updated_time    DATETIME(6)  NOT NULL,
  updated_by      BIGINT       NOT NULL,
  updated_by_name VARCHAR(100) NOT NULL,
  type            VARCHAR(50)  NOT NULL,
  name            VARCHAR(128) NOT NULL,
  counters        MEDIUMTEXT   NOT NULL, -- a JSON object of integers
  writer_count    INT          NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_aggregates_name (tenant_id, type, name),
  KEY ix_aggregates_name (tenant_id, name, id),
  KEY ix_aggregates_updated (tenant_id, updated_time, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS aggregate_events (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  aggregate_id    BIGINT       NOT NULL,
  version         BIGINT       NOT NULL, -- that of the aggregate since the event
  batch_version   BIGINT       NOT NULL, -- and since the last event that was written with it
  client_id       VARCHAR(128) NOT NULL,
  client_seq      BIGINT           NULL,
  event_id        VARCHAR(128)     NULL,
  event_type      VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  event_time      DATETIME(6)  NOT NULL,
  deltas          TEXT         NOT NULL, -- a JSON object of integers
  payload         MEDIUMTEXT   NOT NULL,
  fingerprint     BINARY(32)   NOT NULL, -- SHA-256 of the content
  created_by      BIGINT       NOT NULL,
  created_by_name VARCHAR(100) NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_aggregate_events_version (tenant_id, aggregate_id, version),
  UNIQUE KEY uq_aggregate_events_seq (tenant_id, aggregate_id, client_id, client_seq),
  UNIQUE KEY uq_aggregate_events_event (tenant_id, aggregate_id, event_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS aggregate_writers (
  tenant_id    BIGINT       NOT NULL,
  aggregate_id BIGINT       NOT NULL,
  client_id    VARCHAR(128) NOT NULL,
  last_seq     BIGINT       NOT NULL,
  PRIMARY KEY (tenant_id, aggregate_id, client_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- +goose Down
DROP TABLE aggregate_writers;
DROP TABLE aggregate_events;
DROP TABLE aggregates;
