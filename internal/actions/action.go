// Package actions stores the likes, dislikes and bookmarks of customers and users.
//
// Invariants:
//
//   - Like and dislike of one resource share a group, and therefore the last action id and the
//     state, so at most one of them is active. Bookmark is a separate group.
//   - The last action id of a group only grows, and changes in the transaction of the state. If the
//     actions set Active, the state is therefore that of the action with the highest id, in any
//     order of arrival. A toggle depends on the state before.
//   - An action id is applied once; a repeat changes nothing.
//   - The counts of a resource are the sums of its shards. Each changes in the transaction of
//     the state that it counts, so the counts always equal the rows.
//
// A resource is identified by the id of its row, so a deleted and recreated resource has no likes.
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

// CustomerPermissions are the permissions of every customer: reading the counts of all resources
// and the customer's actions, and writing likes, dislikes and bookmarks.
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

// none is the state of a group without an active action.
const none Kind = ""

// group returns the name of the kind's group. The kinds of a group exclude each other and share one
// last action id.
func (k Kind) group() string {
	if k == Bookmark {
		return "bookmark"
	}
	return "reaction"
}

// The types of resources that can be liked, disliked and bookmarked.
const (
	Item   = "item"
	Coupon = "coupon"
)

// Outcome is the result of an action.
type Outcome string

// The outcomes.
const (
	// Applied: the action's id was the highest, and the action set the state.
	Applied Outcome = "applied"
	// Duplicate: the action was already applied, and is still the latest.
	Duplicate Outcome = "duplicate"
	// Stale: an action with a higher id was already applied.
	Stale Outcome = "stale"
)

// Request is an action to be applied.
type Request struct {
	EntityType string
	// EntityID is the sku of an item or the code of a coupon.
	EntityID string
	Kind     Kind
	// ActionID orders the actions of one actor in a group: at least 1 and increasing, such as the
	// time in ms since 1970.
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

// latest is the row of one actor's group of actions on one resource.
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

// after returns the state of a group after a request. Withdrawing a kind leaves no kind active,
// even if the other kind of the group was active: otherwise the state would depend on the earlier
// actions that have arrived, not only on the action with the highest id.
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

// outcome compares a request with the last applied one. Errors: IdempotencyKeyReused if both have
// the same id and different content.
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

// Counts are the numbers of actors with an active action on one resource.
type Counts struct {
	Likes, Dislikes, Bookmarks int64
}

// count is one shard of a resource's counts.
type count struct {
	TenantID   int64
	EntityType string
	EntityID   int64
	Shard      int
	Counts     `gorm:"embedded"`
}

// TableName implements gorm's Tabler.
func (count) TableName() string { return "action_counts" }

// shards is the number of rows among which the counts of one resource are divided. A unit locks its
// shard's row until it ends, for some milliseconds, so 32 shards allow thousands of actions per
// second, and reading their sum stays cheap.
const shards = 32

// shardOf returns the shard of an actor. It is the same for all actions of the actor, so a later
// action finds the row of the first. Numeric ids are distributed by value, other ids by hash.
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

// actor is the customer or user that acts. The kind separates them, because a customer's id may
// equal a user's id.
type actor struct {
	kind string
	id   string
}

// actorOf returns the calling customer or the customer that a token acts for, otherwise the
// caller's user.
func actorOf(p principal.Principal) actor {
	if id, ok := p.Customer(); ok {
		return actor{kind: "customer", id: string(id)}
	}
	return actor{kind: "user", id: p.ActorID()}
}
