package module

// Table is a table of a domain, for the retention of old rows (package views/retention) and for
// the export and erasure of customers (package views/customers). Tests compare the declared tables
// and columns with the schema.
type Table struct {
	Name string
	// Key is the primary key; nil means id.
	Key []string
	// Columns are the text columns that can name a customer.
	Columns []Column
	// Plain are the other text columns, separated by spaces: users of this service, codes and
	// fixed words, digests, and content of the shop that is not about a customer.
	Plain string
	// Customer is an SQL condition on a row x that is about the customer: each ?? is for the
	// customer's id and the pseudonym, and each ## for the paths of the two wallets. It is ""
	// for rows that can only name the customer. It finds other rows by their keys.
	Customer string
	// Expires is the rule for removable rows; nil for none. Stays is the reason why the rows of
	// such a table are never removed.
	Expires *Expiry
	Stays   string
}

// PrimaryKey returns the columns of the primary key.
func (t Table) PrimaryKey() []string {
	if t.Key == nil {
		return []string{"id"}
	}
	return t.Key
}

// Reasons for Stays.
const (
	Current    = "it describes the present state"
	Proof      = "it proves a balance, a stock or a counter"
	Votes      = "it is the evidence of votes and of the content they were for"
	OwnSweeper = "its rows expire, and a sweeper of their package removes them"
)

// Column is a text column that can name a customer.
type Column struct {
	Name  string
	Erase Erasure
	// Kind is the column with the kind of the id: only the kind customer is a customer's id. It
	// is "" if the column always is one.
	Kind string
	// Content is true for content of the shop: an id in it is only reported, because only the
	// shop knows its meaning.
	Content bool
}

// Erasure defines how a column is changed in a row that names an erased customer.
type Erasure int

// The erasures.
const (
	// Pseudonym: the column is a customer's id, and becomes the pseudonym.
	Pseudonym Erasure = iota
	// Unchanged: the column is read with the others.
	Unchanged
	// NewTicket: the column is a ticket with a MAC of the customer's id; it becomes another
	// ticket.
	NewTicket
	// Renamed: the column is a name, a path or a reference, in which the id becomes the
	// pseudonym.
	Renamed
	// Blanked: the column is text written by users. It is blanked in rows about the customer,
	// and if it names the customer.
	Blanked
	// JSONTexts: the column is JSON with texts that are changed by member.
	JSONTexts
	// JSONContent: the column is JSON with members chosen by a shop; it becomes {} in rows about
	// the customer, and if it names the customer.
	JSONContent
	// Together: package views/customers changes the column in one unit with rows of other
	// tables.
	Together
)

// ByCustomer is the condition Table.Customer for rows with the customer's id in user_id.
const ByCustomer = "x.user_id IN (??)"

// OwnedBy is the condition Table.Customer for rows with the id of a row of table in column, which
// has the customer's id in user_id.
func OwnedBy(table, column string) string {
	return "EXISTS (SELECT 1 FROM " + table + " o WHERE o.tenant_id = x.tenant_id AND o.user_id IN (??) AND o.id = x." + column + ")"
}

// Expiry is the rule for the removable rows of a table.
type Expiry struct {
	Kind Retention
	// When is an SQL condition on an expired row x; each ? is the limit.
	When string
}

// Retention is the kind of rows of a retention setting.
type Retention string

// The retention settings.
const (
	AuditRows   Retention = "audit"
	HistoryRows Retention = "history"
	TicketRows  Retention = "tickets"
)

// Versions is the expiry of the versions of a record, which is the row of records with the id in
// column of. A version is removed when its successor is old, and the last one of a deleted
// record, its deletion, when it is old itself. The index on (of, version) finds the successor.
func Versions(history, of, records string) *Expiry {
	after := "EXISTS (SELECT 1 FROM " + history + " n WHERE n.tenant_id = x.tenant_id AND n." + of + " = x." + of + " AND n.version = x.version + 1"
	return &Expiry{HistoryRows, after + ` AND n.changed_time <= ?)
		OR (x.changed_time <= ? AND NOT EXISTS (SELECT 1 FROM ` + records + ` r WHERE r.id = x.` + of + `) AND NOT ` + after + `))`}
}
