-- How far what has served its time is removed, and what was removed and is not in the audit
-- log yet.
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

-- +goose Down
DROP TABLE retention_tallies;
DROP TABLE retention_sweeps;
