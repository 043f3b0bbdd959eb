package config_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"interlock/internal/approvals"
	"interlock/internal/base/apperr"
	"interlock/internal/base/encryption"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/config"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// withKeys returns the same registry with other encryption keys.
func (w *registry) withKeys(keys ...string) *registry {
	c, err := encryption.New(keys)
	require.NoError(w.t, err)
	other := newRegistry(w.t, w.Ctx, w.DB)
	other.Service = other.serviceWith(c)
	return other
}

const otherKey = "other:ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA="

func secretText(value string) config.Content {
	content := text(value)
	content.Secret = true
	return content
}

// shown returns the view of a config for a caller with all permissions.
func shown(t *testing.T, c *config.Config) (value any, masked bool) {
	t.Helper()
	text, err := json.Marshal(c.View())
	require.NoError(t, err)
	var view struct {
		Value  any
		Masked bool
	}
	require.NoError(t, json.Unmarshal(text, &view))
	return view.Value, view.Masked
}

func TestSecretConfigNeedsEncryptionKey(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db).withKeys("none", testKey)
		err := w.do(ctx, func(ctx context.Context, u *uow.Unit) error {
			_, err := w.Create(ctx, u, "a", secretText("x"))
			return err
		})
		require.Equal(t, []string{"/secret"}, pointers(problemOf(t, err, apperr.ValidationFailed).Fields))
		row := w.create("b", text("x"))
		_, err = w.edit(ctx, "b", row.Ref(), `{"secret":true}`, false)
		require.Equal(t, []string{"/secret"}, pointers(problemOf(t, err, apperr.ValidationFailed).Fields))
		require.Equal(t, traces{1, 1, 1}, w.traces())
	})
}

func TestNextEditAfterRotationUsesNewKey(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		row := newRegistry(t, ctx, db).create("a", secretText("old"))
		w := newRegistry(t, ctx, db).withKeys(otherKey, testKey)
		require.Equal(t, `"old"`, w.get("a").Value)
		require.Equal(t, "test", w.get("a").KeyID)
		row = w.mustEdit("a", row.Ref(), `{"remark":"still"}`)
		require.Equal(t, "other", w.get("a").KeyID, "a version is written with the current key, whatever it changes")
		w.mustEdit("a", row.Ref(), `{"value":"new"}`)
		require.Equal(t, "other", w.get("a").KeyID)
		require.Equal(t, `"new"`, w.get("a").Value)
		for i, want := range []string{`"new"`, `"old"`, `"old"`} {
			require.Equal(t, want, w.historyOf("a")[i].Value)
		}
	})
}

func TestSecretWithLostKeyCanBeReplaced(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		row := newRegistry(t, ctx, db).create("a", secretText("lost"))
		w := newRegistry(t, ctx, db).withKeys(otherKey)
		value, masked := shown(t, w.get("a"))
		require.Nil(t, value)
		require.True(t, masked)
		listing, err := w.List(ctx, config.Filter{}, storage.Page{})
		require.NoError(t, err)
		require.Len(t, listing.Rows, 1)

		_, err = w.edit(ctx, "a", row.Ref(), `{"remark":"the value is lost"}`, false)
		rejectedWith(t, err, apperr.ValidationFailed)
		w.mustEdit("a", row.Ref(), `{"value":"found"}`)
		value, masked = shown(t, w.get("a"))
		require.Equal(t, "found", value)
		require.False(t, masked)
	})
}

// sealedVersions counts the encrypted and the plain versions of a key.
func (w *registry) sealedVersions(key string) (sealed, clear int) {
	for _, h := range w.historyOf(key) {
		if h.KeyID != "" {
			sealed++
		} else {
			clear++
		}
	}
	return sealed, clear
}

func TestRecreationAsSecretEncryptsEarlierVersions(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		require.NoError(t, w.delete("a", w.create("a", text("was")).Ref()))
		w.create("b", text("another key"))
		w.create("a", secretText("was"))
		sealed, clear := w.sealedVersions("a")
		require.Equal(t, []int{3, 0}, []int{sealed, clear})
		for _, h := range w.historyOf("a") {
			require.Equal(t, `"was"`, h.Value)
		}
		_, clear = w.sealedVersions("b")
		require.Equal(t, 1, clear)
	})
}

func TestHistoryIsEncryptedInFewStatements(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		row := w.create("a", text("first"))
		big := strings.Repeat("x", config.MaxValueBytes-10)
		for i := range 110 {
			value := strconv.Itoa(i)
			if i%20 == 0 {
				value += big
			}
			row = w.mustEdit("a", row.Ref(), `{"value":"`+value+`"}`)
		}
		updates := 0
		require.NoError(t, db.Write(ctx).Callback().Raw().After("gorm:raw").Register("test:count", func(tx *gorm.DB) {
			if strings.HasPrefix(tx.Statement.SQL.String(), "UPDATE config_histories") {
				updates++
			}
		}))
		w.mustEdit("a", row.Ref(), `{"secret":true}`)
		require.NoError(t, db.Write(ctx).Callback().Raw().Remove("test:count"))
		sealed, clear := w.sealedVersions("a")
		require.Equal(t, []int{112, 0}, []int{sealed, clear})
		require.Contains(t, []int{3, 4}, updates, "111 versions, of which 100 with more than a MiB go together")
		versions := w.historyOf("a")
		require.Equal(t, `"109"`, versions[0].Value)
		require.Equal(t, versions[0].Sealed, versions[1].Sealed, "versions with the config's value have its ciphertext")
		require.Equal(t, `"0`+big+`"`, versions[110].Value)
		require.Equal(t, `"first"`, versions[111].Value)
	})
}

// waiting returns the newest approval.
func (w *registry) waiting() *approvals.Approval {
	w.t.Helper()
	listing, err := w.approvals.List(w.Ctx, approvals.Filter{}, storage.Page{Limit: 1})
	require.NoError(w.t, err)
	require.NotEmpty(w.t, listing.Rows)
	return &listing.Rows[0]
}

func TestProposedSecretWithLostKeyIsUnavailable(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		other, _ := principal.From(ctx)
		other.UserID, other.Name = 8, "Other"
		for name, keys := range map[string][]string{"no-key": nil, "another-key": {otherKey}} {
			first := newRegistry(t, ctx, db)
			content := secretText("one")
			content.Protected = true
			row := first.create(name, content)
			_, err := first.edit(ctx, name, row.Ref(), `{"value":"two"}`, false)
			require.NoError(t, err)
			proposed, err := first.approvals.Approval(ctx, first.waiting().ID)
			require.NoError(t, err)
			w := first.withKeys(keys...)

			err = w.do(principal.With(ctx, other), func(ctx context.Context, u *uow.Unit) error {
				_, err := w.approvals.Approve(ctx, u, proposed, guard.Precondition{Ref: proposed.Ref()})
				return err
			})
			require.Contains(t, problemOf(t, err, apperr.Unavailable).Detail, `its key "test"`)

			_, err = first.edit(approvals.Bypassing(ctx, "in a hurry"), name, row.Ref(), `{"remark":"meanwhile"}`, false)
			require.NoError(t, err)
			proposed, err = w.approvals.Approval(ctx, proposed.ID)
			require.NoError(t, err)
			err = w.do(ctx, func(ctx context.Context, u *uow.Unit) error {
				_, err := w.approvals.Rebase(ctx, u, proposed, guard.Precondition{Ref: proposed.Ref()})
				return err
			})
			require.Contains(t, problemOf(t, err, apperr.Unavailable).Detail, `its key "test"`)

			after, err := w.approvals.Approval(ctx, proposed.ID)
			require.NoError(t, err)
			require.Equal(t, proposed.Ref(), after.Ref(), "it remains pending until the key is configured")
			err = w.do(ctx, func(ctx context.Context, u *uow.Unit) error {
				_, err := w.approvals.Withdraw(ctx, u, proposed, guard.Precondition{Ref: proposed.Ref()})
				return err
			})
			require.NoError(t, err)
		}
	})
}

// A limit error that depends on the secret's length would disclose it to writers.
func TestExportDoesNotDiscloseSecretLength(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		w.create("secret", secretText(strings.Repeat("s", config.MaxValueBytes-10)))
		filler := strings.Repeat("x", config.MaxValueBytes-10)
		for i := range 63 {
			w.create(fmt.Sprintf("filler.%02d", i), text(filler))
		}
		_, err := w.Export(ctx, config.Filter{})
		rejectedWith(t, err, apperr.LimitReached)
		caller, _ := principal.From(ctx)
		caller.Permissions = []string{"configs:read", "configs:write"}
		blind := principal.With(ctx, caller)
		export, err := w.Export(blind, config.Filter{})
		require.NoError(t, err)
		snapshot, err := w.Snapshot(blind, "")
		require.NoError(t, err)
		require.Len(t, export.Configs, 64)
		require.Len(t, snapshot.Configs, 64)
		require.JSONEq(t, `null`, string(export.Configs[63].Value))
		require.True(t, export.Configs[63].Masked)
		require.Empty(t, snapshot.Configs[63].Value)
		require.Empty(t, snapshot.Configs[63].Sealed, "it is not fetched")
	})
}
