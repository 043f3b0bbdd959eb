-- How far what has served its time is removed, what was removed and is not in the audit log yet,
-- and which customers are being erased.
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

-- +goose Down
DROP TABLE customer_erasures;
DROP TABLE retention_tallies;
DROP TABLE retention_sweeps;
