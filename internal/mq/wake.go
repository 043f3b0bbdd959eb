package mq

import "sync"

// waker signals one consumer of this process that messages may be pending. It is a hint:
// consumers also poll.
type waker struct{ signal chan struct{} }

func newWaker() waker { return waker{signal: make(chan struct{}, 1)} }

func (w *waker) wake() {
	select {
	case w.signal <- struct{}{}:
	default:
	}
}

// wakers stores one waker per queue name.
type wakers struct {
	mu     sync.Mutex
	byName map[string]*waker
}

func (w *wakers) forget(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.byName, name)
}

func (w *wakers) of(name string) *waker {
	w.mu.Lock()
	defer w.mu.Unlock()
	found, ok := w.byName[name]
	if !ok {
		if w.byName == nil {
			w.byName = make(map[string]*waker)
		}
		made := newWaker()
		found = &made
		w.byName[name] = found
	}
	return found
}
