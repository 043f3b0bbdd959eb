package realtime

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/strictjson"
	"interlock/internal/events"
)

// Heartbeat reports that the caller is on a resource.
type Heartbeat struct {
	// Resource is its path, such as "configs/checkout.tax".
	Resource string `json:"resource" validate:"required"`
	// Field is the caller's field within it; "" for none.
	Field string `json:"field" validate:"max=200"`
	// Tab distinguishes the tabs of one user; "" is a tab too.
	Tab string `json:"tab" validate:"max=64"`
	// Leaving ends the tab's presence.
	Leaving bool `json:"leaving"`
}

// heartbeatEvent is a heartbeat in messages between processes.
type heartbeatEvent struct {
	Process string    `json:"process"`
	Person  int64     `json:"person"`
	Name    string    `json:"name"`
	Since   time.Time `json:"since"`
	Heartbeat
}

// Beat records a heartbeat of the caller and returns the other users on the resource.
// Errors: ValidationFailed, Forbidden if the caller may not read the resource, LimitReached
// if a bound is reached.
func (s *Service) Beat(ctx context.Context, h Heartbeat) ([]Person, error) {
	caller, ok := principal.From(ctx)
	if !ok {
		return nil, storage.ErrNoTenant
	}
	permission, err := s.permissionOf(h.Resource)
	if err != nil {
		return nil, err
	}
	if !caller.May(permission) {
		return nil, apperr.New(apperr.Forbidden, "This needs the permission %s, which you do not have.", permission)
	}
	now := s.clock.Now()
	a := heartbeatEvent{Process: s.process, Person: caller.UserID, Name: caller.Name, Since: now, Heartbeat: h}

	s.mu.Lock()
	at := place{caller.TenantID, h.Resource}
	if !h.Leaving && !s.board.hasRoom(at, caller.UserID, h.Tab) {
		s.mu.Unlock()
		return nil, apperr.New(apperr.LimitReached, "No more tabs can be shown: you have too many open, or there are too many people.")
	}
	a.Since = s.apply(at, a, now)
	others := s.board.people(at, caller.UserID)
	s.mu.Unlock()

	s.announce(ctx, caller.TenantID, a)
	return others, nil
}

// announce sends a heartbeat to the other processes. On an error they do not receive this
// heartbeat; the bus reports its outages itself.
func (s *Service) announce(ctx context.Context, tenant int64, a heartbeatEvent) {
	payload, err := strictjson.Encode(a)
	if err == nil {
		err = s.bus.Publish(ctx, events.Event{Topic: heartbeatTopic, Tenant: tenant, Key: a.Resource, Payload: payload})
	}
	if err != nil {
		slog.DebugContext(ctx, "presence: heartbeat not published", "error", err)
	}
}

// receive records a heartbeat of another process.
func (s *Service) receive(event events.Event) {
	var a heartbeatEvent
	if json.Unmarshal(event.Payload, &a) != nil || a.Process == s.process {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := place{event.Tenant, a.Resource}
	if a.Leaving || s.board.hasRoom(at, a.Person, a.Tab) {
		s.apply(at, a, s.clock.Now())
	}
}

// apply records a heartbeat and returns the start of its user's presence. It requires mu.
func (s *Service) apply(at place, a heartbeatEvent, now time.Time) time.Time {
	before := s.board.people(at, 0)
	if a.Leaving {
		s.board.leave(at, a.Person, a.Tab)
	} else {
		s.board.enter(at, a, now)
	}
	if after := s.board.people(at, 0); !equalUsers(before, after) {
		s.publish(at, after)
	}
	return s.board.since(at, a.Person, a.Since)
}

func (s *Service) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, at := range s.board.expire(s.clock.Now()) {
		s.publish(at, s.board.people(at, 0))
	}
}

// publish sends the users on a resource to the streams of this process. It requires mu, so that
// streams get changes in order.
func (s *Service) publish(at place, people []Person) {
	payload, err := strictjson.Encode(Present{Resource: at.resource, People: people})
	if err == nil {
		err = s.changed.Publish(context.Background(), events.Event{Topic: Presence, Tenant: at.tenant, Key: at.resource, Payload: payload})
	}
	if err != nil {
		slog.Error("presence: change not sent to streams", "resource", at.resource, "error", err)
	}
}

// Presence returns the users on each resource of the caller's tenant that the caller may
// read.
func (s *Service) Presence(ctx context.Context) ([]Present, error) {
	caller, ok := principal.From(ctx)
	if !ok {
		return nil, storage.ErrNoTenant
	}
	list := s.presenceOf(caller.TenantID)
	return slices.DeleteFunc(list, func(p Present) bool {
		permission, err := s.permissionOf(p.Resource)
		return err != nil || !caller.May(permission)
	}), nil
}

// presenceOf returns the users on all resources of a tenant.
func (s *Service) presenceOf(tenant int64) []Present {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.board.of(tenant)
}
