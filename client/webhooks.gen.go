// Code generated from api/openapi.yaml by api/clientgen; DO NOT EDIT.

package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Webhooks calls the operations on webhooks.
//
// Subscriptions that receive changes by POST, signed as [Standard
// Webhooks](https://www.standardwebhooks.com) define it, at least once and in the order of the
// changes of each record. A receiver recognizes a repeated message by its `webhook-id`, and
// confirms a message with a 2xx status within ten seconds. A message is
// `{"type":"orders.ship","timestamp":"…","data":{"id":"41","version":3,"etag":"…","link":"/api/v1/orders/41"}}`,
// with the record as `content` if the webhook requests it. `id`, `version` and `etag` are null if
// several records changed.
type Webhooks struct{ client *Client }

// Webhook is a row of [Webhooks.List].
type Webhook struct {
	Stamp
	originState
	ID      int64          `json:"id"`
	URL     string         `json:"url"`
	Topics  []string       `json:"topics"`
	Filter  *WebhookFilter `json:"filter"`
	Content WebhookPayload `json:"content"`
	Enabled bool           `json:"enabled"`
	Status  WebhookStatus  `json:"status"`
	// The reason why the service paused it.
	PauseReason *string `json:"pauseReason"`
	// The user who saved it last. Messages contain only records that this user may read.
	SavedBy Person `json:"savedBy"`
	// Until then the previous secret signs too; null without a previous one.
	OldSecretUntil *time.Time `json:"oldSecretUntil"`
	// The position in the log up to which all messages are delivered, for `replay`; null before the
	// first one.
	Cursor *string `json:"cursor"`
	// The time of the first failure since the last success; null if the last attempt succeeded.
	FailingSince *time.Time `json:"failingSince"`
	// The number of failures since then.
	Failures int64 `json:"failures"`
	// The time of the next attempt after a failure.
	NextAttemptTime *time.Time `json:"nextAttemptTime"`
	// The secret that signs messages. It is returned once.
	Secret string `json:"secret,omitzero"`
	// Replaces the secrets in a repeat of a request with an idempotency key. The service returns a
	// secret once and stores it nowhere: if the first reply was lost, the secret is lost too.
	SecretShownOnce bool    `json:"secretShownOnce,omitzero"`
	Merged          *Merged `json:"merged,omitzero"`
}

func (*Webhook) editable() []string {
	return []string{"url", "topics", "filter", "content", "enabled"}
}

// UnmarshalJSON decodes the value and stores it as the origin of the next Save.
func (v *Webhook) UnmarshalJSON(text []byte) error {
	type members Webhook
	var decoded members
	if err := json.Unmarshal(text, &decoded); err != nil {
		return err
	}
	*v = Webhook(decoded)
	return setOrigin(v)
}

// WebhookFilter is part of [Webhook].
type WebhookFilter struct {
	// Verbs of changes, such as `ship`.
	Actions []string `json:"actions,omitzero"`
	// Prefixes of keys, such as `checkout.`.
	KeyPrefixes []string `json:"keyPrefixes,omitzero"`
	// Statuses after the change, such as `shipped`.
	Statuses []string `json:"statuses,omitzero"`
}

// WebhookPayload is part of [Webhook].
type WebhookPayload string

// The values of WebhookPayload.
const (
	WebhookPayloadThin WebhookPayload = "thin"
	WebhookPayloadFull WebhookPayload = "full"
)

// WebhookStatus is part of [Webhook].
type WebhookStatus string

// The values of WebhookStatus.
const (
	WebhookStatusActive   WebhookStatus = "active"
	WebhookStatusDisabled WebhookStatus = "disabled"
	WebhookStatusPaused   WebhookStatus = "paused"
)

// WebhookCreate is the request body of [Webhooks.Create].
type WebhookCreate struct {
	// The address that receives the messages. It must use https, unless a setting of the server
	// lists its network.
	URL string `json:"url"`
	// The topics of `GET /events` to receive, each with its read permission.
	Topics  []string       `json:"topics"`
	Filter  *WebhookFilter `json:"filter,omitzero"`
	Content WebhookPayload `json:"content,omitzero"`
	Enabled *bool          `json:"enabled,omitzero"`
}

// WebhookRevision is a row of [Webhooks.History].
type WebhookRevision struct {
	Version     int64                 `json:"version"`
	Action      WebhookRevisionAction `json:"action"`
	URL         string                `json:"url"`
	Topics      []string              `json:"topics"`
	Filter      *WebhookFilter        `json:"filter"`
	Content     WebhookPayload        `json:"content"`
	Enabled     bool                  `json:"enabled"`
	PauseReason *string               `json:"pauseReason"`
	ChangedBy   Person                `json:"changedBy"`
	ChangedTime time.Time             `json:"changedTime"`
}

// WebhookRevisionAction is part of [WebhookRevision].
type WebhookRevisionAction string

// The values of WebhookRevisionAction.
const (
	WebhookRevisionActionCreate       WebhookRevisionAction = "create"
	WebhookRevisionActionUpdate       WebhookRevisionAction = "update"
	WebhookRevisionActionRotateSecret WebhookRevisionAction = "rotate-secret"
	WebhookRevisionActionPause        WebhookRevisionAction = "pause"
)

// WebhookDelivery is a row of [Webhooks.Deliveries].
type WebhookDelivery struct {
	ID int64 `json:"id"`
	// The `webhook-id` of the message; the same for all attempts.
	MessageID string `json:"messageId"`
	Type      string `json:"type"`
	// The path of the changed record.
	Resource string `json:"resource"`
	// The position of the change in the log, for `replay`; null for a test.
	Cursor *string `json:"cursor"`
	// The number of the attempt, from 1.
	Attempt   int64 `json:"attempt"`
	Delivered bool  `json:"delivered"`
	// The status of the reply; null without one.
	Status *int64 `json:"status"`
	// In milliseconds.
	Duration float64 `json:"duration"`
	// The first 1,024 bytes of the reply.
	Reply string `json:"reply"`
	// The reason why there is no reply.
	Error       *string   `json:"error"`
	CreatedTime time.Time `json:"createdTime"`
}

// WebhookReplay is the request body of [Webhooks.Replay].
type WebhookReplay struct {
	// The cursor of a delivery or of a webhook, or a time.
	After string `json:"after"`
}

// List lists webhooks.
func (s *Webhooks) List(p Paging) List[Webhook] {
	return List[Webhook]{s.client, "/webhooks", p.parameters()}
}

// Create creates a webhook.
//
// It receives the changes after its creation. `secret` in the reply signs the messages; it is
// returned once. 403 for a topic that the caller may not read.
//
// A repeat of the request returns [ErrSecretLost] together with the value, without its secret.
func (s *Webhooks) Create(ctx context.Context, body WebhookCreate, options ...CallOption) (Webhook, error) {
	value, err := call[Webhook](ctx, s.client, request{method: http.MethodPost, path: "/webhooks", body: body}, options)
	return value, secretLost(err, value.SecretShownOnce)
}

// Get returns a webhook.
//
// The version is that of the settings; the progress of the deliveries changes without a new
// version.
func (s *Webhooks) Get(ctx context.Context, id int64, options ...CallOption) (Webhook, error) {
	return call[Webhook](ctx, s.client, request{method: http.MethodGet, path: "/webhooks/" + segment(id)}, options)
}

// Save updates a webhook.
//
// A merge patch (RFC 7396). `{"enabled":true}` resumes a paused webhook at its position. The caller
// needs the read permissions of all topics, which then decide on the content of messages.
//
// It sends the changes of value since it was read, and replaces value with the reply. If another
// writer was first, it returns a [Conflict].
func (s *Webhooks) Save(ctx context.Context, value *Webhook, options ...CallOption) error {
	return save(ctx, s.client, "/webhooks/"+segment(value.ID), value, options)
}

// Delete deletes a webhook.
func (s *Webhooks) Delete(ctx context.Context, read Webhook, options ...CallOption) error {
	return s.client.do(ctx, request{method: http.MethodDelete, path: "/webhooks/" + segment(read.ID), ifMatch: read.ETag}, nil, options)
}

// History lists the versions of a webhook.
//
// Newest first.
func (s *Webhooks) History(id int64, p Paging) List[WebhookRevision] {
	return List[WebhookRevision]{s.client, "/webhooks/" + segment(id) + "/history", p.parameters()}
}

// Deliveries lists the deliveries of a webhook.
//
// Newest first: one entry for each attempt of the last seven days.
func (s *Webhooks) Deliveries(id int64, p Paging) List[WebhookDelivery] {
	return List[WebhookDelivery]{s.client, "/webhooks/" + segment(id) + "/deliveries", p.parameters()}
}

// Test sends a test message.
//
// Sends one message of type `webhooks.test` immediately, also to a disabled webhook, and returns
// the outcome. It is not retried.
func (s *Webhooks) Test(ctx context.Context, id int64, options ...CallOption) (WebhookDelivery, error) {
	return call[WebhookDelivery](ctx, s.client, request{method: http.MethodPost, path: "/webhooks/" + segment(id) + "/test"}, options)
}

// RotateSecret replaces the secret of a webhook.
//
// `secret` in the reply is the new one; it is returned once. For 24 hours messages have the
// signatures of both secrets.
//
// A repeat of the request returns [ErrSecretLost] together with the value, without its secret.
func (s *Webhooks) RotateSecret(ctx context.Context, id int64, options ...CallOption) (Webhook, error) {
	value, err := call[Webhook](ctx, s.client, request{method: http.MethodPost, path: "/webhooks/" + segment(id) + "/rotate-secret"}, options)
	return value, secretLost(err, value.SecretShownOnce)
}

// Replay replays a webhook.
//
// Delivers the messages after a point of the log again: `after` is the `cursor` of a delivery or of
// a webhook, or a time. 410 `gone` if entries after it do not exist any more.
func (s *Webhooks) Replay(ctx context.Context, id int64, body WebhookReplay, options ...CallOption) (Webhook, error) {
	return call[Webhook](ctx, s.client, request{method: http.MethodPost, path: "/webhooks/" + segment(id) + "/replay", body: body}, options)
}
