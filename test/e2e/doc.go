// Package e2e proves the promises of the service from outside: it boots the real program on
// SQLite and on MariaDB, races clients against it over HTTP, and then checks the database.
//
// Every response is checked against api/openapi.yaml. After each race the tests check the
// invariants: acknowledged edits ≤ version increments ≤ acknowledged + unknown, one history
// row per version, one audit row per mutation, and each losing response names the winner.
package e2e
