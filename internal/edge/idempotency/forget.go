package idempotency

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"

	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
)

// forgetAtOnce is how many records are looked at by one statement.
const forgetAtOnce = 200

// Forgotten says what became of the replies that were kept for a customer, or name one.
type Forgotten struct {
	// Records were blanked or deleted.
	Records int
	// Kept cannot be looked into, for want of the key that they are encrypted with, or have
	// the id in their own keys. They end by themselves, the last of them at Until.
	Kept  int
	Until time.Time
}

// Forget takes what records of the caller's tenant say of a customer: their own, and those of
// requests that name them in their path or reply. One whose life has ended is deleted. One that
// lives keeps its id, its key, its time and the digest of its request until it ends, because
// every server knows a database that went back by records that are missing (seen_records.go); all
// else in it goes. A repeat by a user of this service is still recognised and not run again, and
// is told nothing; the customer's own is that of somebody new. Copies
// in Redis are deleted. about has the paths of what is the customer's, such as orders/17. What a
// server has in its own memory it forgets when the record ends.
func (k *Keeper) Forget(ctx context.Context, customer, pseudonym principal.CustomerID, about map[string]bool) (Forgotten, error) {
	if pseudonym == "" {
		pseudonym = principal.CustomerID("erased-" + uuid.NewString())
	}
	var done Forgotten
	for after := int64(0); ; {
		var records []Record
		if err := k.store.db.Read(ctx).Where("id > ?", after).Order("id").Limit(forgetAtOnce).Find(&records).Error; err != nil {
			return done, fmt.Errorf("look for replies that are kept for a customer: %w", err)
		}
		for i := range records {
			if err := k.forget(ctx, &records[i], customer, pseudonym, about, &done); err != nil {
				return done, err
			}
		}
		if len(records) < forgetAtOnce {
			return done, ctx.Err()
		}
		after = records[len(records)-1].ID
	}
}

const blank = `UPDATE idempotency_keys SET scope = ?, actor_id = ?, actor_name = ?, on_behalf_of = ?,
	path = '', request_id = '', location = '', reply = NULL WHERE tenant_id = ? AND id = ?`

func (k *Keeper) forget(ctx context.Context, r *Record, customer, pseudonym principal.CustomerID, about map[string]bool, done *Forgotten) error {
	named, readable := k.names(r, customer)
	named = named || about[resourceOf(r.Path)]
	ended := !k.clock.Now().Before(r.ExpiresTime)
	inKey := len(customer) >= principal.DistinctID && strings.Contains(r.IdempotencyKey, string(customer))
	if (!readable && !named || inKey) && !ended {
		done.Kept++
		if done.Until.Before(r.ExpiresTime) {
			done.Until = r.ExpiresTime
		}
	}
	if !named {
		return nil
	}
	done.Records++
	// Before the row, so that a run that ends between the two leaves no copy that the next one does
	// not find, and after it, since who repeats the request in between keeps another.
	k.forgetCached(ctx, r)
	defer k.forgetCached(ctx, r)
	if ended {
		return k.store.db.Write(ctx).Exec("DELETE FROM idempotency_keys WHERE tenant_id = ? AND id = ?", r.TenantID, r.ID).Error
	}
	actor, name, onBehalfOf := r.ActorID, r.ActorName, r.OnBehalfOf
	if r.ActorKind == string(principal.Customer) && r.ActorID == string(customer) {
		actor, name = string(pseudonym), string(pseudonym)
	}
	if onBehalfOf != nil && *onBehalfOf == customer {
		onBehalfOf = &pseudonym
	}
	if err := k.store.db.Write(ctx).Exec(blank, renamed(r.Scope, customer, pseudonym), actor, name, onBehalfOf, r.TenantID, r.ID).Error; err != nil {
		return fmt.Errorf("blank a reply that is kept for a customer: %w", err)
	}
	return nil
}

// resourceOf returns the first two segments of a path below the API's root.
func resourceOf(path string) string {
	parts := strings.SplitN(strings.TrimPrefix(path, httpapi.Base+"/"), "/", 3)
	return strings.Join(parts[:min(2, len(parts))], "/")
}

// renamed puts the pseudonym into the end of a scope that is the customer's.
func renamed(scope string, customer, pseudonym principal.CustomerID) string {
	if head, own := strings.CutSuffix(scope, ofCustomer(customer)); own && (head == "" || strings.HasSuffix(head, "/")) {
		return head + ofCustomer(pseudonym)
	}
	return scope
}

func ofCustomer(id principal.CustomerID) string { return customer + ":" + string(id) }

// names reports whether a record says something of a customer, and whether its reply could be
// read.
func (k *Keeper) names(r *Record, customer principal.CustomerID) (named, readable bool) {
	id := string(customer)
	own := renamed(r.Scope, customer, "\x00") != r.Scope || r.OnBehalfOf != nil && *r.OnBehalfOf == customer ||
		r.ActorKind == string(principal.Customer) && r.ActorID == id
	texts := r.Path + "\n" + r.Location + "\n" + r.RequestID
	readable = true
	if r.Reply != nil {
		reply, err := decryptReply(k.cipher, r.Reply, r.CipherKey, associatedData(r.TenantID, r.Scope, r.IdempotencyKey))
		if readable = err == nil; readable {
			texts += "\n" + string(reply.Body)
			for _, values := range reply.Header {
				texts += "\n" + strings.Join(values, "\n")
			}
		}
	}
	// userId, UserId, customerId and CustomerId.
	for _, needle := range []string{"/wallets/" + id, "/customers/" + id, `serId":"` + id + `"`, `ustomerId":"` + id + `"`} {
		own = own || strings.Contains(texts, needle)
	}
	return own || len(id) >= principal.DistinctID && strings.Contains(texts, id), readable
}

func (k *Keeper) forgetCached(ctx context.Context, r *Record) {
	if k.cache == nil {
		return
	}
	if err := k.cache.Delete(ctx, nameOf(r.TenantID, r.Scope, r.IdempotencyKey)); err != nil {
		slog.WarnContext(ctx, "a copy of a kept reply could not be deleted; it ends by itself", "until", r.ExpiresTime, "error", err)
	}
}
