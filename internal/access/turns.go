package access

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
)

const (
	// mostWaiting is how many may wait for their turn to hash. With one place that hashes some
	// ten a second, who is further behind would not be served before hashTimeout.
	mostWaiting = 64
	// restFor is how much longer a place rests after a stranger's wrong guess than it was held.
	restFor = 3
	// longestRest keeps a machine that is slow from being shut to strangers.
	longestRest = 300 * time.Millisecond
	// comeBack is when who was shed may try again.
	comeBack = 2 * time.Second
)

// rank says who goes first of those that wait for a turn.
type rank struct {
	// anonymous is set for a guess from nobody that the service knows. Who has a session, or
	// shows a device that the account has signed in from, goes before all of those.
	anonymous bool
	// tries is how much of what its network may try it has tried lately. So who comes for the
	// first time goes before a flood from networks that come again and again.
	tries int
}

// goesBefore reports whether who comes goes before somebody who waits. Of equals who are
// known, who came first does. Of strangers who came last does: in a flood the room is full
// of those that came when it began, and somebody who comes later would wait behind all of
// them.
func (r rank) goesBefore(waits rank) bool {
	if r.anonymous != waits.anonymous {
		return waits.anonymous
	}
	return r.anonymous && r.tries <= waits.tries
}

// turns decides how many hash at a time, who is next, and who is turned away at once.
//
// What holds:
//
//   - No more than places are held at a time.
//   - After an anonymous guess that was wrong its place rests for restFor times as long as it
//     was held, but no longer than longestRest, so that a flood of guesses takes a quarter of
//     the time of each place. Who is known does not wait for that, and a crowd with the right
//     passwords, as in the morning, is served as fast as it can be.
//   - No more than room wait. When one more comes, the last in rank is turned away, at the
//     moment that it comes to be the last, and not when its time is over.
type turns struct {
	mu   sync.Mutex
	free int
	// resting are those of the free places that no stranger is given yet.
	resting int
	room    int
	waiting []*turn // in the order that they are served
	// after calls fn when a place has rested.
	after func(rest time.Duration, fn func())
}

// turn is somebody who waits for a place.
type turn struct {
	rank rank
	// granted is sent true with a place, or false when it is turned away.
	granted chan bool
}

func newTurns(places, room int) *turns {
	return &turns{free: places, room: room, after: func(rest time.Duration, fn func()) { time.AfterFunc(rest, fn) }}
}

// place is one that somebody holds. It is given back once, however often leave and rest are
// called.
type place struct {
	turns *turns
	rank  rank
	began time.Time
	given sync.Once
}

// leave gives the place back.
func (p *place) leave() { p.given.Do(func() { p.turns.giveBack(0) }) }

// rest gives the place back after a wrong guess.
func (p *place) rest() {
	if !p.rank.anonymous {
		p.leave()
		return
	}
	p.given.Do(func() {
		p.turns.giveBack(1)
		p.turns.after(min(restFor*clock.Since(p.began), longestRest), p.turns.rested)
	})
}

// take waits for a place. Errors: RateLimited for an anonymous caller that was turned away,
// Unavailable for any other; the end of ctx.
func (t *turns) take(ctx context.Context, r rank, timeout time.Duration) (*place, error) {
	own := &turn{rank: r, granted: make(chan bool, 1)}
	t.enter(own)
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case had := <-own.granted:
		if !had {
			return nil, r.shed()
		}
	case <-ctx.Done():
		t.withdraw(own)
		return nil, fmt.Errorf("wait for a turn to hash: %w", context.Cause(ctx))
	case <-timer.C:
		t.withdraw(own)
		return nil, r.shed()
	}
	return &place{turns: t, rank: r, began: clock.Mark()}, nil
}

// enter gives own a place, lets it wait, or turns the last in rank away.
func (t *turns) enter(own *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := len(t.waiting)
	for at > 0 && own.rank.goesBefore(t.waiting[at-1].rank) {
		at--
	}
	t.waiting = slices.Insert(t.waiting, at, own)
	t.grant()
	if last := len(t.waiting) - 1; last >= t.room {
		t.waiting[last].granted <- false
		t.waiting = slices.Delete(t.waiting, last, last+1)
	}
}

// giveBack takes a place back; rests is 1 for one that rests.
func (t *turns) giveBack(rests int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free++
	t.resting += rests
	t.grant()
}

// rested ends the rest of a place, or of another one where it was given to somebody known.
func (t *turns) rested() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.resting--
	t.grant()
}

// grant gives the places that are free to those who are next. The caller holds mu.
func (t *turns) grant() {
	for len(t.waiting) > 0 && t.free > 0 && (t.free > t.resting || !t.waiting[0].rank.anonymous) {
		t.free--
		t.waiting[0].granted <- true
		t.waiting = slices.Delete(t.waiting, 0, 1)
	}
}

// withdraw ends a wait; a place that was granted meanwhile goes to who is next.
func (t *turns) withdraw(own *turn) {
	t.mu.Lock()
	if at := slices.Index(t.waiting, own); at >= 0 {
		t.waiting = slices.Delete(t.waiting, at, at+1)
	}
	t.mu.Unlock()
	// Nobody grants it anything once it does not wait.
	select {
	case had := <-own.granted:
		if had {
			t.giveBack(0)
		}
	default:
	}
}

func (r rank) shed() error {
	if r.anonymous {
		return apperr.New(apperr.RateLimited, "Too many people are signing in at the moment. Your credentials were not checked; try again in a moment.").After(comeBack)
	}
	return apperr.New(apperr.Unavailable, "Too many people are signing in at the moment. Try again.").After(comeBack)
}
