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
	// wanted are the topics that are sent, Presence among them when it is.
	wanted []string
	// changes and presence are nil when they were not asked for.
	changes, presence *events.Subscription
}

// serve sends what is asked for until the stream or the caller's right to it ends. Changes
// begin behind the last event of a stream before, if there was one.
func (s *Service) serve(ctx context.Context, asked []string, last *string, stream *httpapi.Stream) error {
	f := feed{Service: s, stream: stream}
	var err error
	if f.wanted, err = f.granted(asked); err != nil {
		return err
	}
	if err := f.subscribe(ctx, last); err != nil {
		return err
	}
	defer f.close()
	if err := stream.Send(f.place(), "ready", topicsView{f.wanted}); err != nil {
		return err
	}
	if err := f.sendAllPresence(); err != nil {
		return err
	}
	return f.run(ctx)
}

// maxShownTopic is how many characters of an unknown topic its refusal repeats.
const maxShownTopic = 64

// asked returns the topics that a request names, each once, and all when it names none.
func (s *Service) asked(names []string) ([]string, error) {
	known := append(s.names(), Presence)
	if len(names) == 0 {
		return known, nil
	}
	var asked []string
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, apperr.Malformed("?topics", "must be topics of "+strings.Join(known, ", ")+", with commas between them; there is no \""+clip.Text(name, maxShownTopic)+"\"")
		}
		if !slices.Contains(asked, name) {
			asked = append(asked, name)
		}
	}
	return asked, nil
}

// granted returns those of the topics that the caller may be sent. None is Forbidden.
func (f *feed) granted(asked []string) ([]string, error) {
	var granted []string
	for _, name := range asked {
		if f.may(name) {
			granted = append(granted, name)
		}
	}
	if len(granted) == 0 {
		return nil, apperr.New(apperr.Forbidden, "You have no permission to read any of %s.", strings.Join(asked, ", "))
	}
	return granted, nil
}

// may reports whether the caller may be sent a topic now. Presence is for who may
// read anything at all, and is looked at again for each resource.
func (f *feed) may(name string) bool {
	caller := f.stream.Caller()
	if name == Presence {
		return slices.ContainsFunc(f.topics, func(t Topic) bool { return t.Permission != "" && caller.May(t.Permission) })
	}
	topic, ok := f.topic(name)
	return ok && topic.heardBy(caller)
}

func (f *feed) subscribe(ctx context.Context, last *string) error {
	tenant := f.stream.Caller().TenantID
	var err error
	if slices.Contains(f.wanted, Presence) {
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

// place is where the changes begin; "" for a stream without any.
func (f *feed) place() string {
	if f.changes == nil {
		return ""
	}
	return f.changes.Place()
}

// changeTopics are the topics of the event bus.
func (f *feed) changeTopics() []string {
	return slices.DeleteFunc(slices.Clone(f.wanted), func(name string) bool { return name == Presence })
}

func (f *feed) close() {
	for _, subscription := range []*events.Subscription{f.changes, f.presence} {
		if subscription != nil {
			subscription.Close()
		}
	}
}

// run passes deliveries on until the stream or the caller's right to it ends.
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

// ping keeps the link alive, and ends a stream that its caller may be sent nothing of
// any more.
func (f *feed) ping() error {
	if err := f.stream.Ping(); err != nil {
		return err
	}
	_, err := f.granted(f.wanted)
	return err
}

// deliveries of a subscription that is not there never come.
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
		// Another release's event: that something happened is all that it says here.
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

// sendAllPresence sends who is where now, as far as the caller may know.
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
