// Package webhooks delivers changes of records to subscribers by HTTP, as Standard Webhooks defines.
//
// Invariants:
//
//   - The source is the log of changes (package changelog), which contains each committed change
//     once. A subscription has a position in it. The position advances only after the receiver
//     confirmed all earlier messages, so each message is delivered at least once.
//   - The messages about one record are delivered in the order of its changes: the next one is sent
//     only after the receiver confirmed the previous one. Messages about different records are sent
//     concurrently.
//   - One process at a time delivers, under a lease. Safety does not depend on the lease: two
//     deliverers send messages twice, and neither moves a position back.
//   - Each subscription has a separate worker, so a slow receiver delays no other one and no write.
//   - A message contains no content that the user who saved the subscription may not read.
//   - No connection to a private address is opened, unless a setting lists its network.
package webhooks

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// The permissions to read and to change subscriptions.
const (
	ReadPermission  = "webhooks:read"
	writePermission = "webhooks:write"
)

// Payload is the extent of messages.
type Payload string

// The extents.
const (
	Thin Payload = "thin"
	Full Payload = "full"
)

// Enum returns the extents.
func (Payload) Enum() []string { return []string{string(Thin), string(Full)} }

// Topic is a topic of changes, and the first segment of the paths of its records.
type Topic string

var topicPattern = regexp.MustCompile(`^[a-z][a-z-]{0,63}$`)

// Pattern returns the syntax of a topic and its maximum length, in characters.
func (Topic) Pattern() (expression string, maxLength int) { return topicPattern.String(), 64 }

// Valid reports whether the text has the syntax of a topic.
func (t Topic) Valid() bool { return topicPattern.MatchString(string(t)) }

// Rule describes the rule of Valid in a sentence without a subject.
func (Topic) Rule() string { return "must be a topic of GET /events, such as orders" }

// Filter selects changes. An empty member selects all.
type Filter struct {
	// Verbs of changes, such as `ship`.
	Actions []string `json:"actions,omitempty" validate:"max=50,unique,dive,min=1,max=64"`
	// Prefixes of keys, such as `checkout.`.
	KeyPrefixes []string `json:"keyPrefixes,omitempty" validate:"max=50,unique,dive,min=1,max=200"`
	// Statuses after the change, such as `shipped`.
	Statuses []string `json:"statuses,omitempty" validate:"max=50,unique,dive,min=1,max=64"`
}

// Content is the part of a subscription that an edit may change.
type Content struct {
	// The address that receives the messages. It must use https, unless a setting of the server lists its network.
	URL string `json:"url" validate:"required,max=2000"`
	// The topics of `GET /events` to receive, each with its read permission.
	Topics []Topic `json:"topics" gorm:"serializer:json" validate:"min=1,max=50,unique,dive,pattern"`
	Filter *Filter `json:"filter,omitempty" gorm:"serializer:json"`
	// With `full`, messages contain the record as it is at the time of the delivery, if the user who saved the
	// subscription may read it then.
	Payload Payload `json:"content" validate:"enum"`
	// A disabled subscription retains its position. Enabling a paused one resumes it.
	Enabled bool `json:"enabled"`
}

// selects reports whether a change is to be delivered.
func (c Content) selects(change uow.Change) bool {
	if !slices.Contains(c.Topics, Topic(change.Topic)) {
		return false
	}
	f := c.Filter
	if f == nil {
		return true
	}
	return (len(f.Actions) == 0 || slices.Contains(f.Actions, change.Action)) &&
		(len(f.Statuses) == 0 || slices.Contains(f.Statuses, change.Status)) &&
		(len(f.KeyPrefixes) == 0 || slices.ContainsFunc(f.KeyPrefixes, func(prefix string) bool { return strings.HasPrefix(change.Key, prefix) }))
}

// Webhook is a subscription.
type Webhook struct {
	guard.Row
	Content
	// SavedBy is the user who saved the content last. Messages contain only records that this user may
	// read.
	SavedBy     int64
	SavedByName string
	// PauseReason is "" unless the service disabled the subscription.
	PauseReason string
	// Secret and OldSecret are encrypted with the key SecretKey. OldSecret signs too, until
	// OldSecretUntil; nil for none.
	Secret         []byte
	SecretKey      string
	OldSecret      []byte
	OldSecretUntil *time.Time

	// State is read by the queries that need it.
	State State `gorm:"-"`
}

// Label returns a name for messages.
func (w *Webhook) Label() string { return fmt.Sprintf("webhook %d", w.ID) }

// key returns the key of the subscription in its topic.
func (w *Webhook) key() string { return strconv.FormatInt(w.ID, 10) }

// owner returns the user who saved the content.
func (w *Webhook) owner() principal.Person {
	return principal.Person{ID: w.SavedBy, Name: w.SavedByName}
}

// State is the progress of a subscription. It has no version: the deliverer writes it under its
// generation.
type State struct {
	WebhookID int64 `gorm:"primaryKey"`
	TenantID  int64
	// Generation is incremented by each edit and replay, so that a deliverer that started before writes
	// no state afterwards.
	Generation int64
	// Position is the position in the log up to which all messages are delivered; nil before the first
	// run, which starts after the creation of the subscription.
	Position *int64
	// Attempts is the number of failed rounds since FailingSince; zero and nil after a success.
	Attempts     int64
	FailingSince *time.Time
	// NextTime is the time of the next attempt; nil for immediately.
	NextTime *time.Time
}

// TableName implements gorm's Tabler.
func (State) TableName() string { return "webhook_positions" }

// Revision is one version of a subscription.
type Revision struct {
	ID        int64
	TenantID  int64
	WebhookID int64
	// Revision's Action is create, update, rotate-secret or pause.
	change.Revision
	Content
	PauseReason string
}

// TableName implements gorm's Tabler.
func (Revision) TableName() string { return "webhook_histories" }

func revisionOf(w *Webhook, action string) Revision {
	return Revision{WebhookID: w.ID, Revision: change.RevisionOf(w.Row, action), Content: w.Content, PauseReason: w.PauseReason}
}

// restore returns the subscription at the revision.
func (r Revision) restore(w *Webhook) *Webhook {
	restored := *w
	restored.Content, restored.PauseReason = r.Content, r.PauseReason
	r.Restore(&restored.Row)
	return &restored
}

// Delivery is one attempt to deliver a message.
type Delivery struct {
	ID        int64
	TenantID  int64
	WebhookID int64
	// MessageID is the webhook-id; Type and Resource describe the change.
	MessageID string
	Type      string
	Resource  string
	// Position is that of the change in the log; 0 for a test.
	Position int64
	Attempt  int64
	// Status is the status of the reply; 0 without a reply, of which Error is the reason.
	Status     int
	DurationUS int64 `gorm:"column:duration_us"`
	// Reply is the beginning of the reply's body.
	Reply       string
	Error       string
	CreatedTime time.Time
}

// TableName implements gorm's Tabler.
func (Delivery) TableName() string { return "webhook_deliveries" }

// delivered reports whether the receiver confirmed the message.
func (d Delivery) delivered() bool { return d.Status >= 200 && d.Status < 300 }
