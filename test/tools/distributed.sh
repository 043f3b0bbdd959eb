#!/bin/bash
# Runs the tests on a MariaDB that behaves as the engines do that are spread over several servers,
# see internal/base/storage/distributedtest. Arguments go to go test, before the packages.
# What runs on SQLite as well is not run there again. These are left out, each for what it looks at:
set -euo pipefail
cd "$(dirname "$0")/../.."

skipped=(
	# the packets that statements go in, or how many there are; a cluster is sent none
	TestMarkedStatementsGoWithCommitInOnePacket
	TestPacketWithFailedGuardCommitsNothing
	TestFailureAfterDeferredStatementsMarksPacketFailed
	TestFailedPacketNeverCommits
	TestNothingIsSentAfterServerRollback
	TestErrorOfSingleDeferredStatementIsItsOwn
	TestATransactionThatSentNothingCostsNothing
	TestPacketSizeIsBounded
	TestUnjoinableStatementsAreSentSeparately
	TestMultiStatementTextIsRejected
	TestTheWaysOfTheServiceAreThoseOfItsEngine
	TestLastUnitNeedsFewStatementsForManyEntries
	TestATapCostsOneTransactionOfThreeWritesAndAStaleOneNone
	TestEditNeedsThreeWritesAndAtMostOneRead
	TestHistoryIsEncryptedInFewStatements
	TestABatchOfOrdersCostsTheSameHoweverManyTheyAre
	TestReplyIsRecordedInTheTransactionOfItsEffect
	TestGuardRejectsAPausedEntry
	TestGuardRejectsAPausedReservation
	# a unit that writes no row before its COMMIT, which packets are for
	TestRolledBackRowIsNotPassedOn
	TestOvertakenMergeAppliesToTheNewRow
	TestMissedDeferredWriteIsRetriedAndReturnsTheReason
	# a locking clause that a server refuses, and that none is sent here
	TestRejectedSkipLockedIsNotRetried
	# an answer to COMMIT of the test's own, or how often a unit is run
	TestRejectedEndIsNotCommittedByNextTransaction
	TestCommitErrorIsUndecidedUnlessEngineRolledBack
	TestPurchaseWithUndecidedCommitIsUnknown
	TestAnUndecidedCommitIsRunAgainOnlyWhereThatChangesNothing
	TestDemoIsUnchangedByCommitConflicts
	TestObserverIsNotifiedOfEveryEnd
	TestStaleOrderStepRunsAgainOnTheNewestVersion
	TestStaleRedemptionRunsAgainOnTheNewestVersion
	TestPartsOfABatchAreStoredUntilItsReply
	TestRepeatOfABatchExecutesTheRest
	TestPartsOfABatchExpire
	TestADeadlockIsRunAgainFromTheStart
	TestCountsEqualTheRowsAfterARaceOfManyActors
	TestOneOfConcurrentBatchesWinsCompletely
	TestWalletLocksEncloseTheTransaction
	TestStockLocksEncloseTheTransaction
	TestOrderLocksEncloseTheTransaction
	TestLocksAreTakenBeforeTheTransactionBeginsAndReleasedAfterItHasEnded
	TestLocksAreReleasedOnlyWhenTheTransactionHasEnded
	TestRejectedChangeBecomesStaleTransientFailureIsRetried
	TestTheCheckerCatchesAnEntryWithoutLockAndVersion
	TestTheCheckerCatchesAReservationWithoutLockAndVersion
	# how often Redis is asked: who lost a connection, as to a refused COMMIT, asks again
	TestDatabaseReplaysWithoutRedis
	# that nobody of many at one row is told to try again, which takes a lock to wait for
	TestTwentyConcurrentRoleGrantsAllSucceed
	TestMergesOfTwoProcessesIntoOneRowAllLand
	TestWithoutLocksThatHoldEachEventIsStillCountedOnceAndNoWriterFails
	# the query plans of MariaDB
	TestNoListReadsTheWholeTableOfATenant
	TestAMissingIndexIsSeen
	# a CHECK constraint, or that they are looked at
	TestEachDatabaseIsRead
)

# What could match a part of a test comes last: it ends the search for the test itself.
pattern=$(printf '^%s$|' "${skipped[@]}")'.*/^sqlite$'
exec go test -count=1 -tags distributed -timeout 20m -skip "$pattern" "$@" \
	./internal/... ./client/... ./test/shop/... ./test/activity/... ./test/e2e/... ./test/contract/...
