package activity

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/actions"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/lock"
	"interlock/test/racing"
)

// BenchmarkBurst measures bursts of four concurrent, shuffled actions of one customer, as load/actions.js
// sends them. Many customers act on one item.
func BenchmarkBurst(b *testing.B) {
	for engine, address := range map[string]func() string{
		"sqlite":  func() string { return "sqlite://" + b.TempDir() + "/interlock.DB" },
		"mariadb": func() string { return storagetest.NewMariaDBURL(b) },
	} {
		b.Run(engine, func(b *testing.B) { benchmarkBursts(b, address()) })
	}
}

func benchmarkBursts(b *testing.B, address string) {
	db, err := storage.Open(b.Context(), storage.Options{URL: address, MaxConnections: 16})
	require.NoError(b, err)
	defer db.Close()
	_, err = db.Migrate(b.Context())
	require.NoError(b, err)
	runner := uow.NewRunner(uow.Options{DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: clock.System{}})
	service := actions.New(actions.Deps{DB: db, Clock: clock.System{}, Items: things{"SKU-1": 11}})
	var customers atomic.Int64
	b.ReportAllocs()
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		who := principal.Principal{Kind: principal.Customer, TenantID: 1, CustomerID: principal.CustomerID(fmt.Sprint(customers.Add(1))), Name: "customer", Permissions: []string{"actions:*"}}
		server := httpapi.NewServer(httpapi.Options{Runner: runner, Authenticator: fixed(who)})
		actions.Routes(server.Router(), service)
		for last := 0; pb.Next(); last += 4 {
			racing.Together(4, func(i int) {
				id := last + (3*i+last)%4 + 1
				body := `{"entityType":"item","entityId":"SKU-1","action":"like","active":` + strconv.FormatBool(id%3 != 0) + `,"actionId":` + strconv.Itoa(id) + `}`
				recorder := httptest.NewRecorder()
				server.ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, httpapi.Base+"/actions", strings.NewReader(body)))
				if recorder.Code != http.StatusOK {
					b.Errorf("status %d %s", recorder.Code, recorder.Body)
				}
			})
		}
	})
}

// fixed authenticates each request as one principal.
type fixed principal.Principal

func (f fixed) Authenticate(*http.Request) (principal.Principal, error) {
	return principal.Principal(f), nil
}
