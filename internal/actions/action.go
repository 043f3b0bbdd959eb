// Package actions stores what customers and users like, dislike and bookmark.
//
// Invariants:
//
//   - Like and dislike of one thing share a group, and with it the last action id and
//     the state: at most one of them is active. Bookmark is a group of its own.
//   - The last action id of a group only grows, in the transaction of the state that it
//     brought. So the state is what the highest id asked for, in whatever order they
//     came, as long as they say what they want (a toggle needs to know what was before).
//   - An id acts once. The same again changes nothing.
//   - The counts of a thing are the sums of its shards, each changed in the transaction
//     of the state that it counts: they equal the rows at every moment.
//
// A thing is known by its row's id, so one that is deleted and created again has no likes.
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

// CustomerPermissions are what every customer may do: of actions a customer reads the own
// ones and the counts of all.
var CustomerPermissions = []string{readPermission, writePermission}

// Permissions are what a role or a token can be given here.
var Permissions = []principal.Grant{
	{Name: readPermission, Meaning: "See how often a thing is liked, disliked and bookmarked, and one's own actions."},
	{Name: writePermission, Meaning: "Like, dislike and bookmark items and coupons."},
}

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

// Outcome tells what became of an action.
type Outcome string

// The outcomes.
const (
	// Applied: its id was the highest, and the state is what it asked for.
	Applied Outcome = "applied"
	// Duplicate: it was applied before, and no later one since.
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
	// Active tells whether the action that was asked for is active now.
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

// difference is what a change of state changes in the counts.
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

// actorOf returns for whom a caller acts: the customer who calls, or whom a token
// names; otherwise the caller's own user.
func actorOf(p principal.Principal) actor {
	if id, ok := p.Customer(); ok {
		return actor{kind: "customer", id: string(id)}
	}
	return actor{kind: "user", id: p.ActorID()}
}
