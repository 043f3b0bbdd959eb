package faults_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/test/tier"
)

// Proves G6.4.
func TestKillsLoseNoneOfAThousandAcknowledgedEdits(t *testing.T) {
	tier.Nightly(t)
	onEachEngine(t, func(t *testing.T, engine string) { killInTheMiddle(t, engine, 1000, 5) })
}

// Proves G3.15.
func TestCrashBeforeCommitLeavesNoTrace(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	require.Equal(t, 1, crashAtCommit(t, cutBefore))
}

// Proves G3.15.
func TestCrashBetweenCommitAndReplyLosesNothing(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	require.Equal(t, 2, crashAtCommit(t, loseReply))
}

func TestProgramStoppedBeyondTheTransactionTimeoutDoesNoDamage(t *testing.T) {
	tier.Nightly(t)
	onEachEngine(t, func(t *testing.T, engine string) { stopInTheMiddle(t, engine, 300, 35*time.Second) })
}

// Proves G3.20.
func TestUnverifiableRollbackIsUnknown(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	require.EqualValues(t, 1, loseTheOutcome(t, cutBefore, true))
}

func TestStrandedTransactionIsNotRetried(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	require.EqualValues(t, 1, loseTheOutcome(t, stranded, false))
}

// Proves D1.
func TestEditsRecoverAfterTheDatabaseIsKilled(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	m, s := onOwnMariaDB(t)
	_, c := serveHere(t, s)
	awayAndBack(t, c, m.url(), 1000, m.kill, func() { m.start(t) })
}

func TestThousandInterruptedCommitsMatchTheirReplies(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	loseCommits(t, 1000)
}

func TestEachRaceOverSlowLinksHasOneWinner(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	slowLinks(t, 50, 10)
}

func TestEditsRecoverAfterASilentDatabaseLink(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	between, direct, _, c := behindProxy(t)
	awayAndBack(t, c, direct, 300, between.stall, between.flow)
}

func TestEachShipmentCancellationRaceHasOneWinner(t *testing.T) {
	tier.Nightly(t)
	onEachEngine(t, func(t *testing.T, engine string) { shipOrCancel(t, engine, 1000, 50) })
}

func TestBatchIsAtomicAcrossCrashes(t *testing.T) {
	tier.Nightly(t)
	onEachEngine(t, func(t *testing.T, engine string) { killAmongBatches(t, engine, 600, 4) })
}

func TestThousandDebitsOverBadLinksAreAppliedOnce(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	spendOverBadLinks(t, 1000)
}

func TestRetriedDebitsOfAKilledProgramAreAppliedOnce(t *testing.T) {
	tier.Nightly(t)
	onEachEngine(t, func(t *testing.T, engine string) { spendWhileKilled(t, engine, 1000, 5) })
}

// Proves G4.16.
func TestRefundsOfAKilledProgramNeverExceedThePayment(t *testing.T) {
	tier.Nightly(t)
	onEachEngine(t, func(t *testing.T, engine string) { refundWhileKilled(t, engine, 200, 64) })
}

// Proves G3.35.
func TestRetriedEventsOfAKilledProgramCountOnce(t *testing.T) {
	tier.Nightly(t)
	onEachEngine(t, func(t *testing.T, engine string) { stockWhileKilled(t, engine, 50, 200, 5) })
}

// Proves G3.35.
func TestRetriedEventsOverBadLinksCountOnce(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	stockOverBadLinks(t, 20, 60)
}

// Proves G4.8.
func TestStoppedHolderDoesNotOverdraw(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	for name, h := range map[string]held{"money": purseOf12, "stock": shelfOfTea} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := stopAHolder(t, h, 60, []int{100, 40})
			require.Equal(t, http.StatusConflict, answer.Status)
			require.Equal(t, h.short, answer.Code())
		})
	}
}

// Proves G4.14.
func TestFiveHundredLinkFaultsAreLinearizable(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	for name, h := range map[string]held{"money": purseOf12, "stock": shelfOfTea} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spendOverCutAndDelayedLinks(t, h, 500)
		})
	}
}

func TestResumedProgramDoesNoDamage(t *testing.T) {
	tier.Nightly(t)
	onEachEngine(t, func(t *testing.T, engine string) { stopInTheMiddle(t, engine, 120, 2*time.Second) })
}

// Proves D1.
func TestEditsRecoverAfterACutDatabaseLink(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	between, direct, _, c := behindProxy(t)
	awayAndBack(t, c, direct, 150, between.cut, between.restore)
}

// Proves D9.
func TestRejectedCommitsMatchTheirReplies(t *testing.T) {
	tier.Nightly(t)
	refuseCommits(t, 1000)
}

// Proves D9.
func TestRejectedEditsOnAFailingDiskNeverReappear(t *testing.T) {
	tier.Nightly(t)
	failingDisk(t, 200)
}

// Proves G3.20.
func TestUnverifiableCommitIsNeverReportedAsFailure(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	require.EqualValues(t, 2, loseTheOutcome(t, loseReply, true))
}

func TestTwoConnectionsServeFiftyClientsWithoutADeadlock(t *testing.T) {
	tier.Nightly(t)
	onEachEngine(t, func(t *testing.T, engine string) { crowdASmallPool(t, engine, 50) })
}
