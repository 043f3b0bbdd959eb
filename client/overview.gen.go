// Code generated from api/openapi.yaml by api/clientgen; DO NOT EDIT.

package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// SystemReport is returned by [Client.System].
type SystemReport struct {
	// When the engines were checked.
	CheckedTime time.Time `json:"checkedTime"`
	Findings    []Finding `json:"findings"`
	// The memory of each Redis server; empty in embedded mode.
	Redis []SystemReportRedis `json:"redis"`
	// Compared clocks; not that of an embedded database.
	Clocks []SystemReportClock `json:"clocks"`
}

// Finding is part of [SystemReport].
//
// One fact about an engine, and its consequence.
type Finding struct {
	Engine Engine `json:"engine"`
	// The number of a node of a cluster.
	Node *int64 `json:"node,omitzero"`
	// The checked property: a setting by its name, `replicas`, `memory`, `clock`, `storage_engine`,
	// `isolation`, `capabilities`, `writers` or `servers` (those that the connections reach), or
	// the engine.
	Name string `json:"name"`
	// The value found; absent if it cannot be read.
	Value string `json:"value,omitzero"`
	// The value that removes the risk, if there is one.
	Want string `json:"want,omitzero"`
	// `risk`: it works, but data can be lost or an outage is near. `unknown`: it cannot be read;
	// assume the worst. `broken`: it does not work.
	Level FindingLevel `json:"level"`
	// The possible loss by event. Events without a loss entry are absent.
	Loss FindingLoss `json:"loss"`
	// Whole sentences: the setting, the possible loss, its extent, and the remedy.
	Detail string `json:"detail"`
}

// Engine is part of [Finding].
type Engine string

// The values of Engine.
const (
	EngineDatabase Engine = "database"
	EngineRedis    Engine = "redis"
)

// FindingLevel is part of [Finding].
type FindingLevel string

// The values of FindingLevel.
const (
	FindingLevelOk      FindingLevel = "ok"
	FindingLevelRisk    FindingLevel = "risk"
	FindingLevelUnknown FindingLevel = "unknown"
	FindingLevelBroken  FindingLevel = "broken"
)

// FindingLoss is part of [Finding].
type FindingLoss struct {
	Process  Extent `json:"process,omitzero"`
	Machine  Extent `json:"machine,omitzero"`
	Failover Extent `json:"failover,omitzero"`
	Memory   Extent `json:"memory,omitzero"`
}

// Extent is part of [FindingLoss].
//
// The extent of the loss of acknowledged writes (database) or of accepted purchases without an
// order (Redis). `moments` is the data that another server or the disk has not received yet,
// usually less than a second; `half_minute` is the time that an operating system may buffer written
// data; `torn_pages` is damage to the file itself.
type Extent string

// The values of Extent.
const (
	ExtentNothing       Extent = "nothing"
	ExtentMoments       Extent = "moments"
	ExtentSecond        Extent = "second"
	ExtentHalfMinute    Extent = "half_minute"
	ExtentSinceSnapshot Extent = "since_snapshot"
	ExtentEverything    Extent = "everything"
	ExtentEvictedKeys   Extent = "evicted_keys"
	ExtentHeldLocks     Extent = "held_locks"
	ExtentTornPages     Extent = "torn_pages"
	ExtentUnknown       Extent = "unknown"
)

// SystemReportRedis is part of [SystemReport].
type SystemReportRedis struct {
	// The number of a node of a cluster.
	Node      *int64 `json:"node,omitzero"`
	UsedBytes int64  `json:"usedBytes"`
	// `maxmemory`; 0 means none.
	LimitBytes int64 `json:"limitBytes"`
	// The eviction policy of Redis (`maxmemory-policy`).
	Policy string `json:"policy,omitzero"`
	// Keys evicted since Redis started.
	EvictedKeys int64 `json:"evictedKeys"`
}

// SystemReportClock is part of [SystemReport].
type SystemReportClock struct {
	Engine Engine `json:"engine"`
	// The number of a node of a cluster.
	Node *int64 `json:"node,omitzero"`
	// The lead over the clock of the process that sent the reply; negative for a lag.
	SkewSeconds float64 `json:"skewSeconds"`
	// Half the round trip: the maximum error of the skew.
	ErrorSeconds float64 `json:"errorSeconds"`
}

// SalesReportSales is returned by [Client.ReportSales].
type SalesReportSales struct {
	From time.Time           `json:"from"`
	To   time.Time           `json:"to"`
	Zone string              `json:"zone"`
	By   SalesReportGrouping `json:"by"`
	// The currency of the tenant's amounts (ISO 4217); amounts are in its minor units. It never
	// changes.
	Currency string           `json:"currency"`
	Rows     []SalesReportRow `json:"rows"`
	Totals   SalesReportSums  `json:"totals"`
}

// SalesReportGrouping is part of [SalesReportSales].
type SalesReportGrouping string

// The values of SalesReportGrouping.
const (
	SalesReportGroupingDay   SalesReportGrouping = "day"
	SalesReportGroupingWeek  SalesReportGrouping = "week"
	SalesReportGroupingMonth SalesReportGrouping = "month"
	SalesReportGroupingSKU   SalesReportGrouping = "sku"
	SalesReportGroupingSale  SalesReportGrouping = "sale"
)

// SalesReportRow is part of [SalesReportSales].
type SalesReportRow struct {
	// The first day of the period (`2026-01-31`), the month (`2026-01`), the sku, or the id of the
	// flash sale; `` for orders without a flash sale.
	Key string `json:"key"`
	// Orders that were paid in full in the period.
	Orders int64 `json:"orders"`
	// Units of these orders.
	Units int64 `json:"units"`
	// The amounts of these orders before discounts; by `sku`, the prices of the units.
	Gross int64 `json:"gross"`
	// Null by `sku`, because a discount is of a whole order.
	Discounts *int64 `json:"discounts"`
	// Refunds that were settled in the period, of any order. Null by `sku`, because a refund can be
	// of a whole order.
	Refunds *int64 `json:"refunds"`
	// `gross` − `discounts` − `refunds`. Null by `sku`.
	Net *int64 `json:"net"`
}

// SalesReportSums is part of [SalesReportSales].
type SalesReportSums struct {
	// Orders that were paid in full in the period.
	Orders int64 `json:"orders"`
	// Units of these orders.
	Units int64 `json:"units"`
	// The amounts of these orders before discounts; by `sku`, the prices of the units.
	Gross int64 `json:"gross"`
	// Null by `sku`, because a discount is of a whole order.
	Discounts *int64 `json:"discounts"`
	// Refunds that were settled in the period, of any order. Null by `sku`, because a refund can be
	// of a whole order.
	Refunds *int64 `json:"refunds"`
	// `gross` − `discounts` − `refunds`. Null by `sku`.
	Net *int64 `json:"net"`
}

// SalesReportSalesQuery contains parameters of [Client.ReportSales].
type SalesReportSalesQuery struct {
	// Created at this time or later.
	From time.Time
	// Created before this time.
	To time.Time
	// The IANA name of the time zone of the days. By default the tenant's `timeZone`.
	Zone string
	By   SalesReportGrouping
}

// QueueOverview is returned by [Client.Queues].
type QueueOverview struct {
	Queues []Queue    `json:"queues"`
	Locks  []HeldLock `json:"locks"`
}

// Queue is part of [QueueOverview].
type Queue struct {
	Name string `json:"name"`
	// Messages that wait to be claimed.
	Pending int64 `json:"pending"`
	// Messages that a consumer is processing.
	Claimed int64 `json:"claimed"`
	// Messages that become available later.
	Delayed int64 `json:"delayed"`
	// Dead letters, which wait for a decision.
	Dead int64 `json:"dead"`
	// The time that the next message has waited, 0 if none waits.
	OldestSeconds float64 `json:"oldestSeconds"`
}

// HeldLock is part of [QueueOverview].
type HeldLock struct {
	Key string `json:"key"`
	// The owner of the lock, for display; may be empty.
	Owner       string  `json:"owner"`
	HeldSeconds float64 `json:"heldSeconds"`
	// Callers of this process that wait for it.
	Waiters int64 `json:"waiters"`
}

// PromiseList is returned by [Client.Promises].
type PromiseList struct {
	// The time at which the service read this.
	Time     time.Time `json:"time"`
	Promises []Promise `json:"promises"`
	// The idempotency keys of the tenant, as counted last. Empty without a quota.
	Quotas []PromiseUsage `json:"quotas"`
	// The tenant's setting `selfApproval`: if it is true, a refund may be approved by its
	// requester.
	SelfApproval bool `json:"selfApproval"`
}

// Promise is part of [PromiseList].
type Promise struct {
	Name PromiseName `json:"name"`
	// The heading in the guarantees document.
	Guarantee PromiseGuarantee `json:"guarantee"`
	// The promise in one sentence.
	Says string `json:"says"`
	// Tests that would fail if the program broke it.
	Tests []string `json:"tests"`
	// Tests of the promise during failures of engines and processes.
	Faults []string `json:"faults"`
	// `unknown` before the end of the first complete check.
	State PromiseState `json:"state"`
	// The end of the last complete check without a violation of the tenant.
	LastTrueTime *time.Time `json:"lastTrueTime"`
	// The end of the last complete check.
	LookedTime *time.Time `json:"lookedTime"`
	// The number of rows in this check, of all tenants.
	Rows int64 `json:"rows"`
	// How long this check used the database.
	BusySeconds float64 `json:"busySeconds"`
	// The check in progress; null between two checks.
	Looking *PromiseLooking `json:"looking"`
	// The number of known violations of the tenant, at most 100.
	Violated int64 `json:"violated"`
	// The first of them.
	Violations []PromiseViolation `json:"violations"`
}

// PromiseName is part of [Promise].
type PromiseName string

// The values of PromiseName.
const (
	PromiseNameConfigVersions    PromiseName = "config-versions"
	PromiseNameConfigContent     PromiseName = "config-content"
	PromiseNameWebhookVersions   PromiseName = "webhook-versions"
	PromiseNameOrderVersions     PromiseName = "order-versions"
	PromiseNameOrderStatus       PromiseName = "order-status"
	PromiseNameShippedOrders     PromiseName = "shipped-orders"
	PromiseNamePaymentVersions   PromiseName = "payment-versions"
	PromiseNameRefundVersions    PromiseName = "refund-versions"
	PromiseNameReturnVersions    PromiseName = "return-versions"
	PromiseNameWorkOrderVersions PromiseName = "work-order-versions"
	PromiseNameWorkOrderHolders  PromiseName = "work-order-holders"
	PromiseNameApprovalVersions  PromiseName = "approval-versions"
	PromiseNameApprovalVotes     PromiseName = "approval-votes"
	PromiseNameProtectedConfigs  PromiseName = "protected-configs"
	PromiseNameApprovalsApplied  PromiseName = "approvals-applied"
	PromiseNameAggregateVersions PromiseName = "aggregate-versions"
	PromiseNameAggregateRequests PromiseName = "aggregate-requests"
	PromiseNameAggregateWriters  PromiseName = "aggregate-writers"
	PromiseNameActionCounts      PromiseName = "action-counts"
	PromiseNameStockShipped      PromiseName = "stock-shipped"
	PromiseNameOrderHolds        PromiseName = "order-holds"
	PromiseNameOrderShipments    PromiseName = "order-shipments"
	PromiseNameOrderPayments     PromiseName = "order-payments"
	PromiseNamePaymentStatus     PromiseName = "payment-status"
	PromiseNamePaymentDebits     PromiseName = "payment-debits"
	PromiseNameDebitsOfPayments  PromiseName = "debits-of-payments"
	PromiseNameOrderMoney        PromiseName = "order-money"
	PromiseNamePaymentRefunds    PromiseName = "payment-refunds"
	PromiseNameCancelledOrders   PromiseName = "cancelled-orders"
	PromiseNameRefundCredits     PromiseName = "refund-credits"
	PromiseNameCreditsOfRefunds  PromiseName = "credits-of-refunds"
	PromiseNameRefundLines       PromiseName = "refund-lines"
	PromiseNameOrderUnits        PromiseName = "order-units"
	PromiseNameReturnUnits       PromiseName = "return-units"
	PromiseNameStockMovements    PromiseName = "stock-movements"
	PromiseNameStockHolds        PromiseName = "stock-holds"
	PromiseNameWalletBalances    PromiseName = "wallet-balances"
	PromiseNameWalletTransfers   PromiseName = "wallet-transfers"
	PromiseNameSaleUnits         PromiseName = "sale-units"
	PromiseNameSaleHolds         PromiseName = "sale-holds"
	PromiseNameSaleLimits        PromiseName = "sale-limits"
	PromiseNameSaleGates         PromiseName = "sale-gates"
	PromiseNameWebhookPositions  PromiseName = "webhook-positions"
	PromiseNameAuditedOrders     PromiseName = "audited-orders"
	PromiseNameOrdersAuditedOnce PromiseName = "orders-audited-once"
	PromiseNameAuditedPayments   PromiseName = "audited-payments"
	PromiseNameAuditedRefunds    PromiseName = "audited-refunds"
	PromiseNameAuditedReturns    PromiseName = "audited-returns"
	PromiseNameAuditedWorkOrders PromiseName = "audited-work-orders"
	PromiseNameAuditedApprovals  PromiseName = "audited-approvals"
	PromiseNameApprovalsAudited  PromiseName = "approvals-audited"
	PromiseNameAuditedStock      PromiseName = "audited-stock"
	PromiseNameAuditedWallets    PromiseName = "audited-wallets"
	PromiseNameAuditedConfigs    PromiseName = "audited-configs"
	PromiseNameAuditedWebhooks   PromiseName = "audited-webhooks"
)

// PromiseGuarantee is part of [Promise].
type PromiseGuarantee string

// The values of PromiseGuarantee.
const (
	PromiseGuaranteeG1 PromiseGuarantee = "G1"
	PromiseGuaranteeG2 PromiseGuarantee = "G2"
	PromiseGuaranteeG3 PromiseGuarantee = "G3"
	PromiseGuaranteeG4 PromiseGuarantee = "G4"
	PromiseGuaranteeG5 PromiseGuarantee = "G5"
	PromiseGuaranteeG6 PromiseGuarantee = "G6"
	PromiseGuaranteeG7 PromiseGuarantee = "G7"
)

// PromiseState is part of [Promise].
type PromiseState string

// The values of PromiseState.
const (
	PromiseStateKept     PromiseState = "kept"
	PromiseStateViolated PromiseState = "violated"
	PromiseStateUnknown  PromiseState = "unknown"
)

// PromiseLooking is part of [Promise].
type PromiseLooking struct {
	BegunTime time.Time `json:"begunTime"`
	Rows      int64     `json:"rows"`
}

// PromiseViolation is part of [Promise].
type PromiseViolation struct {
	// The path of the resource in violation, such as orders/17.
	Subject   string    `json:"subject"`
	FoundTime time.Time `json:"foundTime"`
}

// PromiseUsage is part of [PromiseList].
type PromiseUsage struct {
	Holders PromiseUsageHolders `json:"holders"`
	Keys    int64               `json:"keys"`
	Quota   int64               `json:"quota"`
	// True from 80 % of the quota on. At the quota, a write with a key returns 429
	// `quota_exceeded`.
	AlmostFull bool `json:"almostFull"`
}

// PromiseUsageHolders is part of [PromiseUsage].
type PromiseUsageHolders string

// The values of PromiseUsageHolders.
const (
	PromiseUsageHoldersUser     PromiseUsageHolders = "user"
	PromiseUsageHoldersCustomer PromiseUsageHolders = "customer"
)

// SignedPromises is returned by [Client.ExportPromises].
type SignedPromises struct {
	// The document in base64url.
	Payload string `json:"payload"`
	// The signed header, in base64url.
	Protected string `json:"protected"`
	// Ed25519 over `protected.payload`, in base64url.
	Signature string `json:"signature"`
}

// SearchResult is returned by [Client.Search].
type SearchResult struct {
	Items []SearchHit `json:"items"`
}

// SearchHit is part of [SearchResult].
type SearchHit struct {
	Kind SearchKind `json:"kind"`
	// Identifies it within its kind: key, sku, code or id.
	ID string `json:"id"`
	// The display name: a config's key, the path of the resource that an approval changes, an
	// order's number, a sku, a code, the name of a campaign or flash sale, a ticket, an idempotency
	// key, a user's id.
	Title string `json:"title"`
	// A config's remark, the status of an approval, order, coupon or flash sale, an item's name,
	// the days of a campaign, the number of a user's latest order or of a ticket's, the sale of a
	// ticket that has none, the request of an idempotency key. May be empty.
	Subtitle string `json:"subtitle"`
	// The path of its page in the web admin.
	Href string `json:"href"`
}

// SearchKind is part of [SearchHit].
type SearchKind string

// The values of SearchKind.
const (
	SearchKindOrder          SearchKind = "order"
	SearchKindUser           SearchKind = "user"
	SearchKindPayment        SearchKind = "payment"
	SearchKindRefund         SearchKind = "refund"
	SearchKindReturn         SearchKind = "return"
	SearchKindWorkOrder      SearchKind = "work-order"
	SearchKindApproval       SearchKind = "approval"
	SearchKindItem           SearchKind = "item"
	SearchKindCoupon         SearchKind = "coupon"
	SearchKindCouponCampaign SearchKind = "coupon-campaign"
	SearchKindFlashSale      SearchKind = "flash-sale"
	SearchKindTicket         SearchKind = "ticket"
	SearchKindWallet         SearchKind = "wallet"
	SearchKindConfig         SearchKind = "config"
	SearchKindIdempotencyKey SearchKind = "idempotency-key"
	SearchKindAggregate      SearchKind = "aggregate"
)

// ImportPreview is returned by [Client.PreviewItemsImport].
type ImportPreview struct {
	Encoding ImportEncoding `json:"encoding"`
	// All encodings in which the file is valid, the most likely first. A file in Unicode usually
	// has one.
	Encodings []ImportEncoding `json:"encodings"`
	Separator ImportSeparator  `json:"separator"`
	// The decimal separator; null if the numbers prove none, or both.
	Decimal *ImportDecimal `json:"decimal"`
	// Whether the first line contains the headers. A header is never a row.
	HasHeader bool `json:"hasHeader"`
	// Whether a header or the request names the column that identifies a record. If it is false,
	// `columns` is a proposal, and no line is read.
	IsMapped bool `json:"isMapped"`
	// The columns of the file, in its order; empty for a list of names.
	Columns []ImportColumn `json:"columns"`
	Rows    []ImportRow    `json:"rows"`
	// Lines that are not read. If the first line is rejected, no line is read.
	Rejected []ImportRejectedLine `json:"rejected"`
}

// ImportEncoding is part of [ImportPreview].
type ImportEncoding string

// The values of ImportEncoding.
const (
	ImportEncodingUtf8        ImportEncoding = "utf-8"
	ImportEncodingUtf16le     ImportEncoding = "utf-16le"
	ImportEncodingUtf16be     ImportEncoding = "utf-16be"
	ImportEncodingWindows1252 ImportEncoding = "windows-1252"
	ImportEncodingWindows1250 ImportEncoding = "windows-1250"
	ImportEncodingWindows1254 ImportEncoding = "windows-1254"
	ImportEncodingWindows1257 ImportEncoding = "windows-1257"
	ImportEncodingGb18030     ImportEncoding = "gb18030"
	ImportEncodingEucKr       ImportEncoding = "euc-kr"
	ImportEncodingBig5        ImportEncoding = "big5"
	ImportEncodingWindows1251 ImportEncoding = "windows-1251"
	ImportEncodingWindows1253 ImportEncoding = "windows-1253"
	ImportEncodingWindows1255 ImportEncoding = "windows-1255"
	ImportEncodingWindows1256 ImportEncoding = "windows-1256"
	ImportEncodingWindows874  ImportEncoding = "windows-874"
	ImportEncodingShiftJis    ImportEncoding = "shift_jis"
	ImportEncodingMacintosh   ImportEncoding = "macintosh"
)

// ImportSeparator is part of [ImportPreview].
type ImportSeparator string

// The values of ImportSeparator.
const (
	ImportSeparatorTab       ImportSeparator = "tab"
	ImportSeparatorSemicolon ImportSeparator = "semicolon"
	ImportSeparatorComma     ImportSeparator = "comma"
	ImportSeparatorBar       ImportSeparator = "bar"
)

// ImportDecimal is part of [ImportPreview].
type ImportDecimal string

// The values of ImportDecimal.
const (
	ImportDecimalPoint ImportDecimal = "point"
	ImportDecimalComma ImportDecimal = "comma"
)

// ImportColumn is part of [ImportPreview].
type ImportColumn struct {
	// Empty without a header.
	Header string `json:"header"`
	// The name of the value that the column contains; null if the column is ignored.
	Use *string `json:"use"`
	// The first cell below the header that is not empty.
	Example string `json:"example"`
}

// ImportRow is part of [ImportPreview].
type ImportRow struct {
	// The number of its first line in the file, from 1.
	Line int64 `json:"line"`
	// The number of its last line: cells can contain line breaks.
	LastLine int64 `json:"lastLine"`
	// The values by name, without empty ones. Numbers have a decimal point, and no digit groups.
	Values map[string]string `json:"values"`
}

// ImportRejectedLine is part of [ImportPreview].
type ImportRejectedLine struct {
	Line     int64      `json:"line"`
	LastLine int64      `json:"lastLine"`
	Code     ImportCode `json:"code"`
	// The reason in a sentence.
	Message string `json:"message"`
	// The header and the content of the cell; empty if the line as a whole is rejected.
	Column string `json:"column"`
	Text   string `json:"text"`
}

// ImportCode is part of [ImportRejectedLine].
type ImportCode string

// The values of ImportCode.
const (
	ImportCodeQuote           ImportCode = "quote"
	ImportCodeCells           ImportCode = "cells"
	ImportCodeEncoding        ImportCode = "encoding"
	ImportCodeControl         ImportCode = "control"
	ImportCodeKey             ImportCode = "key"
	ImportCodeNumber          ImportCode = "number"
	ImportCodeAmbiguousNumber ImportCode = "ambiguous_number"
	ImportCodeValue           ImportCode = "value"
	ImportCodeSize            ImportCode = "size"
	ImportCodeGroup           ImportCode = "group"
)

// ImportFlag is part of [ImportPreviewQuery].
type ImportFlag string

// The values of ImportFlag.
const (
	ImportFlagTrue  ImportFlag = "true"
	ImportFlagFalse ImportFlag = "false"
)

// ImportPreviewQuery contains parameters of [Client.PreviewItemsImport].
type ImportPreviewQuery struct {
	// The encoding of the file.
	Encoding ImportEncoding
	// The character between the cells.
	Separator ImportSeparator
	// The decimal separator of the numbers.
	Decimal ImportDecimal
	// Whether the first line contains the headers.
	Header ImportFlag
	// The use of each column of the file, in the order of the file, separated by commas; empty to
	// ignore a column.
	Mapping string
	// The uses to consider, separated by commas, with the one that identifies a record first; all
	// by default.
	Columns string
}

// Dashboard is returned by [Client.Dashboard].
type Dashboard struct {
	// JSON Pointers to the numbers of this reply that are lower bounds, because the count stopped,
	// such as `/ordersByStatus/paid`. Absent if all numbers are exact.
	Capped         []string     `json:"capped,omitzero"`
	OrdersByStatus *OrderCounts `json:"ordersByStatus,omitzero"`
	// The currency of the tenant's amounts (ISO 4217); amounts are in its minor units. It never
	// changes.
	Currency string `json:"currency,omitzero"`
	// Orders by the day of their creation in the tenant's `timeZone`, today last. At most a minute
	// old.
	OrdersByDay        []DashboardDay    `json:"ordersByDay,omitzero"`
	PaymentsDueSoon    *DashboardDueSoon `json:"paymentsDueSoon,omitzero"`
	RefundsByStatus    *RefundCounts     `json:"refundsByStatus,omitzero"`
	WorkOrdersByStatus *WorkOrderCounts  `json:"workOrdersByStatus,omitzero"`
	// Unused coupons that end within seven days.
	CouponsExpiringSoon *int64              `json:"couponsExpiringSoon,omitzero"`
	Approvals           *DashboardApprovals `json:"approvals,omitzero"`
	// Of the current UTC day, the largest number first.
	ConflictsToday []ConflictCount `json:"conflictsToday,omitzero"`
	// The sum of `conflictsToday`.
	ConflictsTodayTotal *int64 `json:"conflictsTodayTotal,omitzero"`
	// The newest entries of the audit log, newest first, without sign-ins and sign-outs. Repeated
	// entries of one action on one resource by an actor other than an admin are combined into one.
	RecentChanges []RecentChange `json:"recentChanges,omitzero"`
	// The current users of the resources that you may read. Advisory, like all presence.
	WorkingNow []Presence `json:"workingNow,omitzero"`
}

// OrderCounts is part of [Dashboard].
type OrderCounts struct {
	Pending   int64 `json:"pending"`
	Paid      int64 `json:"paid"`
	Shipped   int64 `json:"shipped"`
	Completed int64 `json:"completed"`
	Cancelled int64 `json:"cancelled"`
}

// DashboardDay is part of [Dashboard].
type DashboardDay struct {
	Day string `json:"day"`
	// The number of created orders, including cancelled ones.
	Placed int64 `json:"placed"`
	// The total of those that are paid, shipped or completed, in minor units.
	Amount int64 `json:"amount"`
}

// DashboardDueSoon is part of [Dashboard].
type DashboardDueSoon struct {
	Total int64 `json:"total"`
	// The most urgent of them, the earliest cancellation first.
	Items []DashboardDue `json:"items"`
}

// DashboardDue is part of [DashboardDueSoon].
type DashboardDue struct {
	ID      int64  `json:"id"`
	OrderNo string `json:"orderNo"`
	// The shop's name of a customer, which is one of its users: 1 to 128 letters, digits and
	// `._:@+=/|-`. Compared byte for byte, so `Li` is not `li`. Percent-encoded in a path.
	UserID     string    `json:"userId"`
	Amount     int64     `json:"amount"`
	PaymentDue time.Time `json:"paymentDue"`
}

// RefundCounts is part of [Dashboard].
type RefundCounts struct {
	Requested int64 `json:"requested"`
	Approved  int64 `json:"approved"`
	Rejected  int64 `json:"rejected"`
	Settled   int64 `json:"settled"`
	Failed    int64 `json:"failed"`
	Unknown   int64 `json:"unknown"`
}

// WorkOrderCounts is part of [Dashboard].
type WorkOrderCounts struct {
	Open     int64 `json:"open"`
	Claimed  int64 `json:"claimed"`
	Resolved int64 `json:"resolved"`
	Closed   int64 `json:"closed"`
}

// DashboardApprovals is part of [Dashboard].
type DashboardApprovals struct {
	// The number of approvals that you may still vote for.
	ToDecide int64 `json:"toDecide"`
	// The number of your approvals that wait for the votes of others.
	Mine int64 `json:"mine"`
	// The number of stale approvals that you can rebase or withdraw. These are your own approvals
	// and, if you may write the resource, the approvals of disabled authors.
	Stale int64 `json:"stale"`
	// The number of changes that were applied without the votes and wait for a review.
	ToReview int64 `json:"toReview"`
}

// ConflictCount is part of [Dashboard].
type ConflictCount struct {
	// The first segment of the paths: `configs`, `config-batches`.
	Resource string            `json:"resource"`
	Code     ConflictCountCode `json:"code"`
	Count    int64             `json:"count"`
	// Paths of the records of the last conflicts, newest first, as far as the server of the reply
	// has seen them since it started.
	Records []string `json:"records"`
}

// ConflictCountCode is part of [ConflictCount].
type ConflictCountCode string

// The values of ConflictCountCode.
const (
	ConflictCountCodeVersionConflict      ConflictCountCode = "version_conflict"
	ConflictCountCodeStatusChanged        ConflictCountCode = "status_changed"
	ConflictCountCodeTransitionNotAllowed ConflictCountCode = "transition_not_allowed"
	ConflictCountCodeBatchConflict        ConflictCountCode = "batch_conflict"
	ConflictCountCodeAlreadyExists        ConflictCountCode = "already_exists"
)

// RecentChange is part of [Dashboard].
type RecentChange struct {
	ID int64 `json:"id"`
	// Identifies the unit of work.
	UnitID string `json:"unitId"`
	// The `X-Request-Id` of the request; empty for work of the service itself.
	RequestID string `json:"requestId"`
	// The idempotency key of the request; empty without one.
	IdempotencyKey string                `json:"idempotencyKey"`
	Actor          Actor                 `json:"actor"`
	ActorKind      RecentChangeActorKind `json:"actorKind"`
	// The API token of the request, or null.
	Token *TokenRef `json:"token"`
	// The customer that an API token acted for (`X-On-Behalf-Of`), or null.
	OnBehalfOf *string `json:"onBehalfOf"`
	Action     string  `json:"action"`
	// The path of the changed resource: `configs/checkout.tax`.
	Resource string `json:"resource"`
	// Versions, changed members, lost values. For a caller that may not read the resource only
	// `withheld`, with the required permission; the note is empty then.
	Detail json.RawMessage `json:"detail"`
	// The reason that the actor gave.
	Note        string    `json:"note"`
	CreatedTime time.Time `json:"createdTime"`
	// The number of older entries that it represents, of the 200 that were scanned.
	More int64 `json:"more"`
}

// RecentChangeActorKind is part of [RecentChange].
type RecentChangeActorKind string

// The values of RecentChangeActorKind.
const (
	RecentChangeActorKindAdmin    RecentChangeActorKind = "admin"
	RecentChangeActorKindToken    RecentChangeActorKind = "token"
	RecentChangeActorKindCustomer RecentChangeActorKind = "customer"
	RecentChangeActorKindSystem   RecentChangeActorKind = "system"
)

// Presence is part of [Dashboard].
//
// `data` of `event: presence`: all users of a resource.
type Presence struct {
	// The path of a resource below the API's base, with an escaped id, which belongs to one of the
	// topics of changes.
	Resource string `json:"resource"`
	// In order of arrival. Empty when the last user has left.
	People []PresentPerson `json:"people"`
}

// PresentPerson is part of [Presence].
type PresentPerson struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	// The field that the user chose last; empty for none.
	Field string `json:"field"`
	// When the user arrived.
	Since time.Time `json:"since"`
}

// System returns the durability report.
//
// The durability of the database and of Redis: for each relevant setting its value, the possible
// loss on a crash of the engine, on a crash of its machine and on a failover, and the remedy; the
// free memory of Redis; and the offset of the engines' clocks from this process's clock. The report
// is from the process's last check, at most 15 seconds ago. Nodes of a cluster have numbers and no
// addresses.
func (c *Client) System(ctx context.Context, options ...CallOption) (SystemReport, error) {
	return call[SystemReport](ctx, c, request{method: http.MethodGet, path: "/system"}, options)
}

// ReportSales reports the sales.
//
// An order counts on the day of its complete payment, a refund on the day of its settlement. By
// `day`, `week` (from Monday) and `month` each period has a row; by `sku` and `sale` at most 400
// rows, the highest `gross` first. The totals include all. By default the last 30 days, today
// included; at most 398 days. A period that starts or ends within a day includes that part of the
// day.
func (c *Client) ReportSales(ctx context.Context, q SalesReportSalesQuery, options ...CallOption) (SalesReportSales, error) {
	return call[SalesReportSales](ctx, c, request{method: http.MethodGet, path: "/reports/sales", query: parameters{}.set("from", q.From).set("to", q.To).set("zone", q.Zone).set("by", q.By)}, options)
}

// Queues lists queues and locks.
//
// The queues and held locks of the caller's tenant, by name; the queue of a closed sale is listed
// while it has messages. The numbers of one queue are of one moment. In embedded mode the locks are
// those of the process, otherwise those of all processes.
func (c *Client) Queues(ctx context.Context, options ...CallOption) (QueueOverview, error) {
	return call[QueueOverview](ctx, c, request{method: http.MethodGet, path: "/queues"}, options)
}

// Promises lists promises.
//
// The service's promises about all rows at every moment, and whether they are true: one process
// checks all rows continuously, in small steps that cost a fixed share of the database. Violations
// are those of the caller's tenant, and so are `state` and `lastTrueTime`; rows and seconds are
// those of the whole service. The detection and the repair of each violation have one audit entry
// each, and an event of the topic `promises`.
func (c *Client) Promises(ctx context.Context, options ...CallOption) (PromiseList, error) {
	return call[PromiseList](ctx, c, request{method: http.MethodGet, path: "/promises"}, options)
}

// ExportPromises exports promises with a signature.
//
// The reply of `GET /promises`, signed by the installation: a JWS in flattened JSON (RFC 7515,
// 7.2.2) with Ed25519 (`alg` EdDSA, RFC 8037). The key is in the protected header, as `jwk`; it is
// created once for each installation, so compare it with a copy from an earlier export. The payload
// contains the tenant's id and the database's epoch in addition to the promises.
// `docs/operations.md` describes the verification.
func (c *Client) ExportPromises(ctx context.Context, options ...CallOption) (SignedPromises, error) {
	return call[SignedPromises](ctx, c, request{method: http.MethodGet, path: "/promises/export"}, options)
}

// Search searches by prefix.
//
// Searches configs by key, orders by number, users by id (those that have ordered), items by sku
// and name, coupons by code, aggregates by id, campaigns by name, refunds by the reference of their
// money and work orders by title. Hits start with the text, as typed or in another case; they are
// grouped by kind, at most eight of each. Exact matches come first within their kind, and their
// kind comes before the others.
//
// Kinds that you may not read are omitted.
func (c *Client) Search(ctx context.Context, q string, options ...CallOption) (SearchResult, error) {
	return call[SearchResult](ctx, c, request{method: http.MethodGet, path: "/search", query: parameters{}.set("q", q)}, options)
}

// PreviewItemsImport previews an import of items.
//
// Reads a table file (CSV, or text with tabs) and returns its rows. It changes nothing: send the
// rows to the routes of their records. The service detects the encoding, the separator, the header
// and the decimal style; each parameter replaces one detected value. A line that cannot be read
// without doubt is rejected by its number.
func (c *Client) PreviewItemsImport(ctx context.Context, file []byte, q ImportPreviewQuery, options ...CallOption) (ImportPreview, error) {
	return call[ImportPreview](ctx, c, request{method: http.MethodPost, path: "/imports/items/preview", body: file, query: parameters{}.set("encoding", q.Encoding).set("separator", q.Separator).set("decimal", q.Decimal).set("header", q.Header).set("mapping", q.Mapping).set("columns", q.Columns)}, options)
}

// PreviewStockImport previews an import of stock.
//
// Reads a table file (CSV, or text with tabs) and returns its rows. It changes nothing: send the
// rows to the routes of their records. The service detects the encoding, the separator, the header
// and the decimal style; each parameter replaces one detected value. A line that cannot be read
// without doubt is rejected by its number.
func (c *Client) PreviewStockImport(ctx context.Context, file []byte, q ImportPreviewQuery, options ...CallOption) (ImportPreview, error) {
	return call[ImportPreview](ctx, c, request{method: http.MethodPost, path: "/imports/stock/preview", body: file, query: parameters{}.set("encoding", q.Encoding).set("separator", q.Separator).set("decimal", q.Decimal).set("header", q.Header).set("mapping", q.Mapping).set("columns", q.Columns)}, options)
}

// PreviewCustomersImport previews an import of customers.
//
// Reads a table file (CSV, or text with tabs) and returns its rows. It changes nothing: send the
// rows to the routes of their records. The service detects the encoding, the separator, the header
// and the decimal style; each parameter replaces one detected value. A line that cannot be read
// without doubt is rejected by its number.
func (c *Client) PreviewCustomersImport(ctx context.Context, file []byte, q ImportPreviewQuery, options ...CallOption) (ImportPreview, error) {
	return call[ImportPreview](ctx, c, request{method: http.MethodPost, path: "/imports/customers/preview", body: file, query: parameters{}.set("encoding", q.Encoding).set("separator", q.Separator).set("decimal", q.Decimal).set("header", q.Header).set("mapping", q.Mapping).set("columns", q.Columns)}, options)
}

// PreviewCouponsImport previews an import of coupons.
//
// Reads a table file (CSV, or text with tabs) and returns its rows. It changes nothing: send the
// rows to the routes of their records. The service detects the encoding, the separator, the header
// and the decimal style; each parameter replaces one detected value. A line that cannot be read
// without doubt is rejected by its number.
func (c *Client) PreviewCouponsImport(ctx context.Context, file []byte, q ImportPreviewQuery, options ...CallOption) (ImportPreview, error) {
	return call[ImportPreview](ctx, c, request{method: http.MethodPost, path: "/imports/coupons/preview", body: file, query: parameters{}.set("encoding", q.Encoding).set("separator", q.Separator).set("decimal", q.Decimal).set("header", q.Header).set("mapping", q.Mapping).set("columns", q.Columns)}, options)
}

// Dashboard returns the dashboard.
//
// Parts that you may not read are absent: `ordersByStatus`, `ordersByDay` and `paymentsDueSoon`
// need `orders:read`, `refundsByStatus` `refunds:read`, `workOrdersByStatus` `work-orders:read`,
// `couponsExpiringSoon` `coupons:read`, `approvals` `approvals:read`, `recentChanges` `audit:read`;
// `conflictsToday` and `workingNow` contain the resources that you may read.
//
// Conflicts are writes that were rejected because another write came first. They are counted with a
// delay of a few seconds, and a server that is killed loses the last few seconds.
//
// Counts stop at 10,000, that of approvals at 1,000; `capped` lists the numbers that are higher.
func (c *Client) Dashboard(ctx context.Context, options ...CallOption) (Dashboard, error) {
	return call[Dashboard](ctx, c, request{method: http.MethodGet, path: "/dashboard"}, options)
}
