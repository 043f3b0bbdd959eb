// Package distributedtest has a MariaDB behave in tests as the engines do that are spread over
// several servers, where those leave out what one server has.
package distributedtest

import (
	"regexp"
	"strings"
)

// Locks says which locking clauses an engine is without.
type Locks int

const (
	// NoShare is an engine without FOR SHARE, SKIP LOCKED and NOWAIT. Its FOR UPDATE locks, on
	// whichever of its servers, but reads only where SKIP LOCKED stands behind it, as TiDB's does.
	NoShare Locks = iota
	// NoLocks is one on which FOR UPDATE too excludes nobody: a Galera cluster, whose other servers
	// hear of what was written and never of what was only locked.
	NoLocks
)

var (
	share   = regexp.MustCompile(`(?i)\s+(FOR\s+SHARE|LOCK\s+IN\s+SHARE\s+MODE)(\s+SKIP\s+LOCKED|\s+NOWAIT)?\s*$`)
	update  = regexp.MustCompile(`(?i)\s+FOR\s+UPDATE(\s+SKIP\s+LOCKED|\s+NOWAIT)?\s*$`)
	skip    = regexp.MustCompile(`(?i)\s+FOR\s+UPDATE\s+SKIP\s+LOCKED\s*$`)
	nowait  = regexp.MustCompile(`(?i)(\s+FOR\s+UPDATE)\s+NOWAIT\s*$`)
	clauses = map[Locks]func(statement string) string{
		NoShare: func(statement string) string {
			return nowait.ReplaceAllString(skip.ReplaceAllString(statement, ""), "$1")
		},
		NoLocks: func(statement string) string { return update.ReplaceAllString(statement, "") },
	}
)

// Strip returns a statement as the engine understands it: without the locking clauses at its end
// that it does not have. Values never stand there.
func (l Locks) Strip(statement string) string {
	if !strings.HasPrefix(strings.TrimSpace(statement), "SELECT") {
		return statement
	}
	return clauses[l](share.ReplaceAllString(statement, ""))
}
