package encryption

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/test/racing"
)

var today = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

func TestAnIDIsOfOneKeyForAsLongAsTheDatabaseLives(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		// Engines serve all tests of a package: the ids are this test's own.
		mine, other := fmt.Sprint("mine-", db.Dialect), fmt.Sprint("other-", db.Dialect)
		register := func(keys ...string) (Usage, error) { return Register(t.Context(), db, newCipher(t, keys...), today) }
		for range 2 {
			_, err := register(key(mine, 1))
			require.NoError(t, err)
		}
		_, err := register(key(mine, 2))
		require.ErrorContains(t, err, "is another one than the one that values in the database were encrypted with")
		_, err = register(key(other, 2), key(mine, 2))
		require.ErrorContains(t, err, mine)

		usage, err := register(key(other, 2))
		require.NoError(t, err)
		require.Contains(t, usage.Lost, mine)
		usage, err = register(key(other, 2), key(mine, 1))
		require.NoError(t, err)
		require.NotContains(t, usage.Lost, mine)
		usage, err = register(None, key(mine, 1))
		require.NoError(t, err)
		require.Contains(t, usage.Lost, other)
	})
}

func TestOfProcessesThatComeWithDifferentKeysUnderOneIDOneIsLetIn(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		id, refused := fmt.Sprint("raced-", db.Dialect), 0
		for _, err := range racing.Errors(8, func(racer int) error {
			_, err := Register(t.Context(), db, newCipher(t, key(id, byte(racer))), today)
			return err
		}) {
			if err != nil {
				require.ErrorContains(t, err, "is another one")
				refused++
			}
		}
		require.Equal(t, 7, refused)
	})
}

func TestNoneKeepsNewValuesInClearAndReadsOlderOnes(t *testing.T) {
	kept, id := newCipher(t, key("old", 1)).Encrypt(secret, "here")
	c := newCipher(t, None, key("old", 1))
	plain, err := c.Decrypt(kept, id, "here")
	require.NoError(t, err)
	require.Equal(t, secret, plain)
	_, id = c.Encrypt(secret, "here")
	require.Empty(t, id)
	_, err = New([]string{key("old", 1), None})
	require.Error(t, err, "a key encrypts, so nothing is kept in clear")
}
