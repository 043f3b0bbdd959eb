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
	// Plain lists the text columns that cannot name a customer, separated by spaces: users of this service, codes and
	// fixed words, digests, and content of the shop that is not about a customer.
	Plain string
	// Customer is an SQL condition that is true if the row x is about the customer. ?? is replaced
	// by the ids of the customer and of the pseudonym, and ## by the paths of their wallets. It is
	// "" if rows of the table are not about a customer and can only name one. A subquery on another
	// table uses its primary key.
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
	// Kind is the column that contains the kind of the id: the id is a customer's only if that kind
	// is "customer". Kind is "" if the id is always a customer's.
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
	// Unchanged: the erasure reads the column for the rule of another one.
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
	// Emptied: the column has a format, such as an address. It becomes empty in rows about the
	// customer, and if it names the customer.
	Emptied
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

// OwnedBy returns a condition for Table.Customer. It is true if column contains the id of a row of
// table, and the user_id of that row is the customer's id.
func OwnedBy(table, column string) string {
	return "EXISTS (SELECT 1 FROM " + table + " o WHERE o.tenant_id = x.tenant_id AND o.user_id IN (??) AND o.id = x." + column + ")"
}

// Expiry is the rule for the removable rows of a table.
type Expiry struct {
	Kind Retention
	// When is an SQL condition on an expired row x; each ? is the limit.
	When string
}

// Retention names a retention setting.
type Retention string

// The retention settings.
const (
	AuditRows   Retention = "audit"
	HistoryRows Retention = "history"
	TicketRows  Retention = "tickets"
)

// Versions returns the expiry rule of the table history: its column of contains the id of a row
// in the table records. A version expires when its successor is older than the limit. The last
// version of a deleted record, its deletion, expires when it is older than the limit itself. The
// index on (of, version) finds the successor.
func Versions(history, of, records string) *Expiry {
	after := "EXISTS (SELECT 1 FROM " + history + " n WHERE n.tenant_id = x.tenant_id AND n." + of + " = x." + of + " AND n.version = x.version + 1"
	return &Expiry{HistoryRows, after + ` AND n.changed_time <= ?)
		OR (x.changed_time <= ? AND NOT EXISTS (SELECT 1 FROM ` + records + ` r WHERE r.id = x.` + of + `) AND NOT ` + after + `))`}
}
