-- Queues for installations without Redis, see package mq. The tables belong to no
-- tenant: a queue's name says whose it is.
-- +goose Up
CREATE TABLE mq_queues (
  name   TEXT    NOT NULL PRIMARY KEY,
  paused BOOLEAN NOT NULL
);

-- A claimed batch under its lease; settled ones are kept for a while.
CREATE TABLE mq_batches (
  id         TEXT     NOT NULL PRIMARY KEY,
  queue      TEXT     NOT NULL,
  settled    BOOLEAN  NOT NULL,
  lease_time DATETIME NOT NULL -- when the lease ends, or the settled batch is forgotten
);
CREATE INDEX ix_mq_batches_lease ON mq_batches (queue, lease_time);

CREATE TABLE mq_messages (
  id            INTEGER  PRIMARY KEY AUTOINCREMENT,
  queue         TEXT     NOT NULL,
  state         INTEGER  NOT NULL, -- 0 waiting, 1 claimed, 2 dead
  message_id    BLOB     NOT NULL,
  batch_id      TEXT     NOT NULL,
  due_time      DATETIME NOT NULL, -- waiting: claimed from then on, in this order; dead: since when
  attempts      INTEGER  NOT NULL,
  crashes       INTEGER  NOT NULL,
  enqueued_time DATETIME NOT NULL,
  error         TEXT     NOT NULL,
  trace         TEXT     NOT NULL,
  body          BLOB     NOT NULL
);
CREATE INDEX ix_mq_messages_due ON mq_messages (queue, state, due_time, id);
CREATE INDEX ix_mq_messages_batch ON mq_messages (batch_id);
CREATE INDEX ix_mq_messages_message ON mq_messages (queue, message_id);

-- +goose Down
DROP TABLE mq_messages;
DROP TABLE mq_batches;
DROP TABLE mq_queues;
