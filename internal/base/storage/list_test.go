package storage_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
	"pgregory.net/rapid"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/guard"
)

// bound is the ListBound of these tests.
const bound = 10

var thingSorts = storage.Sorts{
	Columns: map[string]string{"id": "id", "name": "name", "status": "status", "amount": "amount", "updatedTime": "updated_time"},
	Unique:  []string{"name"}, Default: "name",
}

// condition is a filter and its meaning.
type condition struct {
	filter storage.Filter
	holds  func(storagetest.Thing) bool
}

func everyThing(storagetest.Thing) bool { return true }

func conditions(tenant int64) map[string]condition {
	c := map[string]condition{
		"every second":   {storage.Examined("amount % 2 = 0"), func(r storagetest.Thing) bool { return r.Amount%2 == 0 }},
		"names with 7":   {storage.Containing("7", "name"), func(r storagetest.Thing) bool { return strings.Contains(r.Name, "7") }},
		"any name":       {storage.Containing("", "name"), everyThing},
		"any time":       {storage.Created(nil, nil), everyThing},
		"either, or any": {storage.Either(storage.Equal("status", 2), storage.Filter{}), everyThing},
		"amounts to 20":  {storage.Until("amount", 20), func(r storagetest.Thing) bool { return r.Amount <= 20 }},
		"amounts over 6": {storage.Above("amount", 6), func(r storagetest.Thing) bool { return r.Amount > 6 }},
		"those of 2":     {storage.OwnedBy("status", 2), func(r storagetest.Thing) bool { return r.Status == 2 }},
		"a few amounts":  {storage.Between("amount", 3, 6), func(r storagetest.Thing) bool { return r.Amount >= 3 && r.Amount < 6 }},
		"names n-01":     {storage.HasPrefix("name", "n-01"), func(r storagetest.Thing) bool { return strings.HasPrefix(r.Name, "n-01") }},
		"one of two":     {storage.Either(storage.Equal("status", 2), storage.Equal("status", 9)), func(r storagetest.Thing) bool { return r.Status == 2 }},
		"either, in two": {storage.Either(storage.Equal("status", 2), storage.Until("amount", 5)), func(r storagetest.Thing) bool { return r.Status == 2 || r.Amount <= 5 }},
		"among":          {storage.InSubquery("SELECT o.id FROM things o WHERE o.amount < 4"), func(r storagetest.Thing) bool { return r.Amount < 4 }},
		"or among each": {storage.Either(storage.Equal("status", 2), storage.InDistinctSubquery("SELECT DISTINCT o.id FROM things o WHERE o.tenant_id = ? AND o.amount < 4", tenant)),
			func(r storagetest.Thing) bool { return r.Status == 2 || r.Amount < 4 }},
		"among each of none": {storage.Either(storage.Equal("status", 9), storage.InDistinctSubquery("SELECT o.id FROM things o WHERE o.tenant_id = ? AND o.amount < 4", tenant)),
			func(r storagetest.Thing) bool { return r.Amount < 4 }},
	}
	for status := range 4 {
		c[fmt.Sprint("status ", status)] = condition{storage.Equal("status", status), func(r storagetest.Thing) bool { return r.Status == status }}
	}
	return c
}

// With every way of reading: all pages together contain the matching rows, once each and in
// order, and a total that is reported as exact is exact.
func TestPagesOfEveryPlanReturnEachRowOnce(t *testing.T) {
	storagetest.BothAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		require.NoError(t, db.Read(ctx).Use(storage.ListBound(bound)))
		storagetest.CreateThings(t, ctx, db)
		at := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
		things := make([]storagetest.Thing, 60)
		for i := range things {
			updated := at.Add(time.Duration(i%7) * time.Second)
			things[i] = storagetest.Thing{
				Row: guard.Row{Version: 1, CreatedTime: at, UpdatedTime: updated}, Name: fmt.Sprintf("n-%03d", (i*37)%60), Amount: int64(i % 30),
				// Status 0 has few rows, 2 very many, and 3 none.
				Status: min(i/6, 2),
			}
		}
		require.NoError(t, db.Write(ctx).Create(&things).Error)
		// Ids need not be consecutive.
		require.NoError(t, db.Read(ctx).Order("id").Find(&things).Error)
		stranger := storagetest.Tenant(t)
		foreign := things[0]
		foreign.ID, foreign.TenantID = 0, 0
		require.NoError(t, db.Write(stranger).Create(&foreign).Error)

		all := conditions(things[0].TenantID)
		names := make([]string, 0, len(all))
		for name := range all {
			names = append(names, name)
		}
		slices.Sort(names)
		rapid.Check(t, func(rt *rapid.T) {
			chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 3, rapid.ID[string]).Draw(rt, "filters")
			key := rapid.SampledFrom([]string{"id", "name", "status", "amount", "updatedTime"}).Draw(rt, "sort")
			sign := rapid.SampledFrom([]string{"", "-"}).Draw(rt, "direction")
			page := storage.Page{Limit: rapid.IntRange(1, 12).Draw(rt, "limit"), Sort: sign + key, Exact: rapid.Bool().Draw(rt, "exact")}
			var filters []storage.Filter
			want := slices.Clone(things)
			for _, name := range chosen {
				filters = append(filters, all[name].filter)
				want = slices.DeleteFunc(want, func(r storagetest.Thing) bool { return !all[name].holds(r) })
			}
			slices.SortFunc(want, func(a, b storagetest.Thing) int {
				order := cmp.Or(compareBy(key, a, b), cmp.Compare(a.ID, b.ID))
				if sign == "-" {
					return -order
				}
				return order
			})
			var got []int64
			for pages := 0; ; pages++ {
				require.Less(rt, pages, 200, "the pages have no end")
				listing, err := storage.List[storagetest.Thing](db.Read(ctx), page, thingSorts, filters...)
				require.NoError(rt, err)
				require.LessOrEqual(rt, len(listing.Rows), page.Limit)
				require.LessOrEqual(rt, listing.Total, int64(len(want)))
				if page.Exact {
					require.True(rt, listing.TotalIsExact)
				} else {
					require.LessOrEqual(rt, listing.Total, int64(bound))
				}
				if listing.TotalIsExact {
					require.EqualValues(rt, len(want), listing.Total)
				}
				for _, row := range listing.Rows {
					got = append(got, row.ID)
				}
				if listing.Next == nil {
					break
				}
				page.Cursor = *listing.Next
			}
			var ids []int64
			for _, row := range want {
				ids = append(ids, row.ID)
			}
			require.Equal(rt, ids, got)
		})
	})
}

func compareBy(key string, a, b storagetest.Thing) int {
	switch key {
	case "name":
		return cmp.Compare(a.Name, b.Name)
	case "status":
		return cmp.Compare(a.Status, b.Status)
	case "amount":
		return cmp.Compare(a.Amount, b.Amount)
	case "updatedTime":
		return a.UpdatedTime.Compare(b.UpdatedTime)
	}
	return 0
}

func TestBoundedCountReportsThatItStopped(t *testing.T) {
	storagetest.BothAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		require.NoError(t, db.Read(ctx).Use(storage.ListBound(bound)))
		storagetest.CreateThings(t, ctx, db)
		for i := range int64(bound + 1) {
			add(t, ctx, db, fmt.Sprint(i), i)
		}
		for filter, want := range map[string]struct {
			total int64
			exact bool
		}{"amount >= 0": {bound, false}, "amount >= 1": {bound, true}, "amount >= 2": {bound - 1, true}} {
			listing, err := storage.List[storagetest.Thing](db.Read(ctx).Where(filter), storage.Page{}, thingSorts)
			require.NoError(t, err)
			require.Equal(t, want.total, listing.Total, filter)
			require.Equal(t, want.exact, listing.TotalIsExact, filter)
			require.Len(t, listing.Rows, int(want.total)+map[bool]int{false: 1}[want.exact])
		}
		count, err := storage.CountUpTo[storagetest.Thing](db.Read(ctx), storage.Until("amount", 3))
		require.NoError(t, err)
		require.Equal(t, storage.Count{N: 4}, count)
		count, err = storage.CountUpTo[storagetest.Thing](db.Read(ctx))
		require.NoError(t, err)
		require.Equal(t, storage.Count{N: bound, More: true}, count)
		for most, want := range map[int]storage.Count{3: {N: 3, More: true}, 4: {N: 4}, 5: {N: 4}} {
			count, err = storage.CountAtMost[storagetest.Thing](db.Read(ctx), most, storage.Until("amount", 3))
			require.NoError(t, err)
			require.Equal(t, want, count)
		}
	})
}

// MariaDB scans from the end of a tenant to a value of the order's column if that is
// written as a range, and all rows of a tenant up to a position if the tenant is not.
func TestMariaDBTenantRangeIsForPagesWithACursor(t *testing.T) {
	db, _ := storagetest.TappedMariaDB(t)
	ctx := storagetest.Tenant(t)
	require.NoError(t, db.Read(ctx).Use(storage.ListBound(1)))
	storagetest.CreateThings(t, ctx, db)
	at := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	things := make([]storagetest.Thing, 3)
	for i := range things {
		things[i] = storagetest.Thing{Row: guard.Row{Version: 1, CreatedTime: at, UpdatedTime: at}, Name: fmt.Sprint(i), Status: 1}
	}
	require.NoError(t, db.Write(ctx).Create(&things).Error)
	var last string
	remember := func(d *gorm.DB) { last = d.Statement.SQL.String() }
	require.NoError(t, db.Read(ctx).Callback().Query().After("gorm:query").Register("test:last", remember))
	read := func(cursor string) storage.Listing[storagetest.Thing] {
		page := storage.Page{Sort: "-status", Limit: 2, Cursor: cursor}
		listing, err := storage.List[storagetest.Thing](db.Read(ctx), page, thingSorts, storage.Equal("status", 1).OrderedBy("status"))
		require.NoError(t, err)
		return listing
	}

	first := read("")
	require.Contains(t, last, "`tenant_id` = ")
	require.NotContains(t, last, "`tenant_id` >= ")
	require.NotNil(t, first.Next)

	require.Len(t, read(*first.Next).Rows, 1)
	require.Contains(t, last, "`tenant_id` >= ")
	require.NotContains(t, last, "`tenant_id` = ")
}
