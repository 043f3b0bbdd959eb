// Package actions stores the likes, dislikes and bookmarks of customers and users.
//
// Invariants:
//
//   - Like and dislike of one resource share a group, and with it the last action id and the
//     state: at most one of them is active. Bookmark is a separate group.
//   - The last action id of a group only grows, in the transaction of the state. The state is
//     therefore that of the action with the highest id, in any order of arrival, if the
//     actions set the state (a toggle depends on the state before).
//   - An id acts once; a repeat changes nothing.
//   - The counts of a resource are the sums of its shards. Each changes in the transaction of
//     the state that it counts, so the counts always equal the rows.
//
// A resource is identified by the id of its row, so a deleted and recreated one has no likes.
package actions

import (
	"hash/fnv"
	"strconv"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
)

const (
	readPermission  = "actions:read"
	writePermission = "actions:write"
)

// CustomerPermissions are the permissions of every customer: to read the counts of all resources and
// its actions, and to like, dislike and bookmark.
var CustomerPermissions = []string{readPermission, writePermission}

// Kind is a kind of action.
type Kind string

// The kinds of action.
const (
	Like     Kind = "like"
	Dislike  Kind = "dislike"
	Bookmark Kind = "bookmark"
)

var kinds = []Kind{Like, Dislike, Bookmark}

// none is the state of a group in which nothing is active.
const none Kind = ""

// group names the kinds that exclude each other and share one last action id.
func (k Kind) group() string {
	if k == Bookmark {
		return "bookmark"
	}
	return "reaction"
}

// The types of things that can be acted on.
const (
	Item   = "item"
	Coupon = "coupon"
)

// Outcome is the result of an action.
type Outcome string

// The outcomes.
const (
	// Applied: its id was the highest, and it set the state.
	Applied Outcome = "applied"
	// Duplicate: it was applied before, and it is still the latest.
	Duplicate Outcome = "duplicate"
	// Stale: a later one was applied before.
	Stale Outcome = "stale"
)

// Request is an action to be applied.
type Request struct {
	EntityType string
	// EntityID is the sku of an item, the code of a coupon.
	EntityID string
	Kind     Kind
	// ActionID orders the actions of one actor in a group: from 1, growing, such as
	// the time in ms since 1970.
	ActionID int64
	// Active is nil to toggle.
	Active *bool
}

// Result is the state after an action.
type Result struct {
	// Active reports whether the requested kind is active now.
	Active       bool
	LastActionID int64
	Outcome      Outcome
}

// latest is the row of one group of one actor on one thing.
type latest struct {
	TenantID     int64
	EntityType   string
	EntityID     int64
	ActionGroup  string
	ActorKind    string
	ActorID      string
	LastActionID int64
	LastAction   Kind
	LastActive   *bool
	State        Kind
	UpdatedTime  time.Time
}

// TableName implements gorm's Tabler.
func (latest) TableName() string { return "actions" }

// after returns the state that a request makes of one. An action that is withdrawn leaves
// nothing active, also where the other kind of its group was: otherwise the state would
// depend on which of the earlier actions have arrived, and not on the highest id alone.
func after(state Kind, r Request) Kind {
	active := state != r.Kind
	if r.Active != nil {
		active = *r.Active
	}
	if active {
		return r.Kind
	}
	return none
}

// outcome compares a request with the last one that was applied. Errors:
// IdempotencyKeyReused when the ids are equal and the contents are not.
func (l *latest) outcome(r Request) (Outcome, error) {
	switch {
	case r.ActionID > l.LastActionID:
		return Applied, nil
	case r.ActionID < l.LastActionID:
		return Stale, nil
	case l.LastAction != r.Kind || !sameWish(l.LastActive, r.Active):
		return "", apperr.New(apperr.IdempotencyKeyReused, "Action id %d was used for another action on this %s; nothing was changed. Use a higher one.", r.ActionID, r.EntityType)
	}
	return Duplicate, nil
}

func sameWish(a, b *bool) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func (l *latest) result(r Request, outcome Outcome) Result {
	return Result{Active: l.State == r.Kind, LastActionID: l.LastActionID, Outcome: outcome}
}

// Counts are how many have an action active on one thing.
type Counts struct {
	Likes, Dislikes, Bookmarks int64
}

// count is one shard of a thing's counts. As a change, its numbers are differences.
type count struct {
	TenantID   int64
	EntityType string
	EntityID   int64
	Shard      int
	Counts     `gorm:"embedded"`
}

// TableName implements gorm's Tabler.
func (count) TableName() string { return "action_counts" }

// shards is how many rows the counts of one thing are spread over. A shard's row stays
// locked for the rest of its unit, some milliseconds, so 32 let thousands a second
// through, and are few to add up.
const shards = 32

// shardOf is always the same for an actor, so its second action finds the row of the
// first. Numbers are spread by their value, everything else by its hash.
func shardOf(actorID string) int {
	if number, err := strconv.ParseInt(actorID, 10, 64); err == nil {
		return int(uint64(number) % shards)
	}
	hash := fnv.New32a()
	hash.Write([]byte(actorID))
	return int(hash.Sum32() % shards)
}

// difference returns the change of the counts for a change of state.
func difference(before, now Kind) Counts {
	var c Counts
	c.add(before, -1)
	c.add(now, 1)
	return c
}

func (c *Counts) add(kind Kind, n int64) {
	switch kind {
	case Like:
		c.Likes += n
	case Dislike:
		c.Dislikes += n
	case Bookmark:
		c.Bookmarks += n
	}
}

// actor is who acts. Customers are counted apart from users: the shop may call a customer
// by the number of a user.
type actor struct {
	kind string
	id   string
}

// actorOf returns the customer that calls or that a token names, otherwise the caller's user.
func actorOf(p principal.Principal) actor {
	if id, ok := p.Customer(); ok {
		return actor{kind: "customer", id: string(id)}
	}
	return actor{kind: "user", id: p.ActorID()}
}
