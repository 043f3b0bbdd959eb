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
  FROM (SELECT order_id FROM order_histories WHERE from_status <> to_status
         GROUP BY tenant_id, order_id, from_status HAVING COUNT(*) > 1) AS left_twice;

-- The first version of an order from a flash sale has its audit row with the batch, and one that a refund
-- made has it with the refund.
SELECT COUNT(*), 'orders without exactly one audit row a version'
  FROM orders o
 WHERE version - (sale_id IS NOT NULL)
     - (SELECT COUNT(*) FROM order_histories h WHERE h.tenant_id = o.tenant_id AND h.order_id = o.id AND h.action LIKE '%-refund')
    <> (SELECT COUNT(*) FROM audit_entries a
         WHERE a.tenant_id = o.tenant_id AND a.resource = CONCAT('orders/', o.id));

SELECT COUNT(*), 'orders of which more is reserved and refunded than was paid, or less than nothing'
  FROM orders o
 WHERE refund_reserved < 0 OR refunded < 0 OR refund_reserved + refunded > paid
    OR paid <> CASE WHEN payment_method = '' THEN 0 ELSE amount END;

SELECT COUNT(*), 'orders whose refunds are not what they say is reserved and refunded'
  FROM orders o
 WHERE refund_reserved <> (SELECT COALESCE(SUM(r.amount), 0) FROM refunds r
                            WHERE r.tenant_id = o.tenant_id AND r.order_id = o.id AND r.status IN (0, 1, 5))
    OR refunded <> (SELECT COALESCE(SUM(r.amount), 0) FROM refunds r
                     WHERE r.tenant_id = o.tenant_id AND r.order_id = o.id AND r.status = 3);

SELECT COUNT(*), 'refunds whose wallet was not credited exactly once if and only if they are settled'
  FROM refunds r
 WHERE (r.method = 'wallet' AND r.status = 3)
    <> (SELECT COUNT(*) FROM wallet_entries e
         WHERE e.tenant_id = r.tenant_id AND e.user_id = r.user_id AND e.kind = 'refund' AND e.amount = r.amount AND e.reference = r.reference);

SELECT COUNT(*), 'credits of the service that are of no settled refund'
  FROM wallet_entries e
 WHERE e.kind = 'refund' AND e.reference LIKE '@%'
   AND NOT EXISTS (SELECT 1 FROM refunds r WHERE r.tenant_id = e.tenant_id AND r.user_id = e.user_id AND r.reference = e.reference AND r.status = 3);

SELECT COUNT(*), 'refunds whose history is not rows 1 to version'
  FROM refunds r
 WHERE version <> (SELECT COUNT(*) FROM refund_histories h WHERE h.tenant_id = r.tenant_id AND h.refund_id = r.id)
    OR version <> (SELECT MAX(h.version) FROM refund_histories h WHERE h.tenant_id = r.tenant_id AND h.refund_id = r.id);

SELECT COUNT(*), 'lines of orders of which refunds are of more pieces than they have'
  FROM order_lines l
 WHERE quantity < (SELECT COALESCE(SUM(x.quantity), 0) FROM refund_lines x
                     JOIN refunds r ON r.tenant_id = x.tenant_id AND r.id = x.refund_id
                    WHERE x.tenant_id = l.tenant_id AND x.order_id = l.order_id AND x.sku = l.sku AND r.status IN (0, 1, 3, 5));

SELECT COUNT(*), 'work orders whose history is not rows 1 to version, or led elsewhere than where they are'
  FROM work_orders w
 WHERE version <> (SELECT COUNT(*) FROM work_order_histories h WHERE h.tenant_id = w.tenant_id AND h.work_order_id = w.id)
    OR status <> (SELECT h.to_status FROM work_order_histories h
                   WHERE h.tenant_id = w.tenant_id AND h.work_order_id = w.id AND h.version = w.version);

SELECT COUNT(*), 'work orders that are open and held, or claimed and held by nobody'
  FROM work_orders WHERE (status = 0 AND holder_id IS NOT NULL) OR (status = 1 AND holder_id IS NULL);

SELECT COUNT(*), 'wallets whose entries do not add up to a balance that is never negative'
  FROM wallets w
 WHERE balance < 0
    OR balance <> (SELECT SUM(e.amount) FROM wallet_entries e WHERE e.tenant_id = w.tenant_id AND e.user_id = w.user_id)
    OR version <> (SELECT COUNT(*) FROM wallet_entries e WHERE e.tenant_id = w.tenant_id AND e.user_id = w.user_id);

SELECT COUNT(*), 'entries of transfers without their counterpart in the other wallet'
  FROM wallet_entries e
  LEFT JOIN wallet_entries o ON o.tenant_id = e.tenant_id AND o.user_id = e.other_user_id AND o.reference = e.reference
   AND o.other_user_id = e.user_id AND o.amount = -e.amount
 WHERE e.other_user_id IS NOT NULL AND o.id IS NULL;

SELECT COUNT(*), 'wallet entries without exactly one audit row each, a transfer having one for two'
  FROM (SELECT (SELECT COUNT(*) FROM wallet_entries WHERE other_user_id IS NULL AND reference NOT LIKE '@%')
             + (SELECT COUNT(*) FROM wallet_entries WHERE other_user_id IS NOT NULL AND amount < 0) AS owed,
               (SELECT COUNT(*) FROM audit_entries WHERE resource LIKE 'wallets/%') AS kept) AS counts
 WHERE owed <> kept;

-- A repair raises the version too.
SELECT COUNT(*), 'aggregates without exactly one version for each event and repair'
  FROM aggregates g
 WHERE version <> (SELECT COUNT(*) FROM aggregate_events e WHERE e.tenant_id = g.tenant_id AND e.aggregate_id = g.id)
                + (SELECT COUNT(*) FROM audit_entries a WHERE a.tenant_id = g.tenant_id AND a.action = 'aggregate.rebuild'
                      AND a.resource = CONCAT('aggregates/', g.type, '/', g.name));

SELECT COUNT(*), 'aggregates whose events were not written with exactly one audit row a request'
  FROM aggregates g
 WHERE (SELECT COUNT(DISTINCT e.batch_version) FROM aggregate_events e WHERE e.tenant_id = g.tenant_id AND e.aggregate_id = g.id)
    <> (SELECT COUNT(*) FROM audit_entries a WHERE a.tenant_id = g.tenant_id AND a.action = 'aggregate.append'
           AND a.resource = CONCAT('aggregates/', g.type, '/', g.name));

SELECT COUNT(*), 'writers of aggregates whose highest sequence is not that of their events'
  FROM aggregate_writers w
 WHERE last_seq <> (SELECT MAX(e.client_seq) FROM aggregate_events e
                     WHERE e.tenant_id = w.tenant_id AND e.aggregate_id = w.aggregate_id AND e.client_id = w.client_id);

SELECT COUNT(*), 'items whose movements do not add up to their stock'
  FROM inventories i
  JOIN (SELECT tenant_id, sku, COUNT(*) AS n, SUM(on_hand_delta) AS on_hand, SUM(reserved_delta) AS reserved
          FROM inventory_movements GROUP BY tenant_id, sku) m ON m.tenant_id = i.tenant_id AND m.sku = i.sku
 WHERE i.version <> m.n OR i.on_hand <> m.on_hand OR i.reserved <> m.reserved;

SELECT COUNT(*), 'items with less in the house than is reserved, or holds that do not add up to that'
  FROM inventories i
 WHERE reserved < 0 OR on_hand < reserved
    OR reserved <> (SELECT COALESCE(SUM(h.quantity), 0) FROM inventory_holds h WHERE h.tenant_id = i.tenant_id AND h.sku = i.sku);

SELECT COUNT(*), 'lines of pending and paid orders that do not hold exactly their pieces, less those that a refund returned'
  FROM orders o
  JOIN order_lines l ON l.tenant_id = o.tenant_id AND l.order_id = o.id
  LEFT JOIN inventory_holds h ON h.tenant_id = o.tenant_id AND h.sku = l.sku AND h.holder = CONCAT('orders/', o.id)
 WHERE COALESCE(h.quantity, 0) <> CASE WHEN o.status NOT IN (0, 1) THEN 0
   ELSE l.quantity - (SELECT COALESCE(SUM(x.quantity), 0) FROM refund_lines x
                        JOIN refunds r ON r.tenant_id = x.tenant_id AND r.id = x.refund_id AND r.status = 3
                       WHERE x.tenant_id = l.tenant_id AND x.order_id = l.order_id AND x.sku = l.sku AND x.restock) END;

SELECT COUNT(*), 'flash sales that sold other than their live orders have, or more than was allotted'
  FROM flash_sale_stocks k
 WHERE sold > allotted
    OR sold <> (SELECT COALESCE(SUM(l.quantity), 0) FROM orders o
                  JOIN order_lines l ON l.tenant_id = o.tenant_id AND l.order_id = o.id
                 WHERE o.tenant_id = k.tenant_id AND o.sale_id = k.sale_id AND o.status <> 4);

SELECT COUNT(*), 'flash sales whose unsold units are not held for them'
  FROM flash_sale_stocks k
  JOIN flash_sales s ON s.tenant_id = k.tenant_id AND s.id = k.sale_id
  LEFT JOIN inventory_holds h ON h.tenant_id = k.tenant_id AND h.sku = s.sku AND h.holder = CONCAT('flash-sale:', s.id)
 WHERE COALESCE(h.quantity, 0) <> k.allotted - k.sold;

SELECT COUNT(*), 'customers with more of a flash sale than their limit'
  FROM (SELECT o.sale_id, o.user_id FROM orders o
          JOIN order_lines l ON l.tenant_id = o.tenant_id AND l.order_id = o.id
          JOIN flash_sales s ON s.tenant_id = o.tenant_id AND s.id = o.sale_id
         WHERE o.status <> 4
         GROUP BY o.sale_id, o.user_id, s.per_user_limit HAVING SUM(l.quantity) > s.per_user_limit) AS greedy;

SELECT COUNT(*), 'flash sales that the crowd did not empty'
  FROM flash_sale_stocks k WHERE sold <> allotted;

SELECT COUNT(*), 'gates of flash sales that do not add up, or not to what was sold'
  FROM flash_sale_gates g
  JOIN flash_sale_stocks k ON k.tenant_id = g.tenant_id AND k.sale_id = g.sale_id
 WHERE g.allotted <> g.remaining + g.queued + g.processing + g.dead + g.confirmed
    OR g.confirmed <> k.sold OR g.allotted <> k.allotted;

SELECT COUNT(*), 'things whose counts of likes, dislikes and bookmarks are not those of the rows'
  FROM (SELECT tenant_id, entity_type, entity_id, SUM(likes) AS likes, SUM(dislikes) AS dislikes, SUM(bookmarks) AS bookmarks
          FROM action_counts GROUP BY tenant_id, entity_type, entity_id) c
  JOIN (SELECT tenant_id, entity_type, entity_id, SUM(state = 'like') AS likes, SUM(state = 'dislike') AS dislikes,
               SUM(state = 'bookmark') AS bookmarks
          FROM actions GROUP BY tenant_id, entity_type, entity_id) a
    ON a.tenant_id = c.tenant_id AND a.entity_type = c.entity_type AND a.entity_id = c.entity_id
 WHERE c.likes <> a.likes OR c.dislikes <> a.dislikes OR c.bookmarks <> a.bookmarks;

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

SELECT COUNT(*), 'approvals whose history is not rows 1 to version'
  FROM approvals a
 WHERE version <> (SELECT COUNT(*) FROM approval_histories h WHERE h.tenant_id = a.tenant_id AND h.approval_id = a.id)
    OR version <> (SELECT MAX(h.version) FROM approval_histories h WHERE h.tenant_id = a.tenant_id AND h.approval_id = a.id);

SELECT COUNT(*), 'approvals that were applied other than once each, or without being approved or bypassed'
  FROM approvals a
 WHERE a.resource LIKE 'configs/%'
   AND (a.status IN (1, 6, 7)) <> (SELECT COUNT(*) FROM config_histories h WHERE h.tenant_id = a.tenant_id AND h.approval_id = a.id);

SELECT COUNT(*), 'approvals that were approved by fewer votes for their content than they needed, or by who wrote it'
  FROM approvals a
 WHERE a.status = 1
   AND (a.required > (SELECT COUNT(DISTINCT v.user_id) FROM approval_votes v
                       WHERE v.tenant_id = a.tenant_id AND v.approval_id = a.id AND v.verdict = 'approve'
                         AND v.version >= a.content_version AND v.digest = a.digest)
     OR EXISTS (SELECT 1 FROM approval_votes v JOIN approval_histories h
                  ON h.tenant_id = v.tenant_id AND h.approval_id = v.approval_id AND h.changed_by = v.user_id
                 WHERE v.tenant_id = a.tenant_id AND v.approval_id = a.id AND h.action IN ('propose', 'edit', 'rebase')));

SELECT COUNT(*), 'protected versions of configs that were followed by one without an approval'
  FROM config_histories before_it
  JOIN config_histories h ON h.config_id = before_it.config_id AND h.version = before_it.version + 1
 WHERE before_it.protected = 1 AND h.approval_id = 0;

SELECT COUNT(*), 'approvals that wait although what they would change has moved'
  FROM approvals a
  JOIN configs c ON c.tenant_id = a.tenant_id AND a.resource = CONCAT('configs/', c.`key`)
  JOIN config_histories h ON h.config_id = c.id AND h.version = c.version
 WHERE a.status = 0 AND h.changed_time > a.updated_time;

SELECT COUNT(*), 'units that applied an approval without both audit rows'
  FROM audit_entries d
 WHERE d.action IN ('approval.approve', 'approval.bypass')
   AND 2 <> (SELECT COUNT(*) FROM audit_entries a WHERE a.unit_id = d.unit_id);
