-- Which servers this database is claimed by: see package claim. At most one row.
-- +goose Up
CREATE TABLE server_claims (
  id              TINYINT      NOT NULL, -- always 1
  group_name      VARCHAR(36)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- redis, or the run of a server that is alone
  run_id          VARCHAR(36)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  role            VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  host            VARCHAR(255) NOT NULL,
  machine         VARCHAR(255) NOT NULL,
  pid             BIGINT       NOT NULL,
  process_start   BIGINT       NOT NULL,
  since_time      DATETIME(6)  NOT NULL,
  heartbeat_time  DATETIME(6)  NOT NULL,
  lease_ends_time DATETIME(6)  NOT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- +goose Down
DROP TABLE server_claims;
