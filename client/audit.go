package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// Actor identifies the author of a change: a user, a customer or the system.
type Actor struct {
	// ID is the integer of a user in decimal digits, or the shop's id of a customer.
	ID   string `json:"id"`
	Name string `json:"name"`
}

// UnmarshalJSON accepts an id that is an integer or a string.
func (a *Actor) UnmarshalJSON(text []byte) error {
	var members struct {
		ID   json.RawMessage `json:"id"`
		Name string          `json:"name"`
	}
	if err := json.Unmarshal(text, &members); err != nil {
		return err
	}
	a.ID, a.Name = string(members.ID), members.Name
	if len(members.ID) > 0 && members.ID[0] == '"' {
		return json.Unmarshal(members.ID, &a.ID)
	}
	return nil
}

// MarshalJSON encodes the id as a string, which UnmarshalJSON accepts.
func (a Actor) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"id": a.ID, "name": a.Name})
}

// AuditExport is a part of the audit log, oldest entries first.
type AuditExport struct {
	Entries []AuditEntry
	// Cursor is the cursor of the next export. Store it together with the entries.
	Cursor string
	// More is true if the log has more entries.
	More bool
	// Gone is the reason why the export could not resume after the cursor; Entries is empty then.
	// It is "removed" if entries were deleted for their age before they were exported, and
	// "restored" if the log starts again with its first entry. Cursor resumes from there.
	Gone string
}

// Export returns the entries after the cursor of a previous export, or all for "". A caller that
// passes each Cursor to the next Export receives each entry once, however late it was committed.
func (s *Audit) Export(ctx context.Context, after string, options ...CallOption) (AuditExport, error) {
	text, err := call[[]byte](ctx, s.client, request{method: http.MethodGet, path: "/audit-log/export", query: parameters{}.set("after", after)}, options)
	if err != nil {
		return AuditExport{}, err
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	var end struct {
		Cursor string
		More   bool
		Gone   string
	}
	if err := json.Unmarshal(lines[len(lines)-1], &end); err != nil || end.Cursor == "" {
		return AuditExport{}, errors.New("export of the audit log ended before its last line")
	}
	export := AuditExport{Cursor: end.Cursor, More: end.More, Gone: end.Gone, Entries: make([]AuditEntry, len(lines)-1)}
	for i, line := range lines[:len(lines)-1] {
		if err := json.Unmarshal(line, &export.Entries[i]); err != nil {
			return AuditExport{}, fmt.Errorf("read line %d of the export of the audit log: %w", i+1, err)
		}
	}
	return export, nil
}
