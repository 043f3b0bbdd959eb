-- What the checks of the promises found, how far they have come, and the key that signs it.
-- Their page comes into the navigation of every tenant that has menus, behind that of the
-- system.
-- +goose Up
CREATE TABLE promise_checks (
  name          TEXT     NOT NULL PRIMARY KEY,
  version       INTEGER  NOT NULL,
  place         TEXT     NOT NULL, -- where the pass goes on; '' at its beginning
  passes        INTEGER  NOT NULL,
  begun_time    DATETIME     NULL,
  looked        INTEGER  NOT NULL,
  busy_us       INTEGER  NOT NULL,
  violated      INTEGER  NOT NULL,
  passed_time   DATETIME     NULL, -- of the last whole pass, as what follows
  last_begun    DATETIME     NULL,
  last_looked   INTEGER  NOT NULL,
  last_busy_us  INTEGER  NOT NULL,
  last_violated INTEGER  NOT NULL,
  kept_time     DATETIME     NULL -- of the last whole pass that found nothing
);

CREATE TABLE promise_violations (
  id         INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id  INTEGER  NOT NULL,
  name       TEXT     NOT NULL,
  subject    TEXT     NOT NULL,
  pass       INTEGER  NOT NULL, -- the pass that saw it last
  found_time DATETIME NOT NULL,
  kept_time  DATETIME     NULL -- when the last pass had ended in which it was not there
);
CREATE UNIQUE INDEX uq_promise_violations_subject ON promise_violations (tenant_id, name, subject);

CREATE TABLE promise_keys (
  id   INTEGER NOT NULL PRIMARY KEY,
  seed BLOB    NOT NULL -- of the Ed25519 key
);

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
