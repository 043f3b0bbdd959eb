package client

import (
	"context"
	"encoding/json"
	"time"
)

// Settings are what a tenant has set. Read them, change the numbers, and save them.
type Settings struct {
	Stamp
	originState
	// ApprovalsRequired is how many votes a change of what is protected takes.
	ApprovalsRequired int `json:"approvalsRequired"`
	// ApprovalDays is how many days it waits for them.
	ApprovalDays int `json:"approvalDays"`
	// RefundApprovalThreshold is the amount, in minor units, above which the approval of a refund
	// waits for votes; nil for none.
	RefundApprovalThreshold *int64 `json:"refundApprovalThreshold"`
	// WalletApprovalThreshold is that of an entry of a wallet which somebody makes by hand.
	WalletApprovalThreshold *int64 `json:"walletApprovalThreshold"`
	// Currency is the currency of all amounts of the tenant (ISO 4217); it never changes.
	Currency string  `json:"currency"`
	Merged   *Merged `json:"merged,omitempty"`
}

func (s *Settings) editable() []string {
	return []string{"approvalsRequired", "approvalDays", "refundApprovalThreshold", "walletApprovalThreshold"}
}

// UnmarshalJSON reads settings and remembers how they were read.
func (s *Settings) UnmarshalJSON(text []byte) error {
	type members Settings
	var fresh members
	if err := json.Unmarshal(text, &fresh); err != nil {
		return err
	}
	*s = Settings(fresh)
	return setOrigin(s)
}

// SettingsRevision is one version of the settings.
type SettingsRevision struct {
	Version                 int64     `json:"version"`
	Action                  string    `json:"action"`
	ApprovalsRequired       int       `json:"approvalsRequired"`
	ApprovalDays            int       `json:"approvalDays"`
	RefundApprovalThreshold *int64    `json:"refundApprovalThreshold"`
	WalletApprovalThreshold *int64    `json:"walletApprovalThreshold"`
	Currency                string    `json:"currency"`
	ChangedBy               Person    `json:"changedBy"`
	ChangedTime             time.Time `json:"changedTime"`
}

// Settings reads what the tenant has set.
func (c *Client) Settings(ctx context.Context, options ...CallOption) (Settings, error) {
	return get[Settings](ctx, c, "/settings", options)
}

// SaveSettings sends what was changed in s since it was read and makes s the saved settings. The
// settings are protected: it returns [Proposed].
func (c *Client) SaveSettings(ctx context.Context, s *Settings, options ...CallOption) error {
	return save(ctx, c, "/settings", s, options)
}

// SettingsHistory lists the versions of the settings, newest first.
func (c *Client) SettingsHistory(p Paging) List[SettingsRevision] {
	return List[SettingsRevision]{c, "/settings/history", p.parameters()}
}
