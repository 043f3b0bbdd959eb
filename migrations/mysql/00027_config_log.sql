-- Each committed version of a config has its place in the log of configs, which is given
-- after the commit: ids are given before it, and can become visible in another order.
-- +goose Up
CREATE TABLE log_places (
  name VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  last BIGINT NOT NULL
);
ALTER TABLE config_histories
  ADD COLUMN place BIGINT NULL,
  ADD UNIQUE KEY uq_config_histories_place (place);
UPDATE config_histories SET place = id;
INSERT INTO log_places (name, last) SELECT 'configs', COALESCE(MAX(id), 0) FROM config_histories;

-- +goose Down
ALTER TABLE config_histories DROP KEY uq_config_histories_place, DROP COLUMN place;
DROP TABLE log_places;
