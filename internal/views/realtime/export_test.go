package realtime

import (
	"context"
	"time"

	"interlock/internal/events"
)

// The bounds that tests fill up.
const (
	TabsOfTenant = tabsOfTenant
	TabsOfPerson = tabsOfPerson
	MostPeople   = peopleOfOnePage
)

// BeatEvery makes streams ping at another pace. It is called before they begin.
func (s *Service) BeatEvery(d time.Duration) { s.heartbeat = d }

// FallBehind lets streams fall behind presence by no more than n changes. It is called
// before they begin.
func (s *Service) FallBehind(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = events.NewInProcess(n)
}

// Expire looks for expired presence as Run does every second.
func (s *Service) Expire() { s.expire() }

// Shown returns the changes of presence that streams of a tenant are sent.
func (s *Service) Shown(ctx context.Context, tenant int64) (*events.Subscription, error) {
	return s.changed.SubscribeTenant(ctx, tenant, Presence)
}

// Kept is how many tabs are remembered, and how many entries there are for them.
func (s *Service) Kept() (tabs, entries int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, count := range s.board.tabs {
		tabs += count
	}
	return tabs, len(s.board.places) + len(s.board.tabs)
}
