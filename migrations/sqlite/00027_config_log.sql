-- Nothing to do: SQLite has one writer, so ids are given in the order of commits and
-- without gaps, and are themselves the places in the log of configs.
-- +goose Up
SELECT 1;

-- +goose Down
SELECT 1;
