package access

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"interlock/internal/approvals"
	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Settings decide how many votes the changes of everything else that is protected need, so each
// change of them waits for votes itself. The rows are protected, so that package guard refuses a
// write in a unit that applies no approval.

// settingsPath names the settings of the tenant, of which there is one row.
const settingsPath = "settings"

const kindSettings = "settings.update"

// Proposable implements guard.Proposable.
func (TenantSettings) Proposable() {}

// Protectable implements guard.Protectable.
func (TenantSettings) Protectable() {}

// OfferSettings has changes of the settings wait for approvals. It is called once, as the program
// is put together.
func (s *Service) OfferSettings(a *approvals.Service) {
	s.approvals = a
	a.Offer(settingsSubject{s})
}

// settingsSubject implements approvals.Subject for the settings of a tenant. A proposal's content is
// the merge patch on their document.
type settingsSubject struct{ *Service }

// proposeSettings proposes an edit of the settings, and reports whether it did: false in a unit
// that applies an approval or bypasses the votes.
func (s *Service) proposeSettings(ctx context.Context, u *uow.Unit, before, after *TenantSettings, _ *change.Overwrite) (bool, error) {
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

// settingsProposal is the change from the settings that were read to another document.
func settingsProposal(before *TenantSettings, to any, note string) (approvals.Proposal, error) {
	p := approvals.Proposal{
		Kind: kindSettings, Resource: settingsPath, BaseETag: before.Ref().ETag(), Targets: []string{settingsPath}, Note: note,
		MarkTargets: func(ctx context.Context, u *uow.Unit) error {
			return guard.Propose[TenantSettings](ctx, u, before.Ref())
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

// decodeSettings reads what settingsProposal wrote, as package change takes it.
func decodeSettings(p approvals.Proposal) (edit change.Edit, err error) {
	if edit.Patch, err = merge.Tree(json.RawMessage(p.Content)); err != nil {
		return edit, fmt.Errorf("read the change of the settings that is proposed: %w", err)
	}
	edit.IfMatch, err = guard.ParsePrecondition(p.BaseETag)
	return edit, err
}

// proposedSettings returns the settings as the unit sees them, and the edit of a proposal.
func proposedSettings(ctx context.Context, u *uow.Unit, p approvals.Proposal) (*TenantSettings, change.Edit, error) {
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
	return approvals.Grants{Kind: "settings", Path: settingsPath, Read: readSettingsPermission, Write: writeSettingsPermission}
}

// Lock implements approvals.Subject: the version of the settings is guard enough.
func (settingsSubject) Lock(ctx context.Context, _ *uow.Unit, _ approvals.Proposal) (context.Context, error) {
	return ctx, nil
}

// Apply implements approvals.Subject.
func (s settingsSubject) Apply(ctx context.Context, u *uow.Unit, p approvals.Proposal) error {
	row, edit, err := proposedSettings(ctx, u, p)
	if err != nil {
		return err
	}
	if !edit.IfMatch.Holds(row.Ref()) {
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
	if !edit.IfMatch.Holds(row.Ref()) {
		return p, approvals.ErrStaleBase
	}
	from, err := row.document()
	if err != nil {
		return p, err
	}
	to := merge.Patch(from, body.Tree())
	if merge.Equal(from, to) {
		return p, invalid("/patch", "nothing", "changes nothing; withdraw the approval instead")
	}
	return reviseSettingsProposal(row, to, p.Note)
}

// reviseSettingsProposal is the proposal that makes the settings an edited document. Errors:
// ValidationFailed, with pointers below /patch.
func reviseSettingsProposal(row *TenantSettings, to any, note string) (approvals.Proposal, error) {
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

// baseOf returns the settings that a proposed edit was made from, and their document.
func (s settingsSubject) baseOf(ctx context.Context, row *TenantSettings, edit change.Edit) (base *TenantSettings, document any, err error) {
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
	if edit.IfMatch.Holds(row.Ref()) {
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
