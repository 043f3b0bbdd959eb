// Package storage opens the database and keeps three promises about every
// statement that goes to it.
//
//   - A statement on a tenant-owned table carries the caller's tenant, or it is
//     refused before it is sent (tenancy.go).
//   - An error of an engine has a class that the layers above can act on, the
//     same for SQLite and for MySQL and its relatives (errors.go).
//   - The schema is the one the program was built with (migrate.go).
//
// Transactions that change the business are begun by package uow and by nobody else;
// Transact is for bookkeeping beside it, such as that of queues.
package storage
