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
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// Subject is a domain with changes that need votes.
type Subject interface {
	// Grants returns the kind of its proposals, and the permissions to read and write their
	// resources.
	Grants() Grants
	// Lock acquires the locks that Apply needs, before the unit's transaction starts, and returns
	// the context to continue with. Errors: lock.ErrNotAcquired.
	Lock(ctx context.Context, u *uow.Unit, p Proposal) (context.Context, error)
	// Apply makes the proposed change, in a unit that carries its approval. Errors: ErrStaleBase.
	Apply(ctx context.Context, u *uow.Unit, p Proposal) error
	// Revise returns the proposal with another patch on the same base. Errors: ErrStaleBase,
	// ValidationFailed, MalformedRequest.
	Revise(ctx context.Context, u *uow.Unit, p Proposal, patch json.RawMessage) (Proposal, error)
	// Rebase returns the proposal merged onto the current resource. Errors: ErrStaleBase if it
	// cannot be merged, ErrNoChange if nothing is left to change.
	Rebase(ctx context.Context, u *uow.Unit, p Proposal) (Proposal, error)
	// Conflict describes the difference between the resource and the proposal's base, in the format
	// of a VersionConflict; for many resources, at most MaxSides of them. It reads committed rows.
	Conflict(ctx context.Context, p Proposal) (Conflict, error)
	// Show returns a proposal in the API's format, for the context's caller, who may read the
	// resource.
	Show(ctx context.Context, p Proposal) (Rendered, error)
	// Sides returns the base, the proposed and the current resources.
	Sides(ctx context.Context, p Proposal) ([]Comparison, error)
}

// Grants are the names and permissions of a Subject.
type Grants struct {
	// Kind is the prefix of the kinds of its proposals: "config" of "config.update".
	Kind string
	// Path is the prefix of the paths of its resources: "configs/".
	Path string
	// Unbound is true if its proposals are based on no version, so that the resource may change
	// while they wait.
	Unbound bool
	// Read and Write are the permissions to read and to propose its changes.
	Read, Write string
}

// Errors of a Subject.
var (
	// ErrStaleBase: the resource is not at the version that the proposal is based on.
	ErrStaleBase = errors.New("approvals: the resource has changed since")
	// ErrNoChange: the resource has the proposed content already.
	ErrNoChange = errors.New("approvals: nothing is left to change")
)

// Conflict has the members of a conflict's body, and its detail sentence.
type Conflict struct {
	// Stale is false when the resource is still at the proposal's base.
	Stale   bool
	Detail  string
	Members map[string]any
}

// Unchanged is the Conflict of a resource that is at the proposal's base. label is its name.
func Unchanged(label string) Conflict {
	return Conflict{Detail: label + " has not changed.", Members: map[string]any{}}
}

// Changed is the Conflict of a resource that has changed since base. stamp and view are its current
// version and representation.
func Changed(detail string, base guard.Precondition, stamp guard.Stamp, view any) Conflict {
	return Conflict{Stale: true, Detail: detail, Members: map[string]any{
		"expectedVersion": base.Ref.Version, "current": view,
		"currentVersion": stamp.Version, "currentEtag": stamp.ETag, "updatedBy": stamp.UpdatedBy, "updatedTime": stamp.UpdatedTime,
	}}
}

// Proposal is a change that a domain proposes.
type Proposal struct {
	// Kind is "<kind of resource>.<verb>", such as "config.update".
	Kind string
	// Resource is the path of the changed resource, or of the collection for many.
	Resource string
	// BaseETag is the version of the resource that the change is based on; "" for many resources
	// (the content has their versions) and for a resource that the change creates.
	BaseETag string
	// Targets are the paths of all changed resources.
	Targets []string
	// Content is the exact change, in the domain's format.
	Content []byte
	// Note is the author's reason.
	Note string
	// Party is a user who may not vote for the proposal; nil for none.
	Party *Party
	// Unvoted is set for a change that needs no votes: it was proposed because it is scheduled, and
	// waits only for its time.
	Unvoted bool
	// EffectiveTime is the time at which the change is applied; nil for as soon as it has its
	// votes. Package approvals sets it.
	EffectiveTime *time.Time
	// MarkTargets marks the targets' rows as proposed with guard.Propose, which locks them; nil for
	// no rows. Errors: guard.ErrStale and guard.ErrDeleted.
	MarkTargets func(ctx context.Context, u *uow.Unit) error
}

// Party is a user who contributed to a proposal without writing it, such as the requester of the
// refund that is to be approved.
type Party struct {
	UserID int64
	// CreatorID is the creator of the API token of the act; 0 for none.
	CreatorID int64
	Time      time.Time
}

// digest identifies the content that a vote is for: the change, its base and its effective time.
// With a configured key it is a MAC, so that a later reader of the digest who may not read the
// content cannot guess it.
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

// Rendered is the change of a proposal in the API's format: a merge patch of one resource, or a
// list of changes.
type Rendered struct {
	// The merge patch, for an edit of one resource. Only for callers that may read the resource, and not in lists; in the
	// history, for a version that changed it.
	Patch json.RawMessage `json:"patch,omitempty"`
	// The proposed changes if they are not one merge patch. Present for the same callers as `patch`.
	Changes json.RawMessage `json:"changes,omitempty" schema:"ProposedChanges"`
	// Set if the value in `patch` belongs to a secret config and is replaced by null.
	Masked bool `json:"masked,omitempty"`
}

// Comparison is one resource of a proposal: its base, proposed and current content; nil if it does
// not exist.
type Comparison struct {
	Resource string `json:"resource"`
	Base     any    `json:"base" types:"object null"`
	Proposed any    `json:"proposed" types:"object null"`
	Current  any    `json:"current" types:"object null"`
}

// Offer registers a domain's Subject. It is called during start-up.
func (s *Service) Offer(subject Subject) { s.subjects[subject.Grants().Kind] = subject }

// subjectOf returns the domain of a kind of proposals.
func (s *Service) subjectOf(kind string) (Subject, error) {
	name, _, _ := strings.Cut(kind, ".")
	subject, ok := s.subjects[name]
	if !ok {
		return nil, errors.New("approvals: no domain has registered the kind " + kind)
	}
	return subject, nil
}

// Unrevisable is the error of Revise for a proposal that does not edit one resource.
func Unrevisable() error {
	return apperr.Invalid(apperr.Field{Pointer: "/patch", Code: "excluded", Message: "must be omitted: this approval does not edit one resource; withdraw it and propose the change again"})
}

// ShownAs renders a proposal of one resource that is not a merge patch. content is a JSON object.
func ShownAs(content []byte) Rendered {
	return Rendered{Changes: slices.Concat(json.RawMessage("["), content, json.RawMessage("]"))}
}
