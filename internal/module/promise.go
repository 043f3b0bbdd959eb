package module

// Promise is a condition that must be true for all rows of a table at any time. Package
// views/promises checks it.
type Promise struct {
	// Name is the name in the API, in metrics and in the audit log.
	Name string
	// Guarantee is its heading in docs/guarantees.md, such as G4.
	Guarantee string
	// Sentence states the promise about all rows of the table.
	Sentence string
	// Tests are the names of the tests that fail if the program breaks the promise, as written in
	// docs/guarantees.md. Faults are the names of its tests that make engines and processes fail.
	Tests, Faults []string

	// Table is scanned along Key, its primary key; nil means id. It is "" for the gates of
	// flash sales, which are not only in tables.
	Table string
	Key   []string
	// Broken is an SQL condition on the row x that is true for a violating row. NULL counts as
	// not violating, so every sum over possibly no rows needs a COALESCE.
	Broken string
	// Subject is an SQL expression for the path of the subject of the row x.
	Subject string
}

// PrimaryKey returns the columns of the primary key.
func (p Promise) PrimaryKey() []string { return Table{Key: p.Key}.PrimaryKey() }

// Removed returns an SQL condition that is true if retention may have removed rows of that time from a table: its limit is
// stored before the first row is removed, and never decreases (package retention).
func Removed(table, time string) string {
	return "EXISTS (SELECT 1 FROM walks w WHERE w.kind = 'retention' AND w.name = '" + table + "' AND w.until_time >= " + time + ")"
}

// HistoryGap returns an SQL condition that is true if the history of the row x lacks its current
// version, or an earlier version that retention cannot have removed. Retention removes a version
// when its successor is older than the limit, so a version younger than the limit still has its
// predecessor.
func HistoryGap(history, of string) string {
	where := " FROM " + history + " h WHERE h.tenant_id = x.tenant_id AND h." + of + " = x.id"
	return `x.version <> (SELECT COALESCE(MAX(h.version), 0)` + where + `)
		OR x.version <> (SELECT COUNT(*)` + where + `) AND EXISTS (SELECT 1` + where + ` AND h.version > 1 AND NOT ` + Removed(history, "h.changed_time") + `
			AND NOT EXISTS (SELECT 1 FROM ` + history + ` b WHERE b.tenant_id = h.tenant_id AND b.` + of + ` = h.` + of + ` AND b.version = h.version - 1))`
}

// unaudited returns an SQL condition that is true for a row x without an audit row of the unit
// that wrote x. A unit writes both with the same timestamp, which is in the column stamp of x.
func unaudited(stamp string) string {
	return "NOT EXISTS (SELECT 1 FROM audit_entries a WHERE a.tenant_id = x.tenant_id AND a.created_time = x." + stamp + ") AND NOT " + Removed("audit_entries", "x."+stamp)
}

// PathSQL is SQL text for the path of a row, such as wallets/a%2Fb, with its key escaped as
// url.PathEscape does. Of the characters it escapes, keys contain at most these four.
func PathSQL(resource, key string) string {
	for _, escape := range [][2]string{{"/", "%2F"}, {"[", "%5B"}, {"]", "%5D"}, {"|", "%7C"}} {
		key = "REPLACE(" + key + ", '" + escape[0] + "', '" + escape[1] + "')"
	}
	return "CONCAT('" + resource + "/', " + key + ")"
}

// ProvesAudit is the test that a unit without its audit row leaves nothing.
const ProvesAudit = "TestFailedUnitLeavesNoTrace"

// KilledAtCommit are tests that kill the program at the COMMIT of writes of every kind and
// then check every promise.
var KilledAtCommit = []string{"TestCrashBeforeCommitReleasesTheKey", "TestKilledEmbeddedProgramIsAtomic"}

// AuditedVersions promises that each row of a history has an audit row of the unit that wrote it.
// of completes the name, and row the sentence: "version of an order".
func AuditedVersions(of, history, subject, row string, faults ...string) Promise {
	p := AuditedRows(of, history, subject, row, faults...)
	p.Broken = unaudited("changed_time")
	return p
}

// AuditedRows promises the same of a table with rows that are inserted once.
func AuditedRows(of, table, subject, row string, faults ...string) Promise {
	return Promise{
		Name: "audited-" + of, Guarantee: "G6", Table: table, Subject: subject,
		Sentence: "Each " + row + " has an audit row of its unit.", Broken: unaudited("created_time"),
		Tests: []string{ProvesAudit}, Faults: faults,
	}
}
