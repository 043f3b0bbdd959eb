-- What the store must hold after a load run, whatever the replies said. Each statement gives one line:
-- the number of violations and what is counted.

SELECT COUNT(*), 'configs whose history is not rows 1 to version'
  FROM configs c
 WHERE version <> (SELECT COUNT(*) FROM config_histories h WHERE h.config_id = c.id)
    OR version <> (SELECT MAX(h.version) FROM config_histories h WHERE h.config_id = c.id);

SELECT COUNT(*), 'configs that differ from the newest row of their history'
  FROM configs c
  JOIN config_histories h ON h.config_id = c.id AND h.version = c.version
 WHERE h.value <> c.value OR h.remark <> c.remark;

SELECT COUNT(*), 'configs without exactly one audit row a version'
  FROM configs c
 WHERE version <> (SELECT COUNT(*) FROM audit_entries a
                    WHERE a.tenant_id = c.tenant_id AND a.resource = CONCAT('configs/', c.`key`));

SELECT COUNT(*), 'orders whose history is not rows 1 to version'
  FROM orders o
 WHERE version <> (SELECT COUNT(*) FROM order_histories h WHERE h.tenant_id = o.tenant_id AND h.order_id = o.id)
    OR version <> (SELECT MAX(h.version) FROM order_histories h WHERE h.tenant_id = o.tenant_id AND h.order_id = o.id);

SELECT COUNT(*), 'orders whose status is not where the newest row of their history led'
  FROM orders o
  JOIN order_histories h ON h.tenant_id = o.tenant_id AND h.order_id = o.id AND h.version = o.version
 WHERE h.to_status <> o.status;

SELECT COUNT(*), 'order statuses that were left more than once'
  FROM (SELECT order_id FROM order_histories WHERE from_status IS NOT NULL
         GROUP BY tenant_id, order_id, from_status HAVING COUNT(*) > 1) AS left_twice;

SELECT COUNT(*), 'orders without exactly one audit row a version'
  FROM orders o
 WHERE version <> (SELECT COUNT(*) FROM audit_entries a
                    WHERE a.tenant_id = o.tenant_id AND a.resource = CONCAT('orders/', o.id));
