-- What is true of the whole installation, in one row: see package epoch.
-- +goose Up
CREATE TABLE installation (
  id         INTEGER  PRIMARY KEY, -- 1
  epoch      TEXT     NOT NULL,
  begun_time DATETIME NOT NULL,
  reason     TEXT     NOT NULL
);
INSERT INTO installation (id, epoch, begun_time, reason)
VALUES (1, lower(hex(randomblob(16))), strftime('%Y-%m-%d %H:%M:%f000+00:00', 'now'), 'It was installed.');

-- +goose Down
DROP TABLE installation;
