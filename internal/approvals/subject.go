package approvals

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/uow"
)

// Subject is a domain whose changes can be proposed.
type Subject interface {
	// Grants says what the kinds of its proposals begin with, and who may read and write
	// what they are about.
	Grants() Grants
	// Lock takes the locks that Apply needs, before the unit's transaction begins, and returns
	// the context to go on with. Errors: lock.ErrNotAcquired.
	Lock(ctx context.Context, u *uow.Unit, p Proposal) (context.Context, error)
	// Apply makes the proposed change, in a unit that carries its approval. Errors: ErrStaleBase.
	Apply(ctx context.Context, u *uow.Unit, p Proposal) error
	// Revise returns the proposal with another patch on the same base. Errors: ErrStaleBase,
	// ValidationFailed, MalformedRequest.
	Revise(ctx context.Context, u *uow.Unit, p Proposal, patch json.RawMessage) (Proposal, error)
	// Rebase returns the proposal merged onto what is there now. Errors: ErrStaleBase when it
	// cannot be merged, ErrNoChange when nothing is left to change.
	Rebase(ctx context.Context, u *uow.Unit, p Proposal) (Proposal, error)
	// Conflict describes how the resource differs from the proposal's base, as the body of a
	// VersionConflict does; of many resources it describes at most MostSides. It reads committed
	// rows.
	Conflict(ctx context.Context, p Proposal) (Conflict, error)
	// Show returns a proposal as the context's caller, who may read what it is about, is shown it.
	Show(ctx context.Context, p Proposal) (Rendered, error)
	// Sides returns what there was at the base, what is proposed and what there is now.
	Sides(ctx context.Context, p Proposal) ([]Comparison, error)
}

// Grants are what a Subject says of itself.
type Grants struct {
	// Kind is what the kinds of its proposals begin with: "config" of "config.update".
	Kind string
	// Path is what the paths of its resources begin with: "configs/".
	Path string
	// Unbound is true when its proposals are based on no version, so that what there is may
	// change while they wait.
	Unbound bool
	// Read and Write are the permissions that it takes to read and to propose its changes.
	Read, Write string
}

// Errors of a Subject.
var (
	// ErrStaleBase: the resource is not at the version that the proposal is based on.
	ErrStaleBase = errors.New("approvals: the resource has changed since")
	// ErrNoChange: the resource has the proposed content already.
	ErrNoChange = errors.New("approvals: nothing is left to change")
)

// Conflict is the members of a conflict's body, and the sentence that goes with them.
type Conflict struct {
	// Stale is false when the resource is still at the proposal's base.
	Stale   bool
	Detail  string
	Members map[string]any
}

// Proposal is a change as a domain asks for it.
type Proposal struct {
	// Kind is "<kind of resource>.<verb>", such as "config.update".
	Kind string
	// Resource is the path of what is changed, or of the collection for many.
	Resource string
	// BaseETag is the version of the resource that the change is based on; "" for many
	// resources, whose versions are part of the content, or for one that is created.
	BaseETag string
	// Targets are the paths of all that is changed.
	Targets []string
	// Content is the exact change, in the domain's own form.
	Content []byte
	// Note is the author's reason.
	Note string
	// Party has a part in what is proposed and so may not vote for it; nil for nobody.
	Party *Party
	// Unvoted is set for a change that takes no votes: it is proposed because it was scheduled,
	// and waits for its time alone.
	Unvoted bool
	// EffectiveTime is when it is to be made, nil for at once. Package approvals sets it.
	EffectiveTime *time.Time
	// MarkTargets marks the targets' rows as proposed with guard.Propose, which locks them; nil
	// when there are none. Errors: guard.ErrStale and guard.ErrGone.
	MarkTargets func(ctx context.Context, u *uow.Unit) error
}

// Party is a user who has a part in what is proposed, in addition to who writes it: who requested
// the refund that is to be approved.
type Party struct {
	UserID int64
	// CreatorID is the creator of the API token that it was done with; 0 for none.
	CreatorID int64
	Time      time.Time
}

// digest is what a vote is for: the content, what it is based on and when it is to be made. Where
// there is a key it is a code that takes the key to compute: what is proposed may be withheld from
// a reader of the digest later, and is not to be guessed by it.
func (s *Service) digest(p Proposal) string {
	sum := sha256.New()
	for _, part := range []string{p.Kind, p.Resource, p.BaseETag} {
		sum.Write([]byte(part))
		sum.Write([]byte{0})
	}
	if p.EffectiveTime != nil {
		sum.Write([]byte(p.EffectiveTime.UTC().Format(time.RFC3339Nano)))
		sum.Write([]byte{0})
	}
	content, err := strictjson.Canonical(p.Content)
	if err != nil {
		content = p.Content
	}
	sum.Write(content)
	digest := sum.Sum(nil)
	if code := s.cipher.MAC("digest of an approval", digest); code != nil {
		digest = code
	}
	return hex.EncodeToString(digest)
}

// Rendered is the change of a proposal in the words of the API: a merge patch of one resource,
// or a list of changes.
type Rendered struct {
	Patch   json.RawMessage `json:"patch,omitempty"`
	Changes json.RawMessage `json:"changes,omitempty"`
	// Masked is set when a value in Patch is withheld from its reader, and null there.
	Masked bool `json:"masked,omitempty"`
}

// Comparison is one resource of a proposal, as it was, would be and is; nil where it is not there.
type Comparison struct {
	Resource string `json:"resource"`
	Base     any    `json:"base"`
	Proposed any    `json:"proposed"`
	Current  any    `json:"current"`
}

// Offer makes a domain's changes ones that can be proposed. It is called as the program is
// put together.
func (s *Service) Offer(subject Subject) { s.subjects[subject.Grants().Kind] = subject }

// subjectOf returns the domain of a kind of proposals.
func (s *Service) subjectOf(kind string) (Subject, error) {
	name, _, _ := strings.Cut(kind, ".")
	subject, known := s.subjects[name]
	if !known {
		return nil, errors.New("approvals: no domain offers proposals of the kind " + kind)
	}
	return subject, nil
}

// Unrevisable is what Revise answers for a proposal that is no edit of one resource.
func Unrevisable() error {
	return apperr.Invalid(apperr.Field{Pointer: "/patch", Code: "excluded", Message: "must be left out: this approval is no edit of one resource; withdraw it and propose the change anew"})
}

// ShownAs shows a proposal of one thing that is no merge patch by its content, an object.
func ShownAs(content []byte) Rendered {
	return Rendered{Changes: slices.Concat(json.RawMessage("["), content, json.RawMessage("]"))}
}
