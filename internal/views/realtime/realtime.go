// Package realtime sends events to open pages: changes by other users, and the users on the
// same resource.
//
// Invariants:
//
//   - A stream contains events of its caller's tenant only, and events of a topic with a
//     permission only while the caller has it.
//   - If a stream may have missed events, it sends a lagged event: the client then reads its
//     data again.
//   - Presence is advisory. It blocks nothing, is stored in memory only, is bounded per
//     tenant, and expires.
//   - All processes on one event bus have the same presence, except for messages in flight.
//     A process that has just started is complete after the next heartbeat of each tab.
package realtime

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"interlock/internal/base/apperr"
	"interlock/internal/base/background"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/events"
)

// Presence is the topic of presence.
const Presence = "presence"

const (
	// heartbeatTopic is the topic of heartbeats between processes. Callers cannot request
	// it.
	heartbeatTopic = "presence-heartbeats"
	// sweepEvery is the interval of checks for expired presence.
	sweepEvery = time.Second
	// presenceBuffer is the number of changes of presence by which a stream may fall
	// behind.
	presenceBuffer = 256
)

// Topic is one topic of changes, and the first segment of the paths of its resources.
type Topic struct {
	Name string
	// Permission is required to read these resources; empty for a topic without presence that is
	// sent to every caller except customers.
	Permission string
}

// visibleTo reports whether a caller may receive the topic's changes.
func (t Topic) visibleTo(caller principal.Principal) bool {
	if t.Permission == "" {
		return caller.Kind != principal.Customer
	}
	return caller.May(t.Permission)
}

// Deps are the dependencies of a Service.
type Deps struct {
	Bus   events.Bus
	Clock clock.Clock
	// Topics are all topics that can be requested, in addition to Presence.
	Topics []Topic
}

// Service serves streams and stores presence. It is safe for concurrent use.
type Service struct {
	bus       events.Bus
	clock     clock.Clock
	topics    []Topic
	heartbeat time.Duration
	// process identifies this process in heartbeats.
	process string
	// changed sends changes of presence to the streams of this process.
	changed *events.InProcess

	mu    sync.Mutex
	board *board
}

// New returns a Service. Background receives the presence of other processes, and expires
// presence.
func New(d Deps) *Service {
	return &Service{
		bus: d.Bus, clock: d.Clock, topics: d.Topics, heartbeat: httpapi.Heartbeat,
		process: uuid.NewString(), changed: events.NewInProcess(presenceBuffer), board: newBoard(),
	}
}

// Background returns the services that receive messages of the other processes and expire presence.
func (s *Service) Background() []background.Service {
	return []background.Service{
		{Name: "receive presence", Every: sweepEvery, Run: func(ctx context.Context) error {
			// Lost heartbeats are not requested again: the next heartbeat of each tab replaces them.
			return events.Receive(ctx, s.bus, func(d events.Delivery) { s.receive(d.Event) }, heartbeatTopic)
		}},
		{Name: "expire presence", Every: sweepEvery, Run: func(context.Context) error {
			s.expire()
			return nil
		}},
	}
}

// resourcePattern is the syntax of a path with one escaped id (url.PathEscape).
var resourcePattern = regexp.MustCompile(`^[a-z-]+/([A-Za-z0-9._~$&+=:@-]|%[0-9A-F]{2}){1,200}$`)

// permissionOf returns the permission to read a resource, or ValidationFailed if the
// resource has no presence.
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

// visited returns the topics with presence.
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
