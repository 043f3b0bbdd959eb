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
		finding.Says = fmt.Sprintf("It is %s%s, of a kind that the service is tried on with each change.", finding.Value, comment)
	case version.IsMySQL():
		finding.Says = fmt.Sprintf("It is MySQL %s%s. The service is made for it, and tried on MariaDB.", finding.Value, comment)
	default:
		finding.Level = Risk
		finding.Says = fmt.Sprintf("It is %s%s, on which the service was never tried. It speaks MySQL's protocol; what it makes of transactions that meet, "+
			"and of a COMMIT whose reply is lost, nobody has looked at. See docs/engines.md for what was tried.", finding.Value, comment)
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
		finding.Says = fmt.Sprintf("Some tables are in %s, which undoes nothing when a transaction is rolled back: a write that was refused would be there in part. "+
			"Convert them (ALTER TABLE … ENGINE=InnoDB).", finding.Value)
	default:
		finding.Says = "All tables are in InnoDB: a transaction is there whole or not at all."
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
		finding.Says = fmt.Sprintf("Sessions of the service are at %s although it sets them to READ-COMMITTED: who loses a race would be shown what was there before it. "+
			"Connect to the server itself, or have the proxy before it leave the settings of sessions as they are.", finding.Value)
	}
	return finding
}

// checks reports CHECK constraints. The guards decide; the constraints are for statements
// typed by hand.
func (f serverFacts) checks() Finding {
	const byHand = "Nothing of the service rests on them: its guards decide. What somebody writes by hand can be negative where it must not be"
	finding := Finding{Name: "check_constraint_checks", Value: f.is["check_constraint_checks"], Level: OK}
	switch {
	case finding.Value == "" && storage.Version(f.is["version"]).HoldsChecks():
		finding.Value, finding.Says = "ON", "CHECK constraints are held, as always by this server: nothing that is written by hand is negative where it must not be."
	case finding.Value == "":
		finding.Level, finding.Says = Risk, "This server may not hold CHECK constraints. "+byHand+"."
	case f.on(finding.Name):
		finding.Says = "CHECK constraints are held: nothing that is written by hand is negative where it must not be."
	default:
		finding.Want, finding.Level, finding.Says = "ON", Risk, fmt.Sprintf("It is %s: CHECK constraints are not held. %s. Set it to ON.", finding.Value, byHand)
	}
	return finding
}

// ids reports the increment of ids, for readers of the tables.
func (f serverFacts) ids() Finding {
	finding := Finding{Name: "auto_increment_increment", Value: f.is["auto_increment_increment"], Level: OK}
	const noOrder = "Nothing rests on their order: what others follow is numbered after the commit."
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
		finding.Says += " Who migrates holds a row with a lease."
	} else {
		finding.Says = "The database is embedded: one process has the file, and migrates it."
	}
	if c.SkipLocked {
		finding.Says += " Consumers of a queue in SQL pass over what others are taking (SKIP LOCKED), and rest on the state of the row."
	} else {
		finding.Says += " Consumers of a queue in SQL do without SKIP LOCKED, and rest on the state of the row."
	}
	if c.SequencedLogs {
		finding.Says += " What others follow is numbered after the commit."
	} else {
		finding.Says += " What others follow is in the order of its ids, since there is one writer."
	}
	return finding
}
