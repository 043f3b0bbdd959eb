-- What must be true after a load run and needs not be while the service runs, or of other requests than
-- those of the run: the promises themselves are asked by `admin promises check`. Each statement gives one
-- line: the number of violations and what is counted.

SELECT COUNT(*), 'configs without exactly one audit row a version'
  FROM configs c
 WHERE version <> (SELECT COUNT(*) FROM audit_entries a
                    WHERE a.tenant_id = c.tenant_id AND a.resource = CONCAT('configs/', REPLACE(REPLACE(REPLACE(c.`key`, '/', '%2F'), '[', '%5B'), ']', '%5D')));

-- The first version of an order from a flash sale has its audit row with the batch, and one that a refund
-- or a return made has it with the refund or the return.
SELECT COUNT(*), 'orders without exactly one audit row a version'
  FROM orders o
 WHERE version - (sale_id IS NOT NULL)
     - (SELECT COUNT(*) FROM order_histories h WHERE h.tenant_id = o.tenant_id AND h.order_id = o.id AND (h.action LIKE '%-refund' OR h.action LIKE '%-return'))
    <> (SELECT COUNT(*) FROM audit_entries a
         WHERE a.tenant_id = o.tenant_id AND a.resource = CONCAT('orders/', o.id));

SELECT COUNT(*), 'wallet entries without exactly one audit row each, a transfer having one for two'
  FROM (SELECT (SELECT COUNT(*) FROM wallet_entries WHERE other_user_id IS NULL AND reference NOT LIKE '@%')
             + (SELECT COUNT(*) FROM wallet_entries WHERE other_user_id IS NOT NULL AND amount < 0) AS owed,
               (SELECT COUNT(*) FROM audit_entries WHERE tenant_id > 0 AND resource LIKE 'wallets/%') AS kept) AS counts
 WHERE owed <> kept;

SELECT COUNT(*), 'flash sales that the crowd did not empty'
  FROM flash_sale_stocks k WHERE sold <> allotted;

SELECT COUNT(*), 'gates of flash sales that do not add up, or not to what was sold'
  FROM flash_sale_gates g
  JOIN flash_sale_stocks k ON k.tenant_id = g.tenant_id AND k.sale_id = g.sale_id
 WHERE g.allotted <> g.remaining + g.queued + g.processing + g.dead + g.confirmed
    OR g.confirmed <> k.sold OR g.allotted <> k.allotted;

-- The campaigns of load/idempotency.js have the name of their key.
SELECT COUNT(*), 'idempotency keys whose effect is not there exactly once'
  FROM idempotency_keys k
 WHERE k.path = '/api/v1/coupon-campaigns' AND k.status = 201
   AND 1 <> (SELECT COUNT(*) FROM coupon_campaigns c
              WHERE c.tenant_id = k.tenant_id AND c.name = CONVERT(k.idempotency_key USING utf8mb4));

SELECT COUNT(*), 'effects that were made under a key and are not in the reply that is kept for it'
  FROM coupon_campaigns c
  LEFT JOIN idempotency_keys k ON k.tenant_id = c.tenant_id AND k.idempotency_key = CAST(c.name AS BINARY)
   AND LOCATE(CONCAT('"id":', c.id, ','), k.reply) > 0
 WHERE c.name LIKE 'keyed-%' AND k.id IS NULL;

SELECT COUNT(*), 'replies kept for a change without exactly one audit row of their request'
  FROM idempotency_keys k
  LEFT JOIN (SELECT tenant_id, request_id, COUNT(*) AS n FROM audit_entries GROUP BY tenant_id, request_id) a
    ON a.tenant_id = k.tenant_id AND a.request_id = k.request_id
 WHERE k.status = 201 AND COALESCE(a.n, 0) <> 1;

SELECT COUNT(*), 'parts of batches that are kept although the whole reply is'
  FROM idempotency_keys k WHERE k.scope LIKE 'parts:%';

SELECT COUNT(*), 'approvals that wait although what they would change has moved'
  FROM approvals a
  JOIN configs c ON c.tenant_id = a.tenant_id AND a.resource = CONCAT('configs/', REPLACE(REPLACE(REPLACE(c.`key`, '/', '%2F'), '[', '%5B'), ']', '%5D'))
  JOIN config_histories h ON h.config_id = c.id AND h.version = c.version
 WHERE a.status = 0 AND h.changed_time > a.updated_time;
