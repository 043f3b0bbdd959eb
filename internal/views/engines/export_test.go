package engines

// RedisFindings returns the findings for INFO and CONFIG; nil if they are rejected.
func RedisFindings(info, settings map[string]string) []Finding {
	return redisFacts{info: info, settings: settings}.findings()
}

// MySQLFindings returns the findings for a server's variables and status, with one server
// and all tables in InnoDB.
func MySQLFindings(is map[string]string) []Finding { return serverFacts{is: is, servers: 1}.findings() }

// ServerFindings returns the findings with connections to several servers and tables in
// other engines.
func ServerFindings(is map[string]string, servers int, otherEngines ...string) []Finding {
	return serverFacts{is: is, servers: servers, otherEngines: otherEngines}.findings()
}

// SQLiteFindings returns the findings for pragmas.
func SQLiteFindings(journal string, synchronous int) []Finding {
	return []Finding{journalMode(journal), synchronousMode(synchronous)}
}
