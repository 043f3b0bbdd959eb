package realtime

import (
	"cmp"
	"slices"
	"time"
)

// Bounds of presence. A tab is one open page of one user.
const (
	// life is the TTL of a heartbeat: two consecutive ones may be lost.
	life             = 12 * time.Second
	maxTabsPerTenant = 2000
	maxTabsPerUser   = 50
	maxUsersPerPage  = 100
)

// place is a resource of a tenant.
type place struct {
	tenant   int64
	resource string
}

// board stores the users on each resource. Its owner must serialize access.
type board struct {
	places map[place]map[int64]*visitor
	// tabs counts the tabs per tenant.
	tabs map[int64]int
}

// visitor is one user on one resource.
type visitor struct {
	name  string
	since time.Time
	tabs  map[string]*tab
}

type tab struct {
	field string
	// chosen is the time of the field's choice; seen is the time of the last heartbeat.
	chosen, seen time.Time
}

func newBoard() *board {
	return &board{places: make(map[place]map[int64]*visitor), tabs: make(map[int64]int)}
}

// hasRoom reports whether a tab can be added on a resource within the bounds.
func (b *board) hasRoom(at place, person int64, name string) bool {
	visitors := b.places[at]
	if v := visitors[person]; v != nil && v.tabs[name] != nil {
		return true
	}
	if b.tabs[at.tenant] >= maxTabsPerTenant || visitors[person] == nil && len(visitors) >= maxUsersPerPage {
		return false
	}
	return b.tabsOf(at.tenant, person) < maxTabsPerUser
}

func (b *board) tabsOf(tenant, person int64) int {
	count := 0
	for at, visitors := range b.places {
		if v := visitors[person]; at.tenant == tenant && v != nil {
			count += len(v.tabs)
		}
	}
	return count
}

// enter records a heartbeat. A user's presence starts at the earliest time known to any
// process.
func (b *board) enter(at place, a heartbeatEvent, now time.Time) {
	visitors := b.places[at]
	if visitors == nil {
		visitors = make(map[int64]*visitor)
		b.places[at] = visitors
	}
	v := visitors[a.Person]
	if v == nil {
		v = &visitor{since: a.Since, tabs: make(map[string]*tab)}
		visitors[a.Person] = v
	}
	v.name = a.Name
	if a.Since.Before(v.since) {
		v.since = a.Since
	}
	t := v.tabs[a.Tab]
	if t == nil {
		t = &tab{chosen: now}
		v.tabs[a.Tab] = t
		b.tabs[at.tenant]++
	}
	if t.field != a.Field {
		t.field, t.chosen = a.Field, now
	}
	t.seen = now
}

// leave removes a tab.
func (b *board) leave(at place, person int64, name string) {
	v := b.places[at][person]
	if v == nil || v.tabs[name] == nil {
		return
	}
	delete(v.tabs, name)
	if b.tabs[at.tenant]--; b.tabs[at.tenant] == 0 {
		delete(b.tabs, at.tenant)
	}
	if len(v.tabs) > 0 {
		return
	}
	delete(b.places[at], person)
	if len(b.places[at]) == 0 {
		delete(b.places, at)
	}
}

// expire removes expired tabs, and returns the resources with visible changes.
func (b *board) expire(now time.Time) []place {
	var changed []place
	for at, visitors := range b.places {
		before := b.people(at, 0)
		for person, v := range visitors {
			for name, t := range v.tabs {
				if now.Sub(t.seen) >= life {
					b.leave(at, person, name)
				}
			}
		}
		if !equalUsers(before, b.people(at, 0)) {
			changed = append(changed, at)
		}
	}
	return changed
}

// people returns the users on a resource except one (0 for none), in order of arrival.
func (b *board) people(at place, without int64) []Person {
	visitors := b.places[at]
	people := make([]Person, 0, len(visitors))
	for id, v := range visitors {
		if id != without {
			people = append(people, Person{ID: id, Name: v.name, Field: v.field(), Since: v.since})
		}
	}
	slices.SortFunc(people, func(a, b Person) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID))
	})
	return people
}

// field returns the field that was chosen last in any of the user's tabs. A tab without a
// field is ignored.
func (v *visitor) field() string {
	var field string
	var chosen time.Time
	for _, t := range v.tabs {
		if t.field == "" {
			continue
		}
		if field == "" || cmp.Or(t.chosen.Compare(chosen), cmp.Compare(t.field, field)) > 0 {
			field, chosen = t.field, t.chosen
		}
	}
	return field
}

// since returns the start of a user's presence on a resource, or otherwise if absent.
func (b *board) since(at place, person int64, otherwise time.Time) time.Time {
	if v := b.places[at][person]; v != nil {
		return v.since
	}
	return otherwise
}

// of returns the users on all resources of a tenant, sorted by resource.
func (b *board) of(tenant int64) []Present {
	list := []Present{}
	for at := range b.places {
		if at.tenant == tenant {
			list = append(list, Present{Resource: at.resource, People: b.people(at, 0)})
		}
	}
	slices.SortFunc(list, func(a, b Present) int { return cmp.Compare(a.Resource, b.Resource) })
	return list
}

// equalUsers reports whether two lists have the same representation.
func equalUsers(a, b []Person) bool {
	return slices.EqualFunc(a, b, func(a, b Person) bool {
		return a.ID == b.ID && a.Name == b.Name && a.Field == b.Field
	})
}
