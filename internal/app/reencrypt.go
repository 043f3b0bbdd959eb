package app

import (
	"context"
	"errors"
	"slices"

	"interlock/internal/access/factors"
	"interlock/internal/access/tenants"
	"interlock/internal/base/encryption"
	"interlock/internal/config"
	"interlock/internal/core/uow"
	"interlock/internal/edge/idempotency"
	"interlock/internal/webhooks"
)

// Encrypted returns all tables with encrypted values.
func Encrypted() []encryption.Table {
	return slices.Concat(config.Encrypted, factors.Encrypted, idempotency.Encrypted, webhooks.Encrypted)
}

// errNoKey is returned by commands that need an encrypting key.
var errNoKey = errors.New("no encryption key is set: set INTERLOCK_ENCRYPTION_KEYS and start the servers with it")

// KeyUse is a key with the number of values that it encrypts.
type KeyUse struct {
	encryption.KnownKey
	// Rows is the number of rows with its values, by table.
	Rows map[string]int
}

// KeysInUse returns the keys of encrypted values in the database, oldest first. It also returns, by
// table, the number of rows in clear that a key could encrypt.
func (sv *Services) KeysInUse(ctx context.Context) (keys []KeyUse, clear map[string]int, err error) {
	known, err := encryption.Known(ctx, sv.DB, sv.cipher)
	if err != nil {
		return nil, nil, err
	}
	counts, err := encryption.Count(ctx, sv.DB, Encrypted())
	if err != nil {
		return nil, nil, err
	}
	byKey := counts.ByKey()
	for _, key := range known {
		keys = append(keys, KeyUse{key, byKey[key.ID]})
	}
	return keys, byKey[""], nil
}

// Reencrypt encrypts with the current key all values that are in clear or encrypted with older keys
// (encryption.Renew). Records, versions and histories do not change. Before the first change, the
// audit log of each tenant receives an entry with the number of its rows and the key; a tenant
// without such rows receives none.
func (sv *Services) Reencrypt(ctx context.Context) (encryption.Renewal, error) {
	current := sv.cipher.Current()
	if current == "" {
		return encryption.Renewal{}, errNoKey
	}
	counts, err := encryption.Count(ctx, sv.DB, Encrypted())
	if err != nil {
		return encryption.Renewal{}, err
	}
	for tenant, rows := range counts.Without(current) {
		err := sv.Runner.Do(tenants.AsOperator(ctx, tenants.Tenant{ID: tenant}), func(ctx context.Context, u *uow.Unit) error {
			if _, err := u.Tx(ctx); err != nil {
				return err
			}
			u.AuditOnly(uow.Entry{Action: "encryption.reencrypt", Resource: "encryption-keys", Detail: map[string]any{"key": current, "rows": rows}})
			return nil
		})
		if err != nil {
			return encryption.Renewal{}, err
		}
	}
	return encryption.Renew(ctx, sv.DB, sv.cipher, Encrypted(), sv.Clock.Now())
}
