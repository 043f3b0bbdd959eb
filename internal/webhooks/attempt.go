package webhooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"interlock/internal/base/clip"
	"interlock/internal/base/clock"
	"interlock/internal/base/encryption"
	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
)

// maxError bounds the stored reason of a failure, in characters.
const maxError = 500

// reply is the outcome of an attempt.
type reply struct {
	Delivery
	// retryAfter is the time that the receiver requested before the next attempt.
	retryAfter time.Duration
}

// post sends a message once.
func (s *Service) post(ctx context.Context, w *Webhook, m message) reply {
	r := reply{Delivery: Delivery{
		TenantID: w.TenantID, WebhookID: w.ID, MessageID: m.id, Type: m.Topic + "." + m.Action, Resource: m.path(), Position: m.position, Attempt: 1,
		CreatedTime: s.clock.Now(),
	}}
	started := clock.Mark()
	if err := s.exchange(ctx, w, m, &r); err != nil {
		r.Error = clip.Text(reasonOf(err), maxError)
	}
	r.DurationUS = clock.Since(started).Microseconds()
	s.metrics.count(r.Delivery)
	return r
}

// exchange sends the request and reads the reply.
func (s *Service) exchange(ctx context.Context, w *Webhook, m message, r *reply) error {
	secrets, err := s.secrets(w, r.CreatedTime)
	if err != nil {
		return err
	}
	signature, err := sign(secrets, m.id, r.CreatedTime, m.body)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(m.body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Interlock")
	request.Header.Set("webhook-id", m.id)
	request.Header.Set("webhook-timestamp", strconv.FormatInt(r.CreatedTime.Unix(), 10))
	request.Header.Set("webhook-signature", signature)
	response, err := s.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	r.Status = response.StatusCode
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		r.retryAfter = time.Duration(min(seconds, int(maxBackoff.Seconds()))) * time.Second
	}
	// The body is informative only: the status decides.
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxReply))
	r.Reply = plain(body[:min(len(body), maxStored)])
	return nil
}

// plain returns text that both engines can store.
func plain(body []byte) string {
	return strings.ReplaceAll(strings.ToValidUTF8(string(body), "\uFFFD"), "\x00", "\uFFFD")
}

// reasonOf describes the failure of an attempt, without the URL, which the webhook has.
func reasonOf(err error) string {
	if errors.Is(err, encryption.ErrUnreadable) {
		return "the secret cannot be decrypted: its encryption key is missing"
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("no complete reply within %s", attemptTimeout)
	}
	// The complete error names the resolver of the service's network.
	var lookup *net.DNSError
	if errors.As(err, &lookup) {
		return plain([]byte("look up the address of " + lookup.Name + ": " + lookup.Err))
	}
	var failed *url.Error
	if errors.As(err, &failed) {
		err = failed.Err
	}
	return plain([]byte(err.Error()))
}

// Test sends one test message to a subscription, stores the delivery, and returns it.
func (s *Service) Test(ctx context.Context, w *Webhook) (Delivery, error) {
	test := event{Change: uow.Change{Topic: WebhookTopic, Key: w.key(), Version: w.Version, ETag: w.Ref().ETag(), Action: "test"}, time: s.clock.Now()}
	m, err := messageOf(test, "", nil)
	if err != nil {
		return Delivery{}, err
	}
	m.id = "msg_test_" + uuid.NewString()
	sent := s.post(ctx, w, m).Delivery
	caller, _ := principal.From(ctx)
	sent.TenantID = caller.TenantID
	err = s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		tx, err := u.Tx(ctx)
		if err != nil {
			return err
		}
		sent.ID = 0
		if err := tx.Create(&sent).Error; err != nil {
			return fmt.Errorf("insert a delivery: %w", err)
		}
		u.Audit(uow.Entry{Action: "webhook.test", Resource: WebhookTopic + "/" + w.key(), Detail: map[string]any{"status": sent.Status, "error": sent.Error}})
		return nil
	})
	return sent, err
}
