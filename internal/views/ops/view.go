package ops

import "interlock/internal/lock"

type overviewView struct {
	Queues []queueView `json:"queues" validate:"max=200"`
	Locks  []lockView  `json:"locks"`
}

type queueView struct {
	Name string `json:"name" validate:"required,max=100"`
	// Messages that wait to be claimed.
	Pending int64 `json:"pending" validate:"min=0"`
	// Messages that a consumer is processing.
	Claimed int64 `json:"claimed" validate:"min=0"`
	// Messages that become available later.
	Delayed int64 `json:"delayed" validate:"min=0"`
	// Dead letters, which wait for a decision.
	Dead int64 `json:"dead" validate:"min=0"`
	// The time that the next message has waited, 0 if none waits.
	OldestSeconds float64 `json:"oldestSeconds" validate:"min=0"`
}

type lockView struct {
	Key string `json:"key" validate:"required"`
	// The owner of the lock, for display; may be empty.
	Owner       string  `json:"owner"`
	HeldSeconds float64 `json:"heldSeconds" validate:"min=0"`
	// Callers of this process that wait for it.
	Waiters int `json:"waiters" validate:"min=0"`
}

// SchemaName returns the name of the type in the contract.
func (lockView) SchemaName() string { return "HeldLock" }

func viewOf(queues []Queue, locks []lock.Holding) overviewView {
	view := overviewView{Queues: make([]queueView, len(queues)), Locks: make([]lockView, len(locks))}
	for i, q := range queues {
		view.Queues[i] = queueView{
			Name: q.Name, Pending: q.Pending, Claimed: q.Claimed, Delayed: q.Delayed, Dead: q.Stats.Dead,
			OldestSeconds: q.OldestAge.Seconds(),
		}
	}
	for i, l := range locks {
		view.Locks[i] = lockView{Key: l.Key, Owner: l.Owner, HeldSeconds: l.Age.Seconds(), Waiters: l.Waiters}
	}
	return view
}

// example is an overview for the contract.
var example = overviewView{
	Queues: []queueView{{Name: "fs:12", Pending: 840, Claimed: 200, Dead: 1, OldestSeconds: 2.5}},
	Locks:  []lockView{{Key: "wallet:1:7", Owner: "0190f5c2-8f0a-7b11-8c1d-3f1e2a6b7c88", HeldSeconds: 0.02, Waiters: 3}},
}
