package audit

import (
	"context"
	"encoding/json"
	"strings"

	"interlock/internal/base/principal"
)

// readers are the permissions to read what the log tells of, by the first segment of an
// entry's resource, where it is not "<segment>:read".
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

// forReader returns an entry as the caller may read it: that somebody did something is for
// all who may read the log; what was written or destroyed, and the note, which may quote it,
// for those who may read the resource.
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
