package tenantsettings

import (
	"context"
	"fmt"
	"maps"
	"time"
	_ "time/tzdata" // so that every host accepts the same names of time zones

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// TenantRules are the settings that a tenant's admins change.
type TenantRules struct {
	// The number of votes that a change of a protected resource needs.
	ApprovalsRequired int `json:"approvalsRequired" validate:"min=1,max=10"`
	// The number of days that such a change waits for its votes.
	ApprovalDays int `json:"approvalDays" validate:"min=1,max=90"`
	// The amount, in minor units, above which the approval of a refund waits for votes; null for
	// none.
	RefundApprovalThreshold *int64 `json:"refundApprovalThreshold" validate:"min=0"`
	// The same for manual wallet entries, regardless of sign, and for transfers; the sum includes
	// the entries of the same author on the wallet within 24 hours. Null for none. Entries of the
	// service itself need no votes.
	WalletApprovalThreshold *int64 `json:"walletApprovalThreshold" validate:"min=0"`
	// The user that requested a refund may approve it, with any credential.
	SelfApproval bool `json:"selfApproval"`
	// The IANA name of the time zone that determines the days of reports, such as Europe/Berlin.
	TimeZone string `json:"timeZone" validate:"required,max=64"`
	// The number of minutes after which a new unpaid prepaid order is cancelled, 5 or more; 0 for
	// never. A change applies to later orders.
	UnpaidOrderMinutes int `json:"unpaidOrderMinutes" validate:"min=0,max=43200"`
}

// defaultRules are the rules of a new tenant.
var defaultRules = TenantRules{ApprovalsRequired: 1, ApprovalDays: 7, TimeZone: "UTC"}

// Bounds of the rules.
const (
	maxApprovals     = 10
	maxApprovalDays  = 90
	minUnpaidMinutes = 5
	maxUnpaidMinutes = 30 * 24 * 60
)

func (r TenantRules) check() (broken apperr.Fields) {
	broken.Check(r.ApprovalsRequired >= 1 && r.ApprovalsRequired <= maxApprovals, "/approvalsRequired", "range", fmt.Sprintf("must be from 1 to %d", maxApprovals))
	broken.Check(r.ApprovalDays >= 1 && r.ApprovalDays <= maxApprovalDays, "/approvalDays", "range", fmt.Sprintf("must be from 1 to %d", maxApprovalDays))
	broken.Check(isThreshold(r.RefundApprovalThreshold), "/refundApprovalThreshold", "min", "must be 0 or more, or null for none")
	broken.Check(isThreshold(r.WalletApprovalThreshold), "/walletApprovalThreshold", "min", "must be 0 or more, or null for none")
	_, err := r.Location()
	broken.Check(err == nil, "/timeZone", "time_zone", "must be an IANA name of a time zone, such as Europe/Berlin or UTC")
	broken.Check(r.UnpaidOrderMinutes == 0 || r.UnpaidOrderMinutes >= minUnpaidMinutes && r.UnpaidOrderMinutes <= maxUnpaidMinutes,
		"/unpaidOrderMinutes", "range", fmt.Sprintf("must be from %d to %d, or 0 for never", minUnpaidMinutes, maxUnpaidMinutes))
	return broken
}

// Location returns the tenant's time zone. It rejects "" and "Local", which are names for
// time.LoadLocation only.
func (r TenantRules) Location() (*time.Location, error) {
	if r.TimeZone == "" || r.TimeZone == "Local" {
		return nil, fmt.Errorf("time zone %q is not an IANA name", r.TimeZone)
	}
	return time.LoadLocation(r.TimeZone)
}

func isThreshold(amount *int64) bool { return amount == nil || *amount >= 0 }

// document returns the rules as a tree for editing. An unset threshold has no member, as after a
// merge patch that sets it to null.
func (r TenantRules) document() (any, error) {
	tree, err := merge.Tree(r)
	if members, ok := tree.(map[string]any); ok {
		maps.DeleteFunc(members, func(_ string, value any) bool { return value == nil })
	}
	return tree, err
}

// Settings is the only row of a tenant's rules.
type Settings struct {
	guard.Row
	TenantRules
}

// TableName implements gorm's Tabler.
func (Settings) TableName() string { return "tenant_settings" }

// Version is one version of a tenant's settings.
type Version struct {
	ID       int64
	TenantID int64
	// Its Action is create or update.
	change.Revision
	TenantRules
}

// TableName implements gorm's Tabler.
func (Version) TableName() string { return "tenant_setting_histories" }

// settings declares a tenant's settings to package change.
func (s *Service) settings() change.Editable[Settings, *Settings] {
	return change.Editable[Settings, *Settings]{
		Rows: change.Rows[Settings, *Settings]{
			DB: s.db, Label: func(*Settings) string { return "the settings" },
			View: func(ctx context.Context, row *Settings) any { return settingsViewOf(ctx, row) },
		},
		Document:  func(row *Settings) (any, error) { return row.document() },
		Revise:    reviseSettings,
		AtVersion: s.settingsAt,
		Record:    s.recordSettings,

		ProposeInstead: s.proposeSettings,
	}
}

func reviseSettings(row *Settings, document any) (*Settings, guard.Set, error) {
	after := *row
	after.TenantRules = TenantRules{}
	if err := merge.Decode(document, &after.TenantRules); err != nil {
		return nil, nil, fmt.Errorf("read edited settings: %w", err)
	}
	if broken := after.check(); len(broken) > 0 {
		return nil, nil, apperr.Invalid(broken...)
	}
	return &after, guard.Set{
		"approvals_required": after.ApprovalsRequired, "approval_days": after.ApprovalDays,
		"refund_approval_threshold": after.RefundApprovalThreshold, "wallet_approval_threshold": after.WalletApprovalThreshold,
		"self_approval": after.SelfApproval, "time_zone": after.TimeZone, "unpaid_order_minutes": after.UnpaidOrderMinutes,
	}, nil
}

func (s *Service) settingsAt(ctx context.Context, row *Settings, version int64) (*Settings, error) {
	var then Version
	if err := s.db.Read(ctx).Where("version = ?", version).Take(&then).Error; err != nil {
		return nil, err
	}
	earlier := *row
	earlier.TenantRules = then.TenantRules
	then.Restore(&earlier.Row)
	return &earlier, nil
}

func (s *Service) recordSettings(ctx context.Context, u *uow.Unit, before, after *Settings, _ *change.Overwrite) error {
	u.Audit(uow.Entry{Action: ApprovalKind, Resource: settingsPath, Detail: map[string]any{
		"fromVersion": before.Version, "version": after.Version, "before": before.TenantRules, "after": after.TenantRules,
	}})
	if err := insertSettingsVersion(ctx, u, after, "update"); err != nil {
		return err
	}
	u.AfterCommit(func(context.Context) { s.cached.byTenant.Delete(after.TenantID) })
	return s.approvals.MarkStale(ctx, u, settingsPath)
}

func insertSettingsVersion(ctx context.Context, u *uow.Unit, row *Settings, action string) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	version := Version{Revision: change.RevisionOf(row.Row, action), TenantRules: row.TenantRules}
	if err := tx.Create(&version).Error; err != nil {
		return fmt.Errorf("insert the version of a tenant's settings: %w", err)
	}
	return nil
}

// InsertDefault inserts the default settings of a new tenant.
func InsertDefault(ctx context.Context, u *uow.Unit) error {
	row := Settings{TenantRules: defaultRules}
	if err := guard.Insert(ctx, u, &row); err != nil {
		return fmt.Errorf("insert the tenant's settings: %w", err)
	}
	return insertSettingsVersion(ctx, u, &row, "create")
}

// Settings returns the settings of the caller's tenant. Errors: NotFound.
func (s *Service) Settings(ctx context.Context) (*Settings, error) {
	return settingsIn(s.db.Read(ctx))
}

func settingsIn(db *gorm.DB) (*Settings, error) {
	var row Settings
	err := db.Take(&row).Error
	return &row, storage.Found(err, "tenant's settings", "")
}

// EditSettings changes the settings of the caller's tenant, which were just read, or proposes the
// change: then the unit replies with the approval. See change.Editable.Apply for conflicts.
func (s *Service) EditSettings(ctx context.Context, u *uow.Unit, row *Settings, edit change.Edit) (change.Edited[*Settings], error) {
	return s.settings().Apply(ctx, u, row, edit)
}

// SettingsHistory returns one page of the versions of the settings, newest first.
func (s *Service) SettingsHistory(ctx context.Context, page storage.Page) (storage.Listing[Version], error) {
	return storage.List[Version](s.db.Read(ctx), page, change.HistorySorts)
}

// RulesIn returns the rules of the tenant of db's context and the time of their last change; the
// zero time if they never changed.
func (s *Service) RulesIn(db *gorm.DB) (rules TenantRules, since time.Time, err error) {
	row, err := settingsIn(db)
	if row.Version > 1 {
		since = row.UpdatedTime
	}
	return row.TenantRules, since, err
}
