// Package approvals lets changes wait until others have voted for them.
//
// A domain whose rows can be protected is a Subject. It proposes what it may not write, and
// makes the change when it is told to; what an approval holds is in the domain's own form.
//
// What always holds:
//
//   - An approval holds the exact change and the version that it is based on. Each edit and
//     each rebase is a new version of its content, which voids the votes on the older ones: a
//     vote names the version of the approval and the digest of the content that were read.
//   - Every act on an approval is under its version: a quorum of votes is a rule that spans
//     rows, and the approval's row is the one that each of them raises.
//   - approved means applied: the last vote needed, the guarded writes, their histories and
//     both audit rows are one unit.
//   - Nobody who wrote any version of the content may vote for it, with whatever credential.
//     A vote counts while its voter is enabled and may decide, as the unit that applies the
//     change sees it.
//   - A proposal may name one more user who does not vote for it: who has a part in what it is
//     about.
//   - Whatever changes a resource makes the open approvals that name it stale, in the same
//     unit. One that is created beside a pending approval to create it is noticed when that
//     is to be applied.
//   - A change that was made without the votes leaves an approval that is bypassed, until
//     somebody else has reviewed it.
//   - What is to be made at a time (EffectiveTime) is scheduled once it has its votes, and made
//     by the program for its author when the time has come and not before, once, if its author
//     may still make it and its votes still count. What takes no votes is scheduled as it is
//     proposed. It overwrites nothing: what is changed meanwhile makes it stale like any other.
//   - A change that is bound to no version (Grants.Unbound) is possible or not when it is to be
//     applied; what is found impossible then is made stale.
//
// Units take rows in one order: who may do what, the domain's rows by their keys, approvals
// by their ids.
package approvals
