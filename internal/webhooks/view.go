package webhooks

import (
	"time"

	"interlock/internal/base/epoch"
	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/edge/httpapi"
)

// Status is the status of a subscription.
type Status string

// The statuses. The service pauses a subscription after three days without a confirmation.
const (
	active   Status = "active"
	disabled Status = "disabled"
	paused   Status = "paused"
)

// Enum returns the statuses.
func (Status) Enum() []string { return []string{string(active), string(disabled), string(paused)} }

func (w *Webhook) status() Status {
	switch {
	case w.Enabled:
		return active
	case w.PauseReason != "":
		return paused
	}
	return disabled
}

type webhookView struct {
	ID      int64   `json:"id"`
	URL     string  `json:"url"`
	Topics  []Topic `json:"topics"`
	Filter  *Filter `json:"filter"`
	Payload Payload `json:"content"`
	Enabled bool    `json:"enabled"`
	Status  Status  `json:"status"`
	// The reason why the service paused it.
	PauseReason *string `json:"pauseReason"`
	// The user who saved it last. Messages contain only records that this user may read.
	SavedBy principal.Person `json:"savedBy"`
	// Until then the previous secret signs too; null without a previous one.
	OldSecretUntil *time.Time `json:"oldSecretUntil"`
	// The position in the log up to which all messages are delivered, for `replay`; null before the first one.
	Cursor *string `json:"cursor"`
	// The time of the first failure since the last success; null if the last attempt succeeded.
	FailingSince *time.Time `json:"failingSince"`
	// The number of failures since then.
	Failures int64 `json:"failures" validate:"min=0"`
	// The time of the next attempt after a failure.
	NextAttemptTime *time.Time `json:"nextAttemptTime"`
	guard.Stamp
}

func viewOf(w Webhook, history epoch.Epoch) webhookView {
	return webhookView{
		ID: w.ID, URL: w.URL, Topics: w.Topics, Filter: w.Filter, Payload: w.Payload, Enabled: w.Enabled, Status: w.status(),
		PauseReason: httpapi.OrNull(w.PauseReason), SavedBy: w.owner(), OldSecretUntil: w.OldSecretUntil,
		Cursor: httpapi.OrNull(cursorOf(history, w.State.Position)), FailingSince: w.State.FailingSince, Failures: w.State.Attempts,
		NextAttemptTime: w.State.NextTime, Stamp: w.Stamp(),
	}
}

// secretView is a subscription with its new secret.
type secretView struct {
	webhookView
	// The secret that signs messages. It is returned once.
	Secret httpapi.Secret `json:"secret,omitempty"`
}

// SchemaName returns the name of the type in the contract.
func (secretView) SchemaName() string { return "WebhookWithSecret" }

// editedView is a subscription with the changes that an edit was merged with.
type editedView struct {
	webhookView
	Merged *change.Merged `json:"merged,omitempty"`
}

type revisionView struct {
	Version     int64            `json:"version"`
	Action      string           `json:"action" validate:"oneof=create update rotate-secret pause"`
	URL         string           `json:"url"`
	Topics      []Topic          `json:"topics"`
	Filter      *Filter          `json:"filter"`
	Payload     Payload          `json:"content"`
	Enabled     bool             `json:"enabled"`
	PauseReason *string          `json:"pauseReason"`
	ChangedBy   principal.Person `json:"changedBy"`
	ChangedTime time.Time        `json:"changedTime"`
}

func revisionViewOf(r Revision) revisionView {
	return revisionView{
		Version: r.Version, Action: r.Action, URL: r.URL, Topics: r.Topics, Filter: r.Filter, Payload: r.Payload, Enabled: r.Enabled,
		PauseReason: httpapi.OrNull(r.PauseReason), ChangedBy: r.By(), ChangedTime: r.ChangedTime,
	}
}

type deliveryView struct {
	ID int64 `json:"id"`
	// The `webhook-id` of the message; the same for all attempts.
	MessageID string `json:"messageId"`
	Type      string `json:"type"`
	// The path of the changed record.
	Resource string `json:"resource"`
	// The position of the change in the log, for `replay`; null for a test.
	Cursor *string `json:"cursor"`
	// The number of the attempt, from 1.
	Attempt   int64 `json:"attempt" validate:"min=1"`
	Delivered bool  `json:"delivered"`
	// The status of the reply; null without one.
	Status *int `json:"status"`
	// In milliseconds.
	Duration float64 `json:"duration" validate:"min=0"`
	// The first 1,024 bytes of the reply.
	Reply string `json:"reply"`
	// The reason why there is no reply.
	Error       *string   `json:"error"`
	CreatedTime time.Time `json:"createdTime"`
}

func deliveryViewOf(d Delivery, history epoch.Epoch) deliveryView {
	v := deliveryView{
		ID: d.ID, MessageID: d.MessageID, Type: d.Type, Resource: d.Resource, Attempt: d.Attempt, Delivered: d.delivered(),
		Duration: float64(d.DurationUS) / 1000, Reply: d.Reply, Error: httpapi.OrNull(d.Error), CreatedTime: d.CreatedTime,
	}
	if d.Position > 0 {
		v.Cursor = httpapi.OrNull(cursorOf(history, &d.Position))
	}
	if d.Status != 0 {
		v.Status = &d.Status
	}
	return v
}

const exampleEpoch = epoch.Epoch("0190f5c2-8f0e-7c3a-9a57-0d8f6b8f3a11")

// example is a subscription for the contract.
var example = func() webhookView {
	created := time.Date(2026, time.February, 7, 10, 0, 0, 0, time.UTC)
	return viewOf(Webhook{
		Row:     guard.Row{ID: 3, Version: 1, CreatedTime: created, UpdatedTime: created, UpdatedBy: 7, UpdatedByName: "Li"},
		Content: Content{URL: "https://shop.example.com/hooks", Topics: []Topic{"orders"}, Filter: &Filter{Actions: []string{"ship"}}, Payload: Thin, Enabled: true},
		SavedBy: 7, SavedByName: "Li", State: State{Position: new(int64(812))},
	}, exampleEpoch)
}()

// exampleDelivery is a delivery for the contract.
var exampleDelivery = deliveryViewOf(Delivery{
	ID: 51, MessageID: "msg_" + string(exampleEpoch) + "_813_0", Type: "orders.ship", Resource: "orders/41", Position: 813, Attempt: 1,
	Status: 204, DurationUS: 41_250, CreatedTime: time.Date(2026, time.February, 7, 10, 4, 0, 0, time.UTC),
}, exampleEpoch)
