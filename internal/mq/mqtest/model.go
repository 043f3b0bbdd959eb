package mqtest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"interlock/internal/mq"
)

// model is an in-memory model of a queue with default limits.
type model struct {
	t     *rapid.T
	ctx   *testing.T
	queue queue

	// atOnce is the maximum number of claimed batches. With more than one, the contract
	// does not define the order in which messages return.
	atOnce  int
	made    int
	pending []mq.Message
	out     []*mq.Batch
	delayed int64
	dead    []string
}

func modelled(t *testing.T, q queue)       { checkModel(t, q, 1) }
func modelledAtOnce(t *testing.T, q queue) { checkModel(t, q, 4) }

func checkModel(t *testing.T, q queue, atOnce int) {
	rapid.Check(t, func(rt *rapid.T) {
		require.NoError(rt, q.purge(t.Context()))
		m := &model{t: rt, ctx: t, queue: q, atOnce: atOnce}
		rt.Repeat(map[string]func(*rapid.T){
			"enqueue": m.enqueue, "claim": m.claim, "settle": m.settle, "crash": m.crash,
			"change dead": m.changeDead, "": m.check,
		})
	})
}

func (m *model) enqueue(t *rapid.T) {
	var list []mq.Message
	for range rapid.IntRange(1, 4).Draw(t, "messages") {
		m.made++
		list = append(list, mq.Message{ID: fmt.Sprint("m", m.made), Body: []byte{byte(m.made)}, EnqueuedTime: time.UnixMicro(int64(m.made)).UTC()})
	}
	require.NoError(t, m.queue.Enqueue(m.ctx.Context(), list...))
	m.pending = append(m.pending, list...)
}

func (m *model) claim(t *rapid.T) {
	if len(m.out) == m.atOnce {
		t.Skip("enough batches are out")
	}
	limit := rapid.IntRange(1, 5).Draw(t, "limit")
	b, err := m.queue.Claim(m.ctx.Context(), limit, long)
	require.NoError(t, err)
	if len(m.pending) == 0 {
		require.Nil(t, b)
		return
	}
	require.NotNil(t, b)
	if m.atOnce == 1 {
		require.Equal(t, m.head(limit), b.Messages)
	}
	for _, got := range b.Messages {
		i := slices.IndexFunc(m.pending, func(p mq.Message) bool { return p.ID == got.ID })
		require.GreaterOrEqual(t, i, 0, "%s was not pending", got.ID)
		require.Equal(t, m.pending[i], got)
		m.pending = slices.Delete(m.pending, i, i+1)
	}
	m.out = append(m.out, b)
}

// head returns the messages that a claim must return: those before the first suspect message, or
// only that message if it is the first.
func (m *model) head(limit int) []mq.Message {
	head := m.pending[:min(limit, len(m.pending))]
	for i, p := range head {
		if p.Attempts+p.Crashes >= 2 {
			head = head[:max(i, 1)]
			break
		}
	}
	return slices.Clone(head)
}

func (m *model) takeBatch(t *rapid.T) *mq.Batch {
	if len(m.out) == 0 {
		t.Skip("no batch is out")
	}
	i := rapid.IntRange(0, len(m.out)-1).Draw(t, "batch")
	b := m.out[i]
	m.out = slices.Delete(m.out, i, i+1)
	return b
}

func (m *model) settle(t *rapid.T) {
	b := m.takeBatch(t)
	var outcomes []mq.Outcome
	var head, tail []mq.Message
	for _, message := range b.Messages {
		failed := message
		failed.Attempts++
		switch rapid.IntRange(0, 6).Draw(t, "outcome") {
		case 0, 1:
			outcomes = append(outcomes, mq.Done())
		case 2:
			outcomes, tail = append(outcomes, mq.Retry(errBroken, 0)), append(tail, failed)
		case 3:
			outcomes = append(outcomes, mq.Retry(errBroken, long))
			m.delayed++
		case 4:
			outcomes, head = append(outcomes, mq.Postpone(errBroken, 0)), append(head, message)
		case 5:
			outcomes = append(outcomes, mq.Postpone(errBroken, long))
			m.delayed++
		case 6:
			outcomes = append(outcomes, mq.Dead(errBroken))
			m.dead = append(m.dead, message.ID)
		}
	}
	for range rapid.IntRange(1, 2).Draw(t, "times") {
		require.NoError(t, m.queue.Settle(m.ctx.Context(), b, outcomes))
	}
	m.pending = slices.Concat(head, m.pending, tail)
}

func (m *model) crash(t *rapid.T) {
	b := m.takeBatch(t)
	require.NoError(t, m.queue.Extend(m.ctx.Context(), b, 0))
	reaped, err := m.queue.Reap(m.ctx.Context())
	require.NoError(t, err)
	var back []mq.Message
	for _, message := range b.Messages {
		message.Crashes++
		if message.Crashes >= 5 {
			m.dead = append(m.dead, message.ID)
			continue
		}
		back = append(back, message)
	}
	require.Equal(t, mq.Reaped{Returned: len(back), Held: len(m.out)}, reaped)
	require.ErrorIs(t, m.queue.Settle(m.ctx.Context(), b, all(mq.Done(), len(b.Messages))), mq.ErrLeaseLost)
	m.pending = slices.Concat(back, m.pending)
}

func (m *model) changeDead(t *rapid.T) {
	if len(m.dead) == 0 {
		t.Skip("none is dead")
	}
	i := rapid.IntRange(0, len(m.dead)-1).Draw(t, "dead")
	id := m.dead[i]
	m.dead = slices.Delete(m.dead, i, i+1)
	if rapid.Bool().Draw(t, "discard") {
		require.NoError(t, m.queue.discardDead(m.ctx.Context(), id))
		return
	}
	require.NoError(t, m.queue.retryDead(m.ctx.Context(), id))
	var number int64
	_, err := fmt.Sscanf(id, "m%d", &number)
	require.NoError(t, err)
	m.pending = append(m.pending, mq.Message{ID: id, Body: []byte{byte(number)}, EnqueuedTime: time.UnixMicro(number).UTC()})
}

func (m *model) check(t *rapid.T) {
	s, err := m.queue.Stats(m.ctx.Context())
	require.NoError(t, err)
	s.OldestAge = 0
	var claimed int64
	for _, b := range m.out {
		claimed += int64(len(b.Messages))
	}
	require.Equal(t, mq.Stats{
		Pending: int64(len(m.pending)), Claimed: claimed, Delayed: m.delayed, Dead: int64(len(m.dead)),
	}, s)
	list, next, err := m.queue.Dead(m.ctx.Context(), "", 1000)
	require.NoError(t, err)
	require.Empty(t, next)
	var ids []string
	for _, d := range list {
		ids = append(ids, d.ID)
	}
	require.ElementsMatch(t, m.dead, ids)
}
