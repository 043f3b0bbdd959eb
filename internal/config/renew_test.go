package config_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/encryption"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/config"
)

func ciphers(t *testing.T) (old, rotated, after encryption.Cipher) {
	t.Helper()
	for keys, c := range map[string]*encryption.Cipher{testKey: &old, otherKey + " " + testKey: &rotated, otherKey: &after} {
		var err error
		*c, err = encryption.New(strings.Fields(keys))
		require.NoError(t, err)
	}
	return old, rotated, after
}

// renew re-encrypts, like `admin keys reencrypt`.
func renew(ctx context.Context, db *storage.DB, c encryption.Cipher) (encryption.Renewal, error) {
	return encryption.Renew(ctx, db, c, config.Encrypted, time.Now())
}

// untrue counts the configs that differ from the newest version of their history, which is a
// promise of the service.
func (w *registry) untrue() int64 {
	var n int64
	require.NoError(w.t, w.DB.Read(storage.AcrossTenants(context.Background())).Raw(`SELECT COUNT(*) FROM configs x WHERE NOT EXISTS (
		SELECT 1 FROM config_histories h WHERE h.config_id = x.id AND h.version = x.version AND h.value = x.value
			AND h.value_key = x.value_key AND COALESCE(h.sealed_value, '') = COALESCE(x.sealed_value, ''))`).Scan(&n).Error)
	return n
}

// values are all values of all versions of keys.
func (w *registry) values(keys ...string) (values []string) {
	for _, key := range keys {
		for _, h := range w.historyOf(key) {
			values = append(values, h.Key+h.Value)
		}
	}
	return values
}

func TestReencryptionChangesNoRecord(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		old, rotated, after := ciphers(t)
		_, err := encryption.Register(ctx, db, old, time.Now())
		require.NoError(t, err)
		w := newRegistry(t, ctx, db)
		first := w.create("a", secretText("one"))
		row := w.mustEdit("a", first.Ref(), `{"remark":"two"}`)
		w.create("plain", text("in clear"))
		w.create("gone", secretText("gone"))
		require.NoError(t, w.delete("gone", w.get("gone").Ref()))
		protected := secretText("guarded")
		protected.Protected = true
		_, err = w.edit(ctx, "p", w.create("p", protected).Ref(), `{"value":"proposed"}`, false)
		require.NoError(t, err)
		before, traces, approval := w.values("a", "plain", "gone", "p"), w.traces(), w.waiting()

		_, err = encryption.Register(ctx, db, rotated, time.Now())
		require.NoError(t, err)
		done, err := renew(ctx, db, rotated)
		require.NoError(t, err)
		require.Equal(t, map[string]int{"configs": 2, "config_histories": 2, "approvals": 1, "approval_histories": 1}, done.Renewed)
		require.Equal(t, []string{"test"}, done.Retired)
		require.Zero(t, done.Left.Rows())
		again, err := renew(ctx, db, rotated)
		require.NoError(t, err)
		require.Zero(t, again.Renewed["configs"]+again.Renewed["config_histories"]+again.Renewed["approvals"]+again.Renewed["approval_histories"])

		usage, err := encryption.Register(ctx, db, after, time.Now())
		require.NoError(t, err)
		require.Empty(t, usage.Lost, "the old key is unused")
		w = newRegistry(t, ctx, db).withKeys(otherKey)
		require.Equal(t, before, w.values("a", "plain", "gone", "p"))
		require.Equal(t, traces, w.traces())
		require.Equal(t, row.Ref(), w.get("a").Ref(), "the version is unchanged")
		require.Zero(t, w.untrue())
		proposed, err := w.approvals.Approval(ctx, approval.ID)
		require.NoError(t, err)
		require.Equal(t, []any{approval.Ref(), approval.Digest}, []any{proposed.Ref(), proposed.Digest})
		require.Contains(t, proposed.Content, `"sealedWith":"other"`)
		merged, err := w.edit(ctx, "a", first.Ref(), `{"schema":true}`, true)
		require.NoError(t, err)
		require.Equal(t, []string{"/remark"}, merged.Merged.KeptTheirs, "a re-encrypted value is not a change")

		_, err = encryption.Register(ctx, db, old, time.Now())
		require.NoError(t, err)
		usage, err = encryption.Check(ctx, db, after)
		require.NoError(t, err)
		require.Equal(t, []string{"test"}, usage.Lost, "a process that encrypts with it needs it again")
	})
}

func TestMergeIgnoresConcurrentReencryption(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		first := newRegistry(t, ctx, db).create("a", secretText("one"))
		w := newRegistry(t, ctx, db).withKeys(otherKey, testKey)
		// The new version is encrypted with the current key, its base with the earlier one.
		w.mustEdit("a", first.Ref(), `{"remark":"two"}`)
		require.Equal(t, []string{"other", "test"}, []string{w.get("a").KeyID, w.historyOf("a")[1].KeyID})
		merged, err := w.edit(ctx, "a", first.Ref(), `{"schema":true}`, true)
		require.NoError(t, err)
		require.Equal(t, []string{"/remark"}, merged.Merged.KeptTheirs)
		_, err = w.edit(ctx, "a", first.Ref(), `{"value":"mine"}`, false)
		require.NotContains(t, fmt.Sprint(problemOf(t, err, apperr.VersionConflict).Members["theirsOnly"]), "value")
	})
}

func TestInterruptedReencryptionResumesOnNextRun(t *testing.T) {
	storagetest.BothAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		_, rotated, _ := ciphers(t)
		old := newRegistry(t, ctx, db)
		long := strings.Repeat("x", config.MaxValueBytes-20)
		keys := []string{"a", "b"}
		for _, key := range keys {
			row := old.create(key, secretText(long))
			for i := range 7 {
				row = old.mustEdit(key, row.Ref(), fmt.Sprintf(`{"value":"%d%s"}`, i, long))
			}
		}
		want := old.values(keys...)
		w := newRegistry(t, ctx, db).withKeys(otherKey, testKey)
		updates, fails := 0, 0
		require.NoError(t, db.Write(ctx).Callback().Raw().Before("gorm:raw").Register("test:cut", func(tx *gorm.DB) {
			if !strings.HasPrefix(tx.Statement.SQL.String(), "UPDATE config") {
				return
			}
			if updates++; updates == fails {
				_ = tx.AddError(errors.New("interrupted"))
			}
		}))
		defer func() { require.NoError(t, db.Write(ctx).Callback().Raw().Remove("test:cut")) }()
		cuts, seen := 0, map[int]bool{}
		for fails = 1; ; fails++ {
			updates = 0
			done, err := renew(ctx, db, rotated)
			require.Zero(t, w.untrue())
			require.Equal(t, want, w.values(keys...))
			if err == nil {
				require.Zero(t, done.Left.Rows())
				break
			}
			require.ErrorContains(t, err, "interrupted")
			counts, err := encryption.Count(ctx, db, config.Encrypted)
			require.NoError(t, err)
			cuts, seen[counts.Without("other").Rows()] = cuts+1, true
		}
		require.GreaterOrEqual(t, len(seen), 3, "it was interrupted at several points: %v", seen)
		require.Greater(t, cuts, 3)
	})
}

func TestConcurrentReencryptionAndEditsLoseNoValue(t *testing.T) {
	storagetest.BothAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		_, rotated, _ := ciphers(t)
		old := newRegistry(t, ctx, db)
		var keys []string
		for i := range 6 {
			keys = append(keys, fmt.Sprint("k", i))
			row := old.create(keys[i], secretText("first"))
			for range 5 {
				row = old.mustEdit(keys[i], row.Ref(), `{"value":"next"}`)
			}
		}
		// Two servers are running, one of them without the new current key.
		stale, fresh := newRegistry(t, ctx, db).withKeys(testKey, otherKey), newRegistry(t, ctx, db).withKeys(otherKey, testKey)
		var edits, runs sync.WaitGroup
		stop := make(chan struct{})
		for n, w := range []*registry{stale, fresh} {
			edits.Go(func() {
				for i := range 60 {
					key := keys[2*(i%3)+n]
					patch := `{"remark":"` + fmt.Sprint(i) + `"}`
					if i%4 == 0 {
						patch = `{"value":"` + fmt.Sprint(i) + `"}`
					}
					w.mustEdit(key, w.get(key).Ref(), patch)
				}
			})
		}
		for range 2 {
			runs.Go(func() {
				for {
					_, err := renew(ctx, db, rotated)
					require.NoError(t, err)
					require.Zero(t, fresh.untrue())
					select {
					case <-stop:
						return
					default:
					}
				}
			})
		}
		edits.Wait()
		close(stop)
		runs.Wait()
		done, err := renew(ctx, db, rotated)
		require.NoError(t, err)
		require.Zero(t, done.Left.Rows())
		after := newRegistry(t, ctx, db).withKeys(otherKey)
		for _, key := range keys {
			versions := after.historyOf(key)
			require.Len(t, versions, 26, key)
			for _, h := range versions {
				require.NotEmpty(t, h.Value, "version %d of %s is lost", h.Version, key)
				require.Equal(t, "other", h.KeyID)
			}
		}
		require.Zero(t, after.untrue())
	})
}
