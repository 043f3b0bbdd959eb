package app

import (
	"context"
	"errors"
	"slices"

	"interlock/internal/access"
	"interlock/internal/base/encryption"
	"interlock/internal/config"
	"interlock/internal/core/uow"
	"interlock/internal/edge/idempotency"
)

// Encrypted are all tables with values that are encrypted at rest.
func Encrypted() []encryption.Table {
	return slices.Concat(config.Encrypted, access.Encrypted, idempotency.Encrypted)
}

// errNoKey is that of a command which needs a key that encrypts.
var errNoKey = errors.New("there is no key that encrypts: put one first in INTERLOCK_ENCRYPTION_KEYS, and start the servers with it")

// KeyUse is a key with the values that are encrypted with it.
type KeyUse struct {
	encryption.KnownKey
	// Rows is how many rows of each table have values of it.
	Rows map[string]int
}

// KeysInUse returns the keys that have encrypted values of the database, oldest first, and how many
// rows of each table are in clear though a key could encrypt them.
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

// Reencrypt encrypts anew what is encrypted with other keys than the current one, or in clear
// (encryption.Renew). It changes no record, so no version and no history; the audit log of each
// tenant says before it begins what is to be encrypted with which key. A run that finds nothing
// leaves no entry.
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
		err := sv.Runner.Do(access.AsOperator(ctx, tenant), func(ctx context.Context, u *uow.Unit) error {
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
