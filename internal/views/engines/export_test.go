package engines

import "time"

// Every makes Run look so often.
func (m *Monitor) Every(pause time.Duration) { m.every = pause }

// RedisFindings are what follows from what INFO and CONFIG say; nil where they are refused.
func RedisFindings(info, settings map[string]string) []Finding {
	return redisFacts{info: info, settings: settings}.findings()
}

// MySQLFindings are what follows from a server's variables and status.
func MySQLFindings(facts map[string]string) []Finding { return mysqlFacts(facts).findings() }

// SQLiteFindings are what follows from the pragmas.
func SQLiteFindings(journal string, synchronous int) []Finding {
	return []Finding{journalMode(journal), synchronousMode(synchronous)}
}
