-- How far what has served its time is removed, what was removed and is not in the audit log yet,
-- which customers are being erased, and
-- the places of audit entries in the log of their tenant, for those who export it.
-- +goose Up
CREATE TABLE retention_sweeps (
  name       TEXT     NOT NULL PRIMARY KEY, -- the table
  version    INTEGER  NOT NULL,
  until_time DATETIME     NULL, -- what is older may be gone; it never goes back
  place      TEXT     NOT NULL, -- where the run goes on; '' at its beginning
  begun_time DATETIME     NULL, -- of the last run, as what follows
  ended_time DATETIME     NULL, -- null while it is under way
  looked     INTEGER  NOT NULL,
  removed    INTEGER  NOT NULL,
  busy_us    INTEGER  NOT NULL,
  total      INTEGER  NOT NULL -- removed by all runs
);

CREATE TABLE retention_tallies (
  tenant_id INTEGER NOT NULL,
  name      TEXT    NOT NULL,
  removed   INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, name)
) WITHOUT ROWID;

CREATE TABLE customer_erasures (
  tenant_id  INTEGER  NOT NULL,
  user_id    TEXT     NOT NULL,
  pseudonym  TEXT     NOT NULL,
  secret     BLOB     NOT NULL, -- what tickets and digests of his are replaced with is made with it
  begun_time DATETIME NOT NULL,
  PRIMARY KEY (tenant_id, user_id)
) WITHOUT ROWID;

CREATE TABLE log_places (
  name TEXT    NOT NULL PRIMARY KEY,
  last INTEGER NOT NULL
) WITHOUT ROWID;

ALTER TABLE audit_entries ADD COLUMN place INTEGER NULL; -- null: nobody has exported so far
CREATE UNIQUE INDEX uq_audit_entries_place ON audit_entries (tenant_id, place);
-- SQLite would take an index that it was told nothing of for one that leaves few rows of a tenant.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('audit_entries', 'uq_audit_entries_place', '1000000 1000000 1');
ANALYZE sqlite_schema;

-- +goose Down
DELETE FROM sqlite_stat1 WHERE idx = 'uq_audit_entries_place';
DROP INDEX uq_audit_entries_place;
ALTER TABLE audit_entries DROP COLUMN place;
DROP TABLE log_places;
DROP TABLE customer_erasures;
DROP TABLE retention_tallies;
DROP TABLE retention_sweeps;
