package audit

import (
	"context"
	"encoding/json"
	"strings"

	"interlock/internal/base/principal"
)

// readers are the permissions to read the resources of entries, by the first segment of the
// path, if they differ from "<segment>:read".
var readers = map[string]string{
	"aggregates":       "ledger:read",
	"config-batches":   "configs:read",
	"coupon-campaigns": "coupons:read",
	"customers":        "orders:read",
	"encryption-keys":  ReadPermission,
	"retention":        ReadPermission,
	"roles":            "access:read",
	"session":          "users:read",
	"tenants":          "access:read",
}

// forReader returns an entry as the caller may read it: actor and action for every reader of
// the log; the detail, and the note, which may quote it, only with permission to read the
// resource.
func forReader(ctx context.Context, e Entry) Entry {
	caller, _ := principal.From(ctx)
	segment, _, _ := strings.Cut(e.Resource, "/")
	read, named := readers[segment]
	if !named {
		read = segment + ":read"
	}
	if caller.May(read) {
		return e
	}
	if text, err := json.Marshal(map[string]string{"withheld": read}); err == nil {
		e.Detail = text
	}
	e.Note = ""
	return e
}
