// Package statements searches every statement of the program and its migrations for
// features that some distributed engines lack: row locks, named locks, CHECK constraints,
// foreign keys with actions, and ids in the order of their commits. Nothing may depend on
// these, so each use is listed with the guard that decides without it. The package also
// checks that `make distributed`, which runs the tests without these features, names
// existing tests.
package statements
