// Package storage opens the database and ensures three invariants for every statement:
//
//   - A statement on a tenant-owned table is bound to the caller's tenant, or it is
//     rejected before it is sent (tenancy.go).
//   - An error of an engine has a class that the layers above can handle, the same for
//     SQLite and for MySQL-compatible engines (errors.go).
//   - The schema is the one that the program was built with (migrate.go).
//
// Only package uow begins transactions that change business data; Transact is for internal
// bookkeeping, such as that of queues.
package storage
