-- Which servers this database is claimed by: see package claim. An embedded database is
-- claimed by a lock on a file, so that this stays empty; both engines have one schema.
-- +goose Up
CREATE TABLE server_claims (
  id              INTEGER  PRIMARY KEY, -- always 1
  group_name      TEXT     NOT NULL, -- redis, or the run of a server that is alone
  run_id          TEXT     NOT NULL,
  role            TEXT     NOT NULL,
  host            TEXT     NOT NULL,
  machine         TEXT     NOT NULL,
  pid             INTEGER  NOT NULL,
  process_start   INTEGER  NOT NULL,
  since_time      DATETIME NOT NULL,
  heartbeat_time  DATETIME NOT NULL,
  lease_ends_time DATETIME NOT NULL
);

-- +goose Down
DROP TABLE server_claims;
