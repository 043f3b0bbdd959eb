package coupons_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/coupons"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/events"
	"interlock/internal/lock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// counter is coupons over HTTP, called by the principal of ctx.
type counter struct {
	*httpapitest.Caller
	ctx     context.Context
	db      *storage.DB
	clock   *clock.Fake
	runner  *uow.Runner
	coupons *coupons.Service
}

var opening = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

func open(ctx context.Context, t *testing.T, db *storage.DB) *counter {
	t.Helper()
	now := clock.NewFake(opening)
	runner := uow.NewRunner(uow.Options{DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: now})
	bus := events.NewInProcess(16)
	t.Cleanup(bus.Close)
	service := coupons.New(coupons.Deps{DB: db, Runner: runner, Bus: bus, Clock: now})
	caller := httpapitest.New(ctx, runner, func(r *httpapi.Router) { coupons.Routes(r, service) })
	return &counter{Caller: caller, ctx: ctx, db: db, clock: now, runner: runner, coupons: service}
}

type object = map[string]any

// terms are those of a campaign that has begun, with some of them replaced.
func terms(replaced object) object {
	t := object{
		"name": "Spring", "kind": "amount", "value": 500, "minimumAmount": 0, "total": 100, "perUser": 100,
		"validFrom": opening.Add(-time.Hour).Format(time.RFC3339), "validTo": opening.Add(time.Hour).Format(time.RFC3339),
	}
	for name, value := range replaced {
		t[name] = value
	}
	return t
}

func (c *counter) campaign(t *testing.T, replaced object) object {
	t.Helper()
	a := c.Send(t, http.MethodPost, "/coupon-campaigns", terms(replaced))
	require.Equal(t, http.StatusCreated, a.Status, a.Body)
	return a.Body
}

func campaignPath(campaign object) string {
	return fmt.Sprintf("/coupon-campaigns/%d", int64(campaign["id"].(float64)))
}

// issue issues coupons and returns their codes.
func (c *counter) issue(t *testing.T, campaign object, request object) []string {
	t.Helper()
	a := c.Send(t, http.MethodPost, campaignPath(campaign)+"/coupons", request)
	require.Equal(t, http.StatusCreated, a.Status, a.Body)
	var codes []string
	for _, code := range a.Body["codes"].([]any) {
		codes = append(codes, code.(string))
	}
	return codes
}

func (c *counter) redeem(t *testing.T, code string, user int) httpapitest.Answer {
	t.Helper()
	return c.Send(t, http.MethodPost, "/coupons/"+code+"/redeem", object{"userId": user})
}

func (c *counter) coupon(t *testing.T, code string) object {
	t.Helper()
	a := c.Send(t, http.MethodGet, "/coupons/"+code, nil)
	require.Equal(t, http.StatusOK, a.Status, a.Body)
	return a.Body
}

func (c *counter) count(t *testing.T, model any, condition string, args ...any) int64 {
	t.Helper()
	var n int64
	require.NoError(t, c.db.Read(c.ctx).Model(model).Where(condition, args...).Count(&n).Error)
	return n
}

// as returns the context as another admin of the same tenant.
func (c *counter) as(id int64, name string) context.Context {
	p, _ := principal.From(c.ctx)
	p.UserID, p.Name = id, name
	return principal.With(c.ctx, p)
}

// tally counts the answers by status.
func tally(answers []httpapitest.Answer) map[int]int {
	counts := map[int]int{}
	for _, a := range answers {
		counts[a.Status]++
	}
	return counts
}
