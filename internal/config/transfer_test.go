package config_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/base/strictjson"
	"interlock/internal/config"
	"interlock/internal/core/uow"
)

func (w *registry) importAll(in config.Import) (report config.Imported, err error) {
	err = w.do(w.Ctx, func(ctx context.Context, u *uow.Unit) error {
		report, err = w.Import(ctx, u, in)
		return err
	})
	return report, err
}

func verdicts(report config.Imported, rows []config.ImportRow) map[string]string {
	byKey := map[string]string{}
	for verdict, indexes := range report.Rows {
		for _, index := range indexes {
			byKey[rows[index].Key] = verdict
		}
	}
	return byKey
}

func rowsOf(export config.Export) []config.ImportRow {
	rows := make([]config.ImportRow, len(export.Configs))
	for i, c := range export.Configs {
		rows[i] = config.ImportRow{Key: string(c.Key), Content: config.Content{
			Value: string(c.Value), ValueType: c.ValueType, Remark: c.Remark, Schema: string(c.Schema),
		}}
	}
	return rows
}

func TestExportImportRoundTrip(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		w.create("shop.tax", config.Content{Value: `7.50`, Remark: "percent", Schema: `{"minimum":0}`})
		w.create("shop.flags", object(`{"z":true,"a":[1,"ü"]}`))
		w.create("mail", text("x"))

		export, err := w.Export(ctx, config.Filter{Prefix: "shop."})
		require.NoError(t, err)
		require.Len(t, export.Configs, 2)
		require.EqualValues(t, "shop.flags", export.Configs[0].Key)

		other := newRegistry(t, storagetest.Tenant(t), db)
		report, err := other.importAll(config.Import{Rows: rowsOf(export)})
		require.NoError(t, err)
		require.Equal(t, 2, report.Counts["create"])
		again, err := other.Export(other.Ctx, config.Filter{})
		require.NoError(t, err)
		require.Equal(t, export.Configs, again.Configs)
		require.Equal(t, traces{2, 2, 1}, other.traces())

		report, err = other.importAll(config.Import{Rows: rowsOf(export)})
		require.NoError(t, err)
		require.Equal(t, 2, report.Counts["unchanged"])
		require.Equal(t, traces{2, 2, 1}, other.traces())
	})
}

func TestImportOfAReformattedExportChangesNothing(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		w.create("shop.tax", config.Content{Value: `7.50`, ValueType: config.Number, Remark: "percent", Schema: `{"minimum":0.0,"maximum":1e2}`})
		w.create("shop.flags", object(`{"z":true,"a":[1,"\u00fc"]}`))
		before := w.traces()
		export, err := w.Export(ctx, config.Filter{})
		require.NoError(t, err)
		rows := rowsOf(export)
		rows[0].Content.Value = "{ \"a\": [ 1.0, \"ü\" ],\n \"z\": true }"
		rows[1].Content.Value, rows[1].Content.Schema = `75e-1`, "{ \"maximum\": 100, \"minimum\": 0 }"

		report, err := w.importAll(config.Import{Rows: rows, OnExisting: config.Update})
		require.NoError(t, err)
		require.Equal(t, 2, report.Counts["unchanged"])
		require.Equal(t, before, w.traces())
		require.Equal(t, `7.50`, w.get("shop.tax").Value, "the author's notation is unchanged")
	})
}

func TestImportReportsTheTimeOfItsWrites(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		w.create("old", text("x"))
		w.create("same", text("x"))
		rows := []config.ImportRow{{Key: "same", Content: text("x")}, {Key: "old", Content: text("y")}, {Key: "new", Content: text("z")}}

		w.Clock.Advance(time.Second)
		planned, err := w.importAll(config.Import{Rows: rows, OnExisting: config.Update, DryRun: true})
		require.NoError(t, err)
		report, err := w.importAll(config.Import{Rows: rows, OnExisting: config.Update})
		require.NoError(t, err)

		require.Nil(t, planned.Time)
		for i, wrote := range []bool{false, true, true} {
			row, err := w.Get(w.Ctx, rows[i].Key)
			require.NoError(t, err)
			require.Equal(t, wrote, row.UpdatedTime.Equal(*report.Time), rows[i].Key)
		}
	})
}

func TestDryRunReturnsVerdictsWithoutChange(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		w.create("same", text("x"))
		w.create("other", text("x"))
		before := w.traces()
		rows := []config.ImportRow{
			{Key: "same", Content: text("x")}, {Key: "other", Content: text("y")}, {Key: "new", Content: text("z")},
			{Key: "broken", Content: config.Content{Value: `1`, ValueType: config.String}}, {Key: "bad key", Content: text("x")},
		}
		for _, c := range []struct {
			onExisting config.OnExisting
			want       string
		}{{"", "conflict"}, {config.Fail, "conflict"}, {config.Skip, "skip"}, {config.Update, "update"}} {
			report, err := w.importAll(config.Import{Rows: rows, OnExisting: c.onExisting, DryRun: true})
			require.NoError(t, err)
			require.Equal(t, map[string]string{"same": "unchanged", "other": c.want, "new": "create", "broken": "invalid", "bad key": "invalid"}, verdicts(report, rows))
			require.Equal(t, []string{"/configs/3/value"}, pointers(report.Verdicts[len(report.Verdicts)-2].Fields))
			require.Equal(t, 2, report.Counts["invalid"])
			require.True(t, report.DryRun)
		}
		require.Equal(t, before, w.traces())
	})
}

// Proves G3.14.
func TestRepliesToLargestImportsCanBeStored(t *testing.T) {
	w := newRegistry(t, storagetest.Tenant(t), storagetest.SQLite(t))
	broken, taken := make([]config.ImportRow, config.MaxTransfer), make([]config.ImportRow, config.MaxTransfer)
	for i := range broken {
		key := fmt.Sprintf("%s-%d", strings.Repeat("k", 90), i)
		broken[i] = config.ImportRow{Key: strings.Repeat("\x01", 2000) + key, Content: config.Content{Value: `"x"`, ValueType: config.Number, Remark: strings.Repeat("r", 5000)}}
		taken[i] = config.ImportRow{Key: key, Content: text("y")}
	}
	planned, err := w.importAll(config.Import{Rows: broken, DryRun: true})
	require.NoError(t, err)
	requireStorable(t, planned)
	require.Equal(t, config.MaxTransfer, planned.Counts["invalid"])
	require.Len(t, planned.Rows["invalid"], config.MaxTransfer)

	_, err = w.importAll(config.Import{Rows: broken})
	require.LessOrEqual(t, len(problemOf(t, err, apperr.ValidationFailed).Fields), 500)
	_, err = w.importAll(config.Import{Rows: taken, OnExisting: config.Update})
	require.NoError(t, err)
	done, err := w.importAll(config.Import{Rows: taken, OnExisting: config.Update})
	require.NoError(t, err)
	requireStorable(t, done)
	for i := range taken {
		taken[i].Content = text("z")
	}
	_, err = w.importAll(config.Import{Rows: taken, OnExisting: config.Fail})
	conflict := problemOf(t, err, apperr.BatchConflict)
	require.Len(t, conflict.Members["verdicts"], 100)
	require.Equal(t, config.MaxTransfer, conflict.Members["counts"].(config.ImportCounts)["conflict"])
	requireStorable(t, conflict.Members)
}

// requireStorable checks that a reply fits the 256 KiB that an idempotency key can store.
func requireStorable(t *testing.T, reply any) {
	t.Helper()
	encoded, err := strictjson.Encode(reply)
	require.NoError(t, err)
	require.Less(t, len(encoded), 250<<10)
}

func TestImportIsAtomic(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		w.create("other", text("x"))
		before := w.traces()
		good := []config.ImportRow{{Key: "other", Content: text("y")}, {Key: "new", Content: text("z")}}
		invalid := append([]config.ImportRow{{Key: "new2", Content: config.Content{Value: `1`, ValueType: "x"}}}, good...)
		twice := append([]config.ImportRow{{Key: "new", Content: text("1")}}, good...)

		_, err := w.importAll(config.Import{Rows: good})
		e := problemOf(t, err, apperr.BatchConflict)
		require.Len(t, e.Members["verdicts"], 1)
		_, err = w.importAll(config.Import{Rows: invalid, OnExisting: config.Update})
		e = problemOf(t, err, apperr.ValidationFailed)
		require.Equal(t, []string{"/configs/0/valueType"}, pointers(e.Fields))
		require.Len(t, e.Members["verdicts"], 1)
		_, err = w.importAll(config.Import{Rows: twice, OnExisting: config.Update})
		require.Equal(t, []string{"/configs/2/key"}, pointers(problemOf(t, err, apperr.ValidationFailed).Fields))
		require.Equal(t, before, w.traces())

		_, err = w.importAll(config.Import{Rows: good, OnExisting: config.Skip, Note: "skipping"})
		require.NoError(t, err)
		require.Equal(t, `"x"`, w.get("other").Value)
		require.Equal(t, "skipping", w.historyOf("new")[0].Note)
		_, err = w.importAll(config.Import{Rows: good, OnExisting: config.Update})
		require.NoError(t, err)
		require.Equal(t, `"y"`, w.get("other").Value)
		require.EqualValues(t, 2, w.get("other").Version)
		require.Equal(t, traces{before.configs + 1, before.histories + 2, before.audits + 2}, w.traces())
	})
}

func TestTooLargeExportIsRejected(t *testing.T) {
	for _, c := range []struct {
		name      string
		content   config.Content
		doublings int
	}{
		{"by rows", text("x"), 14},
		{"by bytes", text(strings.Repeat("x", 200<<10)), 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newAPI(t, storagetest.Tenant(t), storagetest.MariaDB(t))
			row := w.create("many", c.content)
			for i := range c.doublings {
				w.double(row.TenantID, fmt.Sprintf(".%d", i))
			}
			_, err := w.Export(w.Ctx, config.Filter{})
			require.Contains(t, problemOf(t, err, apperr.LimitReached).Detail, "by prefix")
			export, err := w.Export(w.Ctx, config.Filter{Prefix: "many.0.1.2.3.4.5"})
			require.NoError(t, err)
			require.Len(t, export.Configs, 1<<(c.doublings-6))

			flags := w.at(config.OFREP)
			tooMany := flags.send("POST", "/evaluate/flags", "{}")
			require.Equal(t, http.StatusConflict, tooMany.status)
			require.Equal(t, []any{"limit_reached", "GENERAL"}, []any{tooMany.code(), tooMany.body["errorCode"]})
			some := flags.send("POST", "/evaluate/flags?prefix=many.0.1.2.3.4.5", "{}")
			require.Len(t, some.body["flags"], 1<<(c.doublings-6))
		})
	}
}

func TestImportAcceptsLargeExports(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		values := map[string]string{}
		for i := range 20 {
			key := fmt.Sprintf("large.%02d", i)
			values[key] = strings.Repeat("配", 40<<10)
			a.create(key, text(values[key]))
		}
		exported := a.send(http.MethodGet, "/configs/export", "")
		require.Equal(t, http.StatusOK, exported.status)
		require.Greater(t, len(exported.text), 2<<20)

		other := newAPI(t, storagetest.Tenant(t), a.DB)
		imported := other.send(http.MethodPost, "/configs/import", exported.text)
		require.Equal(t, http.StatusOK, imported.status, imported.text)
		for key, value := range values {
			require.JSONEq(t, fmt.Sprintf("%q", value), other.get(key).Value)
		}

		before := other.traces()
		refused := other.send(http.MethodPost, "/configs/import", strings.Repeat(" ", 32<<20+1))
		require.Equal(t, http.StatusRequestEntityTooLarge, refused.status)
		require.Equal(t, "payload_too_large", refused.code())
		require.Equal(t, before, other.traces())
	})
}

// double copies every config of the tenant to a key with the suffix, on MariaDB.
func (w *registry) double(tenant int64, suffix string) {
	require.NoError(w.t, w.DB.Write(w.Ctx).Exec(
		"INSERT INTO configs (tenant_id, version, created_time, updated_time, updated_by, updated_by_name, `key`, value, value_type, value_schema, remark) "+
			"SELECT tenant_id, version, created_time, updated_time, updated_by, updated_by_name, CONCAT(`key`, ?), value, value_type, value_schema, remark FROM configs WHERE tenant_id = ?",
		suffix, tenant).Error)
}

// The configs of an import share one budget for schemas.
func TestImportSharesOneSchemaBudget(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		costly := text(strings.Repeat("a", 100_000))
		costly.Schema = `{"pattern":"^(a|b){100}"}`
		send := func(n int) (config.Imported, error) {
			rows := make([]config.ImportRow, n)
			for i := range rows {
				rows[i] = config.ImportRow{Key: fmt.Sprint("k", i), Content: costly}
			}
			var report config.Imported
			err := w.do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
				report, err = w.Import(ctx, u, config.Import{Rows: rows, DryRun: true})
				return err
			})
			return report, err
		}
		one, err := send(1)
		require.NoError(t, err)
		require.Equal(t, 1, one.Counts["create"])
		all, err := send(30)
		require.NoError(t, err)
		require.Positive(t, all.Counts["create"])
		require.Positive(t, all.Counts["invalid"])
		require.Contains(t, all.Verdicts[len(all.Verdicts)-1].Fields[0].Message, "together")
	})
}
