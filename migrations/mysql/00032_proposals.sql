-- proposed counts the proposals that named a config since its last change. Each of them is a
-- change of the row, which a cluster certifies against a change of the config.
-- +goose Up
ALTER TABLE configs MODIFY COLUMN proposed BIGINT NOT NULL DEFAULT 0;

-- +goose Down
UPDATE configs SET proposed = 1 WHERE proposed > 1;
ALTER TABLE configs MODIFY COLUMN proposed TINYINT(1) NOT NULL DEFAULT 0;
