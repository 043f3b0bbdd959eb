package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Audit is the audit log: one entry for each thing that was done.
type Audit struct{ client *Client }

// AuditEntry is who did what to which resource.
type AuditEntry struct {
	ID        int64  `json:"id"`
	UnitID    string `json:"unitId"`
	RequestID string `json:"requestId"`
	// IdempotencyKey is that of the request, "" without one.
	IdempotencyKey string `json:"idempotencyKey"`
	Actor          Actor  `json:"actor"`
	// ActorKind is admin, token, customer or system.
	ActorKind string `json:"actorKind"`
	// Token is the API token that it was done with; nil for none.
	Token       *TokenRef       `json:"token"`
	OnBehalfOf  *string         `json:"onBehalfOf"`
	Action      string          `json:"action"`
	Resource    string          `json:"resource"`
	Detail      json.RawMessage `json:"detail"`
	Note        string          `json:"note"`
	CreatedTime time.Time       `json:"createdTime"`
}

// Actor is who did something, customers too.
type Actor struct {
	// ID is the integer of a user in decimal digits, or what the shop calls a customer.
	ID   string
	Name string
}

// UnmarshalJSON reads an id that is an integer or a string.
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

// MarshalJSON writes the id as a string, which UnmarshalJSON reads.
func (a Actor) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"id": a.ID, "name": a.Name})
}

// AuditFilter narrows the log.
type AuditFilter struct {
	Paging
	// Resource is a path such as configs/checkout.tax, with what is below it.
	Resource string
	// Actor is a user's or a customer's id or name.
	Actor string
	// Action is one, or several with commas between.
	Action string
	// From and To bound the time: from From on, before To.
	From, To time.Time
}

// List lists the log, newest first.
func (s *Audit) List(f AuditFilter) List[AuditEntry] {
	return List[AuditEntry]{s.client, "/audit-log", f.parameters().text("resource", f.Resource).
		text("actor", f.Actor).text("action", f.Action).time("from", f.From).time("to", f.To)}
}

// AuditExport is a part of the log, oldest entries first.
type AuditExport struct {
	Entries []AuditEntry
	// Cursor is where the next export goes on; keep it with what you did with the entries.
	Cursor string
	// More is set when there are more entries by now.
	More bool
	// Gone says why the export could not go on behind the cursor, and has no entries then:
	// "removed" when entries were removed for their age before they were exported, "restored"
	// when the log begins with its first entry again. Cursor goes on from there.
	Gone string
}

// Export returns the entries behind a cursor of an export before, "" for all that are kept. Who
// goes on with each Cursor sees each entry once, however late it was committed.
func (s *Audit) Export(ctx context.Context, after string, options ...CallOption) (AuditExport, error) {
	if after != "" {
		options = append([]CallOption{query("after", after)}, options...)
	}
	text, err := get[[]byte](ctx, s.client, "/audit-log/export", options)
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
		return AuditExport{}, errors.New("the export of the audit log was cut off before its last line")
	}
	export := AuditExport{Cursor: end.Cursor, More: end.More, Gone: end.Gone, Entries: make([]AuditEntry, len(lines)-1)}
	for i, line := range lines[:len(lines)-1] {
		if err := json.Unmarshal(line, &export.Entries[i]); err != nil {
			return AuditExport{}, fmt.Errorf("read line %d of the export of the audit log: %w", i+1, err)
		}
	}
	return export, nil
}
