CREATE TABLE access_revisions (
  tenant_id INTEGER PRIMARY KEY,
  version   INTEGER NOT NULL
);

CREATE TABLE action_counts (
  tenant_id   INTEGER NOT NULL,
  entity_type TEXT    NOT NULL,
  entity_id   INTEGER NOT NULL,
  shard       INTEGER NOT NULL,
  likes       INTEGER NOT NULL,
  dislikes    INTEGER NOT NULL,
  bookmarks   INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, entity_type, entity_id, shard),
  CONSTRAINT ck_action_counts CHECK (likes >= 0 AND dislikes >= 0 AND bookmarks >= 0)
) WITHOUT ROWID;

CREATE TABLE actions (
  tenant_id      INTEGER  NOT NULL,
  entity_type    TEXT     NOT NULL,
  entity_id      INTEGER  NOT NULL, -- the id of the row: a recreated sku has no actions
  action_group   TEXT     NOT NULL,
  actor_kind     TEXT     NOT NULL, -- customers and users have separate ids
  actor_id       TEXT     NOT NULL,
  last_action_id INTEGER  NOT NULL,
  last_action    TEXT     NOT NULL,
  last_active    BOOLEAN      NULL, -- null: the last action toggled
  state          TEXT     NOT NULL, -- the active action of the group, or ''
  updated_time   DATETIME NOT NULL,
  PRIMARY KEY (tenant_id, entity_type, entity_id, action_group, actor_kind, actor_id)
) WITHOUT ROWID;

CREATE TABLE aggregate_events (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  aggregate_id    INTEGER  NOT NULL,
  version         INTEGER  NOT NULL, -- of the aggregate after the event
  batch_version   INTEGER  NOT NULL, -- of the aggregate after the batch of the event
  client_id       TEXT     NOT NULL,
  client_seq      INTEGER      NULL,
  event_id        TEXT         NULL,
  event_type      TEXT     NOT NULL,
  event_time      DATETIME NOT NULL,
  deltas          TEXT     NOT NULL, -- a JSON object of integers
  payload         TEXT     NOT NULL,
  fingerprint     BLOB     NOT NULL, -- SHA-256 of the content
  created_by      INTEGER  NOT NULL,
  created_by_name TEXT     NOT NULL,
  created_time    DATETIME NOT NULL
);

CREATE UNIQUE INDEX uq_aggregate_events_event ON aggregate_events (tenant_id, aggregate_id, event_id);

CREATE UNIQUE INDEX uq_aggregate_events_seq ON aggregate_events (tenant_id, aggregate_id, client_id, client_seq);

CREATE UNIQUE INDEX uq_aggregate_events_version ON aggregate_events (tenant_id, aggregate_id, version);

CREATE TABLE aggregate_writers (
  tenant_id    INTEGER NOT NULL,
  aggregate_id INTEGER NOT NULL,
  client_id    TEXT    NOT NULL,
  last_seq     INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, aggregate_id, client_id)
);

CREATE TABLE aggregates (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL, -- of its last event, or of a later repair
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL,
  type            TEXT     NOT NULL,
  name            TEXT     NOT NULL,
  counters        TEXT     NOT NULL, -- a JSON object of integers
  writer_count    INTEGER  NOT NULL
);

CREATE INDEX ix_aggregates_name ON aggregates (tenant_id, name, id);

CREATE INDEX ix_aggregates_type ON aggregates (tenant_id, type, id);

CREATE INDEX ix_aggregates_updated ON aggregates (tenant_id, updated_time, id);

CREATE UNIQUE INDEX uq_aggregates_name ON aggregates (tenant_id, type, name);

CREATE TABLE api_tokens (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  user_id         INTEGER  NOT NULL,
  name            TEXT     NOT NULL,
  token_hash      TEXT     NOT NULL,
  scopes          TEXT     NOT NULL,
  created_by      INTEGER  NOT NULL, -- 0: the command line
  created_by_name TEXT     NOT NULL,
  expires_time    DATETIME     NULL,
  last_used_time  DATETIME     NULL,
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL
);

CREATE INDEX ix_api_tokens_created ON api_tokens (tenant_id, created_time, id);

CREATE INDEX ix_api_tokens_name ON api_tokens (tenant_id, name, id);

CREATE INDEX ix_api_tokens_user ON api_tokens (tenant_id, user_id, id);

CREATE UNIQUE INDEX uq_api_tokens_hash ON api_tokens (token_hash);

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

CREATE TABLE approval_histories (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  approval_id     INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  action          TEXT     NOT NULL,
  creator_id      INTEGER  NOT NULL DEFAULT 0, -- the creator of the API token that made the version; 0: none
  from_status     INTEGER      NULL, -- null: it was proposed
  to_status       INTEGER  NOT NULL,
  detail          TEXT     NOT NULL,
  content         TEXT         NULL, -- null: unchanged
  changed_by      INTEGER  NOT NULL,
  changed_by_name TEXT     NOT NULL,
  changed_time    DATETIME NOT NULL
);

CREATE UNIQUE INDEX uq_approval_histories_version ON approval_histories (tenant_id, approval_id, version);

CREATE TABLE approval_targets (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id   INTEGER NOT NULL,
  approval_id INTEGER NOT NULL,
  resource    TEXT    NOT NULL,
  pending     BOOLEAN NOT NULL -- equal to that of the approval
);

CREATE INDEX ix_approval_targets_pending ON approval_targets (tenant_id, resource, pending, approval_id);

CREATE UNIQUE INDEX uq_approval_targets_resource ON approval_targets (tenant_id, approval_id, resource);

CREATE TABLE approval_votes (
  id          INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id   INTEGER  NOT NULL,
  approval_id INTEGER  NOT NULL,
  version     INTEGER  NOT NULL, -- of the approval that the voter read
  digest      TEXT     NOT NULL,
  user_id     INTEGER  NOT NULL,
  user_name   TEXT     NOT NULL,
  token_id    INTEGER  NOT NULL DEFAULT 0, -- the API token that it was done with; 0: none
  creator_id  INTEGER  NOT NULL DEFAULT 0,
  creator_name TEXT     NOT NULL DEFAULT '', -- of the user who created the token
  verdict     TEXT     NOT NULL,
  voted_time  DATETIME NOT NULL
);

CREATE UNIQUE INDEX uq_approval_votes_version ON approval_votes (tenant_id, approval_id, version);

CREATE TABLE approvals (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL,
  status          INTEGER  NOT NULL,
  kind            TEXT     NOT NULL,
  resource        TEXT     NOT NULL,
  author_id       INTEGER  NOT NULL,
  author_name     TEXT     NOT NULL,
  note            TEXT     NOT NULL,
  base_etag       TEXT     NOT NULL, -- '': no base, or several
  content         TEXT     NOT NULL, -- the proposed change, in the format of its domain
  content_version INTEGER  NOT NULL, -- the version that wrote the content; votes on older versions are void
  digest          TEXT     NOT NULL,
  open_digest     TEXT         NULL, -- null: no longer pending
  required        INTEGER  NOT NULL,
  reason          TEXT     NOT NULL, -- of a rejection or a bypass
  expires_time    DATETIME NOT NULL,
  comments        INTEGER  NOT NULL DEFAULT 0, -- rows of approval_comments
  party_id        INTEGER  NOT NULL DEFAULT 0, -- a user other than its writers who may not vote, such as the requester of a refund; 0: none
  party_creator_id INTEGER  NOT NULL DEFAULT 0, -- the creator of the API token that the party used; 0: none
  party_time      DATETIME     NULL, -- when the party took part; null: none
  effective_time  DATETIME     NULL -- null: as soon as it has its votes
);

CREATE INDEX ix_approvals_author ON approvals (tenant_id, author_id, id);

CREATE INDEX ix_approvals_due ON approvals (status, effective_time);

CREATE INDEX ix_approvals_ends ON approvals (tenant_id, expires_time, id);

CREATE INDEX ix_approvals_expires ON approvals (status, expires_time);

CREATE INDEX ix_approvals_id ON approvals (tenant_id, id);

CREATE INDEX ix_approvals_status ON approvals (tenant_id, status, id);

CREATE INDEX ix_approvals_updated ON approvals (tenant_id, updated_time, id);

CREATE INDEX ix_approvals_waiting ON approvals (tenant_id, status, expires_time);

CREATE UNIQUE INDEX uq_approvals_open ON approvals (tenant_id, author_id, open_digest);

CREATE TABLE audit_entries (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  unit_id         TEXT     NOT NULL,
  request_id      TEXT     NOT NULL DEFAULT '',
  actor_kind      TEXT     NOT NULL,
  actor_id        TEXT     NOT NULL,
  actor_name      TEXT     NOT NULL,
  credential_id   TEXT     NOT NULL DEFAULT '',
  token_id        INTEGER  NOT NULL DEFAULT 0, -- the API token that it was done with; 0: none
  creator_id      INTEGER  NOT NULL DEFAULT 0,
  creator_name    TEXT     NOT NULL DEFAULT '', -- of the user who created the token
  action          TEXT     NOT NULL,
  resource        TEXT     NOT NULL,
  detail          TEXT     NOT NULL,
  changes         TEXT         NULL, -- of records, for followers of the log (core/changelog); null: none
  note            TEXT     NOT NULL DEFAULT '',
  created_time    DATETIME NOT NULL,
  on_behalf_of    TEXT         NULL, -- the customer for whom an API token acted; null: for itself
  idempotency_key TEXT     NOT NULL DEFAULT '', -- of the request; '': none
  place           INTEGER      NULL -- in the exported log of the tenant; null: not exported
);

CREATE INDEX ix_audit_entries_action ON audit_entries (tenant_id, action, id);

CREATE INDEX ix_audit_entries_actor ON audit_entries (tenant_id, actor_id, id);

CREATE INDEX ix_audit_entries_actor_name ON audit_entries (tenant_id, actor_name, id);

CREATE INDEX ix_audit_entries_created ON audit_entries (tenant_id, created_time, id);

CREATE INDEX ix_audit_entries_resource ON audit_entries (tenant_id, resource, id);

CREATE INDEX ix_audit_entries_time ON audit_entries (tenant_id, id);

CREATE UNIQUE INDEX uq_audit_entries_place ON audit_entries (tenant_id, place);

CREATE UNIQUE INDEX uq_audit_entries_unit ON audit_entries (unit_id, resource);

CREATE TABLE audit_targets (
  tenant_id INTEGER NOT NULL,
  resource  TEXT    NOT NULL,
  entry_id  INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, resource, entry_id)
) WITHOUT ROWID;

CREATE INDEX ix_audit_targets_entry ON audit_targets (entry_id);

CREATE TABLE config_histories (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  config_id       INTEGER  NOT NULL,
  key             TEXT     NOT NULL,
  version         INTEGER  NOT NULL,
  action          TEXT     NOT NULL,
  value           TEXT     NOT NULL,
  value_type      TEXT     NOT NULL,
  value_schema    TEXT     NOT NULL,
  remark          TEXT     NOT NULL,
  note            TEXT     NOT NULL,
  changed_by      INTEGER  NOT NULL,
  changed_by_name TEXT     NOT NULL,
  changed_time    DATETIME NOT NULL,
  protected       BOOLEAN  NOT NULL DEFAULT 0,
  approval_id     INTEGER  NOT NULL DEFAULT 0, -- 0: the version needed none
  secret          BOOLEAN  NOT NULL DEFAULT 0,
  sealed_value    BLOB         NULL,
  value_key       TEXT     NOT NULL DEFAULT '',
  owners          TEXT     NOT NULL DEFAULT ''
);

CREATE INDEX ix_config_histories_key ON config_histories (tenant_id, key, id);

CREATE UNIQUE INDEX uq_config_histories_version ON config_histories (config_id, version);

CREATE TABLE configs (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL,
  key             TEXT     NOT NULL,
  value           TEXT     NOT NULL,
  value_type      TEXT     NOT NULL,
  value_schema    TEXT     NOT NULL, -- '': none
  remark          TEXT     NOT NULL,
  protected       BOOLEAN  NOT NULL DEFAULT 0, -- a change needs an approval
  proposed        BIGINT   NOT NULL DEFAULT 0, -- proposals since the last change; counting one conflicts with a concurrent change
  secret          BOOLEAN  NOT NULL DEFAULT 0,
  sealed_value    BLOB         NULL, -- the encrypted value of a secret config, whose value is ''
  value_key       TEXT     NOT NULL DEFAULT '', -- encryption key of sealed_value
  owners          TEXT     NOT NULL DEFAULT '' -- JSON by field; '': none
);

CREATE INDEX ix_configs_type ON configs (tenant_id, value_type, key);

CREATE INDEX ix_configs_updated ON configs (tenant_id, updated_time, id);

CREATE INDEX ix_configs_version ON configs (tenant_id, version, id);

CREATE UNIQUE INDEX uq_configs_key ON configs (tenant_id, key);

CREATE TABLE conflict_counts (
  tenant_id INTEGER NOT NULL,
  day       TEXT    NOT NULL,
  resource  TEXT    NOT NULL,
  code      TEXT    NOT NULL,
  conflicts INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, day, resource, code)
);

CREATE TABLE coupon_campaign_histories (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  campaign_id     INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  action          TEXT     NOT NULL,
  name            TEXT     NOT NULL,
  kind            TEXT     NOT NULL,
  value           INTEGER  NOT NULL,
  minimum_amount  INTEGER  NOT NULL,
  total           INTEGER  NOT NULL,
  per_user        INTEGER  NOT NULL,
  valid_from      DATETIME NOT NULL,
  valid_to        DATETIME NOT NULL,
  issued          INTEGER  NOT NULL,
  changed_by      INTEGER  NOT NULL,
  changed_by_name TEXT     NOT NULL,
  changed_time    DATETIME NOT NULL
);

CREATE UNIQUE INDEX uq_coupon_campaign_histories_version ON coupon_campaign_histories (tenant_id, campaign_id, version);

CREATE TABLE coupon_campaigns (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL,
  name            TEXT     NOT NULL,
  kind            TEXT     NOT NULL,
  value           INTEGER  NOT NULL,
  minimum_amount  INTEGER  NOT NULL,
  total           INTEGER  NOT NULL,
  per_user        INTEGER  NOT NULL,
  valid_from      DATETIME NOT NULL,
  valid_to        DATETIME NOT NULL,
  issued          INTEGER  NOT NULL
);

CREATE INDEX ix_coupon_campaigns_created ON coupon_campaigns (tenant_id, created_time, id);

CREATE INDEX ix_coupon_campaigns_ends ON coupon_campaigns (tenant_id, valid_to, id);

CREATE INDEX ix_coupon_campaigns_id ON coupon_campaigns (tenant_id, id);

CREATE INDEX ix_coupon_campaigns_name ON coupon_campaigns (tenant_id, name, id);

CREATE INDEX ix_coupon_campaigns_starts ON coupon_campaigns (tenant_id, valid_from, id);

CREATE INDEX ix_coupon_campaigns_updated ON coupon_campaigns (tenant_id, updated_time, id);

CREATE INDEX ix_coupon_campaigns_valid_to ON coupon_campaigns (valid_to);

CREATE TABLE coupon_histories (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  coupon_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  action          TEXT     NOT NULL,
  from_status     INTEGER      NULL, -- null: the coupon was issued
  to_status       INTEGER  NOT NULL,
  detail          TEXT     NOT NULL,
  changed_by      INTEGER  NOT NULL,
  changed_by_name TEXT     NOT NULL,
  changed_time    DATETIME NOT NULL
);

CREATE UNIQUE INDEX uq_coupon_histories_version ON coupon_histories (tenant_id, coupon_id, version);

CREATE TABLE coupon_holders (
  tenant_id   INTEGER NOT NULL,
  campaign_id INTEGER NOT NULL,
  user_id     TEXT    NOT NULL,
  held        INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, campaign_id, user_id)
);

CREATE TABLE coupons (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL,
  campaign_id     INTEGER  NOT NULL,
  code            TEXT     NOT NULL,
  user_id         TEXT         NULL, -- null: any customer may redeem it
  status          INTEGER  NOT NULL,
  redeemed_by     TEXT         NULL, -- null: not redeemed
  order_id        INTEGER      NULL, -- null: not redeemed, or redeemed without an order
  void_reason     TEXT     NOT NULL
);

CREATE INDEX ix_coupons_campaign ON coupons (tenant_id, campaign_id, status, id);

CREATE INDEX ix_coupons_created ON coupons (tenant_id, created_time, id);

CREATE INDEX ix_coupons_id ON coupons (tenant_id, id);

CREATE INDEX ix_coupons_status ON coupons (tenant_id, status, id);

CREATE INDEX ix_coupons_updated ON coupons (tenant_id, updated_time, id);

CREATE INDEX ix_coupons_user ON coupons (tenant_id, user_id, id);

CREATE UNIQUE INDEX uq_coupons_code ON coupons (tenant_id, code);

CREATE TABLE customer_erasures (
  tenant_id  INTEGER  NOT NULL,
  user_id    TEXT     NOT NULL,
  pseudonym  TEXT     NOT NULL,
  secret     BLOB     NOT NULL, -- key from which the replacements of tickets and digests are derived
  begun_time DATETIME NOT NULL,
  PRIMARY KEY (tenant_id, user_id)
) WITHOUT ROWID;

CREATE TABLE encryption_keys (
  id           TEXT     NOT NULL PRIMARY KEY,
  check_value  BLOB     NOT NULL,
  created_time DATETIME NOT NULL,
  retired_time DATETIME     NULL -- null: values may be encrypted with the key
);

CREATE TABLE flash_sale_arrivals (
  sale_id       INTEGER NOT NULL PRIMARY KEY,
  tenant_id     INTEGER NOT NULL,
  accepted      INTEGER NOT NULL,
  sold_out      INTEGER NOT NULL,
  limit_reached INTEGER NOT NULL,
  sale_not_open INTEGER NOT NULL,
  queue_full    INTEGER NOT NULL
);

CREATE TABLE flash_sale_buyers (
  sale_id   INTEGER NOT NULL,
  user_id   TEXT    NOT NULL,
  tenant_id INTEGER NOT NULL,
  units     INTEGER NOT NULL,
  ticket    TEXT    NOT NULL, -- the latest
  PRIMARY KEY (sale_id, user_id)
);

CREATE TABLE flash_sale_gates (
  sale_id       INTEGER NOT NULL,
  tenant_id     INTEGER NOT NULL,
  epoch         INTEGER NOT NULL,
  version       INTEGER NOT NULL, -- of the row of flash_sales that the rules are from
  stock_version INTEGER NOT NULL, -- of the row of flash_sale_stocks that allotted is from
  is_open       BOOLEAN NOT NULL,
  starts        INTEGER NOT NULL, -- µs since 1970, like ends
  ends          INTEGER NOT NULL,
  user_limit    INTEGER NOT NULL,
  queue_cap     INTEGER NOT NULL, -- 0: none
  allotted      INTEGER NOT NULL,
  remaining     INTEGER NOT NULL,
  queued        INTEGER NOT NULL,
  processing    INTEGER NOT NULL,
  dead          INTEGER NOT NULL,
  confirmed     INTEGER NOT NULL,
  rejected      INTEGER NOT NULL,
  returned      INTEGER NOT NULL,
  waiting       INTEGER NOT NULL, -- queued tickets
  epoch_floor   INTEGER NOT NULL DEFAULT 0, -- older epochs have ended
  withheld      INTEGER NOT NULL DEFAULT 0, -- units that are leaving the allotment
  working       INTEGER NOT NULL DEFAULT 0, -- processing tickets
  buried        INTEGER NOT NULL DEFAULT 0, -- dead tickets
  revision      INTEGER NOT NULL DEFAULT 0, -- counts changes; written instead of a lock
  PRIMARY KEY (sale_id)
);

CREATE TABLE flash_sale_histories (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  sale_id         INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  action          TEXT     NOT NULL,
  name            TEXT     NOT NULL,
  sku             TEXT     NOT NULL,
  price           INTEGER  NOT NULL,
  quantity        INTEGER  NOT NULL,
  per_user_limit  INTEGER  NOT NULL,
  starts_time     DATETIME NOT NULL,
  ends_time       DATETIME NOT NULL,
  queue_cap       INTEGER      NULL,
  rate            INTEGER      NULL,
  item_name       TEXT     NOT NULL,
  status          INTEGER  NOT NULL,
  note            TEXT     NOT NULL,
  changed_by      INTEGER  NOT NULL,
  changed_by_name TEXT     NOT NULL,
  changed_time    DATETIME NOT NULL,
  replicas        INTEGER      NULL
);

CREATE UNIQUE INDEX uq_flash_sale_histories_version ON flash_sale_histories (tenant_id, sale_id, version);

CREATE TABLE flash_sale_rejections (
  tenant_id    INTEGER  NOT NULL,
  ticket       TEXT     NOT NULL,
  sale_id      INTEGER  NOT NULL,
  user_id      TEXT     NOT NULL,
  units        INTEGER  NOT NULL, -- 0: the ticket was lost and its units are unknown
  reason       TEXT     NOT NULL,
  created_time DATETIME NOT NULL,
  PRIMARY KEY (tenant_id, ticket)
);

CREATE INDEX ix_flash_sale_rejections_sale ON flash_sale_rejections (tenant_id, sale_id, ticket);

CREATE INDEX ix_flash_sale_rejections_user ON flash_sale_rejections (tenant_id, user_id, created_time, ticket);

CREATE TABLE flash_sale_samples (
  sale_id    INTEGER  NOT NULL,
  slot       INTEGER  NOT NULL, -- taken_time in steps of five seconds since 1970
  tenant_id  INTEGER  NOT NULL,
  taken_time DATETIME NOT NULL,
  stats      TEXT     NOT NULL, -- JSON
  PRIMARY KEY (sale_id, slot)
) WITHOUT ROWID;

CREATE TABLE flash_sale_stocks (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL,
  sale_id         INTEGER  NOT NULL,
  allotted        INTEGER  NOT NULL,
  sold            INTEGER  NOT NULL,
  epoch           INTEGER  NOT NULL, -- how often the gate was built
  rejected        INTEGER  NOT NULL DEFAULT 0, -- tickets in flash_sale_rejections
  finished        BOOLEAN  NOT NULL DEFAULT FALSE, -- closed, with no ticket in flight
  CONSTRAINT ck_flash_sale_stocks_sold CHECK (sold >= 0 AND sold <= allotted)
);

CREATE INDEX ix_flash_sale_stocks_finished ON flash_sale_stocks (finished, tenant_id, sale_id);

CREATE UNIQUE INDEX uq_flash_sale_stocks_sale ON flash_sale_stocks (tenant_id, sale_id);

CREATE TABLE flash_sale_tickets (
  sale_id   INTEGER NOT NULL,
  ticket    TEXT    NOT NULL,
  tenant_id INTEGER NOT NULL,
  user_id   TEXT    NOT NULL,
  units     INTEGER NOT NULL,
  state     TEXT    NOT NULL,
  accepted  INTEGER NOT NULL, -- µs since 1970
  ahead     INTEGER NOT NULL, -- tickets that were queued when it was accepted
  confirmed INTEGER NOT NULL, -- µs since 1970; 0: not confirmed
  order_id  INTEGER NOT NULL, -- 0: none
  order_no  TEXT    NOT NULL,
  reason    TEXT    NOT NULL,
  PRIMARY KEY (sale_id, ticket)
);

CREATE INDEX ix_flash_sale_tickets_accepted ON flash_sale_tickets (sale_id, accepted);

CREATE INDEX ix_flash_sale_tickets_confirmed ON flash_sale_tickets (sale_id, confirmed);

CREATE TABLE flash_sales (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL,
  name            TEXT     NOT NULL,
  sku             TEXT     NOT NULL,
  price           INTEGER  NOT NULL,
  quantity        INTEGER  NOT NULL,
  per_user_limit  INTEGER  NOT NULL,
  starts_time     DATETIME NOT NULL,
  ends_time       DATETIME NOT NULL,
  queue_cap       INTEGER      NULL, -- null: none
  rate            INTEGER      NULL, -- null: unlimited
  item_name       TEXT     NOT NULL, -- '' until the sale was opened
  status          INTEGER  NOT NULL,
  secret          TEXT     NOT NULL,
  proposed        INTEGER  NOT NULL DEFAULT 0, -- proposals since the last change; counting one conflicts with a concurrent change
  replicas        INTEGER      NULL -- replicas of Redis that must have a purchase before it is accepted; null: none
);

CREATE INDEX ix_flash_sales_active ON flash_sales (tenant_id, status, id);

CREATE INDEX ix_flash_sales_created ON flash_sales (tenant_id, created_time, id);

CREATE INDEX ix_flash_sales_ends ON flash_sales (tenant_id, ends_time, id);

CREATE INDEX ix_flash_sales_id ON flash_sales (tenant_id, id);

CREATE INDEX ix_flash_sales_name ON flash_sales (tenant_id, name, id);

CREATE INDEX ix_flash_sales_sku ON flash_sales (tenant_id, sku, id);

CREATE INDEX ix_flash_sales_starts ON flash_sales (tenant_id, starts_time, id);

CREATE INDEX ix_flash_sales_status ON flash_sales (status, id);

CREATE INDEX ix_flash_sales_updated ON flash_sales (tenant_id, updated_time, id);

CREATE TABLE idempotency_keys (
  id                 INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id          INTEGER  NOT NULL,
  scope              TEXT     NOT NULL,
  idempotency_key    TEXT     NOT NULL,
  fingerprint        BLOB     NOT NULL, -- of the request; random if sealed_fingerprint is set
  method             TEXT     NOT NULL,
  path               TEXT     NOT NULL,
  request_id         TEXT     NOT NULL,
  actor_kind         TEXT     NOT NULL,
  actor_id           TEXT     NOT NULL,
  actor_name         TEXT     NOT NULL,
  on_behalf_of       TEXT         NULL, -- the customer for whom an API token acted; null: for itself
  status             INTEGER  NOT NULL,
  reply              BLOB         NULL,
  location           TEXT     NOT NULL,
  seal_key           TEXT     NOT NULL, -- encryption key of reply and sealed_fingerprint; '': not encrypted
  duration_us        INTEGER  NOT NULL,
  replays            INTEGER  NOT NULL,
  last_replay_time   DATETIME     NULL,
  created_time       DATETIME NOT NULL,
  expires_time       DATETIME NOT NULL,
  sealed_fingerprint BLOB         NULL -- the encrypted fingerprint; null: not encrypted
);

CREATE INDEX ix_idempotency_keys_expires ON idempotency_keys (expires_time);

CREATE INDEX ix_idempotency_keys_search ON idempotency_keys (tenant_id, idempotency_key, id);

CREATE INDEX ix_idempotency_keys_time ON idempotency_keys (tenant_id, id);

CREATE UNIQUE INDEX uq_idempotency_keys_key ON idempotency_keys (tenant_id, scope, idempotency_key);

CREATE TABLE installation (
  id          INTEGER  PRIMARY KEY, -- always 1
  epoch       TEXT     NOT NULL, -- identifies the history of the database; a restore starts another one
  begun_time  DATETIME NOT NULL,
  reason      TEXT     NOT NULL, -- of the epoch
  device_key  BLOB         NULL, -- signs the cookies of known browsers; created on first use
  backup_time DATETIME     NULL -- start of the last backup
);

CREATE TABLE inventories (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL,
  sku             TEXT     NOT NULL,
  on_hand         INTEGER  NOT NULL,
  reserved        INTEGER  NOT NULL,
  available       INTEGER  GENERATED ALWAYS AS (on_hand - reserved) VIRTUAL,
  CONSTRAINT ck_inventories_reserved CHECK (reserved >= 0 AND on_hand >= reserved)
);

CREATE INDEX ix_inventories_available ON inventories (tenant_id, available, id);

CREATE INDEX ix_inventories_updated ON inventories (tenant_id, updated_time, id);

CREATE UNIQUE INDEX uq_inventories_sku ON inventories (tenant_id, sku);

CREATE TABLE inventory_holds (
  tenant_id INTEGER NOT NULL,
  holder    TEXT    NOT NULL,
  sku       TEXT    NOT NULL,
  quantity  INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, holder, sku),
  CONSTRAINT ck_inventory_holds_quantity CHECK (quantity >= 0)
);

CREATE INDEX ix_inventory_holds_sku ON inventory_holds (tenant_id, sku, quantity);

CREATE TABLE inventory_movements (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  sku             TEXT     NOT NULL,
  version         INTEGER  NOT NULL, -- of the inventory after the movement
  kind            TEXT     NOT NULL,
  on_hand_delta   INTEGER  NOT NULL,
  reserved_delta  INTEGER  NOT NULL,
  on_hand         INTEGER  NOT NULL, -- after the movement, like reserved
  reserved        INTEGER  NOT NULL,
  holder          TEXT     NOT NULL,
  reason          TEXT     NOT NULL,
  reference       TEXT     NOT NULL,
  created_by      INTEGER  NOT NULL,
  created_by_name TEXT     NOT NULL,
  created_time    DATETIME NOT NULL
);

CREATE INDEX ix_inventory_movements_id ON inventory_movements (tenant_id, sku, id);

CREATE UNIQUE INDEX uq_inventory_movements_reference ON inventory_movements (tenant_id, sku, reference);

CREATE UNIQUE INDEX uq_inventory_movements_version ON inventory_movements (tenant_id, sku, version);

CREATE TABLE item_histories (
  id               INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id        INTEGER  NOT NULL,
  item_id          INTEGER  NOT NULL,
  version          INTEGER  NOT NULL,
  action           TEXT     NOT NULL,
  name             TEXT     NOT NULL,
  price            INTEGER  NOT NULL,
  owned_by_user_id TEXT         NULL,
  status           TEXT     NOT NULL,
  changed_by       INTEGER  NOT NULL,
  changed_by_name  TEXT     NOT NULL,
  changed_time     DATETIME NOT NULL
);

CREATE UNIQUE INDEX uq_item_histories_version ON item_histories (tenant_id, item_id, version);

CREATE TABLE items (
  id               INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id        INTEGER  NOT NULL,
  version          INTEGER  NOT NULL,
  created_time     DATETIME NOT NULL,
  updated_time     DATETIME NOT NULL,
  updated_by       INTEGER  NOT NULL,
  updated_by_name  TEXT     NOT NULL,
  sku              TEXT     NOT NULL,
  name             TEXT     NOT NULL,
  price            INTEGER  NOT NULL,
  owned_by_user_id TEXT         NULL, -- null: no owner
  status           TEXT     NOT NULL,
  uses             INTEGER  NOT NULL DEFAULT 0 -- counts units that relied on the item; written instead of a lock, never read
);

CREATE INDEX ix_items_name ON items (tenant_id, name, id);

CREATE INDEX ix_items_price ON items (tenant_id, price, id);

CREATE INDEX ix_items_status ON items (tenant_id, status, sku);

CREATE INDEX ix_items_updated ON items (tenant_id, updated_time, id);

CREATE UNIQUE INDEX uq_items_sku ON items (tenant_id, sku);

CREATE TABLE log_places (
  name TEXT    NOT NULL PRIMARY KEY,
  last INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE menu_histories (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  menu_id         INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  action          TEXT     NOT NULL,
  parent_id       INTEGER  NOT NULL,
  sort_key        INTEGER  NOT NULL,
  position        INTEGER  NOT NULL, -- among its siblings when the version was written
  title           TEXT     NOT NULL,
  path            TEXT     NOT NULL,
  icon            TEXT     NOT NULL,
  permission      TEXT     NOT NULL,
  hidden          BOOLEAN  NOT NULL,
  changed_by      INTEGER  NOT NULL,
  changed_by_name TEXT     NOT NULL,
  changed_time    DATETIME NOT NULL
);

CREATE UNIQUE INDEX uq_menu_histories_version ON menu_histories (tenant_id, menu_id, version);

CREATE TABLE menu_revisions (
  tenant_id INTEGER PRIMARY KEY,
  version   INTEGER NOT NULL
);

CREATE TABLE menus (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL,
  parent_id       INTEGER  NOT NULL, -- 0: at the top
  sort_key        INTEGER  NOT NULL, -- ascending among siblings, with gaps
  title           TEXT     NOT NULL, -- '': the title of the page
  path            TEXT     NOT NULL, -- '': a group
  icon            TEXT     NOT NULL, -- '': the icon of the page
  permission      TEXT     NOT NULL, -- '': visible to every user
  hidden          BOOLEAN  NOT NULL
);

CREATE INDEX ix_menus_parent ON menus (tenant_id, parent_id, sort_key, id);

CREATE TABLE mq_batches (
  id         TEXT     NOT NULL PRIMARY KEY,
  queue      TEXT     NOT NULL,
  settled    BOOLEAN  NOT NULL,
  lease_time DATETIME NOT NULL -- end of the lease; settled: end of storage
);

CREATE INDEX ix_mq_batches_lease ON mq_batches (queue, lease_time);

CREATE TABLE mq_messages (
  id            INTEGER  PRIMARY KEY AUTOINCREMENT,
  queue         TEXT     NOT NULL,
  state         INTEGER  NOT NULL, -- 0 waiting, 1 claimed, 2 dead
  message_id    BLOB     NOT NULL,
  batch_id      TEXT     NOT NULL,
  due_time      DATETIME NOT NULL, -- waiting: earliest claim, in this order; dead: when it became dead
  attempts      INTEGER  NOT NULL,
  crashes       INTEGER  NOT NULL,
  enqueued_time DATETIME NOT NULL,
  error         TEXT     NOT NULL,
  trace         TEXT     NOT NULL,
  body          BLOB     NOT NULL
);

CREATE INDEX ix_mq_messages_batch ON mq_messages (batch_id);

CREATE INDEX ix_mq_messages_due ON mq_messages (queue, state, due_time, id);

CREATE INDEX ix_mq_messages_message ON mq_messages (queue, message_id);

CREATE TABLE mq_queues (
  name      TEXT    NOT NULL PRIMARY KEY,
  rate_used INTEGER NOT NULL DEFAULT 0 -- the token bucket of all consumers is used up until then, µs since 1970
);

CREATE TABLE order_histories (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  order_id        INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  action          TEXT     NOT NULL,
  from_status     INTEGER      NULL, -- null: the order was placed
  to_status       INTEGER  NOT NULL,
  detail          TEXT     NOT NULL,
  changed_by      INTEGER  NOT NULL,
  changed_by_name TEXT     NOT NULL,
  changed_time    DATETIME NOT NULL
);

CREATE UNIQUE INDEX uq_order_histories_version ON order_histories (tenant_id, order_id, version);

CREATE TABLE order_lines (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id INTEGER NOT NULL,
  order_id  INTEGER NOT NULL,
  sku       TEXT    NOT NULL,
  name      TEXT    NOT NULL,
  price     INTEGER NOT NULL,
  quantity  INTEGER NOT NULL,
  to_ship   INTEGER NOT NULL,
  in_refund INTEGER NOT NULL,
  shipped   INTEGER NOT NULL,
  returned  INTEGER NOT NULL,
  in_returns  INTEGER NOT NULL DEFAULT 0,
  written_off INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX ix_order_lines_sku ON order_lines (tenant_id, sku, order_id);

CREATE UNIQUE INDEX uq_order_lines_sku ON order_lines (tenant_id, order_id, sku);

CREATE TABLE order_tags (
  tenant_id INTEGER NOT NULL,
  order_id  INTEGER NOT NULL,
  tag       TEXT    NOT NULL, -- of orders.tags, for lists by tag
  PRIMARY KEY (tenant_id, order_id, tag)
);

CREATE INDEX ix_order_tags_tag ON order_tags (tenant_id, tag, order_id);

CREATE TABLE orders (
  id                INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id         INTEGER  NOT NULL,
  version           INTEGER  NOT NULL,
  created_time      DATETIME NOT NULL,
  updated_time      DATETIME NOT NULL,
  updated_by        INTEGER  NOT NULL,
  updated_by_name   TEXT     NOT NULL,
  order_no          TEXT     NOT NULL,
  user_id           TEXT     NOT NULL,
  status            INTEGER  NOT NULL,
  discount          INTEGER  NOT NULL,
  amount            INTEGER  NOT NULL,
  coupon_code       TEXT     NOT NULL,
  carrier           TEXT     NOT NULL,
  tracking_no       TEXT     NOT NULL,
  cancel_reason     TEXT     NOT NULL,
  sale_id           INTEGER      NULL, -- null: not from a flash sale
  ticket            TEXT         NULL,
  payment_due       DATETIME     NULL, -- null: no due time, paid, or cancelled
  paid              INTEGER  NOT NULL DEFAULT 0,
  refund_reserved   INTEGER  NOT NULL DEFAULT 0, -- part of paid that open refunds reserve
  refunded          INTEGER  NOT NULL DEFAULT 0, -- part of paid that was refunded
  shipping          INTEGER  NOT NULL DEFAULT 0, -- part of amount
  tax               INTEGER  NOT NULL DEFAULT 0, -- part of amount
  payment_terms     TEXT     NOT NULL DEFAULT 'prepaid',
  paid_time         DATETIME     NULL, -- null: not paid in full
  shipped_time      DATETIME     NULL, -- null: units are to ship
  completed_time    DATETIME     NULL,
  cancelled_time    DATETIME     NULL,
  external_id       TEXT         NULL, -- null: none
  content_hash      TEXT         NULL, -- of the request that created it; null: without external_id
  email             TEXT     NOT NULL DEFAULT '',
  shipping_address  TEXT     NOT NULL DEFAULT '', -- JSON, or empty for none
  billing_address   TEXT     NOT NULL DEFAULT '', -- JSON, or empty for none
  note              TEXT     NOT NULL DEFAULT '',
  tags              TEXT     NOT NULL DEFAULT '[]', -- JSON
  metadata          TEXT     NOT NULL DEFAULT '{}', -- JSON
  -- Derived from the lines by each change of them.
  units_to_ship     INTEGER  NOT NULL DEFAULT 0,
  fulfilment_status TEXT     NOT NULL DEFAULT 'none',
  payment_status    TEXT     GENERATED ALWAYS AS (CASE
    WHEN refunded > 0 AND refunded = paid THEN 'refunded'
    WHEN refunded > 0 THEN 'partly_refunded'
    WHEN paid_time IS NOT NULL THEN 'paid'
    WHEN paid > 0 THEN 'partly_paid'
    ELSE 'unpaid' END) VIRTUAL,
  shippable         INTEGER  GENERATED ALWAYS AS (CASE WHEN units_to_ship > 0 AND (status IN (1, 2) OR status = 0 AND payment_terms <> 'prepaid') THEN 1 ELSE 0 END) VIRTUAL
);

CREATE INDEX ix_orders_amount ON orders (tenant_id, amount, id);

CREATE INDEX ix_orders_coupon ON orders (tenant_id, coupon_code, id);

CREATE INDEX ix_orders_created ON orders (tenant_id, created_time, id);

CREATE INDEX ix_orders_due ON orders (payment_due);

CREATE INDEX ix_orders_email ON orders (tenant_id, email, id);

CREATE INDEX ix_orders_fulfilment ON orders (tenant_id, fulfilment_status, id);

CREATE INDEX ix_orders_id ON orders (tenant_id, id);

CREATE INDEX ix_orders_paid ON orders (tenant_id, paid_time, id);

CREATE INDEX ix_orders_payment_status ON orders (tenant_id, payment_status, id);

CREATE INDEX ix_orders_sale ON orders (tenant_id, sale_id, id);

CREATE INDEX ix_orders_sale_user ON orders (tenant_id, sale_id, user_id);

CREATE INDEX ix_orders_shippable ON orders (tenant_id, shippable, id);

CREATE INDEX ix_orders_shipped ON orders (tenant_id, shipped_time, id);

CREATE INDEX ix_orders_status ON orders (tenant_id, status, id);

CREATE INDEX ix_orders_tracking ON orders (tenant_id, tracking_no, id);

CREATE INDEX ix_orders_updated ON orders (tenant_id, updated_time, id);

CREATE INDEX ix_orders_user ON orders (tenant_id, user_id, id, sale_id, paid, refunded);

CREATE UNIQUE INDEX uq_orders_external ON orders (tenant_id, external_id);

CREATE UNIQUE INDEX uq_orders_no ON orders (tenant_id, order_no);

CREATE UNIQUE INDEX uq_orders_ticket ON orders (tenant_id, ticket);

CREATE TABLE payment_histories (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  payment_id      INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  action          TEXT     NOT NULL,
  from_status     INTEGER      NULL, -- null: the payment was recorded
  to_status       INTEGER  NOT NULL,
  detail          TEXT     NOT NULL,
  changed_by      INTEGER  NOT NULL,
  changed_by_name TEXT     NOT NULL,
  changed_time    DATETIME NOT NULL
);

CREATE UNIQUE INDEX uq_payment_histories_version ON payment_histories (tenant_id, payment_id, version);

CREATE TABLE payments (
  id                  INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id           INTEGER  NOT NULL,
  version             INTEGER  NOT NULL,
  created_time        DATETIME NOT NULL,
  updated_time        DATETIME NOT NULL,
  updated_by          INTEGER  NOT NULL,
  updated_by_name     TEXT     NOT NULL,
  order_id            INTEGER      NULL, -- null: the recorder named an order that does not exist
  named_order_id      INTEGER  NOT NULL, -- the order in the request that recorded it
  order_no            TEXT     NOT NULL,
  user_id             TEXT     NOT NULL,
  method              TEXT     NOT NULL,
  provider            TEXT     NOT NULL,
  reference           TEXT         NULL, -- null: a wallet payment without one
  amount              INTEGER  NOT NULL,
  refund_reserved     INTEGER  NOT NULL DEFAULT 0, -- part of amount that open refunds reserve
  refunded            INTEGER  NOT NULL DEFAULT 0, -- part of amount that was refunded
  status              INTEGER  NOT NULL,
  reason              TEXT     NOT NULL,
  reason_code         TEXT     NOT NULL DEFAULT '', -- why it is unmatched; '': it is not
  applied_time        DATETIME     NULL, -- null: never applied to an order
  recorded_by         INTEGER  NOT NULL,
  recorded_by_name    TEXT     NOT NULL,
  recorder_creator_id INTEGER  NOT NULL DEFAULT 0, -- the creator of the API token that recorded it; 0: none
  proposed            INTEGER  NOT NULL DEFAULT 0 -- proposals since the last change; counting one conflicts with a concurrent change
);

CREATE INDEX ix_payments_amount ON payments (tenant_id, amount, id);

CREATE INDEX ix_payments_created ON payments (tenant_id, created_time, id);

CREATE INDEX ix_payments_id ON payments (tenant_id, id);

CREATE INDEX ix_payments_method ON payments (tenant_id, method, id);

CREATE INDEX ix_payments_order ON payments (tenant_id, order_id, id);

CREATE INDEX ix_payments_provider ON payments (tenant_id, provider, id);

CREATE INDEX ix_payments_reference ON payments (tenant_id, reference, id);

CREATE INDEX ix_payments_status ON payments (tenant_id, status, id);

CREATE INDEX ix_payments_updated ON payments (tenant_id, updated_time, id);

CREATE INDEX ix_payments_user ON payments (tenant_id, user_id, id);

CREATE UNIQUE INDEX uq_payments_reference ON payments (tenant_id, provider, reference);

CREATE TABLE promise_keys (
  id   INTEGER NOT NULL PRIMARY KEY,
  seed BLOB    NOT NULL -- of the Ed25519 key
);

CREATE TABLE promise_violations (
  id         INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id  INTEGER  NOT NULL,
  name       TEXT     NOT NULL,
  subject    TEXT     NOT NULL,
  pass       INTEGER  NOT NULL, -- the last pass that found it
  found_time DATETIME NOT NULL,
  kept_time  DATETIME     NULL -- end of the last pass that did not find it; null: none
);

CREATE UNIQUE INDEX uq_promise_violations_subject ON promise_violations (tenant_id, name, subject);

CREATE TABLE recovery_codes (
  id           INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id    INTEGER  NOT NULL,
  user_id      INTEGER  NOT NULL,
  code_hash    TEXT     NOT NULL,
  created_time DATETIME NOT NULL
);

CREATE UNIQUE INDEX uq_recovery_codes_code ON recovery_codes (tenant_id, user_id, code_hash);

CREATE TABLE refund_histories (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  refund_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  action          TEXT     NOT NULL,
  from_status     INTEGER      NULL, -- null: the refund was requested
  to_status       INTEGER  NOT NULL,
  detail          TEXT     NOT NULL,
  changed_by      INTEGER  NOT NULL,
  changed_by_name TEXT     NOT NULL,
  changed_time    DATETIME NOT NULL
);

CREATE UNIQUE INDEX uq_refund_histories_version ON refund_histories (tenant_id, refund_id, version);

CREATE TABLE refund_lines (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id INTEGER NOT NULL,
  refund_id INTEGER NOT NULL,
  order_id  INTEGER NOT NULL,
  sku       TEXT    NOT NULL,
  name      TEXT    NOT NULL,
  quantity  INTEGER NOT NULL,
  restock   BOOLEAN NOT NULL,
  unshipped INTEGER NOT NULL,
  worth     INTEGER NOT NULL -- the units' share of the paid amount, refunded or not
);

CREATE INDEX ix_refund_lines_order ON refund_lines (tenant_id, order_id);

CREATE UNIQUE INDEX uq_refund_lines_sku ON refund_lines (tenant_id, refund_id, sku);

CREATE TABLE refunds (
  id                INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id         INTEGER  NOT NULL,
  version           INTEGER  NOT NULL,
  created_time      DATETIME NOT NULL,
  updated_time      DATETIME NOT NULL,
  updated_by        INTEGER  NOT NULL,
  updated_by_name   TEXT     NOT NULL,
  order_id          INTEGER  NOT NULL,
  order_no          TEXT     NOT NULL,
  user_id           TEXT     NOT NULL,
  payment_id        INTEGER  NOT NULL,
  amount            INTEGER  NOT NULL,
  method            TEXT     NOT NULL,
  origin            TEXT     NOT NULL,
  status            INTEGER  NOT NULL,
  reason            TEXT     NOT NULL,
  requested_by      INTEGER  NOT NULL,
  requested_by_name TEXT     NOT NULL,
  requester_creator_id INTEGER  NOT NULL DEFAULT 0, -- the creator of the API token that requested it; 0: none
  approved_by       INTEGER      NULL, -- null: not approved
  approved_by_name  TEXT     NOT NULL,
  approved_time     DATETIME     NULL,
  reference         TEXT         NULL, -- null: no money has moved
  status_reason     TEXT     NOT NULL,
  proposed          INTEGER  NOT NULL DEFAULT 0 -- proposals since the last change; counting one conflicts with a concurrent change
);

CREATE INDEX ix_refunds_amount ON refunds (tenant_id, amount, id);

CREATE INDEX ix_refunds_created ON refunds (tenant_id, created_time, id);

CREATE INDEX ix_refunds_id ON refunds (tenant_id, id);

CREATE INDEX ix_refunds_order ON refunds (tenant_id, order_id, id);

CREATE INDEX ix_refunds_payment ON refunds (tenant_id, payment_id, id);

CREATE INDEX ix_refunds_reference ON refunds (tenant_id, reference, id);

CREATE INDEX ix_refunds_settled ON refunds (tenant_id, status, updated_time);

CREATE INDEX ix_refunds_status ON refunds (tenant_id, status, id);

CREATE INDEX ix_refunds_updated ON refunds (tenant_id, updated_time, id);

CREATE INDEX ix_refunds_user ON refunds (tenant_id, user_id, id);

CREATE UNIQUE INDEX uq_refunds_reference ON refunds (tenant_id, method, reference);

CREATE TABLE retention_tallies (
  tenant_id INTEGER NOT NULL,
  name      TEXT    NOT NULL,
  removed   INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, name)
) WITHOUT ROWID;

CREATE TABLE return_comments (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  return_id       INTEGER  NOT NULL,
  text            TEXT     NOT NULL,
  created_by      INTEGER  NOT NULL,
  created_by_name TEXT     NOT NULL,
  created_time    DATETIME NOT NULL
);

CREATE INDEX ix_return_comments_id ON return_comments (tenant_id, return_id, id);

CREATE TABLE return_histories (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  return_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  action          TEXT     NOT NULL,
  from_status     INTEGER      NULL, -- null: the return was requested
  to_status       INTEGER  NOT NULL,
  detail          TEXT     NOT NULL,
  changed_by      INTEGER  NOT NULL,
  changed_by_name TEXT     NOT NULL,
  changed_time    DATETIME NOT NULL
);

CREATE UNIQUE INDEX uq_return_histories_version ON return_histories (tenant_id, return_id, version);

CREATE TABLE return_lines (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id INTEGER NOT NULL,
  return_id INTEGER NOT NULL,
  order_id  INTEGER NOT NULL,
  line_no   INTEGER NOT NULL, -- the number of the order's line
  sku       TEXT    NOT NULL,
  name      TEXT    NOT NULL,
  quantity  INTEGER NOT NULL,
  received  INTEGER NOT NULL, -- of them, units that arrived
  restocked INTEGER NOT NULL -- of them, units that are in stock again
);

CREATE INDEX ix_return_lines_order ON return_lines (tenant_id, order_id);

CREATE UNIQUE INDEX uq_return_lines_sku ON return_lines (tenant_id, return_id, sku);

CREATE TABLE returns (
  id                INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id         INTEGER  NOT NULL,
  version           INTEGER  NOT NULL,
  created_time      DATETIME NOT NULL,
  updated_time      DATETIME NOT NULL,
  updated_by        INTEGER  NOT NULL,
  updated_by_name   TEXT     NOT NULL,
  order_id          INTEGER  NOT NULL,
  order_no          TEXT     NOT NULL,
  user_id           TEXT     NOT NULL,
  status            INTEGER  NOT NULL,
  reason            TEXT     NOT NULL,
  status_reason     TEXT     NOT NULL, -- the reason of a rejection
  refund_id         INTEGER      NULL,
  exchange_order_id INTEGER      NULL, -- the order that replaces the goods
  comments          INTEGER  NOT NULL DEFAULT 0
);

CREATE INDEX ix_returns_created ON returns (tenant_id, created_time, id);

CREATE INDEX ix_returns_id ON returns (tenant_id, id);

CREATE INDEX ix_returns_order ON returns (tenant_id, order_id, id);

CREATE INDEX ix_returns_order_no ON returns (tenant_id, order_no, id);

CREATE INDEX ix_returns_status ON returns (tenant_id, status, id);

CREATE INDEX ix_returns_updated ON returns (tenant_id, updated_time, id);

CREATE INDEX ix_returns_user ON returns (tenant_id, user_id, id);

CREATE TABLE role_histories (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  role_id         INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  action          TEXT     NOT NULL,
  name            TEXT     NOT NULL,
  permissions     TEXT     NOT NULL,
  changed_by      INTEGER  NOT NULL,
  changed_by_name TEXT     NOT NULL,
  changed_time    DATETIME NOT NULL
);

CREATE UNIQUE INDEX uq_role_histories_version ON role_histories (tenant_id, role_id, version);

CREATE TABLE role_permissions (
  tenant_id  INTEGER NOT NULL,
  role_id    INTEGER NOT NULL,
  permission TEXT    NOT NULL,
  PRIMARY KEY (role_id, permission)
);

CREATE TABLE roles (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  name            TEXT     NOT NULL,
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL
);

CREATE INDEX ix_roles_updated ON roles (tenant_id, updated_time, id);

CREATE UNIQUE INDEX uq_roles_name ON roles (tenant_id, name);

CREATE TABLE server_claims (
  id              INTEGER  PRIMARY KEY, -- always 1
  group_name      TEXT     NOT NULL, -- redis, or the run of a server without Redis
  run_id          TEXT     NOT NULL,
  role            TEXT     NOT NULL,
  host            TEXT     NOT NULL,
  machine         TEXT     NOT NULL,
  pid             INTEGER  NOT NULL,
  process_start   INTEGER  NOT NULL,
  since_time      DATETIME NOT NULL,
  heartbeat_time  DATETIME NOT NULL,
  lease_ends_time DATETIME NOT NULL
);

CREATE TABLE sessions (
  id             INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id      INTEGER  NOT NULL,
  user_id        INTEGER  NOT NULL,
  token_hash     TEXT     NOT NULL,
  data           BLOB     NOT NULL,
  expires_time   DATETIME NOT NULL,
  created_time   DATETIME NOT NULL,
  address        TEXT     NOT NULL DEFAULT '',
  user_agent     TEXT     NOT NULL DEFAULT '',
  last_used_time DATETIME     NULL
);

CREATE INDEX ix_sessions_expires ON sessions (expires_time);

CREATE INDEX ix_sessions_user ON sessions (tenant_id, user_id);

CREATE UNIQUE INDEX uq_sessions_token_hash ON sessions (token_hash);

CREATE TABLE shipment_lines (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id   INTEGER NOT NULL,
  shipment_id INTEGER NOT NULL,
  order_id    INTEGER NOT NULL,
  line_id     INTEGER NOT NULL, -- the number of the line in its order, from 1
  sku         TEXT    NOT NULL,
  name        TEXT    NOT NULL,
  quantity    INTEGER NOT NULL
);

CREATE INDEX ix_shipment_lines_order ON shipment_lines (tenant_id, order_id, sku);

CREATE UNIQUE INDEX uq_shipment_lines_sku ON shipment_lines (tenant_id, shipment_id, sku);

CREATE TABLE shipments (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  order_id        INTEGER  NOT NULL,
  carrier         TEXT     NOT NULL,
  tracking_no     TEXT     NOT NULL,
  created_by      INTEGER  NOT NULL,
  created_by_name TEXT     NOT NULL,
  created_time    DATETIME NOT NULL
);

CREATE INDEX ix_shipments_order ON shipments (tenant_id, order_id, id);

CREATE INDEX ix_shipments_tracking ON shipments (tenant_id, tracking_no);

CREATE TABLE sign_in_attempts (
  id           INTEGER  PRIMARY KEY AUTOINCREMENT,
  account      TEXT     NOT NULL,
  slot         INTEGER  NOT NULL,
  created_time DATETIME NOT NULL,
  network      TEXT     NOT NULL DEFAULT ''
);

CREATE INDEX ix_sign_in_attempts_time ON sign_in_attempts (created_time);

CREATE UNIQUE INDEX uq_sign_in_attempts_slot ON sign_in_attempts (account, network, slot);

CREATE TABLE sign_in_challenges (
  id           INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id    INTEGER  NOT NULL,
  user_id      INTEGER  NOT NULL,
  token_hash   TEXT     NOT NULL,
  expires_time DATETIME NOT NULL,
  created_time DATETIME NOT NULL,
  session_hash TEXT     NOT NULL DEFAULT '' -- digest of the session that repeats its factor; '': a sign-in
);

CREATE INDEX ix_sign_in_challenges_expires ON sign_in_challenges (expires_time);

CREATE INDEX ix_sign_in_challenges_user ON sign_in_challenges (tenant_id, user_id);

CREATE UNIQUE INDEX uq_sign_in_challenges_token_hash ON sign_in_challenges (token_hash);

CREATE TABLE sign_in_flows (
  id           INTEGER  PRIMARY KEY AUTOINCREMENT,
  state_hash   TEXT     NOT NULL,
  browser_hash TEXT     NOT NULL, -- digest of the cookie of the requesting browser
  provider     TEXT     NOT NULL,
  purpose      TEXT     NOT NULL,
  tenant       TEXT     NOT NULL, -- as typed; it may not exist
  user_id      INTEGER  NOT NULL, -- 0: a sign-in; the response identifies the user
  proof_hash   TEXT     NOT NULL, -- digest of the invitation or session that started the flow
  nonce        TEXT     NOT NULL,
  verifier     TEXT     NOT NULL,
  expires_time DATETIME NOT NULL,
  created_time DATETIME NOT NULL
);

CREATE INDEX ix_sign_in_flows_expires ON sign_in_flows (expires_time);

CREATE UNIQUE INDEX uq_sign_in_flows_state ON sign_in_flows (state_hash);

CREATE TABLE tenant_setting_histories (
  id                        INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id                 INTEGER  NOT NULL,
  version                   INTEGER  NOT NULL,
  action                    TEXT     NOT NULL,
  approvals_required        INTEGER  NOT NULL,
  approval_days             INTEGER  NOT NULL,
  changed_by                INTEGER  NOT NULL,
  changed_by_name           TEXT     NOT NULL,
  changed_time              DATETIME NOT NULL,
  refund_approval_threshold INTEGER      NULL,
  wallet_approval_threshold INTEGER      NULL,
  self_approval             BOOLEAN  NOT NULL DEFAULT FALSE,
  time_zone                 TEXT     NOT NULL DEFAULT 'UTC',
  unpaid_order_minutes      INTEGER  NOT NULL DEFAULT 0
);

CREATE UNIQUE INDEX uq_tenant_setting_histories_version ON tenant_setting_histories (tenant_id, version);

CREATE TABLE tenant_settings (
  id                        INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id                 INTEGER  NOT NULL,
  version                   INTEGER  NOT NULL,
  created_time              DATETIME NOT NULL,
  updated_time              DATETIME NOT NULL,
  updated_by                INTEGER  NOT NULL,
  updated_by_name           TEXT     NOT NULL,
  protected                 BOOLEAN  NOT NULL DEFAULT TRUE, -- guard lets no unit write it that applies no approval
  proposed                  INTEGER  NOT NULL DEFAULT 0, -- proposals since the last change; counting one conflicts with a concurrent change
  approvals_required        INTEGER  NOT NULL,
  approval_days             INTEGER  NOT NULL, -- until an approval expires
  refund_approval_threshold INTEGER      NULL, -- null: none
  wallet_approval_threshold INTEGER      NULL, -- null: none
  self_approval             BOOLEAN  NOT NULL DEFAULT FALSE,
  time_zone                 TEXT     NOT NULL DEFAULT 'UTC', -- IANA name
  unpaid_order_minutes      INTEGER  NOT NULL DEFAULT 0 -- 0: never
);

CREATE UNIQUE INDEX uq_tenant_settings_tenant ON tenant_settings (tenant_id);

CREATE TABLE tenants (
  id            INTEGER  PRIMARY KEY AUTOINCREMENT,
  name          TEXT     NOT NULL,
  currency      TEXT     NOT NULL, -- ISO 4217; never changes
  created_time  DATETIME NOT NULL,
  disabled_time DATETIME     NULL -- null: enabled
);

CREATE UNIQUE INDEX uq_tenants_name ON tenants (name);

CREATE TABLE user_factors (
  id             INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id      INTEGER  NOT NULL,
  user_id        INTEGER  NOT NULL,
  kind           TEXT     NOT NULL,
  name           TEXT     NOT NULL,
  secret         BLOB     NOT NULL,
  secret_key     TEXT     NOT NULL, -- encryption key of the secret; '': not encrypted
  last_step      INTEGER  NOT NULL, -- the newest step whose code was accepted
  expires_time   DATETIME     NULL, -- of an unconfirmed factor; null: confirmed
  last_used_time DATETIME     NULL,
  created_time   DATETIME NOT NULL
);

CREATE INDEX ix_user_factors_expires ON user_factors (expires_time);

CREATE INDEX ix_user_factors_user ON user_factors (tenant_id, user_id);

CREATE TABLE user_histories (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  user_id         INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  action          TEXT     NOT NULL,
  creator_id      INTEGER  NOT NULL DEFAULT 0, -- the creator of the API token that made the version; 0: none
  username        TEXT     NOT NULL,
  display_name    TEXT     NOT NULL,
  disabled        BOOLEAN  NOT NULL,
  roles           TEXT     NOT NULL,
  changed_by      INTEGER  NOT NULL,
  changed_by_name TEXT     NOT NULL,
  changed_time    DATETIME NOT NULL
);

CREATE UNIQUE INDEX uq_user_histories_version ON user_histories (tenant_id, user_id, version);

CREATE TABLE user_links (
  id             INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id      INTEGER  NOT NULL,
  user_id        INTEGER  NOT NULL,
  identity_hash  TEXT     NOT NULL, -- digest of issuer and subject
  issuer         TEXT     NOT NULL,
  subject        TEXT     NOT NULL,
  last_used_time DATETIME     NULL,
  created_time   DATETIME NOT NULL
);

CREATE INDEX ix_user_links_user ON user_links (tenant_id, user_id);

CREATE UNIQUE INDEX uq_user_links_identity ON user_links (tenant_id, identity_hash);

CREATE TABLE user_passkeys (
  id                 INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id          INTEGER  NOT NULL,
  user_id            INTEGER  NOT NULL,
  factor_id          INTEGER  NOT NULL, -- the row of user_factors
  site               TEXT     NOT NULL, -- the host of the passkey
  credential_hash    TEXT     NOT NULL, -- digest of site and credential_id
  credential_id      BLOB     NOT NULL,
  public_key         BLOB     NOT NULL, -- COSE
  user_handle        BLOB     NOT NULL, -- random; identifies the user to the authenticator
  counter            INTEGER  NOT NULL, -- the highest that was received; 0: the authenticator does not count
  flags              INTEGER  NOT NULL, -- last received (WebAuthn, 6.1): 8 can be backed up, 16 is backed up
  transports         TEXT     NOT NULL,
  model              TEXT     NOT NULL, -- AAGUID
  clone_warning_time DATETIME     NULL -- last time at which the counter decreased
);

CREATE INDEX ix_user_passkeys_user ON user_passkeys (tenant_id, user_id);

CREATE UNIQUE INDEX uq_user_passkeys_credential ON user_passkeys (credential_hash);

CREATE TABLE user_roles (
  tenant_id INTEGER NOT NULL,
  user_id   INTEGER NOT NULL,
  role_id   INTEGER NOT NULL,
  link_id   INTEGER NOT NULL DEFAULT 0, -- the link whose provider grants the role; 0: a user granted it
  PRIMARY KEY (user_id, role_id, link_id)
);

CREATE INDEX ix_user_roles_role ON user_roles (role_id);

CREATE TABLE users (
  id                      INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id               INTEGER  NOT NULL,
  version                 INTEGER  NOT NULL,
  username                TEXT     NOT NULL,
  display_name            TEXT     NOT NULL,
  password_hash           TEXT     NOT NULL,
  disabled                BOOLEAN  NOT NULL,
  created_time            DATETIME NOT NULL,
  updated_time            DATETIME NOT NULL,
  updated_by              INTEGER  NOT NULL,
  updated_by_name         TEXT     NOT NULL,
  second_factor           BOOLEAN  NOT NULL DEFAULT 0, -- the user has a confirmed factor
  invitation_hash         TEXT         NULL, -- digest of the secret of the invitation; null: none
  invitation_expires_time DATETIME     NULL,
  issued_time             DATETIME     NULL  -- of the last invitation or password from another user; null: none since the creation
);

CREATE INDEX ix_users_disabled ON users (tenant_id, disabled, id);

CREATE INDEX ix_users_display_name ON users (tenant_id, display_name, id);

CREATE INDEX ix_users_updated ON users (tenant_id, updated_time, id);

CREATE UNIQUE INDEX uq_users_invitation_hash ON users (invitation_hash);

CREATE UNIQUE INDEX uq_users_username ON users (tenant_id, username);

CREATE TABLE walks (
  kind              TEXT     NOT NULL, -- promises or retention
  name              TEXT     NOT NULL, -- the promise or the table
  version           INTEGER  NOT NULL,
  position          TEXT     NOT NULL, -- the cursor of the pass; '' at its start
  passes            INTEGER  NOT NULL,
  started_time      DATETIME     NULL, -- of the current pass, like the columns below
  ended_time        DATETIME     NULL, -- null: in progress
  checked           INTEGER  NOT NULL,
  found             INTEGER  NOT NULL, -- violating or removed rows
  busy_us           INTEGER  NOT NULL,
  last_started_time DATETIME     NULL, -- of the last complete pass, like the columns below
  last_ended_time   DATETIME     NULL,
  last_checked      INTEGER  NOT NULL,
  last_found        INTEGER  NOT NULL,
  last_busy_us      INTEGER  NOT NULL,
  clean_time        DATETIME     NULL, -- end of the last complete pass that found nothing
  until_time        DATETIME     NULL, -- older rows may be removed; it never decreases
  total             INTEGER  NOT NULL, -- removed by all passes
  PRIMARY KEY (kind, name)
);

CREATE TABLE wallet_entries (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  user_id         TEXT     NOT NULL,
  version         INTEGER  NOT NULL, -- of the wallet after the entry
  amount          INTEGER  NOT NULL,
  balance         INTEGER  NOT NULL, -- after the entry
  kind            TEXT     NOT NULL,
  reference       TEXT     NOT NULL,
  other_user_id   TEXT         NULL, -- null: not a transfer
  approval_id     INTEGER  NOT NULL DEFAULT 0, -- the approval whose votes made it; 0: none
  creator_id      INTEGER  NOT NULL DEFAULT 0, -- the creator of the API token that made it; 0: none
  created_by      INTEGER  NOT NULL,
  created_by_name TEXT     NOT NULL,
  created_time    DATETIME NOT NULL
);

CREATE INDEX ix_wallet_entries_created ON wallet_entries (tenant_id, user_id, created_time);

CREATE INDEX ix_wallet_entries_id ON wallet_entries (tenant_id, user_id, id);

CREATE UNIQUE INDEX uq_wallet_entries_reference ON wallet_entries (tenant_id, user_id, reference);

CREATE UNIQUE INDEX uq_wallet_entries_version ON wallet_entries (tenant_id, user_id, version);

CREATE TABLE wallets (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL,
  user_id         TEXT     NOT NULL,
  balance         INTEGER  NOT NULL,
  CONSTRAINT ck_wallets_balance CHECK (balance >= 0)
);

CREATE INDEX ix_wallets_balance ON wallets (tenant_id, balance, id);

CREATE INDEX ix_wallets_updated ON wallets (tenant_id, updated_time, id);

CREATE UNIQUE INDEX uq_wallets_user ON wallets (tenant_id, user_id);

CREATE TABLE webhook_deliveries (
  id               INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id        INTEGER  NOT NULL,
  webhook_id       INTEGER  NOT NULL,
  message_id       TEXT     NOT NULL,
  type             TEXT     NOT NULL,
  resource         TEXT     NOT NULL,
  position         INTEGER  NOT NULL, -- 0: a test
  attempt          INTEGER  NOT NULL,
  status           INTEGER  NOT NULL, -- of the reply; 0: none
  duration_us      INTEGER  NOT NULL,
  reply            TEXT     NOT NULL,
  error            TEXT     NOT NULL,
  created_time     DATETIME NOT NULL
);

CREATE INDEX ix_webhook_deliveries_created ON webhook_deliveries (created_time);

CREATE INDEX ix_webhook_deliveries_webhook ON webhook_deliveries (tenant_id, webhook_id, id);

CREATE TABLE webhook_histories (
  id               INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id        INTEGER  NOT NULL,
  webhook_id       INTEGER  NOT NULL,
  version          INTEGER  NOT NULL,
  action           TEXT     NOT NULL,
  url              TEXT     NOT NULL,
  topics           TEXT     NOT NULL,
  filter           TEXT         NULL,
  payload          TEXT     NOT NULL,
  enabled          BOOLEAN  NOT NULL,
  pause_reason     TEXT     NOT NULL,
  changed_by       INTEGER  NOT NULL,
  changed_by_name  TEXT     NOT NULL,
  changed_time     DATETIME NOT NULL
);

CREATE UNIQUE INDEX uq_webhook_histories_version ON webhook_histories (tenant_id, webhook_id, version);

CREATE TABLE webhook_positions (
  webhook_id       INTEGER  PRIMARY KEY,
  tenant_id        INTEGER  NOT NULL,
  generation       INTEGER  NOT NULL, -- incremented by edits and replays
  position         INTEGER      NULL, -- null: before the first run
  attempts         INTEGER  NOT NULL, -- failures since failing_since
  failing_since    DATETIME     NULL,
  next_time        DATETIME     NULL
);

CREATE TABLE webhooks (
  id               INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id        INTEGER  NOT NULL,
  version          INTEGER  NOT NULL,
  created_time     DATETIME NOT NULL,
  updated_time     DATETIME NOT NULL,
  updated_by       INTEGER  NOT NULL,
  updated_by_name  TEXT     NOT NULL,
  url              TEXT     NOT NULL,
  topics           TEXT     NOT NULL,
  filter           TEXT         NULL, -- null: none
  payload          TEXT     NOT NULL,
  enabled          BOOLEAN  NOT NULL,
  saved_by         INTEGER  NOT NULL, -- the user whose permissions decide on the content of messages
  saved_by_name    TEXT     NOT NULL,
  pause_reason     TEXT     NOT NULL,
  secret           BLOB     NOT NULL,
  secret_key       TEXT     NOT NULL,
  old_secret       BLOB         NULL,
  old_secret_until DATETIME     NULL
);

CREATE INDEX ix_webhooks_enabled ON webhooks (enabled, id);

CREATE INDEX ix_webhooks_id ON webhooks (tenant_id, id);

CREATE TABLE work_order_comments (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  work_order_id   INTEGER  NOT NULL,
  text            TEXT     NOT NULL,
  created_by      INTEGER  NOT NULL,
  created_by_name TEXT     NOT NULL,
  created_time    DATETIME NOT NULL
);

CREATE INDEX ix_work_order_comments_id ON work_order_comments (tenant_id, work_order_id, id);

CREATE TABLE work_order_histories (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  work_order_id   INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  action          TEXT     NOT NULL,
  from_status     INTEGER      NULL, -- null: it was opened
  to_status       INTEGER  NOT NULL,
  detail          TEXT     NOT NULL,
  changed_by      INTEGER  NOT NULL,
  changed_by_name TEXT     NOT NULL,
  changed_time    DATETIME NOT NULL
);

CREATE UNIQUE INDEX uq_work_order_histories_version ON work_order_histories (tenant_id, work_order_id, version);

CREATE TABLE work_order_links (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id     INTEGER NOT NULL,
  work_order_id INTEGER NOT NULL,
  resource      TEXT    NOT NULL
);

CREATE INDEX ix_work_order_links_resource ON work_order_links (tenant_id, resource, work_order_id);

CREATE UNIQUE INDEX uq_work_order_links ON work_order_links (tenant_id, work_order_id, resource);

CREATE TABLE work_orders (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL,
  created_by      INTEGER  NOT NULL,
  created_by_name TEXT     NOT NULL,
  title           TEXT     NOT NULL,
  body            TEXT     NOT NULL,
  priority        INTEGER  NOT NULL, -- ascending
  status          INTEGER  NOT NULL,
  due_time        DATETIME     NULL, -- null: none
  holder_id       INTEGER      NULL, -- null: no holder
  holder_name     TEXT     NOT NULL,
  held_time       DATETIME     NULL,
  resolution      TEXT     NOT NULL,
  comments        INTEGER  NOT NULL
);

CREATE INDEX ix_work_orders_created ON work_orders (tenant_id, created_time, id);

CREATE INDEX ix_work_orders_due ON work_orders (tenant_id, due_time, id);

CREATE INDEX ix_work_orders_holder ON work_orders (tenant_id, holder_id, status, id);

CREATE INDEX ix_work_orders_id ON work_orders (tenant_id, id);

CREATE INDEX ix_work_orders_priority ON work_orders (tenant_id, priority, id);

CREATE INDEX ix_work_orders_queue ON work_orders (tenant_id, status, priority, created_time, id);

CREATE INDEX ix_work_orders_status ON work_orders (tenant_id, status, id);

CREATE INDEX ix_work_orders_title ON work_orders (tenant_id, title, id);

CREATE INDEX ix_work_orders_updated ON work_orders (tenant_id, updated_time, id);
