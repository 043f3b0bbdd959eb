package viewstest

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/lock"
	"interlock/internal/views/audit"
)

func TestEntriesCanBeFilteredByActor(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		runner := uow.NewRunner(uow.Options{DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: clock.System{}})
		admin, _ := principal.From(ctx)
		for name, who := range map[string]principal.Principal{"a": admin, "b": principal.System(admin.TenantID, "sweeper"),
			"c": {Kind: principal.Customer, TenantID: admin.TenantID, CustomerID: "li@example.com", Name: "李"}} {
			require.NoError(t, runner.Do(principal.With(ctx, who), func(ctx context.Context, u *uow.Unit) error {
				u.Audit(uow.Entry{Action: "thing.create", Resource: "things/" + name})
				return guard.Insert(ctx, u, &storagetest.Thing{Name: name})
			}))
		}
		resources := func(filter audit.Filter) (found []string) {
			listing, err := audit.NewLog(db).List(ctx, filter, storage.Page{})
			require.NoError(t, err)
			for _, row := range listing.Rows {
				found = append(found, row.Resource)
			}
			return found
		}
		require.Equal(t, []string{"things/b"}, resources(audit.Filter{Actor: "0"}))
		require.Equal(t, []string{"things/a"}, resources(audit.Filter{Actor: "7"}))
		require.Equal(t, []string{"things/c"}, resources(audit.Filter{Actor: "li@example.com"}))
		require.Equal(t, []string{"things/c"}, resources(audit.Filter{Actor: "李"}))
		require.Empty(t, resources(audit.Filter{Actor: "Li@example.com"}))
		require.Equal(t, []string{"things/a"}, resources(audit.Filter{Actor: "Tester"}))
		require.Equal(t, []string{"things/b"}, resources(audit.Filter{Resource: "things/b"}))
		require.Len(t, resources(audit.Filter{}), 3)
		require.Len(t, resources(audit.Filter{Actions: []string{"thing.create", "thing.delete"}}), 3)
		require.Equal(t, []string{"things/a"}, resources(audit.Filter{Actor: "7", Actions: []string{"thing.delete", "thing.create"}}))
		require.Empty(t, resources(audit.Filter{Actions: []string{"thing.delete", "thing.update"}}))
	})
}

func TestRepeatedJobsAppearOnceInLatestEntries(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		runner := uow.NewRunner(uow.Options{DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: clock.System{}})
		admin, _ := principal.From(ctx)
		made := 0
		do := func(who principal.Principal, action, resource string) {
			made++
			require.NoError(t, runner.Do(principal.With(ctx, who), func(ctx context.Context, u *uow.Unit) error {
				u.Audit(uow.Entry{Action: action, Resource: resource})
				return guard.Insert(ctx, u, &storagetest.Thing{Name: strconv.Itoa(made)})
			}))
		}
		sweeper := principal.System(admin.TenantID, "sweeper")
		for range 3 {
			do(sweeper, "thing.expire", "things")
			do(admin, "thing.update", "things/a")
		}
		do(sweeper, "thing.expire", "things/b")
		// Two machines with the same name are distinct, also from the admin with that name.
		for id := range int64(2) {
			do(principal.Principal{Kind: principal.Token, TenantID: admin.TenantID, UserID: 40 + id, Name: admin.Name}, "thing.update", "things/a")
		}
		do(admin, "session.create", "session")

		latest, err := audit.NewLog(db).Latest(ctx, 6)
		require.NoError(t, err)
		var lines []string
		for _, entry := range latest {
			lines = append(lines, fmt.Sprintf("%s %s +%d", entry.Action, entry.Resource, entry.More))
		}
		require.Equal(t, []string{"thing.update things/a +0", "thing.update things/a +0", "thing.expire things/b +0", "thing.update things/a +0", "thing.expire things +2", "thing.update things/a +0"}, lines,
			"users are listed one by one, sign-ins are excluded, and a fold is one entry")
	})
}
