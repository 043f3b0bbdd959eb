package storage

import (
	"regexp"
	"strconv"
	"strings"
)

// Version is what a server that speaks MySQL's protocol calls itself, such as
// "10.11.19-MariaDB" or "8.0.36-28".
type Version string

// The versions that MariaDB and MySQL give themselves, with what distributions append.
var (
	mariaDB = regexp.MustCompile(`^(5\.5\.5-)?\d+\.\d+\.\d+-MariaDB\b`)
	mySQL   = regexp.MustCompile(`^\d+\.\d+\.\d+(-(\d+|log|debug|\d+(ubuntu|\+deb|~deb)[\w.~+]*))*$`)
)

// IsMariaDB reports whether it is a MariaDB.
func (v Version) IsMariaDB() bool { return mariaDB.MatchString(string(v)) }

// IsMySQL reports whether it is a MySQL of Oracle or Percona. There are more servers that speak
// its protocol than these and MariaDB.
func (v Version) IsMySQL() bool { return mySQL.MatchString(string(v)) }

// HoldsChecks reports whether a MySQL holds CHECK constraints, which it has done since 8.0.16.
// Of a MariaDB a variable says so.
func (v Version) HoldsChecks() bool { return v.IsMySQL() && v.atLeast(8, 0, 16) }

// stopsPackets reports whether it is of a kind that says so when it undoes a transaction, and
// stops a packet there. Others, some with servers beside them that write, may give a transaction
// up between two statements and go on.
func (v Version) stopsPackets() bool { return v.IsMariaDB() || v.IsMySQL() }

// skipsLocked reports whether it knows SKIP LOCKED. Others refuse it, or take it and do nothing.
func (v Version) skipsLocked() bool {
	return v.IsMariaDB() && v.atLeast(10, 6, 0) || v.IsMySQL() && v.atLeast(8, 0, 1)
}

// atLeast compares the numbers that the version begins with. A MariaDB may have that of an old
// MySQL before its own.
func (v Version) atLeast(wanted ...int) bool {
	for i, part := range strings.SplitN(strings.TrimPrefix(string(v), "5.5.5-"), ".", len(wanted)) {
		digits, _, _ := strings.Cut(part, "-")
		n, err := strconv.Atoi(digits)
		if err != nil || n != wanted[i] {
			return err == nil && n > wanted[i]
		}
	}
	return true
}
