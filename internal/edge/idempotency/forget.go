package idempotency

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
)

// forgetBatch is the number of records that one statement reads.
const forgetBatch = 200

// Forgotten is the result of Forget.
type Forgotten struct {
	// Records is the number of blanked or deleted records.
	Records int
	// Kept is the number of live records that remain: their encryption key is missing, or the
	// customer's id is in their idempotency key. The last of them expires at Until.
	Kept  int
	Until time.Time
}

// Forget erases a customer from the records of the caller's tenant: from the customer's records,
// and from those with the customer in their path or reply. It deletes expired records. It blanks
// live ones, but not their id, key, time and fingerprint, because servers detect a restored
// database by missing records (seen_records.go). A repeat by a user is still recognised and not
// executed, and its reply is empty; the customer's scope gets the pseudonym, so a repeat by the
// customer is a new request. The memory of a process drops its copy when the record expires. about
// contains the paths of the customer's resources, such as orders/17.
func (k *ReplyStore) Forget(ctx context.Context, customer, pseudonym principal.CustomerID, about map[string]bool) (Forgotten, error) {
	if pseudonym == "" {
		pseudonym = principal.CustomerID("erased-" + uuid.NewString())
	}
	var done Forgotten
	for after := int64(0); ; {
		var records []Record
		if err := k.store.db.Read(ctx).Where("id > ?", after).Order("id").Limit(forgetBatch).Find(&records).Error; err != nil {
			return done, fmt.Errorf("find the stored replies of a customer: %w", err)
		}
		for i := range records {
			if err := k.forget(ctx, &records[i], customer, pseudonym, about, &done); err != nil {
				return done, err
			}
		}
		if len(records) < forgetBatch {
			return done, ctx.Err()
		}
		after = records[len(records)-1].ID
	}
}

const blank = `UPDATE idempotency_keys SET scope = ?, actor_id = ?, actor_name = ?, on_behalf_of = ?,
	path = '', request_id = '', location = '', reply = NULL WHERE tenant_id = ? AND id = ?`

func (k *ReplyStore) forget(ctx context.Context, r *Record, customer, pseudonym principal.CustomerID, about map[string]bool, done *Forgotten) error {
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
		return fmt.Errorf("blank a stored reply of a customer: %w", err)
	}
	return nil
}

// resourceOf returns the first two segments of a path below the API's root.
func resourceOf(path string) string {
	parts := strings.SplitN(strings.TrimPrefix(path, httpapi.Base+"/"), "/", 3)
	return strings.Join(parts[:min(2, len(parts))], "/")
}

// renamed replaces the customer at the end of a scope with the pseudonym.
func renamed(scope string, customer, pseudonym principal.CustomerID) string {
	if before, id := principal.SplitKeyScope(scope); id == customer {
		return before + string(pseudonym)
	}
	return scope
}

// names reports whether a record refers to a customer, and whether its reply could be decrypted.
func (k *ReplyStore) names(r *Record, customer principal.CustomerID) (named, readable bool) {
	id := string(customer)
	own := renamed(r.Scope, customer, "\x00") != r.Scope || r.OnBehalfOf != nil && *r.OnBehalfOf == customer ||
		r.ActorKind == string(principal.Customer) && r.ActorID == id
	path, _ := url.PathUnescape(r.Path)
	texts := path + "\n" + r.Path + "\n" + r.Location + "\n" + r.RequestID
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
