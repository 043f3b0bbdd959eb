package storage

import (
	"regexp"
	"strconv"
	"strings"
)

// Version is the version string of a server that speaks MySQL's protocol, such as
// "10.11.19-MariaDB" or "8.0.36-28".
type Version string

// The version formats of MariaDB and MySQL, with the suffixes of distributions.
var (
	mariaDB = regexp.MustCompile(`^(5\.5\.5-)?\d+\.\d+\.\d+-MariaDB\b`)
	mySQL   = regexp.MustCompile(`^\d+\.\d+\.\d+(-(\d+|log|debug|\d+(ubuntu|\+deb|~deb)[\w.~+]*))*$`)
)

// IsMariaDB reports whether the server is a MariaDB.
func (v Version) IsMariaDB() bool { return mariaDB.MatchString(string(v)) }

// IsMySQL reports whether the server is a MySQL of Oracle or Percona. Other servers than
// these and MariaDB speak the protocol too.
func (v Version) IsMySQL() bool { return mySQL.MatchString(string(v)) }

// HoldsChecks reports whether the server is a MySQL that enforces CHECK constraints: version 8.0.16
// or later. A MariaDB has a variable for this.
func (v Version) HoldsChecks() bool { return v.IsMySQL() && v.atLeast(8, 0, 16) }

// stopsPackets reports whether the server reports that it rolled back a transaction, and
// stops the packet there. Others, such as servers with several writers, may roll back a
// transaction between two statements and continue.
func (v Version) stopsPackets() bool { return v.IsMariaDB() || v.IsMySQL() }

// skipsLocked reports whether the server supports SKIP LOCKED. Others reject or ignore it.
func (v Version) skipsLocked() bool {
	return v.IsMariaDB() && v.atLeast(10, 6, 0) || v.IsMySQL() && v.atLeast(8, 0, 1)
}

// atLeast compares the numbers at the start of the version. A MariaDB may put the version
// of an old MySQL before its version.
func (v Version) atLeast(required ...int) bool {
	for i, part := range strings.SplitN(strings.TrimPrefix(string(v), "5.5.5-"), ".", len(required)) {
		digits, _, _ := strings.Cut(part, "-")
		n, err := strconv.Atoi(digits)
		if err != nil || n != required[i] {
			return err == nil && n > required[i]
		}
	}
	return true
}
