package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// ErrNotModified is returned by a Get with [IfNoneMatch] if the resource is unchanged.
var ErrNotModified = errors.New("the resource has not changed")

// ErrContested is returned by [Conflict.Merge] if both sides changed the same JSON Pointer.
var ErrContested = errors.New("both sides changed the same JSON pointer")

// ErrSecretLost is returned together with the user or token of an operation that an earlier attempt
// carried out. The service returned the secret in the reply to that attempt, and stores it nowhere.
var ErrSecretLost = errors.New("the operation was carried out before, and its secret was returned only once: revoke the token and create another, or invite the user again")

// secretLost returns err, or ErrSecretLost for a repeat without its secret.
func secretLost(err error, shownOnce bool) error {
	if err == nil && shownOnce {
		return ErrSecretLost
	}
	return err
}

// Problem is an error reply of the service (RFC 9457).
type Problem struct {
	Status    int     `json:"status"`
	Code      Code    `json:"code"`
	Title     string  `json:"title"`
	Detail    string  `json:"detail"`
	RequestID string  `json:"requestId"`
	Fields    []Field `json:"fields"`
	// RetryAfterMs is the requested wait in milliseconds, of the body or of the header Retry-After; 0
	// for none.
	RetryAfterMs int64 `json:"retryAfterMs"`
	// Body is the complete reply, including members without a field here.
	Body json.RawMessage `json:"-"`
}

// Field is an invalid member of the request.
type Field struct {
	Pointer string `json:"pointer"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error returns the code with the service's sentence.
func (p *Problem) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%d %s: %s", p.Status, p.Code, p.Detail)
	for _, field := range p.Fields {
		fmt.Fprintf(&text, "; %s %s", field.Pointer, field.Message)
	}
	return text.String()
}

// isRetryable reports whether the same request may succeed later.
func (p *Problem) isRetryable() bool {
	return p.Code == CodeRequestInProgress || p.Code == CodeInflightDuplicate || p.Status == http.StatusTooManyRequests || p.Status == http.StatusServiceUnavailable
}

// leavesUnknown reports whether the request may have had its effect despite this error reply. A
// reply without a code comes from an intermediary, which does not know the outcome.
func (p *Problem) leavesUnknown() bool {
	return p.Code == CodeOutcomeUnknown || p.Code == "" && p.Status >= http.StatusInternalServerError
}

// isFinal reports whether the service itself, not an intermediary, rejected the request, and would
// reject it again.
func (p *Problem) isFinal() bool {
	return p.Code != "" && p.Status < http.StatusInternalServerError && !p.isRetryable()
}

// decides reports whether the reply also settles earlier attempts. Rejections that the service
// sends before it looks up the idempotency key do not.
func (p *Problem) decides() bool {
	switch p.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestEntityTooLarge:
		return false
	}
	return p.isFinal()
}

// isRejection reports whether err is a final rejection.
func isRejection(err error) bool {
	var p *Problem
	return errors.As(err, &p) && p.isFinal()
}

// GaveUp is the error of an operation without a final reply, after all attempts or the end of its
// context.
type GaveUp struct {
	Operation string
	// Key is the operation's idempotency key. Calling the operation again with [Key] returns the
	// outcome without a second effect.
	Key      string
	Attempts int
	// OutcomeUnknown is true if the operation may have had its effect, and false if it had none.
	OutcomeUnknown bool
	// Last is the error of the last attempt.
	Last error
	// undecided is the last reply in which the service reported an unknown outcome; nil if there was
	// none.
	undecided *Problem
}

// Error describes the outcome and the last error.
func (g *GaveUp) Error() string {
	outcome := "it had no effect"
	if g.OutcomeUnknown {
		outcome = "its outcome is unknown"
	}
	return fmt.Sprintf("%s was given up after %d attempts and %s: %v", g.Operation, g.Attempts, outcome, g.Last)
}

// Unwrap returns the error of the last attempt.
func (g *GaveUp) Unwrap() error { return g.Last }

// ReplyNotStored is the error of an operation that had its effect on an earlier attempt with a
// reply too large to store. Read the resource at Location.
type ReplyNotStored struct {
	Key      string
	Location string
}

// Error contains the path to read.
func (r *ReplyNotStored) Error() string {
	return "operation succeeded earlier and its reply was too large to store; read " + r.Location
}

// OutcomeUnknown reports whether the operation that failed with err may have had its effect.
func OutcomeUnknown(err error) bool {
	var gaveUp *GaveUp
	return errors.As(err, &gaveUp) && gaveUp.OutcomeUnknown
}

// HasCode reports whether err is a reply with the code.
func HasCode(err error, code Code) bool {
	var problem *Problem
	return errors.As(err, &problem) && problem.Code == code
}

// Rejection is the problem of a typed error below. [errors.As] also finds the [Problem].
type Rejection struct{ *Problem }

// Unwrap returns the problem.
func (r Rejection) Unwrap() error { return r.Problem }

// Conflict is the rejection of a stale Save or Delete: another writer was first, and nothing was
// applied.
type Conflict struct {
	Rejection       `json:"-"`
	ExpectedVersion *int64 `json:"expectedVersion"`
	CurrentVersion  int64  `json:"currentVersion"`
	CurrentETag     string `json:"currentEtag"`
	// UpdatedBy and UpdatedTime describe the latest change.
	UpdatedBy   Person    `json:"updatedBy"`
	UpdatedTime time.Time `json:"updatedTime"`
	// Base is the representation that was read, null if its row has been deleted since. Current is the
	// latest. Both are JSON.
	Base    json.RawMessage `json:"base"`
	Current json.RawMessage `json:"current"`
	// Conflicts are the JSON Pointers that both sides changed.
	Conflicts     []Difference `json:"conflicts"`
	TheirsOnly    []string     `json:"theirsOnly"`
	YoursOnly     []string     `json:"yoursOnly"`
	AutoMergeable bool         `json:"autoMergeable"`
}

// TransitionRejected is the rejection of a transition that the current status does not permit, or
// that another caller's transition preceded.
type TransitionRejected struct {
	Rejection          `json:"-"`
	Current            json.RawMessage `json:"current"`
	CurrentStatus      string          `json:"currentStatus"`
	AllowedTransitions []string        `json:"allowedTransitions"`
	ChangedBy          Person          `json:"changedBy"`
	ChangedTime        time.Time       `json:"changedTime"`
}

// InventoryChanged is the rejection of a stock count that is based on an outdated quantity.
type InventoryChanged struct {
	Rejection   `json:"-"`
	ChangeFrom  int64      `json:"changeFrom"`
	Current     Inventory  `json:"current"`
	ChangedBy   *Person    `json:"changedBy"`
	ChangedTime *time.Time `json:"changedTime"`
}

// InsufficientStock is the rejection of an order or a movement that exceeds the stock.
type InsufficientStock struct {
	Rejection `json:"-"`
	Lines     []Shortage `json:"lines"`
}

// Shortage is the missing quantity of one item, in units.
type Shortage struct {
	SKU       string `json:"sku"`
	Wanted    int64  `json:"wanted"`
	Available int64  `json:"available"`
}

// InsufficientBalance is the rejection of a debit that exceeds the balance, in minor units.
type InsufficientBalance struct {
	Rejection `json:"-"`
	UserID    string `json:"userId"`
	Balance   int64  `json:"balance"`
	Wanted    int64  `json:"wanted"`
	Currency  string `json:"currency"`
}

// LimitReached is the rejection of a request that exceeds a limit. Members of other limits are
// zero.
type LimitReached struct {
	Rejection `json:"-"`
	// Left, Total and Issued count the coupons of a campaign.
	Left   int64 `json:"left"`
	Total  int64 `json:"total"`
	Issued int64 `json:"issued"`
	// PerUser is the maximum of coupons per user; UserIDs lists the users that have reached it.
	PerUser int64    `json:"perUser"`
	UserIDs []string `json:"userIds"`
	// PerUserLimit is the maximum of units per customer in a sale. Held is the customer's number, and
	// Ticket the customer's latest ticket.
	PerUserLimit int64  `json:"perUserLimit"`
	Held         int64  `json:"held"`
	Ticket       string `json:"ticket"`
}

// SaleRejected is the rejection of a purchase: sold_out, or sale_not_open with a reason.
type SaleRejected struct {
	Rejection  `json:"-"`
	Reason     string          `json:"reason"`
	SaleStatus FlashSaleStatus `json:"saleStatus"`
	StartsTime time.Time       `json:"startsTime"`
	EndsTime   time.Time       `json:"endsTime"`
}

// EventFault identifies the rejected event of an append.
type EventFault struct {
	// Index is the index of the event in the request, from 0.
	Index     int    `json:"index"`
	ClientID  string `json:"clientId"`
	ClientSeq *int64 `json:"clientSeq"`
	EventID   string `json:"eventId"`
}

// EventLanded is the rejection of an append that contains a stored event with the same content.
// Nothing was appended.
type EventLanded struct {
	Rejection `json:"-"`
	EventFault
	// Version is the version that the first append of the event returned, and EventVersion the
	// aggregate's version after the event.
	Version      int64 `json:"version"`
	EventVersion int64 `json:"eventVersion"`
	// Landed is the number of events of the request that are stored.
	Landed int `json:"landed"`
	// HighestSeq is the writer's highest sequence number; nil if it has none.
	HighestSeq     *int64 `json:"highestSeq"`
	CurrentVersion int64  `json:"currentVersion"`
}

// EventMismatch is the rejection of an event with the id or sequence number of another event.
type EventMismatch struct {
	Rejection `json:"-"`
	EventFault
	Version      int64 `json:"version"`
	EventVersion int64 `json:"eventVersion"`
	// Differs lists the members that differ.
	Differs []string `json:"differs"`
}

// SequenceSuperseded is the rejection of an event that is not stored and has a lower sequence
// number than a stored event of its writer.
type SequenceSuperseded struct {
	Rejection `json:"-"`
	EventFault
	HighestSeq     int64 `json:"highestSeq"`
	CurrentVersion int64 `json:"currentVersion"`
}

// StaleApproval is the rejection of a vote because the resource of the change has changed. It
// contains the data about the resource that the caller may read.
type StaleApproval struct {
	Rejection       `json:"-"`
	ExpectedVersion *int64          `json:"expectedVersion"`
	CurrentVersion  int64           `json:"currentVersion"`
	CurrentETag     string          `json:"currentEtag"`
	UpdatedBy       Person          `json:"updatedBy"`
	UpdatedTime     time.Time       `json:"updatedTime"`
	Base            json.RawMessage `json:"base"`
	Current         json.RawMessage `json:"current"`
	Conflicts       []Difference    `json:"conflicts"`
	AutoMergeable   bool            `json:"autoMergeable"`
	// Members are the first 20 changed resources of a batch, and Moved is the number of all of them.
	Members []MemberConflict `json:"members"`
	Moved   int              `json:"moved"`
}

// BatchConflict is the rejection of a batch. Nothing was applied.
type BatchConflict struct {
	Rejection `json:"-"`
	Conflicts []MemberConflict `json:"conflicts"`
}

// MemberConflict is the conflict of one member of a batch. The current state is set if the code is
// version_conflict or already_exists, and the other owners if it is in_use.
type MemberConflict struct {
	Index           int             `json:"index"`
	Key             string          `json:"key"`
	Code            Code            `json:"code"`
	Detail          string          `json:"detail"`
	Owner           ConfigOwners    `json:"owner"`
	ExpectedVersion *int64          `json:"expectedVersion"`
	CurrentVersion  int64           `json:"currentVersion"`
	CurrentETag     string          `json:"currentEtag"`
	UpdatedBy       Person          `json:"updatedBy"`
	UpdatedTime     time.Time       `json:"updatedTime"`
	Base            json.RawMessage `json:"base"`
	Current         json.RawMessage `json:"current"`
	Conflicts       []Difference    `json:"conflicts"`
	TheirsOnly      []string        `json:"theirsOnly"`
	YoursOnly       []string        `json:"yoursOnly"`
	AutoMergeable   bool            `json:"autoMergeable"`
}

// ImportRejected is the rejection of an import. Nothing was applied.
type ImportRejected struct {
	Rejection `json:"-"`
	Verdicts  []ImportVerdict `json:"verdicts"`
	Counts    ImportCounts    `json:"counts"`
}

// problemOf parses an error reply and returns the problem and the error for the caller.
func problemOf(got answer) (problem *Problem, failure error) {
	problem = &Problem{Body: got.body}
	if err := json.Unmarshal(got.body, problem); err != nil || problem.Code == "" {
		problem.Code, problem.Detail = "", http.StatusText(got.status)
	}
	problem.Status = got.status
	if problem.RetryAfterMs == 0 {
		problem.RetryAfterMs = retryAfter(got.header).Milliseconds()
	}
	if richer := richerThan(problem); richer != nil {
		if err := json.Unmarshal(got.body, richer); err == nil {
			return problem, richer
		}
	}
	return problem, problem
}

// richerThan returns the error type for a problem's code; nil if there is none.
func richerThan(p *Problem) error {
	switch p.Code {
	case CodeVersionConflict:
		return &Conflict{Rejection: Rejection{p}}
	case CodeTransitionNotAllowed, CodeStatusChanged:
		return transitionProblem(p)
	case CodeInsufficientStock:
		return &InsufficientStock{Rejection: Rejection{p}}
	case CodeInsufficientBalance:
		return &InsufficientBalance{Rejection: Rejection{p}}
	case CodeIdempotencyViolation:
		return &EventLanded{Rejection: Rejection{p}}
	case CodeSequenceSuperseded:
		return &SequenceSuperseded{Rejection: Rejection{p}}
	case CodePayloadMismatch:
		return mismatchProblem(p)
	case CodeSoldOut, CodeSaleNotOpen:
		return &SaleRejected{Rejection: Rejection{p}}
	case CodeLimitReached:
		return &LimitReached{Rejection: Rejection{p}}
	case CodeApprovalStale:
		return &StaleApproval{Rejection: Rejection{p}}
	case CodeBatchConflict, CodeValidationFailed:
		return batchProblem(p)
	}
	return nil
}

func transitionProblem(p *Problem) error {
	var members struct {
		ChangeFrom *int64 `json:"changeFrom"`
	}
	if err := json.Unmarshal(p.Body, &members); err == nil && members.ChangeFrom != nil {
		return &InventoryChanged{Rejection: Rejection{p}}
	}
	return &TransitionRejected{Rejection: Rejection{p}}
}

func batchProblem(p *Problem) error {
	var members struct {
		Verdicts json.RawMessage `json:"verdicts"`
	}
	switch err := json.Unmarshal(p.Body, &members); {
	case err == nil && members.Verdicts != nil:
		return &ImportRejected{Rejection: Rejection{p}}
	case p.Code == CodeBatchConflict:
		return &BatchConflict{Rejection: Rejection{p}}
	}
	return nil
}

// mismatchProblem returns an EventMismatch; nil for a mismatch of a wallet or of stock.
func mismatchProblem(p *Problem) error {
	var members struct {
		Differs []string `json:"differs"`
	}
	if err := json.Unmarshal(p.Body, &members); err == nil && members.Differs != nil {
		return &EventMismatch{Rejection: Rejection{p}}
	}
	return nil
}
