package faults_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The smoke of `make test`: each fault once, in the small.

func TestNoAcknowledgedEditIsLostWhenTheProgramIsKilled(t *testing.T) {
	onEachEngine(t, func(t *testing.T, engine string) { killInTheMiddle(t, engine, 200, 1) })
}

func TestAStoppedProgramDoesNoDamageWhenItGoesOn(t *testing.T) {
	onEachEngine(t, func(t *testing.T, engine string) { stopInTheMiddle(t, engine, 120, 2*time.Second) })
}

func TestEditsGoOnByThemselvesAfterTheLinkToTheDatabaseWasCut(t *testing.T) {
	t.Parallel()
	between, direct, _, c := behindProxy(t)
	awayAndBack(t, c, direct, 150, between.cut, between.mend)
}

func TestOfEditsWhoseCommitsAreCutOffEachIsThereOnceOrNotAtAllAsWasSaid(t *testing.T) {
	t.Parallel()
	loseCommits(t, 150)
}

func TestOfEditsWhoseCommitsAreRefusedEachIsThereOnceOrNotAtAllAsWasSaid(t *testing.T) {
	refuseCommits(t, 150)
}

func TestOfEditsOverAFailingDiskNoneComesBackThatWasRefused(t *testing.T) {
	failingDisk(t, 20)
}

func TestACommittedEditThatNobodyCanLookUpIsNeverCalledAFailure(t *testing.T) {
	t.Parallel()
	require.EqualValues(t, 2, loseTheOutcome(t, loseReply, true))
}

func TestTwoConnectionsServeFiftyClientsWithoutADeadlock(t *testing.T) {
	onEachEngine(t, func(t *testing.T, engine string) { crowdASmallPool(t, engine, 50) })
}

func TestOneOfTheRacersWinsOverSlowLinksToo(t *testing.T) {
	t.Parallel()
	slowLinks(t, 20, 1)
}

func TestDebitsThatAreSentAgainOverBadLinksAreMadeOnce(t *testing.T) {
	t.Parallel()
	spendOverBadLinks(t, 120)
}

func TestDebitsThatAreSentAgainToAProgramThatWasKilledAreMadeOnce(t *testing.T) {
	onEachEngine(t, func(t *testing.T, engine string) { spendWhileKilled(t, engine, 160, 1) })
}

func TestRefundsOfAProgramThatIsKilledNeverExceedThePayment(t *testing.T) {
	onEachEngine(t, func(t *testing.T, engine string) { refundWhileKilled(t, engine, 2, 16) })
}

func TestEventsThatAreSentAgainToAProgramThatWasKilledAreCountedOnce(t *testing.T) {
	onEachEngine(t, func(t *testing.T, engine string) { stockWhileKilled(t, engine, 12, 15, 1) })
}

func TestEventsThatAreSentAgainOverBadLinksAreCountedOnce(t *testing.T) {
	t.Parallel()
	stockOverBadLinks(t, 6, 15)
}

func TestADebitOfAProgramThatWasStoppedUntilItsLockEndedIsMadeOnceOnWhatTheNextHolderLeft(t *testing.T) {
	t.Parallel()
	answer := stopAHolder(t, purseOf12, 30, []int{100, 40, 10})
	require.Equalf(t, http.StatusOK, answer.Status, "it was made before it was sent again: %s", answer.Body)
}

func TestTakingOverCutAndDelayedLinksToRedisAndMariaDBIsLinearizable(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]held{"money": purseOf12, "stock": shelfOfTea} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spendOverCutAndDelayedLinks(t, h, 60)
		})
	}
}
