// Package statements looks at every statement of the program and its migrations for what some of the
// distributed engines leave out: locks of rows and of names, CHECK constraints, foreign keys that
// act, and ids in the order of their commits. Nothing may rest on these, so each place that has one of
// them all the same is listed with what decides there. It also holds `make distributed`, which runs the
// tests without them, to the tests that there are.
package statements
