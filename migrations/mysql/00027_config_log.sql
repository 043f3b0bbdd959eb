-- Each committed version of a config has its place in the log of configs, which is given
-- after the commit: ids are given before it, and can become visible in another order. Each
-- statement can be run again, so an interrupted migration goes on from its beginning.
-- +goose Up
CREATE TABLE IF NOT EXISTS log_places (
  name VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  last BIGINT NOT NULL
);
SET @add_place = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE config_histories ADD COLUMN place BIGINT NULL, ADD UNIQUE KEY uq_config_histories_place (place)')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'config_histories' AND column_name = 'place');
PREPARE add_place FROM @add_place;
EXECUTE add_place;
DEALLOCATE PREPARE add_place;
UPDATE config_histories SET place = id WHERE NOT EXISTS (SELECT 1 FROM log_places WHERE name = 'configs');
INSERT IGNORE INTO log_places (name, last) SELECT 'configs', COALESCE(MAX(id), 0) FROM config_histories;

-- +goose Down
ALTER TABLE config_histories DROP KEY uq_config_histories_place, DROP COLUMN place;
DROP TABLE log_places;
