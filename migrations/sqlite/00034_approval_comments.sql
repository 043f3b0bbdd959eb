-- What somebody said of an approval. comments counts them.
-- +goose Up
CREATE TABLE approval_comments (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  approval_id     INTEGER  NOT NULL,
  text            TEXT     NOT NULL,
  created_by      INTEGER  NOT NULL,
  created_by_name TEXT     NOT NULL,
  created_time    DATETIME NOT NULL
);
CREATE INDEX ix_approval_comments_id ON approval_comments (tenant_id, approval_id, id);
ALTER TABLE approvals ADD COLUMN comments INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE approvals DROP COLUMN comments;
DROP TABLE approval_comments;
