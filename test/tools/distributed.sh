#!/bin/bash
# Runs the tests on a MariaDB that behaves like a distributed engine, see
# internal/base/storage/distributedtest. Arguments are passed to go test, before the packages.
# Subtests on SQLite are skipped, and so are tests of the following subjects:
set -euo pipefail
cd "$(dirname "$0")/../.."

skipped=(
	# packets of statements or their number; a cluster gets no packets
	TestMarkedStatementsGoWithCommitInOnePacket
	TestPacketWithFailedGuardCommitsNothing
	TestFailureAfterDeferredStatementsMarksPacketFailed
	TestFailedPacketNeverCommits
	TestNothingIsSentAfterServerRollback
	TestErrorOfSingleDeferredStatementIsItsOwn
	TestEmptyTransactionSendsNoPacket
	TestPacketSizeIsBounded
	TestUnjoinableStatementsAreSentSeparately
	TestMultiStatementTextIsRejected
	TestCapabilitiesMatchTheEngine
	TestLastUnitNeedsFewStatementsForManyEntries
	TestActionCostsThreeWritesAndAStaleOneNone
	TestEditNeedsThreeWritesAndAtMostOneRead
	TestHistoryIsEncryptedInFewStatements
	TestOrderBatchHasAConstantNumberOfStatements
	TestReplyIsRecordedInTheTransactionOfItsEffect
	TestGuardRejectsAPausedEntry
	TestGuardRejectsAPausedReservation
	# units that write no row before COMMIT, which needs packets
	TestRolledBackRowIsNotPassedOn
	TestOvertakenMergeAppliesToTheNewRow
	TestMissedDeferredWriteIsRetriedAndReturnsTheReason
	# a locking clause that a server rejects; none is sent here
	TestRejectedSkipLockedIsNotRetried
	# replies to COMMIT that the test replaces, or the number of runs of a unit
	TestRejectedEndIsNotCommittedByNextTransaction
	TestCommitErrorIsUndecidedUnlessEngineRolledBack
	TestPurchaseWithUndecidedCommitIsUnknown
	TestUndecidedCommitIsRetriedOnlyIfIdempotent
	TestDemoIsUnchangedByCommitConflicts
	TestObserverIsNotifiedOfEveryEnd
	TestStaleOrderStepRunsAgainOnTheNewestVersion
	TestStaleRedemptionRunsAgainOnTheNewestVersion
	TestPartsOfABatchAreStoredUntilItsReply
	TestRepeatOfABatchExecutesTheRest
	TestPartsOfABatchExpire
	TestDeadlockRetriesTheWholeUnit
	TestCountsEqualTheRowsAfterConcurrentActions
	TestOneOfConcurrentBatchesWinsCompletely
	TestWalletLocksEncloseTheTransaction
	TestStockLocksEncloseTheTransaction
	TestOrderLocksEncloseTheTransaction
	TestLocksEncloseTheTransaction
	TestLocksAreReleasedOnlyWhenTheTransactionHasEnded
	TestRejectedChangeBecomesStaleTransientFailureIsRetried
	TestCheckerDetectsAnEntryWithoutLockAndVersion
	TestCheckerDetectsAReservationWithoutLockAndVersion
	# the number of Redis commands: after a lost connection, as by a rejected COMMIT, a command is repeated
	TestDatabaseReplaysWithoutRedis
	# writers of one row that all succeed, which needs a lock to wait for
	TestTwentyConcurrentRoleGrantsAllSucceed
	TestMergesOfTwoProcessesAreAllApplied
	TestEventsCountOnceWithUnreliableLocks
	# query plans of MariaDB
	TestNoListReadsTheWholeTableOfATenant
	TestMissingIndexIsDetected
	# CHECK constraints and their check
	TestEachDatabaseIsRead
)

# The pattern of subtests is last: it matches each test in part, and go test tries no pattern after a match.
pattern=$(printf '^%s$|' "${skipped[@]}")'.*/^sqlite$'
exec go test -count=1 -tags distributed -timeout 20m -skip "$pattern" "$@" \
	./internal/... ./client/... ./test/shop/... ./test/activity/... ./test/e2e/... ./test/contract/...
