//go:build size

package contract_test

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage/storagetest"
	"interlock/test/apptest"
)

// rounds is the number of measurements per request, after one that does not count.
const rounds = 3

// aim is the maximum median duration of a list at the larger size, and reportAim that of a report,
// which reads all orders of its period.
const aim, reportAim = 50 * time.Millisecond, time.Second

// aimOf returns the aim of a request.
func aimOf(name string) time.Duration {
	if strings.HasPrefix(name, "/reports/") {
		return reportAim
	}
	return aim
}

// TestHowLongListsTake measures every list request at each of INTERLOCK_SIZES orders, on
// INTERLOCK_ENGINES, and prints the medians. INTERLOCK_LISTS selects lists, such as
// /orders,/customers. It fails if a request exceeds its aim.
func TestHowLongListsTake(t *testing.T) {
	var sizes []int
	for _, text := range strings.Split(cmp.Or(os.Getenv("INTERLOCK_SIZES"), "10000,1000000"), ",") {
		size, err := strconv.Atoi(text)
		require.NoError(t, err)
		sizes = append(sizes, size)
	}
	for _, engine := range engines() {
		t.Run(engine, func(t *testing.T) {
			took := make([]map[string]time.Duration, len(sizes))
			var order []string
			for i, size := range sizes {
				s := newShop(t, start(t, engine), ofSize(size))
				took[i], order = s.time(t)
			}
			report(t, sizes, took, order)
		})
	}
}

func engines() []string {
	return strings.Split(cmp.Or(os.Getenv("INTERLOCK_ENGINES"), "sqlite,mariadb"), ",")
}

// start boots a program on a separate database.
func start(t *testing.T, engine string) *apptest.Program {
	t.Helper()
	s := apptest.Settings(filepath.Join(t.TempDir(), "data"))
	if engine == "mariadb" {
		s.DatabaseURL = storagetest.NewMariaDBURL(t)
	}
	return apptest.Start(t, s)
}

// time returns the median duration of each request, and of the second page if there is one.
func (s shop) time(t *testing.T) (took map[string]time.Duration, order []string) {
	t.Helper()
	start := time.Now()
	took = map[string]time.Duration{}
	measure := func(name string, r request, more url.Values) (next string) {
		next = s.ask(t.Context(), t, r, more)
		var all []time.Duration
		for range rounds {
			before := time.Now()
			s.ask(t.Context(), t, r, more)
			all = append(all, time.Since(before))
		}
		slices.Sort(all)
		took[name], order = all[len(all)/2], append(order, name)
		return next
	}
	lists := os.Getenv("INTERLOCK_LISTS")
	for _, r := range s.requests(t) {
		if lists != "" && !slices.Contains(strings.Split(lists, ","), r.list) {
			continue
		}
		if next := measure(r.String(), r, nil); next != "" {
			measure(r.String()+" (page 2)", r, url.Values{"cursor": {next}})
		}
	}
	measure("/dashboard", request{list: "/dashboard", path: "/api/v1/dashboard"}, nil)
	measure("/configs/export?prefix=app17.", request{list: "/configs/export", path: "/api/v1/configs/export", query: url.Values{"prefix": {"app17.1001"}}}, nil)
	for _, by := range []string{"day", "week", "month", "sku", "sale"} {
		measure("/reports/sales?by="+by, request{list: "/reports/sales", path: "/api/v1/reports/sales", query: url.Values{"by": {by}}}, nil)
	}
	t.Logf("timed %d requests in %s", len(order), time.Since(start).Round(time.Second))
	return took, order
}

// report prints the number of requests and the slowest request of each list, and then all
// requests that exceed the aim.
func report(t *testing.T, sizes []int, took []map[string]time.Duration, order []string) {
	t.Helper()
	last := took[len(took)-1]
	ms := func(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d.Microseconds())/1000) }
	byList := map[string][]string{}
	var lists []string
	for _, name := range order {
		list, _, _ := strings.Cut(strings.TrimSuffix(name, " (page 2)"), "?")
		if byList[list] == nil {
			lists = append(lists, list)
		}
		byList[list] = append(byList[list], name)
	}
	slices.Sort(lists)
	var b strings.Builder
	fmt.Fprintf(&b, "\n| list | requests | without filters | median of them | slowest | which |\n|---|---|---|---|---|---|\n")
	for _, list := range lists {
		names := byList[list]
		slices.SortFunc(names, func(x, y string) int { return cmp.Compare(last[x], last[y]) })
		column := func(name string) string {
			var cells []string
			for i := range sizes {
				// The filters of a shop depend on the time at which it was started.
				cell := "–"
				if d, ok := took[i][name]; ok {
					cell = ms(d)
				}
				cells = append(cells, cell)
			}
			return strings.Join(cells, " → ")
		}
		plain := list
		for _, name := range names {
			if strings.HasPrefix(name, list+"?sort=") && !strings.Contains(name, "&") && !strings.Contains(name, "page") && last[name] > last[plain] {
				plain = name
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s |\n", list, len(names), column(plain), column(names[len(names)/2]), column(names[len(names)-1]), strings.TrimPrefix(names[len(names)-1], list))
	}
	t.Log(b.String())
	slices.SortFunc(order, func(x, y string) int { return cmp.Compare(last[y], last[x]) })
	for _, name := range order {
		if last[name] > aimOf(name) {
			t.Errorf("%s ms: %s", ms(last[name]), name)
		}
	}
}

// editRounds is the number of measurements of edits with and without the indexes of lists,
// edits the number of edits per measurement, and writers the number of concurrent writers.
const editRounds, edits, writers = 9, 600, 8

// editedShop is the number of orders in the shop with edited configs.
const editedShop = 100_000

// TestIndexesOfListsBarelySlowEdits edits configs of two shops of editedShop orders in turn:
// only one shop has the indexes of audit entries and configs that serve lists alone.
func TestIndexesOfListsBarelySlowEdits(t *testing.T) {
	for _, engine := range engines() {
		t.Run(engine, func(t *testing.T) {
			with, without := newShop(t, start(t, engine), ofSize(editedShop)), newShop(t, start(t, engine), ofSize(editedShop))
			for table, indexes := range map[string][]string{
				"audit_entries": {"ix_audit_entries_action", "ix_audit_entries_actor", "ix_audit_entries_actor_name", "ix_audit_entries_created"},
				"configs":       {"ix_configs_updated", "ix_configs_version", "ix_configs_type"},
			} {
				for _, index := range indexes {
					statement := "DROP INDEX " + index
					if engine == "mariadb" {
						statement += " ON " + table
					}
					_, err := without.Program.Services().DB.Pools()["write"].ExecContext(t.Context(), statement)
					require.NoError(t, err)
				}
			}
			for range 2 {
				with.edit(t)
				without.edit(t)
			}
			var ratios []float64
			var rates [2][]float64
			for range editRounds {
				a, b := with.edit(t), without.edit(t)
				rates[0], rates[1] = append(rates[0], a), append(rates[1], b)
				ratios = append(ratios, a/b)
			}
			for _, list := range [][]float64{ratios, rates[0], rates[1]} {
				slices.Sort(list)
			}
			t.Logf("edits a second with the indexes ÷ without: %.3f (%.3f–%.3f); %.0f against %.0f", ratios[editRounds/2], ratios[0], ratios[editRounds-1], rates[0][editRounds/2], rates[1][editRounds/2])
		})
	}
}

// edit returns the number of changed configs per second.
func (s shop) edit(t *testing.T) float64 {
	t.Helper()
	var group sync.WaitGroup
	start := time.Now()
	for w := range writers {
		group.Go(func() {
			path := fmt.Sprintf("/api/v1/configs/app%d.%d", w+1, 1000001+w)
			ctx := context.WithoutCancel(t.Context())
			read, err := s.Try(ctx, "GET", path, nil)
			if err != nil || read.Status != 200 {
				t.Errorf("read %s: %d %v", path, read.Status, err)
				return
			}
			etag := read.Header.Get("ETag")
			for range edits / writers {
				answer, err := s.Try(ctx, "PATCH", path, map[string]any{"remark": fmt.Sprint(time.Now().UnixNano())}, "If-Match", etag)
				if err != nil || answer.Status != 200 {
					t.Errorf("change %s: %d %v %s", path, answer.Status, err, answer.Body)
					return
				}
				etag = answer.Header.Get("ETag")
			}
		})
	}
	group.Wait()
	return edits / time.Since(start).Seconds()
}
