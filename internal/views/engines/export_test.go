package engines

import "time"

// Every makes Run look so often.
func (m *Monitor) Every(pause time.Duration) { m.every = pause }

// RedisFindings are what follows from what INFO and CONFIG say; nil where they are refused.
func RedisFindings(info, settings map[string]string) []Finding {
	return redisFacts{info: info, settings: settings}.findings()
}

// MySQLFindings are what follows from a server's variables and status, when all is at one server
// and in InnoDB.
func MySQLFindings(is map[string]string) []Finding { return serverFacts{is: is, servers: 1}.findings() }

// ServerFindings are those of a server of several that connections lead to, whose tables are in
// other engines too.
func ServerFindings(is map[string]string, servers int, otherEngines ...string) []Finding {
	return serverFacts{is: is, servers: servers, otherEngines: otherEngines}.findings()
}

// SQLiteFindings are what follows from the pragmas.
func SQLiteFindings(journal string, synchronous int) []Finding {
	return []Finding{journalMode(journal), synchronousMode(synchronous)}
}
