package client

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Proposed is the error of a change that was not made, because it needs an approval or is
// scheduled.
type Proposed struct{ Approval Approval }

// Error names the approval.
func (p *Proposed) Error() string {
	return "the change of " + p.Approval.Resource + " waits for approval " + strconv.FormatInt(p.Approval.ID, 10)
}

const approvalsPath = "/api/v1/approvals/"

// proposed returns the approval in a reply as an error; nil if the reply contains none.
func (a answer) proposed() error {
	if a.status != http.StatusAccepted || !strings.HasPrefix(a.header.Get("Location"), approvalsPath) {
		return nil
	}
	p := new(Proposed)
	if err := json.Unmarshal(a.body, &p.Approval); err != nil {
		return err
	}
	return p
}

// Bypass makes a change of a protected resource without votes, for a reason that other users
// review. It needs the permission approvals:bypass.
func Bypass(reason string) CallOption { return query("bypass", reason) }

// At schedules a change of a config or a flash sale: the call returns [Proposed], and the service
// applies the change at the time t if the change has its votes by then, or otherwise once it has
// them. Another change of the resource before that makes the approval stale.
func At(t time.Time) CallOption { return query("effectiveTime", t.Format(time.RFC3339Nano)) }

// Edit replaces the patch and the note of the caller's proposal; nil leaves them unchanged. The
// votes become void. Edit returns a [Conflict] if the approval has changed since it was read.
func (s *Approvals) Edit(ctx context.Context, read Approval, patch json.RawMessage, note *string, options ...CallOption) (Approval, error) {
	body := struct {
		Patch json.RawMessage `json:"patch,omitzero"`
		Note  *string         `json:"note,omitzero"`
	}{patch, note}
	return s.edit(ctx, read, body, options)
}

// Reschedule replaces the time at which the caller's proposal is applied; nil means as soon as it
// has its votes. The votes become void. Reschedule returns a [Conflict] if the approval has changed
// since it was read.
func (s *Approvals) Reschedule(ctx context.Context, read Approval, at *time.Time, options ...CallOption) (Approval, error) {
	return s.edit(ctx, read, map[string]*time.Time{"effectiveTime": at}, options)
}

func (s *Approvals) edit(ctx context.Context, read Approval, body any, options []CallOption) (Approval, error) {
	return call[Approval](ctx, s.client, request{method: http.MethodPatch, path: "/approvals/" + segment(read.ID), ifMatch: read.ETag, body: body}, options)
}
