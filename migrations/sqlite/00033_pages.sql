-- The pages of refunds, work orders and settings come into the navigation of every tenant that
-- has menus: behind the orders and the tokens, wherever a tenant has those, otherwise at the end
-- of their group, or of the top. A tenant without menus has the admin's own navigation, in which
-- they are.
-- +goose Up
INSERT INTO menus (tenant_id, version, created_time, updated_time, updated_by, updated_by_name, parent_id, sort_key, title, path, icon, permission, hidden)
  SELECT t.id, 1, t.created_time, t.created_time, 0, 'upgrade', COALESCE(a.parent_id, g.id, 0),
    COALESCE(
      a.sort_key + r.place * 1073741824,
      (SELECT MAX(s.sort_key) FROM menus s WHERE s.tenant_id = t.id AND s.parent_id = COALESCE(g.id, 0)) + r.place * 4294967296,
      r.place * 4294967296
    ),
    '', r.path, '', r.permission, 0
  FROM tenants t CROSS JOIN (
    SELECT 'Operate' AS grp, '/orders' AS behind, 1 AS place, '/refunds' AS path, 'refunds:read' AS permission
    UNION ALL SELECT 'Operate', '/orders', 2, '/work-orders', 'work-orders:read'
    UNION ALL SELECT 'Govern', '/tokens', 1, '/settings', 'settings:read'
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
DELETE FROM menu_histories WHERE menu_id IN (SELECT id FROM menus WHERE updated_by_name = 'upgrade' AND version = 1 AND path IN ('/refunds', '/work-orders', '/settings'));
DELETE FROM menus WHERE updated_by_name = 'upgrade' AND version = 1 AND path IN ('/refunds', '/work-orders', '/settings');
