-- The baseline schema. Tables are grouped by package, from the lowest stratum of
-- docs/architecture.md to the highest.
--
-- MariaDB and MySQL commit each statement separately. After a crash the migration starts again
-- from its first statement, so every statement can run twice.
--
-- Columns that the program computes are ASCII. Columns that are compared with user input are
-- utf8mb4, even if only ASCII is accepted: comparing an ASCII column with another letter fails
-- with error 1267 instead of matching no row.
-- +goose Up

-- The installation (base/epoch, base/backup, base/claim, base/encryption, base/storage).
CREATE TABLE IF NOT EXISTS installation (
  id          TINYINT       NOT NULL, -- always 1
  epoch       VARCHAR(36)   CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- identifies the history of the database; a restore starts another one
  begun_time  DATETIME(6)   NOT NULL,
  reason      VARCHAR(500)  NOT NULL, -- of the epoch
  device_key  VARBINARY(32)     NULL, -- signs the cookies of known browsers; created on first use
  backup_time DATETIME(6)       NULL, -- start of the last backup
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
INSERT IGNORE INTO installation (id, epoch, begun_time, reason) VALUES (1, UUID(), UTC_TIMESTAMP(6), 'It was installed.');

-- At most one row: the servers that use this database. An embedded database is claimed by a file
-- lock instead.
CREATE TABLE IF NOT EXISTS server_claims (
  id              TINYINT      NOT NULL, -- always 1
  group_name      VARCHAR(36)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- redis, or the run of a server without Redis
  run_id          VARCHAR(36)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  role            VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  host            VARCHAR(255) NOT NULL,
  machine         VARCHAR(255) NOT NULL,
  pid             BIGINT       NOT NULL,
  process_start   BIGINT       NOT NULL,
  since_time      DATETIME(6)  NOT NULL,
  heartbeat_time  DATETIME(6)  NOT NULL,
  lease_ends_time DATETIME(6)  NOT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- check_value is a known text, encrypted with the key.
CREATE TABLE IF NOT EXISTS encryption_keys (
  id           VARCHAR(64)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  check_value  VARBINARY(255) NOT NULL,
  created_time DATETIME(6)    NOT NULL,
  retired_time DATETIME(6)        NULL, -- null: values may be encrypted with the key
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- The last number of each log whose rows are numbered after their commit.
CREATE TABLE IF NOT EXISTS log_places (
  name VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  last BIGINT      NOT NULL,
  PRIMARY KEY (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
INSERT IGNORE INTO log_places (name, last) VALUES ('configs', 0);

-- Queues without Redis (mq). They belong to no tenant; the name of a queue contains its tenant.
CREATE TABLE IF NOT EXISTS mq_queues (
  name      VARCHAR(100) NOT NULL,
  rate_used BIGINT       NOT NULL DEFAULT 0, -- the token bucket of all consumers is used up until then, µs since 1970
  PRIMARY KEY (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Claimed batches under their leases, and recently settled batches.
CREATE TABLE IF NOT EXISTS mq_batches (
  id         VARCHAR(36)  NOT NULL,
  queue      VARCHAR(100) NOT NULL,
  settled    BOOLEAN      NOT NULL,
  lease_time DATETIME(6)  NOT NULL, -- end of the lease; settled: end of storage
  PRIMARY KEY (id),
  KEY ix_mq_batches_lease (queue, lease_time)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS mq_messages (
  id            BIGINT         NOT NULL AUTO_INCREMENT,
  queue         VARCHAR(100)   NOT NULL,
  state         TINYINT        NOT NULL, -- 0 waiting, 1 claimed, 2 dead
  message_id    VARBINARY(128) NOT NULL,
  batch_id      VARCHAR(36)    NOT NULL,
  due_time      DATETIME(6)    NOT NULL, -- waiting: earliest claim, in this order; dead: when it became dead
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
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Replies stored under their idempotency keys (edge/idempotency).
-- Keys are VARBINARY: a text column treats 'a' and 'a ' as equal.
CREATE TABLE IF NOT EXISTS idempotency_keys (
  id                 BIGINT         NOT NULL AUTO_INCREMENT,
  tenant_id          BIGINT         NOT NULL,
  scope              VARCHAR(192)   CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  idempotency_key    VARBINARY(128) NOT NULL,
  fingerprint        BINARY(32)     NOT NULL, -- of the request; random if sealed_fingerprint is set
  method             VARCHAR(8)     NOT NULL,
  path               VARCHAR(1024)  NOT NULL,
  request_id         VARCHAR(128)   NOT NULL,
  actor_kind         VARCHAR(16)    NOT NULL,
  actor_id           VARCHAR(128)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  actor_name         VARCHAR(100)   NOT NULL,
  on_behalf_of       VARCHAR(128)    CHARACTER SET ascii COLLATE ascii_bin NULL, -- the customer for whom an API token acted; null: for itself
  status             SMALLINT       NOT NULL,
  reply              MEDIUMBLOB         NULL,
  location           VARCHAR(1024)  NOT NULL,
  seal_key           VARCHAR(64)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- encryption key of reply and sealed_fingerprint; '': not encrypted
  duration_us        BIGINT         NOT NULL,
  replays            BIGINT         NOT NULL,
  last_replay_time   DATETIME(6)        NULL,
  created_time       DATETIME(6)    NOT NULL,
  expires_time       DATETIME(6)    NOT NULL,
  sealed_fingerprint VARBINARY(255)     NULL, -- the encrypted fingerprint; null: not encrypted
  PRIMARY KEY (id),
  UNIQUE KEY uq_idempotency_keys_key (tenant_id, scope, idempotency_key),
  KEY ix_idempotency_keys_search (tenant_id, idempotency_key, id),
  KEY ix_idempotency_keys_time (tenant_id, id),
  KEY ix_idempotency_keys_expires (expires_time)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Tenants, users, roles, sign-in, menus and tenant settings (access).
CREATE TABLE IF NOT EXISTS tenants (
  id            BIGINT      NOT NULL AUTO_INCREMENT,
  name          VARCHAR(63) NOT NULL,
  currency      VARCHAR(3)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- ISO 4217; never changes
  created_time  DATETIME(6) NOT NULL,
  disabled_time DATETIME(6)     NULL, -- null: enabled
  PRIMARY KEY (id),
  UNIQUE KEY uq_tenants_name (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS tenant_settings (
  id                        BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id                 BIGINT       NOT NULL,
  version                   BIGINT       NOT NULL,
  created_time              DATETIME(6)  NOT NULL,
  updated_time              DATETIME(6)  NOT NULL,
  updated_by                BIGINT       NOT NULL,
  updated_by_name           VARCHAR(100) NOT NULL,
  protected                 BOOLEAN      NOT NULL DEFAULT TRUE, -- guard lets no unit write it that applies no approval
  proposed                  BIGINT       NOT NULL DEFAULT 0, -- proposals since the last change; counting one conflicts with a concurrent change
  approvals_required        INT          NOT NULL,
  approval_days             INT          NOT NULL, -- until an approval expires
  refund_approval_threshold BIGINT           NULL, -- null: none
  wallet_approval_threshold BIGINT           NULL, -- null: none
  self_approval             BOOLEAN      NOT NULL DEFAULT FALSE,
  time_zone                 VARCHAR(64)  NOT NULL DEFAULT 'UTC', -- IANA name
  unpaid_order_minutes      INT          NOT NULL DEFAULT 0, -- 0: never
  PRIMARY KEY (id),
  UNIQUE KEY uq_tenant_settings_tenant (tenant_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS tenant_setting_histories (
  id                        BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id                 BIGINT       NOT NULL,
  version                   BIGINT       NOT NULL,
  action                    VARCHAR(16)  NOT NULL,
  approvals_required        INT          NOT NULL,
  approval_days             INT          NOT NULL,
  changed_by                BIGINT       NOT NULL,
  changed_by_name           VARCHAR(100) NOT NULL,
  changed_time              DATETIME(6)  NOT NULL,
  refund_approval_threshold BIGINT           NULL,
  wallet_approval_threshold BIGINT           NULL,
  self_approval             BOOLEAN      NOT NULL DEFAULT FALSE,
  time_zone                 VARCHAR(64)  NOT NULL DEFAULT 'UTC',
  unpaid_order_minutes      INT          NOT NULL DEFAULT 0,
  PRIMARY KEY (id),
  UNIQUE KEY uq_tenant_setting_histories_version (tenant_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS users (
  id                      BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id               BIGINT       NOT NULL,
  version                 BIGINT       NOT NULL,
  username                VARCHAR(64)  NOT NULL,
  display_name            VARCHAR(100) NOT NULL,
  password_hash           VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  disabled                BOOLEAN      NOT NULL,
  created_time            DATETIME(6)  NOT NULL,
  updated_time            DATETIME(6)  NOT NULL,
  updated_by              BIGINT       NOT NULL,
  updated_by_name         VARCHAR(100) NOT NULL,
  second_factor           BOOLEAN      NOT NULL DEFAULT 0, -- the user has a confirmed factor
  invitation_hash         CHAR(43)     CHARACTER SET ascii COLLATE ascii_bin NULL, -- digest of the secret of the invitation; null: none
  invitation_expires_time DATETIME(6)      NULL,
  issued_time             DATETIME(6)      NULL, -- of the last invitation or password from another user; null: none since the creation
  PRIMARY KEY (id),
  UNIQUE KEY uq_users_username (tenant_id, username),
  UNIQUE KEY uq_users_invitation_hash (invitation_hash),
  KEY ix_users_display_name (tenant_id, display_name, id), -- ?sort=displayName
  KEY ix_users_updated (tenant_id, updated_time, id), -- ?sort=updatedTime
  KEY ix_users_disabled (tenant_id, disabled, id) -- ?disabled=
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS user_histories (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  user_id         BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  action          VARCHAR(16)  NOT NULL,
  creator_id      BIGINT       NOT NULL DEFAULT 0, -- the creator of the API token that made the version; 0: none
  username        VARCHAR(64)  NOT NULL,
  display_name    VARCHAR(100) NOT NULL,
  disabled        BOOLEAN      NOT NULL,
  roles           JSON         NOT NULL,
  changed_by      BIGINT       NOT NULL,
  changed_by_name VARCHAR(100) NOT NULL,
  changed_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_user_histories_version (tenant_id, user_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS roles (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  name            VARCHAR(100) NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  updated_time    DATETIME(6)  NOT NULL,
  updated_by      BIGINT       NOT NULL,
  updated_by_name VARCHAR(100) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_roles_name (tenant_id, name),
  KEY ix_roles_updated (tenant_id, updated_time, id) -- ?sort=updatedTime
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS role_histories (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  role_id         BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  action          VARCHAR(16)  NOT NULL,
  name            VARCHAR(100) NOT NULL,
  permissions     JSON         NOT NULL,
  changed_by      BIGINT       NOT NULL,
  changed_by_name VARCHAR(100) NOT NULL,
  changed_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_role_histories_version (tenant_id, role_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS role_permissions (
  tenant_id  BIGINT       NOT NULL,
  role_id    BIGINT       NOT NULL,
  permission VARCHAR(100) NOT NULL,
  PRIMARY KEY (role_id, permission)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS user_roles (
  tenant_id BIGINT NOT NULL,
  user_id   BIGINT NOT NULL,
  role_id   BIGINT NOT NULL,
  link_id   BIGINT NOT NULL DEFAULT 0, -- the link whose provider grants the role; 0: a user granted it
  PRIMARY KEY (user_id, role_id, link_id),
  KEY ix_user_roles_role (role_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Rules about several users or roles are guarded by one row per tenant, which every change of
-- users, roles and permissions increments.
CREATE TABLE IF NOT EXISTS access_revisions (
  tenant_id BIGINT NOT NULL,
  version   BIGINT NOT NULL,
  PRIMARY KEY (tenant_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS api_tokens (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  user_id         BIGINT       NOT NULL,
  name            VARCHAR(100) NOT NULL,
  token_hash      CHAR(43)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  scopes          JSON         NOT NULL,
  created_by      BIGINT       NOT NULL, -- 0: the command line
  created_by_name VARCHAR(100) NOT NULL,
  expires_time    DATETIME(6)      NULL,
  last_used_time  DATETIME(6)      NULL,
  created_time    DATETIME(6)  NOT NULL,
  updated_time    DATETIME(6)  NOT NULL,
  updated_by      BIGINT       NOT NULL,
  updated_by_name VARCHAR(100) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_api_tokens_hash (token_hash),
  KEY ix_api_tokens_user (tenant_id, user_id, id),
  KEY ix_api_tokens_name (tenant_id, name, id), -- ?sort=name
  KEY ix_api_tokens_created (tenant_id, created_time, id) -- ?sort=createdTime
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS sessions (
  id             BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id      BIGINT       NOT NULL,
  user_id        BIGINT       NOT NULL,
  token_hash     CHAR(43)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  data           BLOB         NOT NULL,
  expires_time   DATETIME(6)  NOT NULL,
  created_time   DATETIME(6)  NOT NULL,
  address        VARCHAR(64)  NOT NULL DEFAULT '',
  user_agent     VARCHAR(255) NOT NULL DEFAULT '',
  last_used_time DATETIME(6)      NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_sessions_token_hash (token_hash),
  KEY ix_sessions_user (tenant_id, user_id),
  KEY ix_sessions_expires (expires_time)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Wrong passwords are counted per account and network, so that an attacker in one network cannot
-- lock out the owner of the account in another.
CREATE TABLE IF NOT EXISTS sign_in_attempts (
  id           BIGINT      NOT NULL AUTO_INCREMENT,
  account      CHAR(43)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  slot         INT         NOT NULL,
  created_time DATETIME(6) NOT NULL,
  network      VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  PRIMARY KEY (id),
  UNIQUE KEY uq_sign_in_attempts_slot (account, network, slot),
  KEY ix_sign_in_attempts_time (created_time)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Sign-ins and sessions that wait for a second factor.
CREATE TABLE IF NOT EXISTS sign_in_challenges (
  id           BIGINT      NOT NULL AUTO_INCREMENT,
  tenant_id    BIGINT      NOT NULL,
  user_id      BIGINT      NOT NULL,
  token_hash   CHAR(43)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  expires_time DATETIME(6) NOT NULL,
  created_time DATETIME(6) NOT NULL,
  session_hash VARCHAR(43) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '', -- digest of the session that repeats its factor; '': a sign-in
  PRIMARY KEY (id),
  UNIQUE KEY uq_sign_in_challenges_token_hash (token_hash),
  KEY ix_sign_in_challenges_user (tenant_id, user_id),
  KEY ix_sign_in_challenges_expires (expires_time)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS user_factors (
  id             BIGINT         NOT NULL AUTO_INCREMENT,
  tenant_id      BIGINT         NOT NULL,
  user_id        BIGINT         NOT NULL,
  kind           VARCHAR(16)    NOT NULL,
  name           VARCHAR(100)   NOT NULL,
  secret         VARBINARY(255) NOT NULL,
  secret_key     VARCHAR(64)    NOT NULL, -- encryption key of the secret; '': not encrypted
  last_step      BIGINT         NOT NULL, -- the newest step whose code was accepted
  expires_time   DATETIME(6)        NULL, -- of an unconfirmed factor; null: confirmed
  last_used_time DATETIME(6)        NULL,
  created_time   DATETIME(6)    NOT NULL,
  PRIMARY KEY (id),
  KEY ix_user_factors_user (tenant_id, user_id),
  KEY ix_user_factors_expires (expires_time)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS recovery_codes (
  id           BIGINT      NOT NULL AUTO_INCREMENT,
  tenant_id    BIGINT      NOT NULL,
  user_id      BIGINT      NOT NULL,
  code_hash    CHAR(43)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  created_time DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_recovery_codes_code (tenant_id, user_id, code_hash)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS user_passkeys (
  id                 BIGINT          NOT NULL AUTO_INCREMENT,
  tenant_id          BIGINT          NOT NULL,
  user_id            BIGINT          NOT NULL,
  factor_id          BIGINT          NOT NULL, -- the row of user_factors
  site               VARCHAR(253)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- the host of the passkey
  credential_hash    CHAR(43)        CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- digest of site and credential_id
  credential_id      VARBINARY(1023) NOT NULL,
  public_key         VARBINARY(2048) NOT NULL, -- COSE
  user_handle        VARBINARY(64)   NOT NULL, -- random; identifies the user to the authenticator
  counter            BIGINT          NOT NULL, -- the highest that was received; 0: the authenticator does not count
  flags              SMALLINT        NOT NULL, -- last received (WebAuthn, 6.1): 8 can be backed up, 16 is backed up
  transports         VARCHAR(255)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  model              CHAR(36)        CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- AAGUID
  clone_warning_time DATETIME(6)         NULL, -- last time at which the counter decreased
  PRIMARY KEY (id),
  UNIQUE KEY uq_user_passkeys_credential (credential_hash),
  KEY ix_user_passkeys_user (tenant_id, user_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Identities of users at providers of single sign-on.
CREATE TABLE IF NOT EXISTS user_links (
  id             BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id      BIGINT       NOT NULL,
  user_id        BIGINT       NOT NULL,
  identity_hash  CHAR(43)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- digest of issuer and subject
  issuer         VARCHAR(255) NOT NULL,
  subject        VARCHAR(255) NOT NULL,
  last_used_time DATETIME(6)      NULL,
  created_time   DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_user_links_identity (tenant_id, identity_hash),
  KEY ix_user_links_user (tenant_id, user_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Single sign-on requests that wait for the response of the provider.
CREATE TABLE IF NOT EXISTS sign_in_flows (
  id           BIGINT      NOT NULL AUTO_INCREMENT,
  state_hash   CHAR(43)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  browser_hash CHAR(43)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- digest of the cookie of the requesting browser
  provider     VARCHAR(64) NOT NULL,
  purpose      VARCHAR(16) NOT NULL,
  tenant       VARCHAR(63) NOT NULL, -- as typed; it may not exist
  user_id      BIGINT      NOT NULL, -- 0: a sign-in; the response identifies the user
  proof_hash   VARCHAR(43) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- digest of the invitation or session that started the flow
  nonce        CHAR(43)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  verifier     CHAR(43)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  expires_time DATETIME(6) NOT NULL,
  created_time DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_sign_in_flows_state (state_hash),
  KEY ix_sign_in_flows_expires (expires_time)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS menus (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  updated_time    DATETIME(6)  NOT NULL,
  updated_by      BIGINT       NOT NULL,
  updated_by_name VARCHAR(100) NOT NULL,
  parent_id       BIGINT       NOT NULL, -- 0: at the top
  sort_key        BIGINT       NOT NULL, -- ascending among siblings, with gaps
  title           VARCHAR(100) NOT NULL, -- '': the title of the page
  path            VARCHAR(500) NOT NULL, -- '': a group
  icon            VARCHAR(32)  NOT NULL, -- '': the icon of the page
  permission      VARCHAR(100) NOT NULL, -- '': visible to every user
  hidden          BOOLEAN      NOT NULL,
  PRIMARY KEY (id),
  KEY ix_menus_parent (tenant_id, parent_id, sort_key, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS menu_histories (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  menu_id         BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  action          VARCHAR(16)  NOT NULL,
  parent_id       BIGINT       NOT NULL,
  sort_key        BIGINT       NOT NULL,
  position        INT          NOT NULL, -- among its siblings when the version was written
  title           VARCHAR(100) NOT NULL,
  path            VARCHAR(500) NOT NULL,
  icon            VARCHAR(32)  NOT NULL,
  permission      VARCHAR(100) NOT NULL,
  hidden          BOOLEAN      NOT NULL,
  changed_by      BIGINT       NOT NULL,
  changed_by_name VARCHAR(100) NOT NULL,
  changed_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_menu_histories_version (tenant_id, menu_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- One row per tenant, which every change of its menu tree increments.
CREATE TABLE IF NOT EXISTS menu_revisions (
  tenant_id BIGINT NOT NULL,
  version   BIGINT NOT NULL,
  PRIMARY KEY (tenant_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Changes that wait for votes (approvals).
CREATE TABLE IF NOT EXISTS approvals (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  updated_time    DATETIME(6)  NOT NULL,
  updated_by      BIGINT       NOT NULL,
  updated_by_name VARCHAR(100) NOT NULL,
  status          INT          NOT NULL,
  kind            VARCHAR(32)  NOT NULL,
  resource        VARCHAR(640) NOT NULL,
  author_id       BIGINT       NOT NULL,
  author_name     VARCHAR(100) NOT NULL,
  note            VARCHAR(500) NOT NULL,
  base_etag       VARCHAR(64)  NOT NULL, -- '': no base, or several
  content         LONGTEXT     NOT NULL, -- the proposed change, in the format of its domain
  content_version BIGINT       NOT NULL, -- the version that wrote the content; votes on older versions are void
  digest          CHAR(64)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  open_digest     CHAR(64)     CHARACTER SET ascii COLLATE ascii_bin NULL, -- null: no longer pending
  required        INT          NOT NULL,
  reason          VARCHAR(500) NOT NULL, -- of a rejection or a bypass
  expires_time    DATETIME(6)  NOT NULL,
  comments        BIGINT       NOT NULL DEFAULT 0, -- rows of approval_comments
  party_id        BIGINT       NOT NULL DEFAULT 0, -- a user other than its writers who may not vote, such as the requester of a refund; 0: none
  party_creator_id BIGINT       NOT NULL DEFAULT 0, -- the creator of the API token that the party used; 0: none
  party_time      DATETIME(6)      NULL, -- when the party took part; null: none
  effective_time  DATETIME(6)      NULL, -- null: as soon as it has its votes
  PRIMARY KEY (id),
  UNIQUE KEY uq_approvals_open (tenant_id, author_id, open_digest),
  KEY ix_approvals_status (tenant_id, status, id),
  KEY ix_approvals_waiting (tenant_id, status, expires_time),
  KEY ix_approvals_author (tenant_id, author_id, id),
  KEY ix_approvals_updated (tenant_id, updated_time, id),
  KEY ix_approvals_expires (status, expires_time),
  KEY ix_approvals_id (tenant_id, id), -- the list without filters
  KEY ix_approvals_ends (tenant_id, expires_time, id), -- ?sort=expiresTime
  KEY ix_approvals_due (status, effective_time)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- The resources that an approval changes.
CREATE TABLE IF NOT EXISTS approval_targets (
  id          BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id   BIGINT       NOT NULL,
  approval_id BIGINT       NOT NULL,
  resource    VARCHAR(640) NOT NULL,
  pending     BOOLEAN      NOT NULL, -- equal to that of the approval
  PRIMARY KEY (id),
  UNIQUE KEY uq_approval_targets_resource (tenant_id, approval_id, resource),
  KEY ix_approval_targets_pending (tenant_id, resource, pending, approval_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS approval_votes (
  id          BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id   BIGINT       NOT NULL,
  approval_id BIGINT       NOT NULL,
  version     BIGINT       NOT NULL, -- of the approval that the voter read
  digest      CHAR(64)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  user_id     BIGINT       NOT NULL,
  user_name   VARCHAR(100) NOT NULL,
  token_id    BIGINT       NOT NULL DEFAULT 0, -- the API token that it was done with; 0: none
  creator_id  BIGINT       NOT NULL DEFAULT 0,
  creator_name VARCHAR(100) NOT NULL DEFAULT '', -- of the user who created the token
  verdict     VARCHAR(16)  NOT NULL,
  voted_time  DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_approval_votes_version (tenant_id, approval_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

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
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS approval_histories (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  approval_id     BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  action          VARCHAR(16)  NOT NULL,
  creator_id      BIGINT       NOT NULL DEFAULT 0, -- the creator of the API token that made the version; 0: none
  from_status     INT              NULL, -- null: it was proposed
  to_status       INT          NOT NULL,
  detail          JSON         NOT NULL,
  content         LONGTEXT         NULL, -- null: unchanged
  changed_by      BIGINT       NOT NULL,
  changed_by_name VARCHAR(100) NOT NULL,
  changed_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_approval_histories_version (tenant_id, approval_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Configs (config). Values are the JSON text that was sent: a JSON column reorders members and
-- rewrites numbers.
CREATE TABLE IF NOT EXISTS configs (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  updated_time    DATETIME(6)  NOT NULL,
  updated_by      BIGINT       NOT NULL,
  updated_by_name VARCHAR(100) NOT NULL,
  `key`           VARCHAR(200) NOT NULL,
  value           MEDIUMTEXT   NOT NULL,
  value_type      VARCHAR(16)  NOT NULL,
  value_schema    MEDIUMTEXT   NOT NULL, -- '': none
  remark          VARCHAR(500) NOT NULL,
  protected       BOOLEAN      NOT NULL DEFAULT 0, -- a change needs an approval
  proposed        BIGINT       NOT NULL DEFAULT 0, -- proposals since the last change; counting one conflicts with a concurrent change
  secret          BOOLEAN      NOT NULL DEFAULT 0,
  sealed_value    MEDIUMBLOB       NULL, -- the encrypted value of a secret config, whose value is ''
  value_key       VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '', -- encryption key of sealed_value
  owners          VARCHAR(2000) NOT NULL DEFAULT '', -- JSON by field; '': none
  PRIMARY KEY (id),
  UNIQUE KEY uq_configs_key (tenant_id, `key`),
  KEY ix_configs_updated (tenant_id, updated_time, id), -- ?sort=updatedTime
  KEY ix_configs_version (tenant_id, version, id), -- ?sort=version
  KEY ix_configs_type (tenant_id, value_type, `key`) -- ?valueType=, by key
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Ids are assigned before the commit and can become visible in another order, so the change feed
-- is ordered by place.
CREATE TABLE IF NOT EXISTS config_histories (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  config_id       BIGINT       NOT NULL,
  `key`           VARCHAR(200) NOT NULL,
  version         BIGINT       NOT NULL,
  action          VARCHAR(16)  NOT NULL,
  value           MEDIUMTEXT   NOT NULL,
  value_type      VARCHAR(16)  NOT NULL,
  value_schema    MEDIUMTEXT   NOT NULL,
  remark          VARCHAR(500) NOT NULL,
  note            VARCHAR(500) NOT NULL,
  changed_by      BIGINT       NOT NULL,
  changed_by_name VARCHAR(100) NOT NULL,
  changed_time    DATETIME(6)  NOT NULL,
  protected       BOOLEAN      NOT NULL DEFAULT 0,
  approval_id     BIGINT       NOT NULL DEFAULT 0, -- 0: the version needed none
  place           BIGINT           NULL, -- assigned after the commit; null: not yet
  secret          BOOLEAN      NOT NULL DEFAULT 0,
  sealed_value    MEDIUMBLOB       NULL,
  value_key       VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  owners          VARCHAR(2000) NOT NULL DEFAULT '',
  PRIMARY KEY (id),
  UNIQUE KEY uq_config_histories_version (config_id, version),
  UNIQUE KEY uq_config_histories_place (place),
  KEY ix_config_histories_key (tenant_id, `key`, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Items (catalog).
CREATE TABLE IF NOT EXISTS items (
  id               BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id        BIGINT       NOT NULL,
  version          BIGINT       NOT NULL,
  created_time     DATETIME(6)  NOT NULL,
  updated_time     DATETIME(6)  NOT NULL,
  updated_by       BIGINT       NOT NULL,
  updated_by_name  VARCHAR(100) NOT NULL,
  sku              VARCHAR(64)  NOT NULL,
  name             VARCHAR(200) NOT NULL,
  price            BIGINT       NOT NULL,
  owned_by_user_id VARCHAR(128)  CHARACTER SET ascii COLLATE ascii_bin NULL, -- null: no owner
  status           VARCHAR(16)  NOT NULL,
  uses             BIGINT       NOT NULL DEFAULT 0, -- counts units that relied on the item; written instead of a lock, never read
  PRIMARY KEY (id),
  UNIQUE KEY uq_items_sku (tenant_id, sku),
  KEY ix_items_name (tenant_id, name, id),
  KEY ix_items_price (tenant_id, price, id),
  KEY ix_items_updated (tenant_id, updated_time, id),
  KEY ix_items_status (tenant_id, status, sku) -- ?status=, by sku
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS item_histories (
  id               BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id        BIGINT       NOT NULL,
  item_id          BIGINT       NOT NULL,
  version          BIGINT       NOT NULL,
  action           VARCHAR(16)  NOT NULL,
  name             VARCHAR(200) NOT NULL,
  price            BIGINT       NOT NULL,
  owned_by_user_id VARCHAR(128)  CHARACTER SET ascii COLLATE ascii_bin NULL,
  status           VARCHAR(16)  NOT NULL,
  changed_by       BIGINT       NOT NULL,
  changed_by_name  VARCHAR(100) NOT NULL,
  changed_time     DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_item_histories_version (tenant_id, item_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Stock in units (inventory): on_hand is in stock, and reserved of it is promised. The movements
-- add up to both, the holds to reserved.
CREATE TABLE IF NOT EXISTS inventories (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  updated_time    DATETIME(6)  NOT NULL,
  updated_by      BIGINT       NOT NULL,
  updated_by_name VARCHAR(100) NOT NULL,
  sku             VARCHAR(64)  NOT NULL,
  on_hand         BIGINT       NOT NULL,
  reserved        BIGINT       NOT NULL,
  available       BIGINT       GENERATED ALWAYS AS (on_hand - reserved) STORED,
  PRIMARY KEY (id),
  UNIQUE KEY uq_inventories_sku (tenant_id, sku),
  KEY ix_inventories_available (tenant_id, available, id),
  KEY ix_inventories_updated (tenant_id, updated_time, id),
  CONSTRAINT ck_inventories_reserved CHECK (reserved >= 0 AND on_hand >= reserved)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS inventory_holds (
  tenant_id BIGINT      NOT NULL,
  holder    VARCHAR(64) NOT NULL,
  sku       VARCHAR(64) NOT NULL,
  quantity  BIGINT      NOT NULL,
  PRIMARY KEY (tenant_id, holder, sku),
  KEY ix_inventory_holds_sku (tenant_id, sku, quantity),
  CONSTRAINT ck_inventory_holds_quantity CHECK (quantity >= 0)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS inventory_movements (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  sku             VARCHAR(64)  NOT NULL,
  version         BIGINT       NOT NULL, -- of the inventory after the movement
  kind            VARCHAR(16)  NOT NULL,
  on_hand_delta   BIGINT       NOT NULL,
  reserved_delta  BIGINT       NOT NULL,
  on_hand         BIGINT       NOT NULL, -- after the movement, like reserved
  reserved        BIGINT       NOT NULL,
  holder          VARCHAR(64)  NOT NULL,
  reason          VARCHAR(500) NOT NULL,
  reference       VARCHAR(100) NOT NULL,
  created_by      BIGINT       NOT NULL,
  created_by_name VARCHAR(100) NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_inventory_movements_version (tenant_id, sku, version),
  UNIQUE KEY uq_inventory_movements_reference (tenant_id, sku, reference),
  KEY ix_inventory_movements_id (tenant_id, sku, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Coupons (coupons).
CREATE TABLE IF NOT EXISTS coupon_campaigns (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  updated_time    DATETIME(6)  NOT NULL,
  updated_by      BIGINT       NOT NULL,
  updated_by_name VARCHAR(100) NOT NULL,
  name            VARCHAR(100) NOT NULL,
  kind            VARCHAR(16)  NOT NULL,
  value           BIGINT       NOT NULL,
  minimum_amount  BIGINT       NOT NULL,
  total           BIGINT       NOT NULL,
  per_user        BIGINT       NOT NULL,
  valid_from      DATETIME(6)  NOT NULL,
  valid_to        DATETIME(6)  NOT NULL,
  issued          BIGINT       NOT NULL,
  PRIMARY KEY (id),
  KEY ix_coupon_campaigns_id (tenant_id, id),
  KEY ix_coupon_campaigns_valid_to (valid_to),
  KEY ix_coupon_campaigns_name (tenant_id, name, id),
  KEY ix_coupon_campaigns_starts (tenant_id, valid_from, id), -- ?sort=validFrom
  KEY ix_coupon_campaigns_ends (tenant_id, valid_to, id), -- ?sort=validTo, and coupons that expire by a time
  KEY ix_coupon_campaigns_created (tenant_id, created_time, id), -- ?sort=createdTime
  KEY ix_coupon_campaigns_updated (tenant_id, updated_time, id) -- ?sort=updatedTime
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS coupon_campaign_histories (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  campaign_id     BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  action          VARCHAR(16)  NOT NULL,
  name            VARCHAR(100) NOT NULL,
  kind            VARCHAR(16)  NOT NULL,
  value           BIGINT       NOT NULL,
  minimum_amount  BIGINT       NOT NULL,
  total           BIGINT       NOT NULL,
  per_user        BIGINT       NOT NULL,
  valid_from      DATETIME(6)  NOT NULL,
  valid_to        DATETIME(6)  NOT NULL,
  issued          BIGINT       NOT NULL,
  changed_by      BIGINT       NOT NULL,
  changed_by_name VARCHAR(100) NOT NULL,
  changed_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_coupon_campaign_histories_version (tenant_id, campaign_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS coupons (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  updated_time    DATETIME(6)  NOT NULL,
  updated_by      BIGINT       NOT NULL,
  updated_by_name VARCHAR(100) NOT NULL,
  campaign_id     BIGINT       NOT NULL,
  code            VARCHAR(32)  NOT NULL,
  user_id         VARCHAR(128)  CHARACTER SET ascii COLLATE ascii_bin NULL, -- null: any customer may redeem it
  status          INT          NOT NULL,
  redeemed_by     VARCHAR(128)  CHARACTER SET ascii COLLATE ascii_bin NULL, -- null: not redeemed
  order_id        BIGINT           NULL, -- null: not redeemed, or redeemed without an order
  void_reason     VARCHAR(500) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_coupons_code (tenant_id, code),
  KEY ix_coupons_id (tenant_id, id),
  KEY ix_coupons_campaign (tenant_id, campaign_id, status, id),
  KEY ix_coupons_user (tenant_id, user_id, id),
  KEY ix_coupons_updated (tenant_id, updated_time, id),
  KEY ix_coupons_status (tenant_id, status, id), -- ?status=
  KEY ix_coupons_created (tenant_id, created_time, id) -- ?sort=createdTime
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS coupon_histories (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  coupon_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  action          VARCHAR(16)  NOT NULL,
  from_status     INT              NULL, -- null: the coupon was issued
  to_status       INT          NOT NULL,
  detail          JSON         NOT NULL,
  changed_by      BIGINT       NOT NULL,
  changed_by_name VARCHAR(100) NOT NULL,
  changed_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_coupon_histories_version (tenant_id, coupon_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS coupon_holders (
  tenant_id   BIGINT      NOT NULL,
  campaign_id BIGINT      NOT NULL,
  user_id     VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  held        BIGINT      NOT NULL,
  PRIMARY KEY (tenant_id, campaign_id, user_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Wallets in minor units (wallets). The entries of a wallet add up to its balance.
CREATE TABLE IF NOT EXISTS wallets (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  updated_time    DATETIME(6)  NOT NULL,
  updated_by      BIGINT       NOT NULL,
  updated_by_name VARCHAR(100) NOT NULL,
  user_id         VARCHAR(128)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  balance         BIGINT       NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_wallets_user (tenant_id, user_id),
  KEY ix_wallets_balance (tenant_id, balance, id),
  KEY ix_wallets_updated (tenant_id, updated_time, id),
  CONSTRAINT ck_wallets_balance CHECK (balance >= 0)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS wallet_entries (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  user_id         VARCHAR(128)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  version         BIGINT       NOT NULL, -- of the wallet after the entry
  amount          BIGINT       NOT NULL,
  balance         BIGINT       NOT NULL, -- after the entry
  kind            VARCHAR(32)  NOT NULL,
  reference       VARCHAR(100) NOT NULL,
  other_user_id   VARCHAR(128)  CHARACTER SET ascii COLLATE ascii_bin NULL, -- null: not a transfer
  approval_id     BIGINT       NOT NULL DEFAULT 0, -- the approval whose votes made it; 0: none
  creator_id      BIGINT       NOT NULL DEFAULT 0, -- the creator of the API token that made it; 0: none
  created_by      BIGINT       NOT NULL,
  created_by_name VARCHAR(100) NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_wallet_entries_version (tenant_id, user_id, version),
  UNIQUE KEY uq_wallet_entries_reference (tenant_id, user_id, reference),
  KEY ix_wallet_entries_id (tenant_id, user_id, id),
  KEY ix_wallet_entries_created (tenant_id, user_id, created_time) -- the sum of an author's latest entries
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Orders (orders).
CREATE TABLE IF NOT EXISTS orders (
  id                BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id         BIGINT       NOT NULL,
  version           BIGINT       NOT NULL,
  created_time      DATETIME(6)  NOT NULL,
  updated_time      DATETIME(6)  NOT NULL,
  updated_by        BIGINT       NOT NULL,
  updated_by_name   VARCHAR(100) NOT NULL,
  order_no          VARCHAR(32)  NOT NULL,
  user_id           VARCHAR(128)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  status            INT          NOT NULL,
  discount          BIGINT       NOT NULL,
  amount            BIGINT       NOT NULL,
  coupon_code       VARCHAR(32)  NOT NULL,
  carrier           VARCHAR(100) NOT NULL,
  tracking_no       VARCHAR(100) NOT NULL,
  cancel_reason     VARCHAR(500) NOT NULL,
  sale_id           BIGINT           NULL, -- null: not from a flash sale
  ticket            VARCHAR(64)      NULL,
  payment_due       DATETIME(6)      NULL, -- null: no due time, paid, or cancelled
  paid              BIGINT       NOT NULL DEFAULT 0,
  refund_reserved   BIGINT       NOT NULL DEFAULT 0, -- part of paid that open refunds reserve
  refunded          BIGINT       NOT NULL DEFAULT 0, -- part of paid that was refunded
  shipping          BIGINT       NOT NULL DEFAULT 0, -- part of amount
  tax               BIGINT       NOT NULL DEFAULT 0, -- part of amount
  payment_terms     VARCHAR(16)  NOT NULL DEFAULT 'prepaid',
  paid_time         DATETIME(6)      NULL, -- null: not paid in full
  shipped_time      DATETIME(6)      NULL, -- null: units are to ship
  completed_time    DATETIME(6)      NULL,
  cancelled_time    DATETIME(6)      NULL,
  external_id       VARCHAR(128)     NULL, -- null: none
  content_hash      VARCHAR(64)      NULL, -- of the request that created it; null: without external_id
  email             VARCHAR(254) NOT NULL DEFAULT '',
  shipping_address  VARCHAR(2000) NOT NULL DEFAULT '', -- JSON, or empty for none
  billing_address   VARCHAR(2000) NOT NULL DEFAULT '', -- JSON, or empty for none
  note              TEXT         NOT NULL DEFAULT '',
  tags              VARCHAR(4000) NOT NULL DEFAULT '[]', -- JSON
  metadata          MEDIUMTEXT   NOT NULL DEFAULT '{}', -- JSON
  -- Derived from the lines by each change of them.
  units_to_ship     BIGINT       NOT NULL DEFAULT 0,
  fulfilment_status VARCHAR(16)  NOT NULL DEFAULT 'none',
  payment_status    VARCHAR(16)  GENERATED ALWAYS AS (CASE
    WHEN refunded > 0 AND refunded = paid THEN 'refunded'
    WHEN refunded > 0 THEN 'partly_refunded'
    WHEN paid_time IS NOT NULL THEN 'paid'
    WHEN paid > 0 THEN 'partly_paid'
    ELSE 'unpaid' END) STORED,
  shippable         INT          GENERATED ALWAYS AS (CASE WHEN units_to_ship > 0 AND (status IN (1, 2) OR status = 0 AND payment_terms <> 'prepaid') THEN 1 ELSE 0 END) STORED,
  PRIMARY KEY (id),
  UNIQUE KEY uq_orders_external (tenant_id, external_id),
  UNIQUE KEY uq_orders_no (tenant_id, order_no),
  UNIQUE KEY uq_orders_ticket (tenant_id, ticket),
  KEY ix_orders_id (tenant_id, id),
  KEY ix_orders_status (tenant_id, status, id),
  KEY ix_orders_user (tenant_id, user_id, id, sale_id, paid, refunded),
  KEY ix_orders_created (tenant_id, created_time, id),
  KEY ix_orders_amount (tenant_id, amount, id),
  KEY ix_orders_updated (tenant_id, updated_time, id),
  KEY ix_orders_sale (tenant_id, sale_id, id),
  KEY ix_orders_due (payment_due),
  KEY ix_orders_sale_user (tenant_id, sale_id, user_id),
  KEY ix_orders_tracking (tenant_id, tracking_no, id),
  KEY ix_orders_coupon (tenant_id, coupon_code, id),
  KEY ix_orders_email (tenant_id, email, id),
  KEY ix_orders_payment_status (tenant_id, payment_status, id),
  KEY ix_orders_fulfilment (tenant_id, fulfilment_status, id),
  KEY ix_orders_shippable (tenant_id, shippable, id),
  KEY ix_orders_paid (tenant_id, paid_time, id),
  KEY ix_orders_shipped (tenant_id, shipped_time, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS order_lines (
  id        BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id BIGINT       NOT NULL,
  order_id  BIGINT       NOT NULL,
  sku       VARCHAR(64)  NOT NULL,
  name      VARCHAR(200) NOT NULL,
  price     BIGINT       NOT NULL,
  quantity  BIGINT       NOT NULL,
  to_ship   BIGINT       NOT NULL,
  in_refund BIGINT       NOT NULL,
  shipped   BIGINT       NOT NULL,
  returned  BIGINT       NOT NULL,
  in_returns  BIGINT     NOT NULL DEFAULT 0,
  written_off BIGINT     NOT NULL DEFAULT 0,
  PRIMARY KEY (id),
  UNIQUE KEY uq_order_lines_sku (tenant_id, order_id, sku),
  KEY ix_order_lines_sku (tenant_id, sku, order_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS shipments (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  order_id        BIGINT       NOT NULL,
  carrier         VARCHAR(100) NOT NULL,
  tracking_no     VARCHAR(100) NOT NULL,
  created_by      BIGINT       NOT NULL,
  created_by_name VARCHAR(100) NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  KEY ix_shipments_order (tenant_id, order_id, id),
  KEY ix_shipments_tracking (tenant_id, tracking_no)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS shipment_lines (
  id          BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id   BIGINT       NOT NULL,
  shipment_id BIGINT       NOT NULL,
  order_id    BIGINT       NOT NULL,
  line_id     BIGINT       NOT NULL, -- the number of the line in its order, from 1
  sku         VARCHAR(64)  NOT NULL,
  name        VARCHAR(200) NOT NULL,
  quantity    BIGINT       NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_shipment_lines_sku (tenant_id, shipment_id, sku),
  KEY ix_shipment_lines_order (tenant_id, order_id, sku)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS order_tags (
  tenant_id BIGINT      NOT NULL,
  order_id  BIGINT      NOT NULL,
  tag       VARCHAR(50) NOT NULL, -- of orders.tags, for lists by tag
  PRIMARY KEY (tenant_id, order_id, tag),
  KEY ix_order_tags_tag (tenant_id, tag, order_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS order_histories (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  order_id        BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  action          VARCHAR(16)  NOT NULL,
  from_status     INT              NULL, -- null: the order was placed
  to_status       INT          NOT NULL,
  detail          JSON         NOT NULL,
  changed_by      BIGINT       NOT NULL,
  changed_by_name VARCHAR(100) NOT NULL,
  changed_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_order_histories_version (tenant_id, order_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Payments of orders (payments): one row for each receipt of money.
CREATE TABLE IF NOT EXISTS payments (
  id                  BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id           BIGINT       NOT NULL,
  version             BIGINT       NOT NULL,
  created_time        DATETIME(6)  NOT NULL,
  updated_time        DATETIME(6)  NOT NULL,
  updated_by          BIGINT       NOT NULL,
  updated_by_name     VARCHAR(100) NOT NULL,
  order_id            BIGINT           NULL, -- null: the recorder named an order that does not exist
  named_order_id      BIGINT       NOT NULL, -- the order in the request that recorded it
  order_no            VARCHAR(32)  NOT NULL,
  user_id             VARCHAR(128)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  method              VARCHAR(16)  NOT NULL,
  provider            VARCHAR(64)  NOT NULL,
  reference           VARCHAR(100)     NULL, -- null: a wallet payment without one
  amount              BIGINT       NOT NULL,
  refund_reserved     BIGINT       NOT NULL DEFAULT 0, -- part of amount that open refunds reserve
  refunded            BIGINT       NOT NULL DEFAULT 0, -- part of amount that was refunded
  status              INT          NOT NULL,
  reason              VARCHAR(500) NOT NULL,
  reason_code         VARCHAR(32)  NOT NULL DEFAULT '', -- why it is unmatched; '': it is not
  applied_time        DATETIME(6)      NULL, -- null: never applied to an order
  recorded_by         BIGINT       NOT NULL,
  recorded_by_name    VARCHAR(100) NOT NULL,
  recorder_creator_id BIGINT       NOT NULL DEFAULT 0, -- the creator of the API token that recorded it; 0: none
  proposed            BIGINT       NOT NULL DEFAULT 0, -- proposals since the last change; counting one conflicts with a concurrent change
  PRIMARY KEY (id),
  UNIQUE KEY uq_payments_reference (tenant_id, provider, reference),
  KEY ix_payments_id (tenant_id, id),
  KEY ix_payments_order (tenant_id, order_id, id),
  KEY ix_payments_status (tenant_id, status, id),
  KEY ix_payments_user (tenant_id, user_id, id),
  KEY ix_payments_method (tenant_id, method, id),
  KEY ix_payments_provider (tenant_id, provider, id),
  KEY ix_payments_created (tenant_id, created_time, id),
  KEY ix_payments_amount (tenant_id, amount, id),
  KEY ix_payments_updated (tenant_id, updated_time, id),
  KEY ix_payments_reference (tenant_id, reference, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS payment_histories (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  payment_id      BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  action          VARCHAR(16)  NOT NULL,
  from_status     INT              NULL, -- null: the payment was recorded
  to_status       INT          NOT NULL,
  detail          JSON         NOT NULL,
  changed_by      BIGINT       NOT NULL,
  changed_by_name VARCHAR(100) NOT NULL,
  changed_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_payment_histories_version (tenant_id, payment_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Refunds of orders (refunds).
CREATE TABLE IF NOT EXISTS refunds (
  id                BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id         BIGINT       NOT NULL,
  version           BIGINT       NOT NULL,
  created_time      DATETIME(6)  NOT NULL,
  updated_time      DATETIME(6)  NOT NULL,
  updated_by        BIGINT       NOT NULL,
  updated_by_name   VARCHAR(100) NOT NULL,
  order_id          BIGINT       NOT NULL,
  order_no          VARCHAR(32)  NOT NULL,
  user_id           VARCHAR(128)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  payment_id        BIGINT       NOT NULL,
  amount            BIGINT       NOT NULL,
  method            VARCHAR(16)  NOT NULL,
  origin            VARCHAR(16)  NOT NULL,
  status            INT          NOT NULL,
  reason            VARCHAR(500) NOT NULL,
  requested_by      BIGINT       NOT NULL,
  requested_by_name VARCHAR(100) NOT NULL,
  requester_creator_id BIGINT       NOT NULL DEFAULT 0, -- the creator of the API token that requested it; 0: none
  approved_by       BIGINT           NULL, -- null: not approved
  approved_by_name  VARCHAR(100) NOT NULL,
  approved_time     DATETIME(6)      NULL,
  reference         VARCHAR(100)     NULL, -- null: no money has moved
  status_reason     VARCHAR(500) NOT NULL,
  proposed          BIGINT       NOT NULL DEFAULT 0, -- proposals since the last change; counting one conflicts with a concurrent change
  PRIMARY KEY (id),
  UNIQUE KEY uq_refunds_reference (tenant_id, method, reference),
  KEY ix_refunds_id (tenant_id, id),
  KEY ix_refunds_order (tenant_id, order_id, id),
  KEY ix_refunds_payment (tenant_id, payment_id, id),
  KEY ix_refunds_status (tenant_id, status, id),
  KEY ix_refunds_user (tenant_id, user_id, id),
  KEY ix_refunds_created (tenant_id, created_time, id),
  KEY ix_refunds_amount (tenant_id, amount, id),
  KEY ix_refunds_updated (tenant_id, updated_time, id),
  KEY ix_refunds_reference (tenant_id, reference, id),
  KEY ix_refunds_settled (tenant_id, status, updated_time)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS refund_lines (
  id        BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id BIGINT       NOT NULL,
  refund_id BIGINT       NOT NULL,
  order_id  BIGINT       NOT NULL,
  sku       VARCHAR(64)  NOT NULL,
  name      VARCHAR(200) NOT NULL,
  quantity  BIGINT       NOT NULL,
  restock   BOOLEAN      NOT NULL,
  unshipped BIGINT       NOT NULL,
  worth     BIGINT       NOT NULL, -- the units' share of the paid amount, refunded or not
  PRIMARY KEY (id),
  UNIQUE KEY uq_refund_lines_sku (tenant_id, refund_id, sku),
  KEY ix_refund_lines_order (tenant_id, order_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS refund_histories (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  refund_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  action          VARCHAR(16)  NOT NULL,
  from_status     INT              NULL, -- null: the refund was requested
  to_status       INT          NOT NULL,
  detail          JSON         NOT NULL,
  changed_by      BIGINT       NOT NULL,
  changed_by_name VARCHAR(100) NOT NULL,
  changed_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_refund_histories_version (tenant_id, refund_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Returns of shipped goods (returns).
CREATE TABLE IF NOT EXISTS returns (
  id                BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id         BIGINT       NOT NULL,
  version           BIGINT       NOT NULL,
  created_time      DATETIME(6)  NOT NULL,
  updated_time      DATETIME(6)  NOT NULL,
  updated_by        BIGINT       NOT NULL,
  updated_by_name   VARCHAR(100) NOT NULL,
  order_id          BIGINT       NOT NULL,
  order_no          VARCHAR(32)  NOT NULL,
  user_id           VARCHAR(128)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  status            INT          NOT NULL,
  reason            VARCHAR(500) NOT NULL,
  status_reason     VARCHAR(500) NOT NULL, -- the reason of a rejection
  refund_id         BIGINT           NULL,
  exchange_order_id BIGINT           NULL, -- the order that replaces the goods
  comments          BIGINT       NOT NULL DEFAULT 0,
  PRIMARY KEY (id),
  KEY ix_returns_id (tenant_id, id),
  KEY ix_returns_order (tenant_id, order_id, id),
  KEY ix_returns_order_no (tenant_id, order_no, id),
  KEY ix_returns_status (tenant_id, status, id),
  KEY ix_returns_user (tenant_id, user_id, id),
  KEY ix_returns_created (tenant_id, created_time, id),
  KEY ix_returns_updated (tenant_id, updated_time, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS return_lines (
  id        BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id BIGINT       NOT NULL,
  return_id BIGINT       NOT NULL,
  order_id  BIGINT       NOT NULL,
  line_no   BIGINT       NOT NULL, -- the number of the order's line
  sku       VARCHAR(64)  NOT NULL,
  name      VARCHAR(200) NOT NULL,
  quantity  BIGINT       NOT NULL,
  received  BIGINT       NOT NULL, -- of them, units that arrived
  restocked BIGINT       NOT NULL, -- of them, units that are in stock again
  PRIMARY KEY (id),
  UNIQUE KEY uq_return_lines_sku (tenant_id, return_id, sku),
  KEY ix_return_lines_order (tenant_id, order_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS return_comments (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  return_id       BIGINT       NOT NULL,
  text            TEXT         NOT NULL,
  created_by      BIGINT       NOT NULL,
  created_by_name VARCHAR(100) NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  KEY ix_return_comments_id (tenant_id, return_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS return_histories (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  return_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  action          VARCHAR(16)  NOT NULL,
  from_status     INT              NULL, -- null: the return was requested
  to_status       INT          NOT NULL,
  detail          JSON         NOT NULL,
  changed_by      BIGINT       NOT NULL,
  changed_by_name VARCHAR(100) NOT NULL,
  changed_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_return_histories_version (tenant_id, return_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Flash sales (flashsale). flash_sale_stocks counts the units of a sale.
CREATE TABLE IF NOT EXISTS flash_sales (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  updated_time    DATETIME(6)  NOT NULL,
  updated_by      BIGINT       NOT NULL,
  updated_by_name VARCHAR(100) NOT NULL,
  name            VARCHAR(100) NOT NULL,
  sku             VARCHAR(64)  NOT NULL,
  price           BIGINT       NOT NULL,
  quantity        BIGINT       NOT NULL,
  per_user_limit  BIGINT       NOT NULL,
  starts_time     DATETIME(6)  NOT NULL,
  ends_time       DATETIME(6)  NOT NULL,
  queue_cap       BIGINT           NULL, -- null: none
  rate            BIGINT           NULL, -- null: unlimited
  item_name       VARCHAR(200) NOT NULL, -- '' until the sale was opened
  status          INT          NOT NULL,
  secret          VARCHAR(64)  NOT NULL,
  proposed        BIGINT       NOT NULL DEFAULT 0, -- proposals since the last change; counting one conflicts with a concurrent change
  replicas        BIGINT           NULL, -- replicas of Redis that must have a purchase before it is accepted; null: none
  PRIMARY KEY (id),
  KEY ix_flash_sales_id (tenant_id, id),
  KEY ix_flash_sales_starts (tenant_id, starts_time, id),
  KEY ix_flash_sales_updated (tenant_id, updated_time, id),
  KEY ix_flash_sales_status (status, id),
  KEY ix_flash_sales_active (tenant_id, status, id),
  KEY ix_flash_sales_name (tenant_id, name, id),
  KEY ix_flash_sales_ends (tenant_id, ends_time, id), -- ?sort=endsTime
  KEY ix_flash_sales_created (tenant_id, created_time, id), -- ?sort=createdTime
  KEY ix_flash_sales_sku (tenant_id, sku, id) -- ?sku=
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS flash_sale_histories (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  sale_id         BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  action          VARCHAR(16)  NOT NULL,
  name            VARCHAR(100) NOT NULL,
  sku             VARCHAR(64)  NOT NULL,
  price           BIGINT       NOT NULL,
  quantity        BIGINT       NOT NULL,
  per_user_limit  BIGINT       NOT NULL,
  starts_time     DATETIME(6)  NOT NULL,
  ends_time       DATETIME(6)  NOT NULL,
  queue_cap       BIGINT           NULL,
  rate            BIGINT           NULL,
  item_name       VARCHAR(200) NOT NULL,
  status          INT          NOT NULL,
  note            VARCHAR(500) NOT NULL,
  changed_by      BIGINT       NOT NULL,
  changed_by_name VARCHAR(100) NOT NULL,
  changed_time    DATETIME(6)  NOT NULL,
  replicas        BIGINT           NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_flash_sale_histories_version (tenant_id, sale_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS flash_sale_stocks (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  updated_time    DATETIME(6)  NOT NULL,
  updated_by      BIGINT       NOT NULL,
  updated_by_name VARCHAR(100) NOT NULL,
  sale_id         BIGINT       NOT NULL,
  allotted        BIGINT       NOT NULL,
  sold            BIGINT       NOT NULL,
  epoch           BIGINT       NOT NULL, -- how often the gate was built
  rejected        BIGINT       NOT NULL DEFAULT 0, -- tickets in flash_sale_rejections
  finished        BOOLEAN      NOT NULL DEFAULT 0, -- closed, with no ticket in flight
  PRIMARY KEY (id),
  UNIQUE KEY uq_flash_sale_stocks_sale (tenant_id, sale_id),
  KEY ix_flash_sale_stocks_finished (finished, tenant_id, sale_id),
  CONSTRAINT ck_flash_sale_stocks_sold CHECK (sold >= 0 AND sold <= allotted)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Every ticket of a sale ends in an order or here.
CREATE TABLE IF NOT EXISTS flash_sale_rejections (
  tenant_id    BIGINT      NOT NULL,
  ticket       VARCHAR(64) NOT NULL,
  sale_id      BIGINT      NOT NULL,
  user_id      VARCHAR(128) NOT NULL,
  units        BIGINT      NOT NULL, -- 0: the ticket was lost and its units are unknown
  reason       VARCHAR(32) NOT NULL,
  created_time DATETIME(6) NOT NULL,
  PRIMARY KEY (tenant_id, ticket),
  KEY ix_flash_sale_rejections_sale (tenant_id, sale_id, ticket),
  KEY ix_flash_sale_rejections_user (tenant_id, user_id, created_time, ticket)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- The numbers of a sale for its charts: one row per five seconds in which they changed.
CREATE TABLE IF NOT EXISTS flash_sale_samples (
  sale_id    BIGINT      NOT NULL,
  slot       BIGINT      NOT NULL, -- taken_time in steps of five seconds since 1970
  tenant_id  BIGINT      NOT NULL,
  taken_time DATETIME(6) NOT NULL,
  stats      TEXT        NOT NULL, -- JSON
  PRIMARY KEY (sale_id, slot)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- The tables of the gate are used when there is no Redis.
CREATE TABLE IF NOT EXISTS flash_sale_gates (
  sale_id       BIGINT  NOT NULL,
  tenant_id     BIGINT  NOT NULL,
  epoch         BIGINT  NOT NULL,
  version       BIGINT  NOT NULL, -- of the row of flash_sales that the rules are from
  stock_version BIGINT  NOT NULL, -- of the row of flash_sale_stocks that allotted is from
  is_open       BOOLEAN NOT NULL,
  starts        BIGINT  NOT NULL, -- µs since 1970, like ends
  ends          BIGINT  NOT NULL,
  user_limit    BIGINT  NOT NULL,
  queue_cap     BIGINT  NOT NULL, -- 0: none
  allotted      BIGINT  NOT NULL,
  remaining     BIGINT  NOT NULL,
  queued        BIGINT  NOT NULL,
  processing    BIGINT  NOT NULL,
  dead          BIGINT  NOT NULL,
  confirmed     BIGINT  NOT NULL,
  rejected      BIGINT  NOT NULL,
  returned      BIGINT  NOT NULL,
  waiting       BIGINT  NOT NULL, -- queued tickets
  epoch_floor   BIGINT  NOT NULL DEFAULT 0, -- older epochs have ended
  withheld      BIGINT  NOT NULL DEFAULT 0, -- units that are leaving the allotment
  working       BIGINT  NOT NULL DEFAULT 0, -- processing tickets
  buried        BIGINT  NOT NULL DEFAULT 0, -- dead tickets
  revision      BIGINT  NOT NULL DEFAULT 0, -- counts changes; written instead of a lock
  PRIMARY KEY (sale_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS flash_sale_tickets (
  sale_id   BIGINT       NOT NULL,
  ticket    VARCHAR(64)  NOT NULL,
  tenant_id BIGINT       NOT NULL,
  user_id   VARCHAR(128)  NOT NULL,
  units     BIGINT       NOT NULL,
  state     VARCHAR(16)  NOT NULL,
  accepted  BIGINT       NOT NULL, -- µs since 1970
  ahead     BIGINT       NOT NULL, -- tickets that were queued when it was accepted
  confirmed BIGINT       NOT NULL, -- µs since 1970; 0: not confirmed
  order_id  BIGINT       NOT NULL, -- 0: none
  order_no  VARCHAR(32)  NOT NULL,
  reason    VARCHAR(100) NOT NULL,
  PRIMARY KEY (sale_id, ticket),
  KEY ix_flash_sale_tickets_accepted (sale_id, accepted),
  KEY ix_flash_sale_tickets_confirmed (sale_id, confirmed)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS flash_sale_buyers (
  sale_id   BIGINT      NOT NULL,
  user_id   VARCHAR(128) NOT NULL,
  tenant_id BIGINT      NOT NULL,
  units     BIGINT      NOT NULL,
  ticket    VARCHAR(64) NOT NULL, -- the latest
  PRIMARY KEY (sale_id, user_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS flash_sale_arrivals (
  sale_id       BIGINT NOT NULL,
  tenant_id     BIGINT NOT NULL,
  accepted      BIGINT NOT NULL,
  sold_out      BIGINT NOT NULL,
  limit_reached BIGINT NOT NULL,
  sale_not_open BIGINT NOT NULL,
  queue_full    BIGINT NOT NULL,
  PRIMARY KEY (sale_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Likes, dislikes and bookmarks of customers and users (actions).
CREATE TABLE IF NOT EXISTS actions (
  tenant_id      BIGINT      NOT NULL,
  entity_type    VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  entity_id      BIGINT      NOT NULL, -- the id of the row: a recreated sku has no actions
  action_group   VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  actor_kind     VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- customers and users have separate ids
  actor_id       VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  last_action_id BIGINT      NOT NULL,
  last_action    VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  last_active    BOOLEAN         NULL, -- null: the last action toggled
  state          VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- the active action of the group, or ''
  updated_time   DATETIME(6) NOT NULL,
  PRIMARY KEY (tenant_id, entity_type, entity_id, action_group, actor_kind, actor_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- The counts of an entity are the sums of its shards, so that concurrent actions on one entity do
-- not wait for one row.
CREATE TABLE IF NOT EXISTS action_counts (
  tenant_id   BIGINT      NOT NULL,
  entity_type VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  entity_id   BIGINT      NOT NULL,
  shard       INT         NOT NULL,
  likes       BIGINT      NOT NULL,
  dislikes    BIGINT      NOT NULL,
  bookmarks   BIGINT      NOT NULL,
  PRIMARY KEY (tenant_id, entity_type, entity_id, shard),
  CONSTRAINT ck_action_counts CHECK (likes >= 0 AND dislikes >= 0 AND bookmarks >= 0)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Aggregates (aggregates). Events are append-only. The counters and writers of an aggregate are
-- derived from its events and written with them. Payloads are the JSON text that was sent.
CREATE TABLE IF NOT EXISTS aggregates (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL, -- of its last event, or of a later repair
  created_time    DATETIME(6)  NOT NULL,
  updated_time    DATETIME(6)  NOT NULL,
  updated_by      BIGINT       NOT NULL,
  updated_by_name VARCHAR(100) NOT NULL,
  type            VARCHAR(50)  NOT NULL,
  name            VARCHAR(128) NOT NULL,
  counters        MEDIUMTEXT   NOT NULL, -- a JSON object of integers
  writer_count    INT          NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_aggregates_name (tenant_id, type, name),
  KEY ix_aggregates_name (tenant_id, name, id),
  KEY ix_aggregates_updated (tenant_id, updated_time, id),
  KEY ix_aggregates_type (tenant_id, type, id) -- ?sort=type
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS aggregate_events (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  aggregate_id    BIGINT       NOT NULL,
  version         BIGINT       NOT NULL, -- of the aggregate after the event
  batch_version   BIGINT       NOT NULL, -- of the aggregate after the batch of the event
  client_id       VARCHAR(128) NOT NULL,
  client_seq      BIGINT           NULL,
  event_id        VARCHAR(128)     NULL,
  event_type      VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  event_time      DATETIME(6)  NOT NULL,
  deltas          TEXT         NOT NULL, -- a JSON object of integers
  payload         MEDIUMTEXT   NOT NULL,
  fingerprint     BINARY(32)   NOT NULL, -- SHA-256 of the content
  created_by      BIGINT       NOT NULL,
  created_by_name VARCHAR(100) NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_aggregate_events_version (tenant_id, aggregate_id, version),
  UNIQUE KEY uq_aggregate_events_seq (tenant_id, aggregate_id, client_id, client_seq),
  UNIQUE KEY uq_aggregate_events_event (tenant_id, aggregate_id, event_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS aggregate_writers (
  tenant_id    BIGINT       NOT NULL,
  aggregate_id BIGINT       NOT NULL,
  client_id    VARCHAR(128) NOT NULL,
  last_seq     BIGINT       NOT NULL,
  PRIMARY KEY (tenant_id, aggregate_id, client_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Work orders, each with at most one holder (workorders).
CREATE TABLE IF NOT EXISTS work_orders (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  updated_time    DATETIME(6)  NOT NULL,
  updated_by      BIGINT       NOT NULL,
  updated_by_name VARCHAR(100) NOT NULL,
  created_by      BIGINT       NOT NULL,
  created_by_name VARCHAR(100) NOT NULL,
  title           VARCHAR(200) NOT NULL,
  body            TEXT         NOT NULL,
  priority        INT          NOT NULL, -- ascending
  status          INT          NOT NULL,
  due_time        DATETIME(6)      NULL, -- null: none
  holder_id       BIGINT           NULL, -- null: no holder
  holder_name     VARCHAR(100) NOT NULL,
  held_time       DATETIME(6)      NULL,
  resolution      TEXT         NOT NULL,
  comments        BIGINT       NOT NULL,
  PRIMARY KEY (id),
  KEY ix_work_orders_id (tenant_id, id),
  KEY ix_work_orders_queue (tenant_id, status, priority, created_time, id),
  KEY ix_work_orders_priority (tenant_id, priority, id),
  KEY ix_work_orders_holder (tenant_id, holder_id, status, id),
  KEY ix_work_orders_due (tenant_id, due_time, id),
  KEY ix_work_orders_title (tenant_id, title, id),
  KEY ix_work_orders_created (tenant_id, created_time, id),
  KEY ix_work_orders_updated (tenant_id, updated_time, id),
  KEY ix_work_orders_status (tenant_id, status, id) -- ?status=
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS work_order_links (
  id            BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id     BIGINT       NOT NULL,
  work_order_id BIGINT       NOT NULL,
  resource      VARCHAR(640) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_work_order_links (tenant_id, work_order_id, resource),
  KEY ix_work_order_links_resource (tenant_id, resource, work_order_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS work_order_comments (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  work_order_id   BIGINT       NOT NULL,
  text            TEXT         NOT NULL,
  created_by      BIGINT       NOT NULL,
  created_by_name VARCHAR(100) NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  KEY ix_work_order_comments_id (tenant_id, work_order_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS work_order_histories (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  work_order_id   BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  action          VARCHAR(16)  NOT NULL,
  from_status     INT              NULL, -- null: it was opened
  to_status       INT          NOT NULL,
  detail          JSON         NOT NULL,
  changed_by      BIGINT       NOT NULL,
  changed_by_name VARCHAR(100) NOT NULL,
  changed_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_work_order_histories_version (tenant_id, work_order_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- The audit log (views/audit), one row per unit of work and resource.
CREATE TABLE IF NOT EXISTS audit_entries (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  unit_id         CHAR(36)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  request_id      VARCHAR(128) NOT NULL DEFAULT '',
  actor_kind      VARCHAR(16)  NOT NULL,
  actor_id        VARCHAR(128)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  actor_name      VARCHAR(100) NOT NULL,
  credential_id   VARCHAR(64)  NOT NULL DEFAULT '',
  token_id        BIGINT       NOT NULL DEFAULT 0, -- the API token that it was done with; 0: none
  creator_id      BIGINT       NOT NULL DEFAULT 0,
  creator_name    VARCHAR(100) NOT NULL DEFAULT '', -- of the user who created the token
  action          VARCHAR(64)  NOT NULL,
  resource        VARCHAR(640) NOT NULL,
  detail          JSON         NOT NULL,
  changes         JSON             NULL, -- of records, for followers of the log (core/changelog); null: none
  note            VARCHAR(500) NOT NULL DEFAULT '',
  created_time    DATETIME(6)  NOT NULL,
  on_behalf_of    VARCHAR(128)  CHARACTER SET ascii COLLATE ascii_bin NULL, -- the customer for whom an API token acted; null: for itself
  idempotency_key VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '', -- of the request; '': none
  place           BIGINT           NULL, -- in the exported log of the tenant; null: not exported
  PRIMARY KEY (id),
  UNIQUE KEY uq_audit_entries_unit (unit_id, resource),
  UNIQUE KEY uq_audit_entries_place (tenant_id, place),
  KEY ix_audit_entries_resource (tenant_id, resource, id),
  KEY ix_audit_entries_time (tenant_id, id),
  KEY ix_audit_entries_action (tenant_id, action, id), -- ?action=
  KEY ix_audit_entries_actor (tenant_id, actor_id, id), -- ?actor= as an id
  KEY ix_audit_entries_actor_name (tenant_id, actor_name, id), -- ?actor= as a name
  KEY ix_audit_entries_created (tenant_id, created_time, id) -- ?from= and ?to=
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- The resources of an audit entry in addition to the one in its row.
CREATE TABLE IF NOT EXISTS audit_targets (
  tenant_id BIGINT       NOT NULL,
  resource  VARCHAR(640) NOT NULL,
  entry_id  BIGINT       NOT NULL,
  PRIMARY KEY (tenant_id, resource, entry_id),
  KEY ix_audit_targets_entry (entry_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Subscriptions to changes (webhooks). secret and old_secret are encrypted with secret_key.
CREATE TABLE IF NOT EXISTS webhooks (
  id               BIGINT        NOT NULL AUTO_INCREMENT,
  tenant_id        BIGINT        NOT NULL,
  version          BIGINT        NOT NULL,
  created_time     DATETIME(6)   NOT NULL,
  updated_time     DATETIME(6)   NOT NULL,
  updated_by       BIGINT        NOT NULL,
  updated_by_name  VARCHAR(100)  NOT NULL,
  url              VARCHAR(2000) NOT NULL,
  topics           JSON          NOT NULL,
  filter           JSON              NULL, -- null: none
  payload          VARCHAR(16)   NOT NULL,
  enabled          BOOLEAN       NOT NULL,
  saved_by         BIGINT        NOT NULL, -- the user whose permissions decide on the content of messages
  saved_by_name    VARCHAR(100)  NOT NULL,
  pause_reason     VARCHAR(500)  NOT NULL,
  secret           VARBINARY(255) NOT NULL,
  secret_key       VARCHAR(64)   NOT NULL,
  old_secret       VARBINARY(255)    NULL,
  old_secret_until DATETIME(6)       NULL,
  PRIMARY KEY (id),
  KEY ix_webhooks_id (tenant_id, id),
  KEY ix_webhooks_enabled (enabled, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS webhook_histories (
  id              BIGINT        NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT        NOT NULL,
  webhook_id      BIGINT        NOT NULL,
  version         BIGINT        NOT NULL,
  action          VARCHAR(16)   NOT NULL,
  url             VARCHAR(2000) NOT NULL,
  topics          JSON          NOT NULL,
  filter          JSON              NULL,
  payload         VARCHAR(16)   NOT NULL,
  enabled         BOOLEAN       NOT NULL,
  pause_reason    VARCHAR(500)  NOT NULL,
  changed_by      BIGINT        NOT NULL,
  changed_by_name VARCHAR(100)  NOT NULL,
  changed_time    DATETIME(6)   NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_webhook_histories_version (tenant_id, webhook_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- The progress of each subscription in the log of its tenant.
CREATE TABLE IF NOT EXISTS webhook_positions (
  webhook_id    BIGINT      NOT NULL,
  tenant_id     BIGINT      NOT NULL,
  generation    BIGINT      NOT NULL, -- incremented by edits and replays
  position      BIGINT          NULL, -- null: before the first run
  attempts      BIGINT      NOT NULL, -- failures since failing_since
  failing_since DATETIME(6)     NULL,
  next_time     DATETIME(6)     NULL,
  PRIMARY KEY (webhook_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Attempts to deliver a message. A sweeper of the package removes them.
CREATE TABLE IF NOT EXISTS webhook_deliveries (
  id           BIGINT        NOT NULL AUTO_INCREMENT,
  tenant_id    BIGINT        NOT NULL,
  webhook_id   BIGINT        NOT NULL,
  message_id   VARCHAR(100)  NOT NULL,
  type         VARCHAR(140)  NOT NULL,
  resource     VARCHAR(700)  NOT NULL,
  position     BIGINT        NOT NULL, -- 0: a test
  attempt      BIGINT        NOT NULL,
  status       INT           NOT NULL, -- of the reply; 0: none
  duration_us  BIGINT        NOT NULL,
  reply        VARCHAR(3100) NOT NULL,
  error        VARCHAR(510)  NOT NULL,
  created_time DATETIME(6)   NOT NULL,
  PRIMARY KEY (id),
  KEY ix_webhook_deliveries_webhook (tenant_id, webhook_id, id),
  KEY ix_webhook_deliveries_created (created_time)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Conflicts per tenant, UTC day, resource and code (views/dashboard). The numbers are advisory.
CREATE TABLE IF NOT EXISTS conflict_counts (
  tenant_id BIGINT      NOT NULL,
  day       VARCHAR(10) NOT NULL,
  resource  VARCHAR(64) NOT NULL,
  code      VARCHAR(64) NOT NULL,
  conflicts BIGINT      NOT NULL,
  PRIMARY KEY (tenant_id, day, resource, code)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- The progress of background walks over tables (core/walk).
CREATE TABLE IF NOT EXISTS walks (
  kind              VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- promises or retention
  name              VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- the promise or the table
  version           BIGINT       NOT NULL,
  position          VARCHAR(500) NOT NULL, -- the cursor of the pass; '' at its start
  passes            BIGINT       NOT NULL,
  started_time      DATETIME(6)      NULL, -- of the current pass, like the columns below
  ended_time        DATETIME(6)      NULL, -- null: in progress
  checked           BIGINT       NOT NULL,
  found             BIGINT       NOT NULL, -- violating or removed rows
  busy_us           BIGINT       NOT NULL,
  last_started_time DATETIME(6)      NULL, -- of the last complete pass, like the columns below
  last_ended_time   DATETIME(6)      NULL,
  last_checked      BIGINT       NOT NULL,
  last_found        BIGINT       NOT NULL,
  last_busy_us      BIGINT       NOT NULL,
  clean_time        DATETIME(6)      NULL, -- end of the last complete pass that found nothing
  until_time        DATETIME(6)      NULL, -- older rows may be removed; it never decreases
  total             BIGINT       NOT NULL, -- removed by all passes
  PRIMARY KEY (kind, name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Findings of the promises (views/promises).
CREATE TABLE IF NOT EXISTS promise_violations (
  id         BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id  BIGINT       NOT NULL,
  name       VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  subject    VARCHAR(640) NOT NULL,
  pass       BIGINT       NOT NULL, -- the last pass that found it
  found_time DATETIME(6)  NOT NULL,
  kept_time  DATETIME(6)      NULL, -- end of the last pass that did not find it; null: none
  PRIMARY KEY (id),
  UNIQUE KEY uq_promise_violations_subject (tenant_id, name, subject)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS promise_keys (
  id   TINYINT       NOT NULL,
  seed VARBINARY(32) NOT NULL, -- of the Ed25519 key
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Removed rows that the audit log does not report yet.
CREATE TABLE IF NOT EXISTS retention_tallies (
  tenant_id BIGINT      NOT NULL,
  name      VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  removed   BIGINT      NOT NULL,
  PRIMARY KEY (tenant_id, name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Customers whose erasure is in progress.
CREATE TABLE IF NOT EXISTS customer_erasures (
  tenant_id  BIGINT        NOT NULL,
  user_id    VARCHAR(128)   CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  pseudonym  VARCHAR(128)   CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  secret     VARBINARY(32) NOT NULL, -- key from which the replacements of tickets and digests are derived
  begun_time DATETIME(6)   NOT NULL,
  PRIMARY KEY (tenant_id, user_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- +goose Down
DROP TABLE IF EXISTS retention_tallies, customer_erasures;
DROP TABLE IF EXISTS walks, promise_violations, promise_keys;
DROP TABLE IF EXISTS conflict_counts;
DROP TABLE IF EXISTS webhooks, webhook_histories, webhook_positions, webhook_deliveries;
DROP TABLE IF EXISTS audit_entries, audit_targets;
DROP TABLE IF EXISTS work_orders, work_order_links, work_order_comments, work_order_histories;
DROP TABLE IF EXISTS aggregates, aggregate_events, aggregate_writers;
DROP TABLE IF EXISTS actions, action_counts;
DROP TABLE IF EXISTS flash_sales, flash_sale_histories, flash_sale_stocks, flash_sale_rejections,
  flash_sale_samples, flash_sale_gates, flash_sale_tickets, flash_sale_buyers, flash_sale_arrivals;
DROP TABLE IF EXISTS returns, return_lines, return_comments, return_histories;
DROP TABLE IF EXISTS refunds, refund_lines, refund_histories;
DROP TABLE IF EXISTS payments, payment_histories;
DROP TABLE IF EXISTS orders, order_lines, order_tags, order_histories, shipments, shipment_lines;
DROP TABLE IF EXISTS wallets, wallet_entries;
DROP TABLE IF EXISTS coupon_campaigns, coupon_campaign_histories, coupons, coupon_histories,
  coupon_holders;
DROP TABLE IF EXISTS inventories, inventory_holds, inventory_movements;
DROP TABLE IF EXISTS items, item_histories;
DROP TABLE IF EXISTS configs, config_histories;
DROP TABLE IF EXISTS approvals, approval_targets, approval_votes, approval_comments,
  approval_histories;
DROP TABLE IF EXISTS tenants, tenant_settings, tenant_setting_histories, users, user_histories,
  roles, role_histories, role_permissions, user_roles, access_revisions, api_tokens, sessions,
  sign_in_attempts, sign_in_challenges, user_factors, recovery_codes, user_passkeys, user_links,
  sign_in_flows, menus, menu_histories, menu_revisions;
DROP TABLE IF EXISTS idempotency_keys;
DROP TABLE IF EXISTS mq_queues, mq_batches, mq_messages;
DROP TABLE IF EXISTS installation, server_claims, encryption_keys, log_places;
