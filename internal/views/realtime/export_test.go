package realtime

import (
	"context"
	"time"

	"interlock/internal/events"
)

// Bounds that tests reach.
const (
	TabsOfTenant    = maxTabsPerTenant
	MaxTabsPerUser  = maxTabsPerUser
	MaxUsersPerPage = maxUsersPerPage
)

// BeatEvery sets the ping interval of streams. It must be called before they start.
func (s *Service) BeatEvery(d time.Duration) { s.heartbeat = d }

// FallBehind sets the number of changes of presence by which streams may fall behind. It
// must be called before they start.
func (s *Service) FallBehind(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = events.NewInProcess(n)
}

// Expire expires presence, as Run does every second.
func (s *Service) Expire() { s.expire() }

// Shown returns the changes of presence that are sent to streams of a tenant.
func (s *Service) Shown(ctx context.Context, tenant int64) (*events.Subscription, error) {
	return s.changed.SubscribeTenant(ctx, tenant, Presence)
}

// Kept returns the number of stored tabs, and of index entries for them.
func (s *Service) Kept() (tabs, entries int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, count := range s.board.tabs {
		tabs += count
	}
	return tabs, len(s.board.places) + len(s.board.tabs)
}
