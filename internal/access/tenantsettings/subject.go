package tenantsettings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"interlock/internal/access/input"
	"interlock/internal/approvals"
	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// settingsPath is the resource path of the tenant's only row of settings.
const settingsPath = "settings"

// ApprovalKind is the kind of proposed changes of the settings.
const ApprovalKind = "settings.update"

const (
	// ReadPermission is required to read the settings.
	ReadPermission  = "settings:read"
	writePermission = "settings:write"
)

// Proposable implements guard.Proposable.
func (Settings) Proposable() {}

// Protectable implements guard.Protectable.
func (Settings) Protectable() {}

// Offer registers the settings as a subject of approvals. It is called once, at start-up.
func (s *Service) Offer(a *approvals.Service) {
	s.approvals = a
	a.Offer(settingsSubject{s})
}

// settingsSubject implements approvals.Subject for a tenant's settings. The content of a proposal
// is a merge patch of their document.
type settingsSubject struct{ *Service }

// proposeSettings proposes an edit of the settings. It returns false, without a proposal, in a unit
// that applies an approval or bypasses the votes.
func (s *Service) proposeSettings(ctx context.Context, u *uow.Unit, before, after *Settings, _ *change.Overwrite) (bool, error) {
	to, err := after.document()
	if err != nil {
		return false, err
	}
	p, err := settingsProposal(before, to, "")
	if err != nil {
		return false, err
	}
	now, err := s.approvals.Propose(ctx, u, p)
	return !now, err
}

// settingsProposal returns the proposal to change the settings that were read to another document.
func settingsProposal(before *Settings, to any, note string) (approvals.Proposal, error) {
	p := approvals.Proposal{
		Kind: ApprovalKind, Resource: settingsPath, BaseETag: before.Ref().ETag(), Targets: []string{settingsPath}, Note: note,
		MarkTargets: func(ctx context.Context, u *uow.Unit) error {
			return guard.Propose[Settings](ctx, u, before.Ref())
		},
	}
	from, err := before.document()
	if err != nil {
		return p, err
	}
	patch, possible := merge.PatchBetween(from, to)
	if !possible {
		return p, errors.New("no merge patch makes the proposed settings")
	}
	p.Content, err = merge.Encode(patch)
	return p, err
}

// decodeSettings decodes a proposal of settingsProposal to an edit.
func decodeSettings(p approvals.Proposal) (edit change.Edit, err error) {
	if edit.Patch, err = merge.Tree(json.RawMessage(p.Content)); err != nil {
		return edit, fmt.Errorf("read the change of the settings that is proposed: %w", err)
	}
	edit.IfMatch, err = guard.ParsePrecondition(p.BaseETag)
	return edit, err
}

// proposedSettings returns the settings in the unit, and the edit of a proposal.
func proposedSettings(ctx context.Context, u *uow.Unit, p approvals.Proposal) (*Settings, change.Edit, error) {
	edit, err := decodeSettings(p)
	if err != nil {
		return nil, edit, err
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, edit, err
	}
	row, err := settingsIn(tx)
	return row, edit, err
}

// Grants implements approvals.Subject.
func (settingsSubject) Grants() approvals.Grants {
	return approvals.Grants{Kind: "settings", Path: settingsPath, Read: ReadPermission, Write: writePermission}
}

// Lock implements approvals.Subject. The version of the settings suffices as a guard.
func (settingsSubject) Lock(ctx context.Context, _ *uow.Unit, _ approvals.Proposal) (context.Context, error) {
	return ctx, nil
}

// Apply implements approvals.Subject.
func (s settingsSubject) Apply(ctx context.Context, u *uow.Unit, p approvals.Proposal) error {
	row, edit, err := proposedSettings(ctx, u, p)
	if err != nil {
		return err
	}
	if !edit.IfMatch.Matches(row.Ref()) {
		return approvals.ErrStaleBase
	}
	_, err = s.settings().Apply(ctx, u, row, edit)
	return err
}

// Revise implements approvals.Subject.
func (s settingsSubject) Revise(ctx context.Context, u *uow.Unit, p approvals.Proposal, patch json.RawMessage) (approvals.Proposal, error) {
	var body httpapi.Patch[TenantRules]
	if err := body.ReadBody(patch); err != nil {
		return p, httpapi.Unreadable(err)
	}
	row, edit, err := proposedSettings(ctx, u, p)
	if err != nil {
		return p, err
	}
	if !edit.IfMatch.Matches(row.Ref()) {
		return p, approvals.ErrStaleBase
	}
	from, err := row.document()
	if err != nil {
		return p, err
	}
	to := merge.Patch(from, body.Tree())
	if merge.Equal(from, to) {
		return p, input.Invalid("/patch", "nothing", "changes nothing; withdraw the approval instead")
	}
	return reviseSettingsProposal(row, to, p.Note)
}

// reviseSettingsProposal returns the proposal to change the settings to an edited document. Errors:
// ValidationFailed, with pointers below /patch.
func reviseSettingsProposal(row *Settings, to any, note string) (approvals.Proposal, error) {
	_, _, err := reviseSettings(row, to)
	var refused *apperr.Error
	if errors.As(err, &refused) {
		for i := range refused.Fields {
			refused.Fields[i].Pointer = "/patch" + refused.Fields[i].Pointer
		}
		return approvals.Proposal{}, apperr.Invalid(refused.Fields...)
	}
	if err != nil {
		return approvals.Proposal{}, err
	}
	return settingsProposal(row, to, note)
}

// baseOf returns the base of a proposed edit and its document.
func (s settingsSubject) baseOf(ctx context.Context, row *Settings, edit change.Edit) (base *Settings, document any, err error) {
	if base, err = s.settingsAt(ctx, row, edit.IfMatch.Ref.Version); err != nil {
		return nil, nil, fmt.Errorf("read the base of a change of the settings: %w", err)
	}
	document, err = base.document()
	return base, document, err
}

// Rebase implements approvals.Subject.
func (s settingsSubject) Rebase(ctx context.Context, u *uow.Unit, p approvals.Proposal) (approvals.Proposal, error) {
	row, edit, err := proposedSettings(ctx, u, p)
	if err != nil {
		return p, err
	}
	_, from, err := s.baseOf(ctx, row, edit)
	if err != nil {
		return p, err
	}
	theirs, err := row.document()
	if err != nil {
		return p, err
	}
	merged := merge.ThreeWay(from, merge.Patch(from, edit.Patch), theirs)
	switch {
	case !merged.AutoMergeable:
		return p, approvals.ErrStaleBase
	case merge.Equal(merged.Merged, theirs):
		return p, approvals.ErrNoChange
	}
	return reviseSettingsProposal(row, merged.Merged, p.Note)
}

// Conflict implements approvals.Subject.
func (s settingsSubject) Conflict(ctx context.Context, p approvals.Proposal) (approvals.Conflict, error) {
	edit, err := decodeSettings(p)
	if err != nil {
		return approvals.Conflict{}, err
	}
	row, err := s.Settings(ctx)
	if err != nil {
		return approvals.Conflict{}, err
	}
	if edit.IfMatch.Matches(row.Ref()) {
		return approvals.Conflict{Detail: "The settings have not changed.", Members: map[string]any{}}, nil
	}
	var refused *apperr.Error
	if err := s.settings().Conflict(ctx, row.ID, edit); !errors.As(err, &refused) {
		return approvals.Conflict{}, err
	}
	return approvals.Conflict{Stale: true, Detail: refused.Detail, Members: maps.Clone(refused.Members)}, nil
}

// Show implements approvals.Subject.
func (settingsSubject) Show(_ context.Context, p approvals.Proposal) (approvals.Rendered, error) {
	return approvals.Rendered{Patch: p.Content}, nil
}

// Sides implements approvals.Subject.
func (s settingsSubject) Sides(ctx context.Context, p approvals.Proposal) ([]approvals.Comparison, error) {
	edit, err := decodeSettings(p)
	if err != nil {
		return nil, err
	}
	row, err := s.Settings(ctx)
	if err != nil {
		return nil, err
	}
	base, from, err := s.baseOf(ctx, row, edit)
	if err != nil {
		return nil, err
	}
	var proposed TenantRules
	if err := merge.Decode(merge.Patch(from, edit.Patch), &proposed); err != nil {
		return nil, fmt.Errorf("read the settings that are proposed: %w", err)
	}
	return []approvals.Comparison{{Resource: p.Resource, Base: base.TenantRules, Proposed: proposed, Current: row.TenantRules}}, nil
}
