-- How far what has served its time is removed, what was removed and is not in the audit log yet,
-- and which customers are being erased. Each statement can be run again, so an interrupted migration goes on from its
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

-- +goose Down
DROP TABLE customer_erasures;
DROP TABLE retention_tallies;
DROP TABLE retention_sweeps;
