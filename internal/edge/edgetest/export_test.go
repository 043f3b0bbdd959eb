package edgetest

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/core/guard"
	"interlock/internal/edge/httpapi"
)

type exportedPayment struct {
	Method string `json:"method"`
}

type exportedRow struct {
	ID      int64             `json:"id"`
	Name    string            `json:"name"`
	Payment *exportedPayment  `json:"payment"`
	Paid    *time.Time        `json:"paidTime"`
	Tags    []string          `json:"tags"`
	Data    map[string]string `json:"metadata"`
	guard.Stamp
}

// exports serves an export and returns its address.
func exports(t *testing.T, at interface {
	httpapi.Authenticator
	set(refusal error, permissions ...string)
}, rows func(ctx context.Context, write func(exportedRow) error) error) string {
	t.Helper()
	type request struct {
		Status string `query:"status"`
		httpapi.ExportRequest
	}
	at.set(nil, "things:read")
	server := httpapi.NewServer(httpapi.Options{Authenticator: at})
	httpapi.Export(server.Router(), "/things/export", "things:read", "things", func(ctx context.Context, _ request, write func(exportedRow) error) error {
		return rows(ctx, write)
	})
	listening := httptest.NewServer(server)
	t.Cleanup(listening.Close)
	return listening.URL + "/api/v1/things/export"
}

func download(t *testing.T, url string) (status int, header http.Header, body string, err error) {
	t.Helper()
	reply, err := http.Get(url)
	require.NoError(t, err)
	defer reply.Body.Close()
	read, err := io.ReadAll(reply.Body)
	return reply.StatusCode, reply.Header, string(read), err
}

var exportedRows = []exportedRow{
	{
		ID: 1, Name: "Grüner Tee; \"fein\"\nlose", Payment: &exportedPayment{"=cmd|' /C calc'!A0"}, Tags: []string{"a", "b"},
		Paid: new(time.Date(2026, time.January, 31, 9, 30, 0, 0, time.UTC)),
	},
	{ID: 2, Name: "+49 30 1", Data: map[string]string{"k": "=1"}},
}

func writeExportedRows(_ context.Context, write func(exportedRow) error) error {
	for _, row := range exportedRows {
		if err := write(row); err != nil {
			return err
		}
	}
	return nil
}

func TestExportAsCSVIsSafeForSpreadsheets(t *testing.T) {
	url := exports(t, &authenticator{}, writeExportedRows)
	_, header, body, err := download(t, url)
	require.NoError(t, err)
	require.Equal(t, "text/csv; charset=utf-8; header=present", header.Get("Content-Type"))
	require.Equal(t, `attachment; filename="things.csv"`, header.Get("Content-Disposition"))
	require.True(t, strings.HasPrefix(body, "id,name,payment.method,paidTime,tags,metadata,version,etag,"), body)
	require.True(t, strings.HasSuffix(body, "\r\n"))
	rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 3)
	require.Equal(t, []string{"1", exportedRows[0].Name, "'=cmd|' /C calc'!A0", "2026-01-31T09:30:00.000000Z", `["a","b"]`, ""}, rows[1][:6])
	require.Equal(t, []string{"2", "'+49 30 1", "", "", "", `{"k":"=1"}`}, rows[2][:6])

	_, _, body, err = download(t, url+"?format=xls")
	require.NoError(t, err)
	require.Contains(t, body, "must be one of csv, jsonl")
}

func TestJSONLinesExportEndsWithTheNumberOfRows(t *testing.T) {
	url := exports(t, &authenticator{}, writeExportedRows)
	_, header, body, err := download(t, url+"?format=jsonl")
	require.NoError(t, err)
	require.Equal(t, "application/x-ndjson", header.Get("Content-Type"))
	lines := strings.Split(body, "\n")
	require.Len(t, lines, 4)
	require.Contains(t, lines[1], `"name":"+49 30 1","payment":null`)
	require.JSONEq(t, `{"rows":2}`, lines[2])
	require.Empty(t, lines[3])
}

func TestExportWithoutRowsHasAHeader(t *testing.T) {
	url := exports(t, &authenticator{}, func(context.Context, func(exportedRow) error) error { return nil })
	_, _, body, err := download(t, url)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(body, "id,name,"), body)
	require.Equal(t, 1, strings.Count(body, "\n"))
}

func TestFailedExportIsDetectable(t *testing.T) {
	failure := apperr.New(apperr.Unavailable, "The database does not respond.")
	for _, format := range []string{"csv", "jsonl"} {
		first := exports(t, &authenticator{}, func(context.Context, func(exportedRow) error) error { return failure })
		status, header, _, err := download(t, first+"?format="+format)
		require.NoError(t, err)
		require.Equal(t, http.StatusServiceUnavailable, status, "an error before the first part is a problem")
		require.Equal(t, "application/problem+json", header.Get("Content-Type"))

		later := exports(t, &authenticator{}, func(_ context.Context, write func(exportedRow) error) error {
			return errors.Join(write(exportedRow{Name: strings.Repeat("x", 1<<20)}), failure)
		})
		_, _, _, err = download(t, later+"?format="+format)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "the body of a failed export has no end")
	}
}

func TestExportEndsWhenItsPermissionIsRevoked(t *testing.T) {
	at := &bell{authenticator: &authenticator{}, rung: make(chan struct{})}
	url := exports(t, at, func(ctx context.Context, write func(exportedRow) error) error {
		if err := write(exportedRow{Name: strings.Repeat("x", 1<<20)}); err != nil {
			return err
		}
		at.set(nil, "orders:read")
		at.ring()
		<-ctx.Done()
		return context.Cause(ctx)
	})
	_, _, _, err := download(t, url)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}
