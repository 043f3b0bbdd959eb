package webhooks

import (
	"context"
	"log/slog"
	"time"

	"interlock/internal/base/clock"
)

const (
	// maxSaved is the number of outcomes per transaction, and saveDelay the time in which outcomes are
	// collected for one.
	maxSaved  = 500
	saveDelay = 100 * time.Millisecond
	// lastSave bounds the last transaction of a deliverer.
	lastSave = 5 * time.Second
)

// outcome is the result of an attempt, or only a new state.
type outcome struct {
	// delivery is nil for a state without an attempt.
	delivery *Delivery
	state    State
}

// journal stores outcomes, many per transaction. If the database is slow or away, the workers wait.
type journal struct {
	service  *Service
	outcomes chan outcome
	ended    chan struct{}
}

func newJournal(s *Service) *journal {
	return &journal{service: s, outcomes: make(chan outcome, maxSaved), ended: make(chan struct{})}
}

// add stores an outcome later, and returns false if ctx ends first.
func (j *journal) add(ctx context.Context, o outcome) bool {
	select {
	case j.outcomes <- o:
		return true
	case <-ctx.Done():
		return false
	}
}

// run stores outcomes until the channel is closed. After ctx has ended, it tries once more.
func (j *journal) run(ctx context.Context) {
	defer close(j.ended)
	for first := range j.outcomes {
		j.store(ctx, j.collect(first))
	}
}

// collect returns an outcome with those that follow soon.
func (j *journal) collect(first outcome) []outcome {
	list := []outcome{first}
	timer := time.NewTimer(saveDelay)
	defer timer.Stop()
	for len(list) < maxSaved {
		select {
		case next, open := <-j.outcomes:
			if !open {
				return list
			}
			list = append(list, next)
		case <-timer.C:
			return list
		}
	}
	return list
}

func (j *journal) store(ctx context.Context, list []outcome) {
	var deliveries []Delivery
	states := map[int64]State{}
	for _, o := range list {
		if o.delivery != nil {
			deliveries = append(deliveries, *o.delivery)
		}
		states[o.state.WebhookID] = o.state
	}
	for failing := false; ; failing = true {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastSave)
		err := j.service.save(bounded, deliveries, states)
		cancel()
		if err == nil {
			return
		}
		if !failing {
			slog.WarnContext(ctx, "webhooks: positions not saved; will retry", "error", err)
		}
		if !clock.Sleep(ctx, time.Second) {
			return // the next deliverer sends these messages again
		}
		// A transaction with an unknown outcome may have inserted the rows.
		for i := range deliveries {
			deliveries[i].ID = 0
		}
	}
}
