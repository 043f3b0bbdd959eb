package engines

import (
	"cmp"
	"fmt"
	"strings"

	"interlock/internal/base/storage"
)

// Findings about the kind of the server and the features that the service uses.

func (f serverFacts) version() Finding {
	finding := Finding{Name: "version", Value: f.is["version"], Level: OK}
	comment := ""
	if about := f.is["version_comment"]; about != "" {
		comment = " (" + about + ")"
	}
	switch version := storage.Version(finding.Value); {
	case version == "":
		return f.unread(finding.Name, Loss{})
	case version.IsMariaDB():
		finding.Says = fmt.Sprintf("It is %s%s, which the service is tested on with each change.", finding.Value, comment)
	case version.IsMySQL():
		finding.Says = fmt.Sprintf("It is MySQL %s%s. It is supported; the tests use MariaDB.", finding.Value, comment)
	default:
		finding.Level = Risk
		finding.Says = fmt.Sprintf("It is %s%s, which is untested. It speaks MySQL's protocol, but its behaviour for conflicting transactions, "+
			"and for a COMMIT without a reply, is unknown. See docs/engines.md for the tested engines.", finding.Value, comment)
	}
	return finding
}

// storageEngine checks the tables: sessions create theirs in InnoDB, whatever the server's
// default.
func (f serverFacts) storageEngine() Finding {
	finding := Finding{Name: "storage_engine", Value: "InnoDB", Level: OK}
	switch {
	case f.tablesErr != nil:
		finding = f.unread(finding.Name, Loss{})
		finding.Err = f.tablesErr
	case len(f.otherEngines) > 0:
		finding.Value, finding.Want, finding.Level, finding.Fatal = strings.Join(f.otherEngines, ", "), "InnoDB", Broken, true
		finding.Says = fmt.Sprintf("Some tables are in %s, which cannot roll back: a rejected write would remain in part. "+
			"Convert them (ALTER TABLE … ENGINE=InnoDB).", finding.Value)
	default:
		finding.Says = "All tables are in InnoDB: transactions are atomic."
	}
	return finding
}

func (f serverFacts) isolation() Finding {
	finding := Finding{Name: "isolation", Value: cmp.Or(f.is["transaction_isolation"], f.is["tx_isolation"]), Level: OK}
	switch strings.ToUpper(finding.Value) {
	case "":
		return f.unread(finding.Name, Loss{})
	case storage.IsolationLevel:
		finding.Says = "Sessions of the service are at READ-COMMITTED, as it sets them."
	default:
		finding.Want, finding.Level, finding.Fatal = storage.IsolationLevel, Broken, true
		finding.Says = fmt.Sprintf("Sessions of the service are at %s although it sets them to READ-COMMITTED: the loser of a race would read a stale state. "+
			"Connect to the server directly, or configure the proxy not to change session settings.", finding.Value)
	}
	return finding
}

// checks reports CHECK constraints. The guards decide; the constraints are for statements
// typed by hand.
func (f serverFacts) checks() Finding {
	const byHand = "The service does not depend on them: its guards decide. A statement of an operator can write a negative value where none is allowed"
	finding := Finding{Name: "check_constraint_checks", Value: f.is["check_constraint_checks"], Level: OK}
	switch {
	case finding.Value == "" && storage.Version(f.is["version"]).HoldsChecks():
		finding.Value, finding.Says = "ON", "This server always enforces CHECK constraints, also for statements of operators."
	case finding.Value == "":
		finding.Level, finding.Says = Risk, "This server may not enforce CHECK constraints. "+byHand+"."
	case f.on(finding.Name):
		finding.Says = "CHECK constraints are enforced, also for statements of operators."
	default:
		finding.Want, finding.Level, finding.Says = "ON", Risk, fmt.Sprintf("It is %s: CHECK constraints are not enforced. %s. Set it to ON.", finding.Value, byHand)
	}
	return finding
}

// ids reports the increment of ids, for readers of the tables.
func (f serverFacts) ids() Finding {
	finding := Finding{Name: "auto_increment_increment", Value: f.is["auto_increment_increment"], Level: OK}
	const noOrder = "The service does not use their order: logs are numbered after the commit."
	switch finding.Value {
	case "":
		return Finding{}
	case "1":
		finding.Says = "Ids grow by one. " + noOrder
	default:
		finding.Says = fmt.Sprintf("Ids grow by %s at each server, so that they have gaps and are not in the order of commits. %s", finding.Value, noOrder)
	}
	return finding
}

// ways reports the behaviour that depends on the engine.
func ways(c storage.Capabilities) Finding {
	finding := Finding{Name: "capabilities", Value: "statements", Level: OK, Says: "The statements of a unit go to the server one by one."}
	if c.Packets {
		finding.Value, finding.Says = "packets", "The statements of a unit go to the server in packets."
	}
	if c.MigrationLease {
		finding.Says += " A migration acquires a lease."
	} else {
		finding.Says = "The database is embedded: one process owns the file, and migrates it."
	}
	if c.SkipLocked {
		finding.Says += " Consumers of a queue in SQL skip locked rows (SKIP LOCKED), and check the state of the row."
	} else {
		finding.Says += " Consumers of a queue in SQL work without SKIP LOCKED, and check the state of the row."
	}
	if c.SequencedLogs {
		finding.Says += " Logs are numbered after the commit."
	} else {
		finding.Says += " Logs are ordered by id, because there is one writer."
	}
	return finding
}
