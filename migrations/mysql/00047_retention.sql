-- How far what has served its time is removed, what was removed and is not in the audit log yet,
-- which customers are being erased, and
-- the places of audit entries in the log of their tenant, for those who export it. Each statement can be run again, so an interrupted migration goes on from its
-- beginning.
-- +goose Up
CREATE TABLE IF NOT EXISTS retention_sweeps (
  name       VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- the table
  version    BIGINT       NOT NULL,
  until_time DATETIME(6)      NULL, -- what is older may be gone; it never goes back
  place      VARCHAR(500) NOT NULL, -- where the run goes on; '' at its beginning
  begun_time DATETIME(6)      NULL, -- of the last run, as what follows
  ended_time DATETIME(6)      NULL, -- null while it is under way
  looked     BIGINT       NOT NULL,
  removed    BIGINT       NOT NULL,
  busy_us    BIGINT       NOT NULL,
  total      BIGINT       NOT NULL, -- removed by all runs
  PRIMARY KEY (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS retention_tallies (
  tenant_id BIGINT      NOT NULL,
  name      VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  removed   BIGINT      NOT NULL,
  PRIMARY KEY (tenant_id, name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS customer_erasures (
  tenant_id  BIGINT        NOT NULL,
  user_id    VARCHAR(64)   CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  pseudonym  VARCHAR(64)   CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  secret     VARBINARY(32) NOT NULL, -- what tickets and digests of his are replaced with is made with it
  begun_time DATETIME(6)   NOT NULL,
  PRIMARY KEY (tenant_id, user_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- A place is null as long as nobody has exported.
SET @add_place = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE audit_entries ADD COLUMN place BIGINT NULL, ADD UNIQUE KEY uq_audit_entries_place (tenant_id, place)')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'audit_entries' AND column_name = 'place');
PREPARE add_place FROM @add_place;
EXECUTE add_place;
DEALLOCATE PREPARE add_place;

-- +goose Down
DELETE FROM log_places WHERE name LIKE 'audit%';
ALTER TABLE audit_entries DROP KEY uq_audit_entries_place, DROP COLUMN place;
DROP TABLE customer_erasures;
DROP TABLE retention_tallies;
DROP TABLE retention_sweeps;
