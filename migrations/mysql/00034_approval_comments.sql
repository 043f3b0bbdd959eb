-- What somebody said of an approval. comments counts them. Each statement can be run again, so an
-- interrupted migration goes on from its beginning.
-- +goose Up
CREATE TABLE IF NOT EXISTS approval_comments (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  approval_id     BIGINT       NOT NULL,
  text            TEXT         NOT NULL,
  created_by      BIGINT       NOT NULL,
  created_by_name VARCHAR(100) NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  KEY ix_approval_comments_id (tenant_id, approval_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

SET @count_comments = (SELECT IF(COUNT(*) > 0, 'DO 0', 'ALTER TABLE approvals ADD COLUMN comments BIGINT NOT NULL DEFAULT 0')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'approvals' AND column_name = 'comments');
PREPARE count_comments FROM @count_comments;
EXECUTE count_comments;
DEALLOCATE PREPARE count_comments;

-- +goose Down
ALTER TABLE approvals DROP COLUMN comments;
DROP TABLE approval_comments;
