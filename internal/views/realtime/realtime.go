// Package realtime tells pages what happens while they are open: what others
// change, and who else is looking.
//
// Invariants:
//
//   - A stream carries events of its caller's tenant only, and of a topic only while
//     the caller holds the permission to read it.
//   - What a stream may have missed is announced on it: the reader then reads anew
//     what it shows.
//   - Presence is advisory. It blocks nothing, lives in memory only, is bounded for
//     each tenant, and ends by itself.
//   - All processes on one event bus show the same presence, but for what is on its
//     way between them. One that has just started knows everybody after the next
//     heartbeat of each.
package realtime

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/strictjson"
	"interlock/internal/edge/httpapi"
	"interlock/internal/events"
)

// Presence is the topic that says who is where.
const Presence = "presence"

const (
	// heartbeatTopic is where processes tell one another of heartbeats. It is not one
	// that a caller can ask for.
	heartbeatTopic = "presence-heartbeats"
	// sweepEvery is how often expired presence is looked for.
	sweepEvery = time.Second
	// presenceBuffer is how many changes of presence a stream may fall behind.
	presenceBuffer = 256
)

// Topic is one topic of changes, which is the first segment of its resources' paths
// too.
type Topic struct {
	Name string
	// Permission is what a caller needs to read these resources.
	Permission string
}

// Deps are what a Service stands on.
type Deps struct {
	Bus   events.Bus
	Clock clock.Clock
	// Topics are all that can be asked for beside Presence.
	Topics []Topic
}

// Service serves streams and keeps presence. It is safe for concurrent use.
type Service struct {
	bus       events.Bus
	clock     clock.Clock
	topics    []Topic
	heartbeat time.Duration
	// process tells this process's heartbeats from those of others.
	process string
	// changed carries changes of presence to the streams of this process.
	changed *events.InProcess

	mu    sync.Mutex
	board *board
}

// New returns a Service. Presence of other processes arrives, and presence expires,
// while Run runs.
func New(d Deps) *Service {
	return &Service{
		bus: d.Bus, clock: d.Clock, topics: d.Topics, heartbeat: httpapi.Heartbeat,
		process: uuid.NewString(), changed: events.NewInProcess(presenceBuffer), board: newBoard(),
	}
}

// Run listens to the other processes and lets presence expire, until ctx ends.
func (s *Service) Run(ctx context.Context) error {
	subscription, err := s.bus.Subscribe(ctx, heartbeatTopic)
	if err != nil {
		return fmt.Errorf("listen to the presence of other processes: %w", err)
	}
	defer subscription.Close()
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		select {
		case d, open := <-subscription.Deliveries():
			if !open {
				return nil
			}
			// A heartbeat that was missed is followed by the next one.
			s.hear(d.Event)
		case <-ticker.C:
			s.expire()
		case <-ctx.Done():
			return nil
		}
	}
}

// Heartbeat says that the caller is on a resource.
type Heartbeat struct {
	// Resource is its path, such as "configs/checkout.tax".
	Resource string `json:"resource" validate:"required"`
	// Field is the place within it that the caller is on; "" for none.
	Field string `json:"field" validate:"max=200"`
	// Tab tells the tabs of one person apart; "" is a tab too.
	Tab string `json:"tab" validate:"max=64"`
	// Leaving takes the tab's presence back.
	Leaving bool `json:"leaving"`
}

// Person is somebody on a resource, however many tabs it has open there.
type Person struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	// Field is the one that was chosen last; "" for none.
	Field string `json:"field"`
	// Since is when the person came.
	Since time.Time `json:"since"`
}

// present are the people on a resource.
type present struct {
	Resource string   `json:"resource"`
	People   []Person `json:"people"`
}

// announced is a heartbeat as processes tell one another.
type announced struct {
	Process string    `json:"process"`
	Person  int64     `json:"person"`
	Name    string    `json:"name"`
	Since   time.Time `json:"since"`
	Heartbeat
}

// Beat records a heartbeat of the caller and returns who else is there. Errors:
// ValidationFailed, Forbidden when the caller may not read the resource, LimitReached
// when there is no room for one more.
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
	a := announced{Process: s.process, Person: caller.UserID, Name: caller.Name, Since: now, Heartbeat: h}

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

// announce tells the other processes. When it cannot, they go without this one
// heartbeat; the bus reports its own outages.
func (s *Service) announce(ctx context.Context, tenant int64, a announced) {
	payload, err := strictjson.Encode(a)
	if err == nil {
		err = s.bus.Publish(ctx, events.Event{Topic: heartbeatTopic, Tenant: tenant, Key: a.Resource, Payload: payload})
	}
	if err != nil {
		slog.DebugContext(ctx, "a heartbeat of presence did not reach the other processes", "error", err)
	}
}

// hear records a heartbeat that another process had.
func (s *Service) hear(event events.Event) {
	var a announced
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

// apply puts a heartbeat on the board and returns since when its person is there. The
// caller holds mu.
func (s *Service) apply(at place, a announced, now time.Time) time.Time {
	before := s.board.people(at, 0)
	if a.Leaving {
		s.board.leave(at, a.Person, a.Tab)
	} else {
		s.board.enter(at, a, now)
	}
	if after := s.board.people(at, 0); !samePeople(before, after) {
		s.tell(at, after)
	}
	return s.board.since(at, a.Person, a.Since)
}

func (s *Service) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, at := range s.board.expire(s.clock.Now()) {
		s.tell(at, s.board.people(at, 0))
	}
}

// tell hands who is at a place to the streams of this process. The caller holds mu,
// so that streams see changes in their order.
func (s *Service) tell(at place, people []Person) {
	payload, err := strictjson.Encode(present{Resource: at.resource, People: people})
	if err == nil {
		err = s.changed.Publish(context.Background(), events.Event{Topic: Presence, Tenant: at.tenant, Key: at.resource, Payload: payload})
	}
	if err != nil {
		slog.Error("a change of presence was not told", "resource", at.resource, "error", err)
	}
}

// whereabouts returns who is where in a tenant.
func (s *Service) whereabouts(tenant int64) []present {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.board.of(tenant)
}

var resourcePattern = regexp.MustCompile(`^[a-z-]+/[A-Za-z0-9._-]{1,100}$`)

// permissionOf returns what it takes to read a resource, or ValidationFailed when
// nobody can be on it.
func (s *Service) permissionOf(resource string) (string, error) {
	const pointer = "/resource"
	if !resourcePattern.MatchString(resource) {
		return "", apperr.Invalid(apperr.Field{
			Pointer: pointer, Code: "pattern", Message: "must be the path of a resource, such as configs/checkout.tax",
		})
	}
	kind, _, _ := strings.Cut(resource, "/")
	topic, ok := s.topic(kind)
	if !ok {
		return "", apperr.Invalid(apperr.Field{
			Pointer: pointer, Code: "oneof", Message: "must begin with one of " + strings.Join(s.names(), ", "),
		})
	}
	return topic.Permission, nil
}

func (s *Service) topic(name string) (Topic, bool) {
	for _, topic := range s.topics {
		if topic.Name == name {
			return topic, true
		}
	}
	return Topic{}, false
}

func (s *Service) names() []string {
	names := make([]string, len(s.topics))
	for i, topic := range s.topics {
		names[i] = topic.Name
	}
	return names
}
