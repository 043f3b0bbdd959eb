package validate_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/contract/validate"
)

const item = `{"sku":"A","name":"Tea","price":1,"currency":"CNY","ownedByUserId":null,"status":"active","version":1,"etag":"\"1-1\"",` +
	`"createdTime":"2026-01-31T09:30:00.123456Z","updatedTime":"2026-01-31T09:30:00.123456Z","updatedBy":{"id":7,"name":"Li"}}`

const gone = `{"type":"/problems/not_found","title":"Not found","status":404,"code":"not_found","detail":"No.","requestId":"r"}`

// exchange is one request and its response.
type exchange struct {
	method, path, body string
	status             int
	header             map[string]string
	reply              string
}

func createdItem() exchange {
	return exchange{
		method: "POST", path: "/api/v1/items", body: `{"sku":"A","name":"Tea","price":1}`, status: 201, reply: item,
		header: map[string]string{
			"X-Request-Id": "r", "ETag": `"1-1"`, "Location": "/api/v1/items/A", "Content-Type": "application/json",
		},
	}
}

func missingItem() exchange {
	return exchange{
		method: "GET", path: "/api/v1/items/A", status: 404, reply: gone,
		header: map[string]string{"X-Request-Id": "r", "Content-Type": "application/problem+json"},
	}
}

func notRefundable() exchange {
	return exchange{
		method: "POST", path: "/api/v1/orders/1/refunds", body: `{"amount":9,"reason":"Late"}`, status: 422,
		reply: `{"type":"/problems/validation_failed","title":"Validation failed","status":422,"code":"validation_failed","detail":"No.","requestId":"r",` +
			`"fields":[{"pointer":"/amount","code":"refundable","message":"must be at most 4"}],"refundable":4,"currency":"CNY"}`,
		header: map[string]string{"X-Request-Id": "r", "Content-Type": "application/problem+json"},
	}
}

func tooManyRequests() exchange {
	return exchange{
		method: "GET", path: "/api/v1/items", status: 429,
		reply:  strings.NewReplacer("not_found", "rate_limited", "404", "429").Replace(gone),
		header: map[string]string{"X-Request-Id": "r", "Retry-After": "3", "Content-Type": "application/problem+json"},
	}
}

// record is a test that only records its failures.
type record struct{ faults []string }

func (r *record) Helper() {}

func (r *record) Errorf(format string, arguments ...any) {
	r.faults = append(r.faults, fmt.Sprintf(format, arguments...))
}

// send performs the exchange with a server that returns the response.
func send(t *testing.T, x exchange) []string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != x.body {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		for name, value := range x.header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(x.status)
		_, _ = io.WriteString(w, x.reply)
	}))
	defer server.Close()
	var test record
	client := &http.Client{Transport: validate.NewTransport(&test, http.DefaultTransport)}
	request, err := http.NewRequestWithContext(t.Context(), x.method, server.URL+x.path, strings.NewReader(x.body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	reply, err := client.Do(request)
	require.NoError(t, err)
	defer reply.Body.Close()
	read, err := io.ReadAll(reply.Body)
	require.NoError(t, err)
	require.Equal(t, x.reply, string(read), "the exchange is passed on untouched")
	return test.faults
}

func TestConformingExchangesPass(t *testing.T) {
	require.Empty(t, send(t, createdItem()))
	require.Empty(t, send(t, missingItem()))
	require.Empty(t, send(t, notRefundable()))
	require.Empty(t, send(t, tooManyRequests()))
}

func TestDeparturesFromTheContractFailTheTest(t *testing.T) {
	for name, departure := range map[string]struct {
		of   func() exchange
		with func(*exchange)
		says string
	}{
		"an undocumented status":          {createdItem, func(x *exchange) { x.status = 202 }, "status is not documented"},
		"an undocumented member":          {createdItem, func(x *exchange) { x.reply = strings.Replace(item, "{", `{"colour":1,`, 1) }, "colour"},
		"a missing member":                {createdItem, func(x *exchange) { x.reply = strings.Replace(item, `"price":1,`, "", 1) }, "price"},
		"a member of another type":        {createdItem, func(x *exchange) { x.reply = strings.Replace(item, `"price":1`, `"price":"1"`, 1) }, "price"},
		"a time that is none":             {createdItem, func(x *exchange) { x.reply = strings.Replace(item, "2026-01-31T", "", 1) }, "createdTime"},
		"an amount without a currency":    {notRefundable, func(x *exchange) { x.reply = strings.Replace(x.reply, `,"currency":"CNY"`, "", 1) }, "the amount at /refundable has no currency"},
		"no JSON":                         {createdItem, func(x *exchange) { x.reply = "created" }, "not JSON"},
		"a missing header":                {createdItem, func(x *exchange) { delete(x.header, "Location") }, "Location is missing"},
		"a header of another form":        {createdItem, func(x *exchange) { x.header["ETag"] = "1-1" }, "ETag"},
		"a header that is not a number":   {tooManyRequests, func(x *exchange) { x.header["Retry-After"] = "soon" }, "Retry-After"},
		"another media type":              {createdItem, func(x *exchange) { x.header["Content-Type"] = "text/plain" }, "text/plain"},
		"an undocumented query":           {createdItem, func(x *exchange) { x.path += "?colour=1" }, "query parameter colour"},
		"an undocumented request":         {createdItem, func(x *exchange) { x.body = `{"sku":"A","name":"Tea","price":1,"colour":1}` }, "accepted request"},
		"an error that is not a problem":  {missingItem, func(x *exchange) { x.header["Content-Type"] = "application/json" }, "application/json"},
		"another code":                    {missingItem, func(x *exchange) { x.reply = strings.ReplaceAll(gone, "not_found", "in_use") }, "code"},
		"an unknown address with a reply": {missingItem, func(x *exchange) { x.path, x.status = "/api/v1/colours", 200 }, "not documented"},
		"a fault of the service": {missingItem, func(x *exchange) {
			x.status, x.reply = 500, strings.NewReplacer("not_found", "internal", "404", "500").Replace(gone)
		}, "fault of the service"},
	} {
		t.Run(name, func(t *testing.T) {
			x := departure.of()
			departure.with(&x)
			faults := send(t, x)
			require.Len(t, faults, 1)
			require.Contains(t, faults[0], departure.says)
		})
	}
}
