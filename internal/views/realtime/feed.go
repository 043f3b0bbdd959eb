package realtime

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clip"
	"interlock/internal/edge/httpapi"
	"interlock/internal/events"
)

// feed is one open stream.
type feed struct {
	*Service
	stream *httpapi.Stream
	// granted are the topics to send, including Presence if requested.
	granted []string
	// changes and presence are nil if they were not requested.
	changes, presence *events.Subscription
}

// serve sends the requested topics until the stream or the caller's permission ends.
// Changes start after the last event of an earlier stream, if any.
func (s *Service) serve(ctx context.Context, names []string, last *string, stream *httpapi.Stream) error {
	f := feed{Service: s, stream: stream}
	var err error
	if f.granted, err = f.permitted(names); err != nil {
		return err
	}
	if err := f.subscribe(ctx, last); err != nil {
		return err
	}
	defer f.close()
	if err := stream.Send(f.place(), "ready", topicsView{f.granted}); err != nil {
		return err
	}
	if err := f.sendAllPresence(); err != nil {
		return err
	}
	return f.run(ctx)
}

// maxShownTopic bounds the characters of an unknown topic in its error.
const maxShownTopic = 64

// requestedTopics returns the requested topics without duplicates, or all if the request names none.
func (s *Service) requestedTopics(names []string) ([]string, error) {
	known := append(s.names(), Presence)
	if len(names) == 0 {
		return known, nil
	}
	var requested []string
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, apperr.Malformed("?topics", "must be topics of "+strings.Join(known, ", ")+", with commas between them; there is no \""+clip.Text(name, maxShownTopic)+"\"")
		}
		if !slices.Contains(requested, name) {
			requested = append(requested, name)
		}
	}
	return requested, nil
}

// permitted returns the topics that the caller may receive. If there are none, the error is
// Forbidden.
func (f *feed) permitted(requested []string) ([]string, error) {
	var granted []string
	for _, name := range requested {
		if f.may(name) {
			granted = append(granted, name)
		}
	}
	if len(granted) == 0 {
		return nil, apperr.New(apperr.Forbidden, "You have no permission to read any of %s.", strings.Join(requested, ", "))
	}
	return granted, nil
}

// may reports whether the caller may receive a topic now. Presence requires permission to
// read any resource, and is checked again per resource.
func (f *feed) may(name string) bool {
	caller := f.stream.Caller()
	if name == Presence {
		return slices.ContainsFunc(f.topics, func(t Topic) bool { return t.Permission != "" && caller.May(t.Permission) })
	}
	topic, ok := f.topic(name)
	return ok && topic.visibleTo(caller)
}

func (f *feed) subscribe(ctx context.Context, last *string) error {
	tenant := f.stream.Caller().TenantID
	var err error
	if slices.Contains(f.granted, Presence) {
		if f.presence, err = f.changed.SubscribeTenant(ctx, tenant, Presence); err != nil {
			return err
		}
	}
	switch topics := f.changeTopics(); {
	case len(topics) == 0:
	case last != nil:
		f.changes, err = f.bus.ResumeTenant(ctx, tenant, *last, topics...)
	default:
		f.changes, err = f.bus.SubscribeTenant(ctx, tenant, topics...)
	}
	return err
}

// place returns the cursor at which the changes start; "" for a stream without changes.
func (f *feed) place() string {
	if f.changes == nil {
		return ""
	}
	return f.changes.Cursor()
}

// changeTopics returns the topics of the event bus.
func (f *feed) changeTopics() []string {
	return slices.DeleteFunc(slices.Clone(f.granted), func(name string) bool { return name == Presence })
}

func (f *feed) close() {
	for _, subscription := range []*events.Subscription{f.changes, f.presence} {
		if subscription != nil {
			subscription.Close()
		}
	}
}

// run forwards deliveries until the stream or the caller's permission ends.
func (f *feed) run(ctx context.Context) error {
	heartbeat := time.NewTicker(f.heartbeat)
	defer heartbeat.Stop()
	for {
		var err error
		select {
		case d, open := <-deliveries(f.changes):
			if !open {
				return nil
			}
			err = f.sendChange(d)
		case d, open := <-deliveries(f.presence):
			if !open {
				return nil
			}
			err = f.sendPresence(d)
		case <-heartbeat.C:
			err = f.ping()
		case <-ctx.Done():
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// ping keeps the connection alive. It ends a stream if its caller has lost the permissions for all
// topics.
func (f *feed) ping() error {
	if err := f.stream.Ping(); err != nil {
		return err
	}
	_, err := f.permitted(f.granted)
	return err
}

// deliveries returns a nil channel for a missing subscription.
func deliveries(s *events.Subscription) <-chan events.Delivery {
	if s == nil {
		return nil
	}
	return s.Deliveries()
}

func (f *feed) sendChange(d events.Delivery) error {
	switch {
	case d.Lagged:
		return f.stream.Send("", "lagged", topicsView{f.changeTopics()})
	case !f.may(d.Event.Topic):
		return nil
	}
	view := changeView{Topic: d.Event.Topic, Key: d.Event.Key}
	if err := json.Unmarshal(d.Event.Payload, &view.Change); err != nil {
		// An undecodable event, of another release, only shows that something changed.
		return f.stream.Send(d.Event.ID, "lagged", topicsView{[]string{view.Topic}})
	}
	return f.stream.Send(d.Event.ID, view.Topic, view)
}

func (f *feed) sendPresence(d events.Delivery) error {
	if d.Lagged {
		if err := f.stream.Send("", "lagged", topicsView{[]string{Presence}}); err != nil {
			return err
		}
		return f.sendAllPresence()
	}
	if !f.mayVisit(d.Event.Key) {
		return nil
	}
	return f.stream.Send("", Presence, d.Event.Payload)
}

// sendAllPresence sends the current presence that the caller may read.
func (f *feed) sendAllPresence() error {
	if f.presence == nil {
		return nil
	}
	for _, p := range f.presenceOf(f.stream.Caller().TenantID) {
		if !f.mayVisit(p.Resource) {
			continue
		}
		if err := f.stream.Send("", Presence, p); err != nil {
			return err
		}
	}
	return nil
}

func (f *feed) mayVisit(resource string) bool {
	permission, err := f.permissionOf(resource)
	return err == nil && f.stream.Caller().May(permission)
}
