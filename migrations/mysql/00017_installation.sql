-- What is true of the whole installation, in one row: see package epoch.
-- +goose Up
CREATE TABLE IF NOT EXISTS installation (
  id         TINYINT      NOT NULL, -- 1
  epoch      VARCHAR(36)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  begun_time DATETIME(6)  NOT NULL,
  reason     VARCHAR(500) NOT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT IGNORE INTO installation (id, epoch, begun_time, reason) VALUES (1, UUID(), UTC_TIMESTAMP(6), 'It was installed.');

-- +goose Down
DROP TABLE installation;
