package webhooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/encryption"
	"interlock/internal/base/epoch"
	"interlock/internal/base/merge"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/changelog"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/events"
	"interlock/internal/lock"
)

// WebhookTopic announces changes of webhooks, keyed by id.
const WebhookTopic = "webhooks"

const (
	// maxPerTenant bounds the subscriptions of a tenant.
	maxPerTenant = 1000
	// overlap is the time for which the secret before a rotation still signs.
	overlap = 24 * time.Hour
	// retained is the time for which deliveries are stored.
	retained = 7 * 24 * time.Hour
)

// Records reads records as their routes return them. Package app implements it.
type Records interface {
	// Read returns a record, or nil if it does not exist or the user of the context's tenant may not
	// read it. path is the record's path below the API's base.
	Read(ctx context.Context, user int64, permission, path string) (json.RawMessage, error)
}

// Deps are the dependencies of a Service.
type Deps struct {
	DB     *storage.DB
	Runner *uow.Runner
	Bus    events.Bus
	Locks  lock.Locker
	Clock  clock.Clock
	Cipher encryption.Cipher
	// Topics maps each topic to its read permission; "" for every user.
	Topics  func() map[string]string
	Records Records
	// Networks are the networks with addresses that are not public and may receive messages.
	Networks []netip.Prefix
}

// Service implements the use cases of subscriptions, and delivers their messages. It is safe for
// concurrent use.
type Service struct {
	db      *storage.DB
	runner  *uow.Runner
	bus     events.Bus
	locks   lock.Locker
	clock   clock.Clock
	cipher  encryption.Cipher
	topics  func() map[string]string
	records Records
	network network
	client  *http.Client

	metrics metrics
}

// New returns a Service. Background delivers the messages.
func New(d Deps) *Service {
	n := network{d.Networks}
	return &Service{
		db: d.DB, runner: d.Runner, bus: d.Bus, locks: d.Locks, clock: d.Clock, cipher: d.Cipher, topics: d.Topics, records: d.Records,
		network: n, client: n.client(), metrics: newMetrics(),
	}
}

// Collectors returns the metrics.
func (s *Service) Collectors() []prometheus.Collector { return s.metrics.collectors() }

// Webhook returns a subscription with its state. Errors: NotFound.
func (s *Service) Webhook(ctx context.Context, id int64) (*Webhook, error) {
	w, err := find(s.db.Read(ctx), id)
	return w, storage.Found(err, "webhook", strconv.FormatInt(id, 10))
}

// check validates content that the caller saves. Errors: ValidationFailed; Forbidden for a topic that
// the caller may not read.
func (s *Service) check(ctx context.Context, c Content) error {
	if err := httpapi.Validate(c); err != nil {
		return err
	}
	var violations apperr.Fields
	if err := s.network.checkURL(c.URL); err != nil {
		violations.Check(false, "/url", "url", err.Error())
	}
	known := s.topics()
	for i, topic := range c.Topics {
		_, ok := known[string(topic)]
		violations.Check(ok, fmt.Sprintf("/topics/%d", i), "oneof", topic.Rule())
	}
	if len(violations) > 0 {
		return apperr.Invalid(violations...)
	}
	caller, _ := principal.From(ctx)
	var missing []string
	for _, topic := range c.Topics {
		if permission := known[string(topic)]; permission != "" && !caller.May(permission) {
			missing = append(missing, permission)
		}
	}
	if len(missing) > 0 {
		return apperr.New(apperr.Forbidden, "These topics need the permission %s, which you do not have.", strings.Join(slices.Compact(missing), ", "))
	}
	return nil
}

// Create adds a subscription. It starts at its creation. secret is returned only here. Errors: those
// of check; LimitReached.
func (s *Service) Create(ctx context.Context, u *uow.Unit, content Content) (w *Webhook, secret string, err error) {
	if err := s.check(ctx, content); err != nil {
		return nil, "", err
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, "", err
	}
	if err := requireRoom(tx); err != nil {
		return nil, "", err
	}
	caller, _ := principal.From(ctx)
	w = &Webhook{Content: content, SavedBy: caller.UserID, SavedByName: caller.Name}
	secret = newSecret()
	w.Secret, w.SecretKey = s.cipher.Encrypt([]byte(secret), associatedData(caller.TenantID))
	if err := guard.Insert(ctx, u, w); err != nil {
		return nil, "", fmt.Errorf("insert webhook: %w", err)
	}
	w.State = State{WebhookID: w.ID, Generation: 1}
	if err := storage.Deferred(tx).Create(&w.State).Error; err != nil {
		return nil, "", fmt.Errorf("insert the position of a webhook: %w", err)
	}
	s.record(u, "create", w, map[string]any{"version": w.Version, "content": content})
	return w, secret, insertHistory(ctx, u, w, "create")
}

// Edit changes a subscription that was just read; see change.Editable.Apply for its errors, and check.
// The permissions of the caller then decide on the content of messages. Enabling ends a
// pause, and every edit ends the back-off.
func (s *Service) Edit(ctx context.Context, u *uow.Unit, w *Webhook, edit change.Edit) (change.Edited[*Webhook], error) {
	return s.editable(ctx).Apply(ctx, u, w, edit)
}

// Delete removes a subscription that was just read. Errors: VersionConflict.
func (s *Service) Delete(ctx context.Context, u *uow.Unit, w *Webhook, ifMatch guard.Precondition) error {
	s.record(u, "delete", w, map[string]any{"version": w.Version, "content": w.Content})
	return s.editable(ctx).Delete(ctx, u, w, ifMatch, func() error {
		if err := guard.Delete[Webhook](ctx, u, w.Ref()); err != nil {
			return err
		}
		tx, err := u.Tx(ctx)
		if err != nil {
			return err
		}
		if err := storage.ExecDeferred(tx, "DELETE FROM webhook_positions WHERE tenant_id = ? AND webhook_id = ?", w.TenantID, w.ID); err != nil {
			return fmt.Errorf("delete the position of a webhook: %w", err)
		}
		return nil
	})
}

// RotateSecret replaces the secret of a subscription that was just read, and returns the new one. The
// previous secret signs too, for a day. Errors: encryption.ErrUnreadable.
func (s *Service) RotateSecret(ctx context.Context, u *uow.Unit, w *Webhook) (*Webhook, string, error) {
	previous, err := s.decrypt(w, w.Secret)
	if err != nil {
		return nil, "", err
	}
	after, secret, until := *w, newSecret(), u.Now().Add(overlap)
	bound := associatedData(w.TenantID)
	after.Secret, after.SecretKey = s.cipher.Encrypt([]byte(secret), bound)
	after.OldSecret, _ = s.cipher.Encrypt([]byte(previous), bound)
	after.OldSecretUntil = &until
	set := guard.Set{"secret": after.Secret, "secret_key": after.SecretKey, "old_secret": after.OldSecret, "old_secret_until": until}
	if err := s.write(ctx, u, w, &after, "rotate-secret", set); err != nil {
		return nil, "", err
	}
	s.record(u, "rotate-secret", &after, map[string]any{"fromVersion": w.Version, "version": after.Version, "oldSecretUntil": until})
	return &after, secret, nil
}

// write changes a subscription without an edit, and inserts the version into its history. If another
// unit changed it since it was read, the unit is run again.
func (s *Service) write(ctx context.Context, u *uow.Unit, before, after *Webhook, action string, set guard.Set) error {
	err := guard.Update[Webhook](ctx, u, before.Ref(), set)
	if errors.Is(err, guard.ErrStale) {
		return uow.Overtaken("webhook")
	}
	if err != nil {
		return fmt.Errorf("change webhook %d: %w", before.ID, err)
	}
	if err := guard.Advance(ctx, u, after); err != nil {
		return err
	}
	return insertHistory(ctx, u, after, action)
}

// Replay moves the position of a subscription that was just read to a point of the log, so that the
// messages after it are delivered again. Errors: ValidationFailed, Gone.
func (s *Service) Replay(ctx context.Context, u *uow.Unit, w *Webhook, after string) (*Webhook, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	position, err := positionOf(tx, w.TenantID, after)
	if err != nil {
		return nil, err
	}
	if err := restart(tx, w, &position); err != nil {
		return nil, err
	}
	s.record(u, "replay", w, map[string]any{"version": w.Version, "position": position})
	replayed := *w
	replayed.State = State{WebhookID: w.ID, TenantID: w.TenantID, Generation: w.State.Generation + 1, Position: &position}
	return &replayed, nil
}

// pause disables a subscription because its receiver does not confirm messages. A subscription that
// was changed since it was read stays as it is.
func (s *Service) pause(ctx context.Context, w *Webhook, reason string) error {
	return s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		tx, err := u.Tx(ctx)
		if err != nil {
			return err
		}
		now, err := find(tx, w.ID)
		if storage.IsNotFound(err) || err == nil && now.Version != w.Version {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read a webhook to pause: %w", err)
		}
		after := *now
		after.Enabled, after.PauseReason = false, reason
		if err := s.write(ctx, u, now, &after, "pause", guard.Set{"enabled": false, "pause_reason": reason}); err != nil {
			return err
		}
		s.record(u, "pause", &after, map[string]any{"fromVersion": now.Version, "version": after.Version, "reason": reason})
		return nil
	})
}

// record writes the unit's audit entry, and announces the change after commit.
func (s *Service) record(u *uow.Unit, verb string, w *Webhook, detail any) {
	change.AuditAndAnnounce(u, s.bus, change.RowChange{
		Kind: "webhook", Topic: WebhookTopic, Key: w.key(), Detail: detail,
		Change: events.Change{Version: w.Version, ETag: w.Ref().ETag(), Action: verb, Status: string(w.status()), Label: w.URL},
	})
}

// editable declares subscriptions to package change.
func (s *Service) editable(ctx context.Context) change.Editable[Webhook, *Webhook] {
	caller, _ := principal.From(ctx)
	return change.Editable[Webhook, *Webhook]{
		Rows: change.Rows[Webhook, *Webhook]{
			DB: s.db, Label: (*Webhook).Label, Find: find, View: func(_ context.Context, w *Webhook) any { return viewOf(*w, "") },
		},
		Document: func(w *Webhook) (any, error) { return merge.Tree(w.Content) },
		Revise: func(w *Webhook, document any) (*Webhook, guard.Set, error) {
			var content Content
			if err := merge.Decode(document, &content); err != nil {
				return nil, nil, fmt.Errorf("read an edited webhook: %w", err)
			}
			if err := s.check(ctx, content); err != nil {
				return nil, nil, err
			}
			after := *w
			after.Content, after.SavedBy, after.SavedByName = content, caller.UserID, caller.Name
			if content.Enabled {
				after.PauseReason = ""
			}
			after.State.Attempts, after.State.FailingSince, after.State.NextTime = 0, nil, nil
			set, err := after.columns()
			return &after, set, err
		},
		AtVersion: s.at,
		Record: func(ctx context.Context, u *uow.Unit, before, after *Webhook, _ *change.Overwrite) error {
			tx, err := u.Tx(ctx)
			if err != nil {
				return err
			}
			if err := restart(tx, after, nil); err != nil {
				return err
			}
			s.record(u, "update", after, map[string]any{
				"fromVersion": before.Version, "version": after.Version, "before": before.Content, "after": after.Content,
			})
			return insertHistory(ctx, u, after, "update")
		},
	}
}

// columns returns the columns of an edited subscription.
func (w *Webhook) columns() (guard.Set, error) {
	topics, err := json.Marshal(w.Topics)
	if err != nil {
		return nil, fmt.Errorf("encode topics: %w", err)
	}
	var filter any
	if w.Filter != nil {
		text, err := json.Marshal(w.Filter)
		if err != nil {
			return nil, fmt.Errorf("encode a filter: %w", err)
		}
		filter = string(text)
	}
	return guard.Set{
		"url": w.URL, "topics": string(topics), "filter": filter, "payload": w.Payload, "enabled": w.Enabled,
		"saved_by": w.SavedBy, "saved_by_name": w.SavedByName, "pause_reason": w.PauseReason,
	}, nil
}

// at returns an earlier version of a subscription.
func (s *Service) at(ctx context.Context, w *Webhook, version int64) (*Webhook, error) {
	var revision Revision
	err := s.db.Read(ctx).Where("webhook_id = ? AND version = ?", w.ID, version).Take(&revision).Error
	if err != nil {
		return nil, err
	}
	return revision.restore(w), nil
}

// cursorOf returns a position as a text that Replay accepts; "" without a position or an epoch.
func cursorOf(history epoch.Epoch, position *int64) string {
	if position == nil || history == "" {
		return ""
	}
	return fmt.Sprintf("%s-%d", history, *position)
}

// history returns the epoch of the database.
func (s *Service) history(ctx context.Context) (epoch.Epoch, error) {
	caller, _ := principal.From(ctx)
	end, err := changelog.EndOf(s.db.Read(storage.AcrossTenants(ctx)), caller.TenantID)
	return end.Epoch, err
}

// positionOf returns the position of a cursor or a time. Errors: ValidationFailed, Gone.
func positionOf(tx *gorm.DB, tenant int64, after string) (int64, error) {
	end, err := changelog.EndOf(tx.WithContext(storage.AcrossTenants(tx.Statement.Context)), tenant)
	if err != nil {
		return 0, err
	}
	removed := apperr.New(apperr.Gone, "Entries of the log after %s were removed, or the database was restored since then. Use a later position.", after)
	if at, err := clock.Parse(after); err == nil {
		position, err := changelog.At(tx, tenant, at, end)
		if err == nil && end.Floor > 0 && position <= end.Floor {
			return 0, removed
		}
		return position, err
	}
	cut := strings.LastIndexByte(after, '-')
	position, err := strconv.ParseInt(after[cut+1:], 10, 64)
	if cut < 1 || err != nil || position < 0 {
		return 0, apperr.Invalid(apperr.Field{Pointer: "/after", Code: "cursor", Message: "must be the cursor of a delivery or of a webhook, or a time"})
	}
	if after[:cut] != string(end.Epoch) || position > end.Last || position < end.Floor {
		return 0, removed
	}
	return position, nil
}

// associatedData returns the associated data of the encrypted secrets of a tenant.
func associatedData(tenant int64) string { return "webhooks\x00" + strconv.FormatInt(tenant, 10) }

// decrypt returns a secret of a subscription. Errors: encryption.ErrUnreadable.
func (s *Service) decrypt(w *Webhook, sealed []byte) (string, error) {
	secret, err := s.cipher.Decrypt(sealed, w.SecretKey, associatedData(w.TenantID))
	if err != nil {
		return "", fmt.Errorf("read the secret of webhook %d: %w", w.ID, err)
	}
	return string(secret), nil
}

// secrets returns the secrets that sign at a time, the current one first.
func (s *Service) secrets(w *Webhook, at time.Time) ([]string, error) {
	current, err := s.decrypt(w, w.Secret)
	if err != nil || w.OldSecretUntil == nil || !at.Before(*w.OldSecretUntil) {
		return []string{current}, err
	}
	previous, err := s.decrypt(w, w.OldSecret)
	return []string{current, previous}, err
}
