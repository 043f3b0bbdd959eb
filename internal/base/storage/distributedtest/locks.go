// Package distributedtest makes MariaDB behave in tests like a distributed engine, by
// dropping features that such engines lack.
package distributedtest

import (
	"regexp"
	"strings"
)

// Locks defines which locking clauses an engine lacks.
type Locks int

const (
	// NoShare is an engine without FOR SHARE, SKIP LOCKED and NOWAIT. Its FOR UPDATE locks
	// across all its servers, but is a plain read if followed by SKIP LOCKED, like TiDB's.
	NoShare Locks = iota
	// NoLocks is an engine on which FOR UPDATE excludes nothing either: a Galera cluster,
	// which replicates writes but not locks.
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

// Strip returns a statement as the engine interprets it: without the trailing locking clauses that
// the engine lacks. Values never follow these clauses.
func (l Locks) Strip(statement string) string {
	if !strings.HasPrefix(strings.TrimSpace(statement), "SELECT") {
		return statement
	}
	return clauses[l](share.ReplaceAllString(statement, ""))
}
