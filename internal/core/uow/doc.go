// Package uow is the one path of a write.
//
// A Unit is one atomic piece of work. It holds, in this order and never another:
// the locks, then one lazily begun transaction, then what is to happen after
// commit. What holds:
//
//   - Locks are taken before the transaction begins and released only after it
//     has ended.
//   - Nothing outside SQL shows the effect of a unit before COMMIT has succeeded. What is
//     written elsewhere before that stands without harm when the unit rolls back: the
//     consumer of a flash sale marks its tickets in the gate as processing, and the gate
//     withholds the units that an edit takes away, until AfterRollback gives them back.
//   - A unit that changed rows commits with exactly one audit row, in the same
//     transaction, and one that applies an approval with that of the decision as well; a
//     unit that changed none writes none.
//   - The answer of Runner.Do is the truth: nil means committed, an error means
//     rolled back, and only OutcomeUnknown means that nobody can say.
//
// Crash points. Before COMMIT is sent: the engine rolls back, nothing happened.
// While COMMIT is under way, when its reply is lost or it fails with an error that
// does not say that the transaction is undone: the audit row is looked for under its
// unit's id, in a way that has an open transaction end first and keeps one that was
// half written from coming back. Found means committed, not found means rolled back
// and run again, and only if nobody answers it is OutcomeUnknown. After COMMIT: the
// effect stands, and what AfterCommit does is advisory and can be derived from SQL
// again.
package uow
