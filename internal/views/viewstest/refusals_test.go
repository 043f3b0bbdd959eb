package viewstest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/background"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/lock"
	"interlock/internal/views/audit"
)

// refusedDetail is the detail of a row of rejected requests.
type refusedDetail struct {
	Code    string
	Count   int64
	Others  int64
	Origins []struct {
		Network, Who, Route string
		Count               int64
	}
}

// Proves G7.35.
func TestRejectionsAreFoldedByKind(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		caller, _ := principal.From(ctx)
		runner := uow.NewRunner(uow.Options{DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: clock.System{}})
		var away error
		refusals := audit.NewRefusals(runner, clock.System{}, func(_ context.Context, name string) (int64, error) {
			if away != nil {
				return 0, away
			}
			if name != "shop" {
				return 0, apperr.MissingRow("tenant", name)
			}
			return caller.TenantID, nil
		})
		for i := range 60 {
			for range i + 1 {
				refusals.CountRefusal(httpapi.Refusal{
					Tenant: "shop", Action: httpapi.RefusedSignIn, Code: apperr.InvalidCredentials, Network: fmt.Sprintf("203.0.113.%d", i),
				})
			}
			refusals.CountRefusal(httpapi.Refusal{Tenant: fmt.Sprintf("made-up-%d", i), Action: httpapi.RefusedSignIn, Code: apperr.InvalidCredentials})
		}
		refusals.CountRefusal(httpapi.Refusal{
			TenantID: caller.TenantID, Action: httpapi.RefusedRequest, Code: apperr.Forbidden, Network: "203.0.113.7", Who: "Li", Route: "GET /api/v1/users",
		})
		away = errors.New("away")
		require.ErrorIs(t, refusals.Flush(ctx), away)
		away = nil
		require.NoError(t, refusals.Flush(ctx))
		require.NoError(t, refusals.Flush(ctx), "written counts are not written again")

		listing, err := audit.NewLog(db).List(ctx, audit.Filter{Actions: []string{httpapi.RefusedSignIn}}, storage.Page{})
		require.NoError(t, err)
		require.Len(t, listing.Rows, 1)
		var detail refusedDetail
		require.NoError(t, json.Unmarshal(listing.Rows[0].Detail, &detail))
		require.Equal(t, "invalid_credentials", detail.Code)
		require.EqualValues(t, 60*61/2, detail.Count)
		require.Len(t, detail.Origins, 50)
		require.Equal(t, "203.0.113.59", detail.Origins[0].Network)
		require.EqualValues(t, 60, detail.Origins[0].Count)
		require.EqualValues(t, 10*11/2, detail.Others)

		listing, err = audit.NewLog(db).List(ctx, audit.Filter{Actions: []string{httpapi.RefusedRequest}}, storage.Page{})
		require.NoError(t, err)
		require.Len(t, listing.Rows, 1)
		detail = refusedDetail{}
		require.NoError(t, json.Unmarshal(listing.Rows[0].Detail, &detail))
		require.Equal(t, "Li", detail.Origins[0].Who)
		require.Equal(t, "GET /api/v1/users", detail.Origins[0].Route)

		latest, err := audit.NewLog(db).Latest(ctx, 10)
		require.NoError(t, err)
		require.Empty(t, latest, "they change nothing")
	})
}

// Proves G7.35.
func TestRejectionsAreWrittenAtShutdown(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		caller, _ := principal.From(ctx)
		runner := uow.NewRunner(uow.Options{DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: clock.System{}})
		refusals := audit.NewRefusals(runner, clock.System{}, nil)
		refusals.CountRefusal(httpapi.Refusal{TenantID: caller.TenantID, Action: httpapi.RefusedRequest, Code: apperr.RateLimited})
		services := background.NewGroup(clock.System{})
		require.NoError(t, services.Start(ctx, refusals.Background()))
		services.Stop(ctx)
		listing, err := audit.NewLog(db).List(ctx, audit.Filter{Actions: []string{httpapi.RefusedRequest}}, storage.Page{})
		require.NoError(t, err)
		require.Len(t, listing.Rows, 1)
	})
}
