-- Queues for installations without Redis, see package mq. The tables belong to no
-- tenant: a queue's name says whose it is.
-- +goose Up
CREATE TABLE IF NOT EXISTS mq_queues (
  name   VARCHAR(100) NOT NULL,
  paused TINYINT(1)   NOT NULL,
  PRIMARY KEY (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- A claimed batch under its lease; settled ones are kept for a while.
CREATE TABLE IF NOT EXISTS mq_batches (
  id         VARCHAR(36)  NOT NULL,
  queue      VARCHAR(100) NOT NULL,
  settled    TINYINT(1)   NOT NULL,
  lease_time DATETIME(6)  NOT NULL, -- when the lease ends, or the settled batch is forgotten
  PRIMARY KEY (id),
  KEY ix_mq_batches_lease (queue, lease_time)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS mq_messages (
  id            BIGINT         NOT NULL AUTO_INCREMENT,
  queue         VARCHAR(100)   NOT NULL,
  state         TINYINT        NOT NULL, -- 0 waiting, 1 claimed, 2 dead
  message_id    VARBINARY(128) NOT NULL,
  batch_id      VARCHAR(36)    NOT NULL,
  due_time      DATETIME(6)    NOT NULL, -- waiting: claimed from then on, in this order; dead: since when
  attempts      INT            NOT NULL,
  crashes       INT            NOT NULL,
  enqueued_time DATETIME(6)    NOT NULL,
  error         TEXT           NOT NULL,
  trace         TEXT           NOT NULL,
  body          MEDIUMBLOB     NOT NULL,
  PRIMARY KEY (id),
  KEY ix_mq_messages_due (queue, state, due_time, id),
  KEY ix_mq_messages_batch (batch_id),
  KEY ix_mq_messages_message (queue, message_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- +goose Down
DROP TABLE mq_messages;
DROP TABLE mq_batches;
DROP TABLE mq_queues;
