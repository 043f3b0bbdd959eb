// Package realtime tells pages what happens while they are open: what others
// change, and who else is looking.
//
// Invariants:
//
//   - A stream carries events of its caller's tenant only, and of a topic that needs a
//     permission only while the caller holds it.
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
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
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
	// Permission is what a caller needs to read these resources; empty for a topic that
	// everybody hears who is no customer, and on whose resources nobody is present.
	Permission string
}

// heardBy reports whether a caller may be told of the topic's changes.
func (t Topic) heardBy(caller principal.Principal) bool {
	if t.Permission == "" {
		return caller.Kind != principal.Customer
	}
	return caller.May(t.Permission)
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
			s.receive(d.Event)
		case <-ticker.C:
			s.expire()
		case <-ctx.Done():
			return nil
		}
	}
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
	if !ok || topic.Permission == "" {
		return "", apperr.Invalid(apperr.Field{
			Pointer: pointer, Code: "oneof", Message: "must begin with one of " + strings.Join(s.visited(), ", "),
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

// visited names the topics on whose resources somebody can be present.
func (s *Service) visited() []string {
	return slices.DeleteFunc(s.names(), func(name string) bool {
		topic, _ := s.topic(name)
		return topic.Permission == ""
	})
}

func (s *Service) names() []string {
	names := make([]string, len(s.topics))
	for i, topic := range s.topics {
		names[i] = topic.Name
	}
	return names
}
