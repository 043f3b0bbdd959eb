// Package uow implements the only path of a write.
//
// A Unit is one atomic unit of work. It has three parts, always in this order: the locks,
// one transaction that begins on first use, and the callbacks that run after commit.
// Invariants:
//
//   - Locks are acquired before the transaction begins and released only after it
//     has ended.
//   - No effect of a unit is visible outside SQL before COMMIT has succeeded. Earlier
//     writes outside SQL are harmless if the unit rolls back: the consumer of a flash
//     sale marks its tickets in the gate as processing, and the gate reserves the units
//     that an edit removes until AfterRollback returns them.
//   - A unit that changed rows commits with exactly one audit row, in the same
//     transaction. If it applies an approval, it also commits the audit row of that
//     decision. A unit without changes writes no audit row. A unit that changed
//     several records lists its row under each of them.
//   - The result of Runner.Do is reliable: nil means committed, an error means rolled
//     back, and only OutcomeUnknown means that the outcome is unknown.
//
// Crash points. Before COMMIT is sent: the engine rolls back; nothing happened. While COMMIT is in
// flight, if its reply is lost or its error does not prove a rollback: the runner searches for the
// audit row by the unit's id. The search waits for an open transaction, and prevents a partly
// received one from committing later. If the row exists, the unit is committed. If not, the unit is
// rolled back and run again. If no server replies, the result is OutcomeUnknown. After COMMIT: the
// effect is durable, and AfterCommit callbacks are advisory and can be derived from SQL again.
package uow
