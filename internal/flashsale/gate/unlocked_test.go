package gate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage/storagetest"
	"interlock/internal/mq"
)

// withoutLocks is a gate in MariaDB behind a tap that drops locking clauses: on another
// server of a cluster a row lock does not exclude.
func withoutLocks(t *testing.T) (*underTest, *storagetest.Tap) {
	db, tap := storagetest.WithoutLocks(t)
	return newUnderTest(t, tables(db)), tap
}

// Proves G5.27.
func TestOneOfTwoProcessesAdmitsTheLastCustomerWithoutLocks(t *testing.T) {
	g, tap := withoutLocks(t)
	g.rules.Epoch, g.rules.Allotted = 2, 3
	require.NoError(t, g.Build(g.ctx, g.rules, nil))
	elsewhere := g.elsewhere()
	// The page has been read, and nothing is written yet.
	tap.Before("INSERT INTO mq_queues", func() {
		if a := elsewhere.admit(t, "B", "8", 3); a.Verdict != Accepted {
			t.Errorf("the other process: %v", a.Verdict)
		}
	})
	require.Equal(t, SoldOut, g.admit(t, "A", "7", 3).Verdict)
	require.Equal(t, Counts{Epoch: 2, Allotted: 3, Queued: 3, Waiting: 1}, g.counts(t))
	require.Len(t, g.claim(t), 1)
}

// Proves G5.27.
func TestTicketEndedBetweenReadsIsNoStrayWithoutLocks(t *testing.T) {
	g, tap := withoutLocks(t)
	g.admit(t, "A", "7", 1)
	b, err := g.queue.Claim(g.ctx, 1, time.Hour)
	require.NoError(t, err)
	elsewhere := g.elsewhere()
	tap.Before("SELECT message_id FROM mq_messages", func() {
		_, err := elsewhere.Move(g.ctx, g.rules.Ref, []Step{{Ticket: "A", From: []State{Queued}, To: Confirmed}})
		if err == nil {
			err = elsewhere.queue.Settle(g.ctx, b, []mq.Outcome{mq.Done()})
		}
		if err != nil {
			t.Error(err)
		}
	})
	strays, err := g.FindInconsistencies(g.ctx, g.rules.Ref)
	require.NoError(t, err)
	require.Empty(t, strays.Tickets, "its message was deleted because it has ended")
}
