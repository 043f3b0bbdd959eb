// Package approvals defers changes until other users have voted for them.
//
// A domain with protected rows is a Subject. It proposes the changes that it may not write
// directly, and applies them when the package calls Apply. The content of an approval is in the
// domain's format.
//
// Invariants:
//
//   - An approval contains the exact change and the version that it is based on. Each edit and each
//     rebase is a new version of the content and voids the votes for older versions: a vote names
//     the version of the approval and the digest of the content that its voter read.
//   - Every act on an approval is guarded by its version. A quorum spans several rows, so each
//     act increments the version of the approval's row.
//   - approved means applied: the last vote, the guarded writes, their histories and both audit
//     rows are one unit.
//   - A user who wrote any version of the content may not vote for it, with any credential. A
//     vote counts while its voter is enabled and may decide, as read by the unit that applies
//     the change.
//   - A proposal may name one more user who may not vote for it (Party).
//   - A unit that changes a resource makes the open approvals that name it stale. If a
//     resource is created while an approval to create it is pending, the apply step detects it.
//   - A change made without the votes leaves a bypassed approval until another user has
//     reviewed it.
//   - A change with an EffectiveTime is scheduled once it has its votes; one that needs no votes
//     is scheduled when it is proposed. The program applies it on behalf of its author, once and
//     not before that time, if the author still has the permission and the votes still count.
//     It overwrites nothing: a concurrent change of the resource makes it stale.
//   - A change that is bound to no version (Grants.Unbound) is validated when it is applied, and
//     becomes stale if it is rejected then.
//
// Lock order of a unit: users and permissions, the domain's rows by key, approvals by id.
package approvals
