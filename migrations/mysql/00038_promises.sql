-- What the checks of the promises found, how far they have come, and the key that signs it.
-- Their page comes into the navigation of every tenant that has menus, behind that of the
-- system. Each statement can be run again, so an interrupted migration goes on from its
-- beginning.
-- +goose Up
CREATE TABLE IF NOT EXISTS promise_checks (
  name          VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  version       BIGINT      NOT NULL,
  place         VARCHAR(500) NOT NULL, -- where the pass goes on; '' at its beginning
  passes        BIGINT      NOT NULL,
  begun_time    DATETIME(6)     NULL,
  looked        BIGINT      NOT NULL,
  busy_us       BIGINT      NOT NULL,
  violated      BIGINT      NOT NULL,
  passed_time   DATETIME(6)     NULL, -- of the last whole pass, as what follows
  last_begun    DATETIME(6)     NULL,
  last_looked   BIGINT      NOT NULL,
  last_busy_us  BIGINT      NOT NULL,
  last_violated BIGINT      NOT NULL,
  kept_time     DATETIME(6)     NULL, -- of the last whole pass that found nothing
  PRIMARY KEY (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS promise_violations (
  id         BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id  BIGINT       NOT NULL,
  name       VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  subject    VARCHAR(255) NOT NULL,
  pass       BIGINT       NOT NULL, -- the pass that saw it last
  found_time DATETIME(6)  NOT NULL,
  kept_time  DATETIME(6)      NULL, -- when the last pass had ended in which it was not there
  PRIMARY KEY (id),
  UNIQUE KEY uq_promise_violations_subject (tenant_id, name, subject)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS promise_keys (
  id   TINYINT       NOT NULL,
  seed VARBINARY(32) NOT NULL, -- of the Ed25519 key
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

INSERT INTO menus (tenant_id, version, created_time, updated_time, updated_by, updated_by_name, parent_id, sort_key, title, path, icon, permission, hidden)
  SELECT t.id, 1, t.created_time, t.created_time, 0, 'upgrade', COALESCE(a.parent_id, g.id, 0),
    COALESCE(
      a.sort_key + r.place * 1073741824,
      (SELECT MAX(s.sort_key) FROM menus s WHERE s.tenant_id = t.id AND s.parent_id = COALESCE(g.id, 0)) + r.place * 4294967296,
      r.place * 4294967296
    ),
    '', r.path, '', r.permission, 0
  FROM tenants t CROSS JOIN (
    SELECT 'Inspect' AS grp, '/system' AS behind, 1 AS place, '/promises' AS path, 'promises:read' AS permission
  ) r
  LEFT JOIN menus a ON a.id = (SELECT MIN(m.id) FROM menus m WHERE m.tenant_id = t.id AND m.path = r.behind)
  LEFT JOIN menus g ON g.id = (SELECT MIN(m.id) FROM menus m WHERE m.tenant_id = t.id AND m.parent_id = 0 AND m.path = '' AND m.title = r.grp)
  WHERE EXISTS (SELECT 1 FROM menus m WHERE m.tenant_id = t.id)
    AND NOT EXISTS (SELECT 1 FROM menus m WHERE m.tenant_id = t.id AND m.path = r.path)
  ORDER BY t.id, r.grp DESC, r.place;
INSERT INTO menu_histories (tenant_id, menu_id, version, action, parent_id, sort_key, position, title, path, icon, permission, hidden, changed_by, changed_by_name, changed_time)
  SELECT m.tenant_id, m.id, m.version, 'upgrade', m.parent_id, m.sort_key,
    (SELECT COUNT(*) FROM menus s WHERE s.tenant_id = m.tenant_id AND s.parent_id = m.parent_id AND (s.sort_key < m.sort_key OR s.sort_key = m.sort_key AND s.id < m.id)),
    m.title, m.path, m.icon, m.permission, m.hidden, m.updated_by, m.updated_by_name, m.updated_time
  FROM menus m
  WHERE NOT EXISTS (SELECT 1 FROM menu_histories h WHERE h.menu_id = m.id);

-- +goose Down
DELETE FROM menu_histories WHERE menu_id IN (SELECT id FROM menus WHERE updated_by_name = 'upgrade' AND version = 1 AND path = '/promises');
DELETE FROM menus WHERE updated_by_name = 'upgrade' AND version = 1 AND path = '/promises';
DROP TABLE promise_keys;
DROP TABLE promise_violations;
DROP TABLE promise_checks;
