package basetest

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/encryption"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/test/racing"
)

func key(id string, fill byte) string {
	return id + ":" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{fill}, 32))
}

func newCipher(t *testing.T, keys ...string) encryption.Cipher {
	t.Helper()
	c, err := encryption.New(keys)
	require.NoError(t, err)
	return c
}

var today = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

func TestKeyIDCannotBeReusedForAnotherKey(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		// The engines are shared by all tests of the package, so the ids are unique to this
		// test.
		mine, other := fmt.Sprint("mine-", db.Dialect), fmt.Sprint("other-", db.Dialect)
		register := func(keys ...string) (encryption.Usage, error) {
			return encryption.Register(t.Context(), db, newCipher(t, keys...), today)
		}
		for range 2 {
			_, err := register(key(mine, 1))
			require.NoError(t, err)
		}
		_, err := register(key(mine, 2))
		require.ErrorContains(t, err, "differs from the one that encrypted values in the database under this id")
		_, err = register(key(other, 2), key(mine, 2))
		require.ErrorContains(t, err, mine)

		usage, err := register(key(other, 2))
		require.NoError(t, err)
		require.Contains(t, usage.Lost, mine)
		usage, err = register(key(other, 2), key(mine, 1))
		require.NoError(t, err)
		require.NotContains(t, usage.Lost, mine)
		usage, err = register(encryption.None, key(mine, 1))
		require.NoError(t, err)
		require.Contains(t, usage.Lost, other)
	})
}

func TestOneOfTwoKeysUnderOneIDIsAccepted(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		id, refused := fmt.Sprint("raced-", db.Dialect), 0
		for _, err := range racing.Errors(8, func(racer int) error {
			_, err := encryption.Register(t.Context(), db, newCipher(t, key(id, byte(racer))), today)
			return err
		}) {
			if err != nil {
				require.ErrorContains(t, err, "differs from the one")
				refused++
			}
		}
		require.Equal(t, 7, refused)
	})
}

func TestOnlyUnusedKeysAreRetired(t *testing.T) {
	storagetest.BothAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const insert = "INSERT INTO user_factors (tenant_id, user_id, kind, name, secret, secret_key, last_step, created_time) VALUES (?, 1, 'totp', 'Phone', ?, ?, 0, ?)"
		old, rotated := newCipher(t, key("old", 1)), newCipher(t, key("new", 2), key("old", 1))
		tables := []encryption.Table{{
			Name: "user_factors", KeyColumn: "secret_key", Condition: "secret_key <> ''", Reads: []string{"secret"},
			Renewed: func(c encryption.Cipher, r encryption.Row) (map[string]any, error) {
				sealed, err := c.Renew(r.Bytes("secret"), r.KeyID, "here")
				return map[string]any{"secret": sealed, "secret_key": c.Current()}, err
			},
		}}
		for _, c := range []encryption.Cipher{old, rotated} {
			_, err := encryption.Register(ctx, db, c, today)
			require.NoError(t, err)
		}
		sealed, id := old.Encrypt([]byte("a secret"), "here")
		require.NoError(t, db.Write(ctx).Exec(insert, 1, sealed, id, today).Error)
		damaged, _ := old.Encrypt([]byte("a secret"), "elsewhere")
		require.NoError(t, db.Write(ctx).Exec(insert, 2, damaged, id, today).Error)

		done, err := encryption.Renew(ctx, db, rotated, tables, today)
		require.NoError(t, err)
		require.Equal(t, []any{1, 1, 1}, []any{done.Renewed["user_factors"], done.Unreadable["user_factors"], done.Left.Rows()})
		require.Empty(t, done.Retired, "an unreadable value still uses the key")
		usage, err := encryption.Check(ctx, db, newCipher(t, key("new", 2)))
		require.NoError(t, err)
		require.Equal(t, []string{"old"}, usage.Lost)

		require.NoError(t, db.Write(storage.AcrossTenants(ctx)).Exec("DELETE FROM user_factors WHERE tenant_id = 2").Error)
		done, err = encryption.Renew(ctx, db, rotated, tables, today)
		require.NoError(t, err)
		require.Equal(t, []string{"old"}, done.Retired)
		usage, err = encryption.Check(ctx, db, newCipher(t, key("new", 2)))
		require.NoError(t, err)
		require.Empty(t, usage.Lost)
		_, err = encryption.Renew(ctx, db, newCipher(t, encryption.None, key("new", 2)), tables, today)
		require.ErrorIs(t, err, encryption.ErrUnreadable, "no key exists for encryption")
	})
}
