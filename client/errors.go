package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// ErrNotModified is what a Get with [IfNoneMatch] returns when nothing has changed.
var ErrNotModified = errors.New("the resource has not changed")

// ErrContested is what [Conflict.Merge] returns when both sides changed the same place.
var ErrContested = errors.New("both sides changed the same place")

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
	// RetryAfterMs is how long the service asks to wait, in milliseconds; 0 where it
	// says so in Retry-After alone, or not at all.
	RetryAfterMs int64 `json:"retryAfterMs"`
	// Body is the whole reply, with the members that this type does not name.
	Body json.RawMessage `json:"-"`
}

// Field is a member of the request that is not valid.
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

// mayEndDifferently reports whether the same request is worth sending again.
func (p *Problem) mayEndDifferently() bool {
	return p.Code == CodeRequestInProgress || p.Code == CodeInflightDuplicate || p.Status == http.StatusTooManyRequests || p.Status == http.StatusServiceUnavailable
}

// leavesUnknown reports whether the request may have had its effect all the same. A
// reply without a code comes from something in between, which cannot know.
func (p *Problem) leavesUnknown() bool {
	return p.Code == CodeOutcomeUnknown || p.Code == "" && p.Status >= http.StatusInternalServerError
}

// decides reports whether the reply settles what became of earlier attempts too. What
// is refused before the service looks the key up does not.
func (p *Problem) decides() bool {
	switch p.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestEntityTooLarge:
		return false
	}
	return p.Status < http.StatusInternalServerError && !p.mayEndDifferently()
}

// GaveUp is an operation that no reply has decided, after all its attempts or when its
// context ended.
type GaveUp struct {
	Operation string
	// Key is the operation's idempotency key; call it again with [Key] to learn the
	// outcome without a second effect.
	Key      string
	Attempts int
	// OutcomeUnknown is true when the operation may have had its effect, false when it
	// certainly had none.
	OutcomeUnknown bool
	// Last is the error of the last attempt.
	Last error
	// undecided is what the service said when it did not know the outcome itself, on
	// whichever attempt; nil when it said nothing.
	undecided *Problem
}

// Error says what is known.
func (g *GaveUp) Error() string {
	known := "it had no effect"
	if g.OutcomeUnknown {
		known = "its outcome is unknown"
	}
	return fmt.Sprintf("%s was given up after %d attempts and %s: %v", g.Operation, g.Attempts, known, g.Last)
}

// Unwrap returns the error of the last attempt.
func (g *GaveUp) Unwrap() error { return g.Last }

// ReplyNotKept is an operation that had its effect on an earlier attempt, whose reply
// was too large for the service to keep. Read the resource at Location.
type ReplyNotKept struct {
	Key      string
	Location string
}

// Error says where to read instead.
func (r *ReplyNotKept) Error() string {
	return "the operation was done before and its reply was too large to keep; read " + r.Location
}

// OutcomeUnknown reports whether err leaves open whether the operation had its effect.
func OutcomeUnknown(err error) bool {
	var gaveUp *GaveUp
	return errors.As(err, &gaveUp) && gaveUp.OutcomeUnknown
}

// HasCode reports whether err is a reply with the code.
func HasCode(err error, code Code) bool {
	var problem *Problem
	return errors.As(err, &problem) && problem.Code == code
}

// Conflict is a stale Save or Delete: somebody was faster, and nothing was applied.
type Conflict struct {
	*Problem        `json:"-"`
	ExpectedVersion *int64 `json:"expectedVersion"`
	CurrentVersion  int64  `json:"currentVersion"`
	CurrentETag     string `json:"currentEtag"`
	// UpdatedBy and UpdatedTime are of the newest change.
	UpdatedBy   Person    `json:"updatedBy"`
	UpdatedTime time.Time `json:"updatedTime"`
	// Base is the representation that was read, null when it was of another row that
	// has been deleted since. Current is the newest. Decode them with json.Unmarshal.
	Base    json.RawMessage `json:"base"`
	Current json.RawMessage `json:"current"`
	// Conflicts are the places that both sides changed.
	Conflicts     []Difference `json:"conflicts"`
	TheirsOnly    []string     `json:"theirsOnly"`
	YoursOnly     []string     `json:"yoursOnly"`
	AutoMergeable bool         `json:"autoMergeable"`
}

// Unwrap returns the problem.
func (c *Conflict) Unwrap() error { return c.Problem }

// TransitionRefused is a transition that the current status does not allow, or that
// somebody else's came before.
type TransitionRefused struct {
	*Problem           `json:"-"`
	Current            json.RawMessage `json:"current"`
	CurrentStatus      string          `json:"currentStatus"`
	AllowedTransitions []string        `json:"allowedTransitions"`
	ChangedBy          Person          `json:"changedBy"`
	ChangedTime        time.Time       `json:"changedTime"`
}

// Unwrap returns the problem.
func (r *TransitionRefused) Unwrap() error { return r.Problem }

// InventoryChanged is a count of stock whose author saw another number than there was.
type InventoryChanged struct {
	*Problem    `json:"-"`
	ChangeFrom  int64      `json:"changeFrom"`
	Current     Inventory  `json:"current"`
	ChangedBy   *Person    `json:"changedBy"`
	ChangedTime *time.Time `json:"changedTime"`
}

// Unwrap returns the problem.
func (i *InventoryChanged) Unwrap() error { return i.Problem }

// InsufficientStock is an order, or a movement, of more than there is.
type InsufficientStock struct {
	*Problem `json:"-"`
	Lines    []Shortage `json:"lines"`
}

// Shortage is what one item lacks, in pieces.
type Shortage struct {
	SKU       string `json:"sku"`
	Wanted    int64  `json:"wanted"`
	Available int64  `json:"available"`
}

// Unwrap returns the problem.
func (i *InsufficientStock) Unwrap() error { return i.Problem }

// InsufficientBalance is a debit of more than the wallet has, in minor units.
type InsufficientBalance struct {
	*Problem `json:"-"`
	UserID   string `json:"userId"`
	Balance  int64  `json:"balance"`
	Wanted   int64  `json:"wanted"`
}

// Unwrap returns the problem.
func (i *InsufficientBalance) Unwrap() error { return i.Problem }

// LimitReached is a request for more than is allowed. What is not about the limit that was
// reached is zero.
type LimitReached struct {
	*Problem `json:"-"`
	// Left, Total and Issued count the coupons of a campaign.
	Left   int64 `json:"left"`
	Total  int64 `json:"total"`
	Issued int64 `json:"issued"`
	// PerUser is how many of them one user may have, and UserIDs who has that many.
	PerUser int64    `json:"perUser"`
	UserIDs []string `json:"userIds"`
	// PerUserLimit is how many units of a sale one customer may have. Held is how many
	// this one has, and Ticket its latest ticket.
	PerUserLimit int64  `json:"perUserLimit"`
	Held         int64  `json:"held"`
	Ticket       string `json:"ticket"`
}

// Unwrap returns the problem.
func (l *LimitReached) Unwrap() error { return l.Problem }

// problemOf reads an error reply: the problem, and the error to return for it.
func problemOf(got answer) (problem *Problem, failure error) {
	problem = &Problem{Body: got.body}
	if err := json.Unmarshal(got.body, problem); err != nil || problem.Code == "" {
		problem.Code, problem.Detail = "", http.StatusText(got.status)
	}
	problem.Status = got.status
	if richer := richerThan(problem); richer != nil {
		if err := json.Unmarshal(got.body, richer); err == nil {
			return problem, richer
		}
	}
	return problem, problem
}

// richerThan returns the type that a problem of its code is read into, nil when it
// has none.
func richerThan(p *Problem) error {
	switch p.Code {
	case CodeVersionConflict:
		return &Conflict{Problem: p}
	case CodeTransitionNotAllowed, CodeStatusChanged:
		return transitionProblem(p)
	case CodeInsufficientStock:
		return &InsufficientStock{Problem: p}
	case CodeInsufficientBalance:
		return &InsufficientBalance{Problem: p}
	case CodeIdempotencyViolation:
		return &EventLanded{Problem: p}
	case CodeSequenceSuperseded:
		return &SequenceSuperseded{Problem: p}
	case CodePayloadMismatch:
		return mismatchProblem(p)
	case CodeSoldOut, CodeSaleNotOpen:
		return &SaleRefused{Problem: p}
	case CodeLimitReached:
		return &LimitReached{Problem: p}
	case CodeApprovalStale:
		return &StaleApproval{Problem: p}
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
		return &InventoryChanged{Problem: p}
	}
	return &TransitionRefused{Problem: p}
}

func batchProblem(p *Problem) error {
	var members struct {
		Verdicts json.RawMessage `json:"verdicts"`
	}
	switch err := json.Unmarshal(p.Body, &members); {
	case err == nil && members.Verdicts != nil:
		return &ImportRefused{Problem: p}
	case p.Code == CodeBatchConflict:
		return &BatchConflict{Problem: p}
	}
	return nil
}
