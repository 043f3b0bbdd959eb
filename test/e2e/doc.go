// Package e2e proves the promises of the service from outside: it boots the real
// program on SQLite and on MariaDB, races clients against it over HTTP, and then
// looks into the store itself.
//
// Every reply is held against api/openapi.yaml on the way. After each race the
// invariants are checked: acknowledged edits ≤ version increments ≤ acknowledged +
// unknown, one history row a version, one audit row a mutation, and whoever lost is
// told who won.
package e2e
