package realtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/events"
	"interlock/internal/views/realtime"
)

const page = "configs/checkout.tax"

func ids(people []realtime.Person) []int64 {
	ids := []int64{}
	for _, p := range people {
		ids = append(ids, p.ID)
	}
	return ids
}

func TestPresenceExcludesTheCaller(t *testing.T) {
	p := alone(t)
	ada, li := person(t, 1, 7), person(t, 1, 8)
	require.Empty(t, p.beat(t, ada, realtime.Heartbeat{Resource: page, Field: "/value"}))
	p.clock.Advance(time.Second)
	require.Equal(t, []realtime.Person{{ID: 7, Name: "Person 7", Field: "/value", Since: noon}},
		p.beat(t, li, realtime.Heartbeat{Resource: page}))
	require.Equal(t, []realtime.Person{{ID: 8, Name: "Person 8", Since: noon.Add(time.Second)}},
		p.beat(t, ada, realtime.Heartbeat{Resource: page}))
	require.Empty(t, p.beat(t, ada, realtime.Heartbeat{Resource: "configs/other"}), "another resource is separate")
	require.Empty(t, p.beat(t, person(t, 2, 9), realtime.Heartbeat{Resource: page}), "another tenant is separate")
}

func TestPresenceEndsTwelveSecondsAfterTheLastHeartbeat(t *testing.T) {
	p := alone(t)
	ada, li := person(t, 1, 7), person(t, 1, 8)
	p.beat(t, ada, realtime.Heartbeat{Resource: page})
	p.clock.Advance(11 * time.Second)
	p.Expire()
	require.Equal(t, []int64{7}, ids(p.beat(t, li, realtime.Heartbeat{Resource: page})))

	p.beat(t, ada, realtime.Heartbeat{Resource: page})
	p.clock.Advance(11 * time.Second)
	p.Expire()
	require.Equal(t, []int64{7}, ids(p.beat(t, li, realtime.Heartbeat{Resource: page})), "each heartbeat counts again")

	p.clock.Advance(time.Second)
	p.Expire()
	require.Empty(t, p.beat(t, li, realtime.Heartbeat{Resource: page}))
	p.clock.Advance(12 * time.Second)
	p.Expire()
	tabs, entries := p.Kept()
	require.Zero(t, tabs+entries, "ended presence uses no memory")
}

func TestExpiryRunsAutomatically(t *testing.T) {
	p := alone(t)
	shown, err := p.Shown(t.Context(), 1)
	require.NoError(t, err)
	p.beat(t, person(t, 1, 7), realtime.Heartbeat{Resource: page})
	require.Equal(t, []int64{7}, ids(people(t, shown)))
	p.clock.Advance(12 * time.Second)
	require.Empty(t, people(t, shown))
}

func TestTwoTabsCountAsOneUser(t *testing.T) {
	p := alone(t)
	ada, li := person(t, 1, 7), person(t, 1, 8)
	for _, step := range []struct {
		name      string
		heartbeat realtime.Heartbeat
		field     string
		there     bool
	}{
		{"the first tab comes", realtime.Heartbeat{Tab: "a", Field: "/value"}, "/value", true},
		{"a tab without a field reports none", realtime.Heartbeat{Tab: "b"}, "/value", true},
		{"the second tab chooses a field", realtime.Heartbeat{Tab: "b", Field: "/remark"}, "/remark", true},
		{"a repeated field is not a change", realtime.Heartbeat{Tab: "a", Field: "/value"}, "/remark", true},
		{"the first tab chooses again", realtime.Heartbeat{Tab: "a", Field: "/schema"}, "/schema", true},
		{"the first tab leaves", realtime.Heartbeat{Tab: "a", Leaving: true}, "/remark", true},
		{"a tab that is not there leaves", realtime.Heartbeat{Tab: "c", Leaving: true}, "/remark", true},
		{"the last tab leaves", realtime.Heartbeat{Tab: "b", Leaving: true}, "", false},
	} {
		p.clock.Advance(time.Second)
		step.heartbeat.Resource = page
		p.beat(t, ada, step.heartbeat)
		others := p.beat(t, li, realtime.Heartbeat{Resource: page})
		if !step.there {
			require.Empty(t, others, step.name)
			continue
		}
		require.Equal(t, []realtime.Person{{ID: 7, Name: "Person 7", Field: step.field, Since: noon.Add(time.Second)}}, others, step.name)
	}
}

// people waits for the next change of presence and returns the users.
func people(t *testing.T, shown *events.Subscription) []realtime.Person {
	t.Helper()
	var data struct {
		Resource string
		People   []realtime.Person
	}
	event := receive(t, shown.Deliveries(), "a change of presence").Event
	require.NoError(t, json.Unmarshal(event.Payload, &data))
	require.Equal(t, event.Key, data.Resource)
	return data.People
}

func TestProcessesAgreeOnPresence(t *testing.T) {
	eachBus(t, func(t *testing.T, newBus func() events.Bus) {
		here, there := newProcess(t, newBus()), newProcess(t, newBus())
		shown, err := there.Shown(t.Context(), 1)
		require.NoError(t, err)
		ada, li := person(t, 1, 7), person(t, 1, 8)
		untilHeard(t, here, there)

		here.beat(t, ada, realtime.Heartbeat{Resource: page, Field: "/value"})
		want := []realtime.Person{{ID: 7, Name: "Person 7", Field: "/value", Since: noon}}
		require.Equal(t, want, people(t, shown))
		there.clock.Advance(time.Second)
		require.Equal(t, want, there.beat(t, li, realtime.Heartbeat{Resource: page}))
		require.Len(t, people(t, shown), 2)

		// The next heartbeats of the same tab arrive at the other process.
		there.beat(t, ada, realtime.Heartbeat{Resource: page, Field: "/remark"})
		require.Equal(t, "/remark", people(t, shown)[0].Field)
		here.beat(t, ada, realtime.Heartbeat{Resource: page, Leaving: true})
		require.Equal(t, []int64{8}, ids(people(t, shown)))
	})
}

func TestProcessIgnoresItsEchoedHeartbeats(t *testing.T) {
	eachBus(t, func(t *testing.T, newBus func() events.Bus) {
		const rounds = 20
		here, there := newProcess(t, newBus()), newProcess(t, newBus())
		untilHeard(t, there, here)
		untilHeard(t, here, there)
		shown, err := here.Shown(t.Context(), 1)
		require.NoError(t, err)
		ada := person(t, 1, 7)
		for range rounds {
			here.beat(t, ada, realtime.Heartbeat{Resource: page})
			here.beat(t, ada, realtime.Heartbeat{Resource: page, Leaving: true})
		}
		// Messages of the other process after this one follow the echoes.
		at, err := there.Shown(t.Context(), 1)
		require.NoError(t, err)
		here.beat(t, ada, realtime.Heartbeat{Resource: "configs/last"})
		for event := receive(t, at.Deliveries(), "the last heartbeat"); event.Event.Key != "configs/last"; {
			event = receive(t, at.Deliveries(), "the last heartbeat")
		}
		there.beat(t, person(t, 1, 8), realtime.Heartbeat{Resource: "configs/marker"})
		for range rounds {
			require.Len(t, people(t, shown), 1)
			require.Empty(t, people(t, shown))
		}
		require.Equal(t, "configs/last", receive(t, shown.Deliveries(), "the last heartbeat").Event.Key)
		require.Equal(t, "configs/marker", receive(t, shown.Deliveries(), "the marker").Event.Key)
	})
}

// untilHeard returns once heartbeats of one process arrive at another.
func untilHeard(t *testing.T, from, at process) {
	t.Helper()
	tenant := 1000 + rand.Int64N(1<<40)
	shown, err := at.Shown(t.Context(), tenant)
	require.NoError(t, err)
	defer shown.Close()
	ada := person(t, tenant, 7)
	for tries := 0; ; tries++ {
		from.beat(t, ada, realtime.Heartbeat{Resource: page})
		select {
		case <-shown.Deliveries():
			return
		case <-time.After(20 * time.Millisecond):
			require.Less(t, tries, 500, "the other process receives nothing")
		}
	}
}

func TestPresenceStartsAtEarliestKnownTime(t *testing.T) {
	eachBus(t, func(t *testing.T, newBus func() events.Bus) {
		here, later := newProcess(t, newBus()), newProcess(t, newBus())
		later.clock.Advance(time.Hour)
		untilHeard(t, here, later)
		shown, err := later.Shown(t.Context(), 1)
		require.NoError(t, err)
		later.beat(t, person(t, 1, 7), realtime.Heartbeat{Resource: page})
		require.Equal(t, noon.Add(time.Hour), people(t, shown)[0].Since)
		here.beat(t, person(t, 1, 7), realtime.Heartbeat{Resource: page, Field: "/value"})
		require.Equal(t, noon, people(t, shown)[0].Since)
	})
}

func TestPresenceIsBounded(t *testing.T) {
	for name, c := range map[string]struct {
		// fill returns the n-th of room heartbeats; each of them is accepted.
		fill func(t *testing.T, n int) (context.Context, realtime.Heartbeat)
		room int
		// after returns a heartbeat that is rejected after room others.
		after func(t *testing.T) (context.Context, realtime.Heartbeat)
	}{
		"tabs of one person": {
			func(t *testing.T, n int) (context.Context, realtime.Heartbeat) {
				return person(t, 1, 7), realtime.Heartbeat{Resource: page, Tab: fmt.Sprint(n)}
			}, realtime.MaxTabsPerUser,
			func(t *testing.T) (context.Context, realtime.Heartbeat) {
				return person(t, 1, 7), realtime.Heartbeat{Resource: "configs/other", Tab: "more"}
			},
		},
		"people on one resource": {
			func(t *testing.T, n int) (context.Context, realtime.Heartbeat) {
				return person(t, 1, int64(n+1)), realtime.Heartbeat{Resource: page}
			}, realtime.MaxUsersPerPage,
			func(t *testing.T) (context.Context, realtime.Heartbeat) {
				return person(t, 1, 5000), realtime.Heartbeat{Resource: page}
			},
		},
		"tabs of one tenant": {
			func(t *testing.T, n int) (context.Context, realtime.Heartbeat) {
				return person(t, 1, int64(n+1)), realtime.Heartbeat{Resource: fmt.Sprintf("configs/%d", n)}
			}, realtime.TabsOfTenant,
			func(t *testing.T) (context.Context, realtime.Heartbeat) {
				return person(t, 1, 5000), realtime.Heartbeat{Resource: page}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := alone(t)
			for n := range c.room {
				ctx, h := c.fill(t, n)
				p.beat(t, ctx, h)
			}
			ctx, h := c.after(t)
			_, err := p.Beat(ctx, h)
			require.True(t, apperr.Has(err, apperr.LimitReached), "%v", err)
			tabs, _ := p.Kept()
			require.Equal(t, c.room, tabs)

			first, known := c.fill(t, 0)
			p.beat(t, first, known)
			p.beat(t, person(t, 2, 5000), realtime.Heartbeat{Resource: page})
			known.Leaving = true
			p.beat(t, first, known)
			p.beat(t, ctx, h)
		})
	}
}

func TestPresenceNeedsTheRightToReadTheResource(t *testing.T) {
	p := alone(t)
	for name, c := range map[string]struct {
		resource string
		code     apperr.Code
	}{
		"may read":               {"configs/a.b", ""},
		"may not read":           {"orders/41", apperr.Forbidden},
		"of no kind that is":     {"users/1", apperr.ValidationFailed},
		"presence has no cursor": {"presence/1", apperr.ValidationFailed},
		"no path":                {"configs", apperr.ValidationFailed},
		"a path below":           {"configs/a/b", apperr.ValidationFailed},
		"characters of no key":   {"configs/a b", apperr.ValidationFailed},
		"a key that is too long": {"configs/" + string(make([]byte, 101)), apperr.ValidationFailed},
	} {
		_, err := p.Beat(person(t, 1, 7, "configs:read"), realtime.Heartbeat{Resource: c.resource})
		if c.code == "" {
			require.NoError(t, err, name)
			continue
		}
		require.True(t, apperr.Has(err, c.code), "%s: %v", name, err)
	}
	tabs, _ := p.Kept()
	require.Equal(t, 1, tabs)
}

func TestUnchangedHeartbeatsPublishNoEvent(t *testing.T) {
	p := alone(t)
	shown, err := p.Shown(t.Context(), 1)
	require.NoError(t, err)
	ada := person(t, 1, 7)
	for range 3 {
		p.beat(t, ada, realtime.Heartbeat{Resource: page, Field: "/value"})
	}
	p.beat(t, ada, realtime.Heartbeat{Resource: page, Field: "/remark"})
	require.Equal(t, "/value", people(t, shown)[0].Field)
	require.Equal(t, "/remark", people(t, shown)[0].Field)
	require.Empty(t, shown.Deliveries())
}
