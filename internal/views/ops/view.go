package ops

import "interlock/internal/lock"

type overviewView struct {
	Queues []queueView `json:"queues"`
	Locks  []lockView  `json:"locks"`
}

type queueView struct {
	Name          string  `json:"name"`
	Pending       int64   `json:"pending"`
	Claimed       int64   `json:"claimed"`
	Delayed       int64   `json:"delayed"`
	Dead          int64   `json:"dead"`
	OldestSeconds float64 `json:"oldestSeconds"`
}

type lockView struct {
	Key         string  `json:"key"`
	Owner       string  `json:"owner"`
	HeldSeconds float64 `json:"heldSeconds"`
	Waiters     int     `json:"waiters"`
}

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
