package factors

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"gorm.io/gorm"

	"interlock/internal/access/input"
	"interlock/internal/base/apperr"
	"interlock/internal/base/passkey"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// A passkey is a second factor whose private key never leaves its authenticator: its user presents
// a signature of a challenge, bound to this site. Package passkey verifies signatures; this file
// ensures that a challenge is used once and that the counter of a passkey only increases.
//
// The challenge of a sign-in or step-up is derived from the token of its row (signedFor). The
// challenge of a set-up is stored in the row of the factor until the confirmation. A unit that
// accepts a response deletes or confirms that row, with a statement whose row count decides, in the
// same transaction: after a crash the challenge and the response are both used or both unused, and
// of concurrent responses one is accepted.

// PasskeySite returns the host of the passkeys, and "" if passkeys are unavailable.
func (s *Service) PasskeySite() string {
	if s.site == nil {
		return ""
	}
	return s.site.ID()
}

// RequirePasskeysAt returns ValidationFailed if passkeys are unavailable: browsers use passkeys
// only on the host of the page, and the service accepts no other origin.
func (s *Service) RequirePasskeysAt(origin string) error {
	switch {
	case s.site == nil:
		return input.Invalid("/kind", "unavailable", "cannot be a passkey here: "+s.siteFault.Error()+". INTERLOCK_PUBLIC_URL must be an https:// address with a host name")
	case origin != "" && !s.site.Accepts(origin):
		return input.Invalid("/kind", "unavailable", fmt.Sprintf("cannot be a passkey at %.100q: passkeys work at %s, the address in INTERLOCK_PUBLIC_URL", origin, s.site))
	}
	return nil
}

// signedFor returns the challenge that a passkey signs for the sign-in or step-up with this token.
// The token itself is a secret that authenticators must not learn.
func signedFor(token string) []byte {
	sum := sha256.Sum256([]byte("passkey\x00" + token))
	return sum[:]
}

// PasskeyRequest returns the browser's request options for a user's passkeys; nil for a user
// without a passkey for this site.
func (s *Service) PasskeyRequest(db *gorm.DB, userID int64, token string) (json.RawMessage, error) {
	rows, err := s.passkeysHere(db, userID)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return s.site.RequestOptions(signedFor(token), known(rows))
}

// passkeySetup is the expected response to a passkey's set-up, as the factor stores it.
type passkeySetup struct{ challenge, handle []byte }

const setupChallengeBytes = 32

func (p passkeySetup) pack() []byte { return slices.Concat(p.challenge, p.handle) }

func unpackSetup(raw []byte) (passkeySetup, error) {
	if len(raw) != setupChallengeBytes+passkey.HandleBytes {
		return passkeySetup{}, fmt.Errorf("the set-up of a passkey has %d bytes", len(raw))
	}
	return passkeySetup{raw[:setupChallengeBytes], raw[setupChallengeBytes:]}, nil
}

// preparePasskey generates the challenge of a passkey. All passkeys of a user have one handle, by
// which authenticators group them; it is random and contains no data of the user.
func (s *Service) preparePasskey(tx *gorm.DB, user Owner, setup *Setup) error {
	rows, err := s.passkeysHere(tx, user.ID)
	if err != nil {
		return err
	}
	wanted := passkeySetup{make([]byte, setupChallengeBytes), make([]byte, passkey.HandleBytes)}
	// crypto/rand crashes the program instead of returning an error.
	_, _ = rand.Read(wanted.challenge)
	_, _ = rand.Read(wanted.handle)
	if len(rows) > 0 {
		wanted.handle = rows[0].UserHandle
	}
	ends := setup.CreatedTime.Add(passkey.Timeout)
	setup.Factor.Secret, setup.ExpiresTime = wanted.pack(), &ends
	setup.Options, err = s.site.CreationOptions(wanted.challenge, ownerOf(user, wanted.handle), known(rows))
	return err
}

func ownerOf(user Owner, handle []byte) passkey.Owner {
	return passkey.Owner{Handle: handle, Name: user.Username, DisplayName: user.DisplayName}
}

// registerPasskey verifies the browser's response for a new passkey of a factor. The challenge is
// deleted with it. Errors: ValidationFailed at /credential.
func (s *Service) registerPasskey(tx *gorm.DB, user Owner, factor *Factor, in Confirmation, _ time.Time) error {
	wanted, err := unpackSetup(factor.Secret)
	if err != nil {
		return err
	}
	if s.site == nil {
		return s.RequirePasskeysAt("")
	}
	made, err := s.site.Register(wanted.challenge, ownerOf(user, wanted.handle), in.Credential)
	if errors.Is(err, passkey.ErrRefused) {
		slog.WarnContext(tx.Statement.Context, "passkey: registration rejected", "user", user.ID, "error", err)
		return input.Invalid("/credential", "wrong", "is not a response of a passkey of this site to this set-up; start again")
	}
	if err != nil {
		return err
	}
	row := passkeyOf(s.site.ID(), made)
	row.UserID, row.FactorID = user.ID, factor.ID
	if err := tx.Create(&row).Error; err != nil {
		if storage.IsDuplicate(err, credentialKey) {
			return input.Invalid("/credential", "taken", "belongs to a passkey that is already registered")
		}
		return fmt.Errorf("insert the passkey: %w", err)
	}
	factor.Secret, factor.Passkey = []byte{}, &row
	return nil
}

// acceptPasskey verifies and accepts a signature of one of a user's passkeys:
//
//	UPDATE user_passkeys SET counter = ?, flags = ? WHERE tenant_id = ? AND id = ? AND (counter < ? OR counter = 0 AND ? = 0)
//
// A counter that does not increase indicates a copy of the passkey; the signature is rejected with
// a *cloneWarning. Authenticators without a counter always send 0, which is accepted (WebAuthn,
// 7.2, step 22). A changed backup state is recorded in the audit log.
func (s *Service) acceptPasskey(tx *gorm.DB, user Owner, shown Shown, now time.Time) (bool, map[string]any, error) {
	rows, err := s.passkeysHere(tx, user.ID)
	if err != nil || len(rows) == 0 {
		return false, nil, err
	}
	at, said, err := s.site.Verify(signedFor(shown.Challenge), known(rows), shown.Credential)
	if errors.Is(err, passkey.ErrRefused) {
		slog.WarnContext(tx.Statement.Context, "passkey: signature rejected", "user", user.ID, "error", err)
		return false, nil, nil
	}
	if err != nil {
		return false, nil, err
	}
	row := rows[at]
	const statement = "UPDATE user_passkeys SET counter = ?, flags = ? WHERE tenant_id = ? AND id = ? AND (counter < ? OR counter = 0 AND ? = 0)"
	result := tx.Exec(statement, said.Counter, said.Flags, user.TenantID, row.ID, said.Counter, said.Counter)
	switch {
	case result.Error != nil:
		return false, nil, fmt.Errorf("update the passkey: %w", result.Error)
	case result.RowsAffected != 1:
		return false, nil, &cloneWarning{row, said.Counter}
	}
	if err := tx.Exec("UPDATE user_factors SET last_used_time = ? WHERE tenant_id = ? AND id = ?", now, user.TenantID, row.FactorID).Error; err != nil {
		return false, nil, fmt.Errorf("record the use of a passkey: %w", err)
	}
	detail := map[string]any{"factorId": row.FactorID}
	if !row.Flags.SameBackup(said.Flags) {
		detail["backup"] = map[string]any{"before": backupOf(row.Flags), "after": backupOf(said.Flags)}
	}
	return true, detail, nil
}

// backupOf returns the backup state of a passkey for the audit log.
func backupOf(f passkey.Flags) map[string]bool {
	return map[string]bool{"eligible": f.BackupEligible(), "backedUp": f.BackedUp()}
}

func errPasskeyRefused() *apperr.Error {
	return apperr.New(apperr.InvalidCredentials, "The passkey was not accepted. Try again, or use another factor.")
}

// cloneWarning is the error for a passkey whose counter decreased: a copy of it may exist.
type cloneWarning struct {
	row Passkey
	// counter is the received counter.
	counter uint32
}

// Error implements error.
func (c *cloneWarning) Error() string {
	return fmt.Sprintf("passkey %d says %d after %d", c.row.ID, c.counter, c.row.Counter)
}

// Unwrap returns the error for the client, the same as for any invalid passkey response.
func (c *cloneWarning) Unwrap() error { return errPasskeyRefused() }

// NoteClone records a cloneWarning in the passkey's row, for its user, and in the audit log. The
// unit that rejected the passkey was rolled back, so the record needs a separate unit; a crash in
// between loses the record, but not the rejection. Other errors are ignored.
func (s *Service) NoteClone(ctx context.Context, user Owner, address string, err error) {
	var warning *cloneWarning
	if !errors.As(err, &warning) {
		return
	}
	ctx = context.WithoutCancel(ctx)
	if _, known := principal.From(ctx); !known {
		ctx = principal.With(ctx, principal.Principal{Kind: principal.Admin, TenantID: user.TenantID, UserID: user.ID, Name: user.DisplayName})
	}
	err = s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		tx, err := u.Tx(ctx)
		if err != nil {
			return err
		}
		const statement = "UPDATE user_passkeys SET clone_warning_time = ? WHERE tenant_id = ? AND id = ?"
		if err := tx.Exec(statement, u.Now(), user.TenantID, warning.row.ID).Error; err != nil {
			return fmt.Errorf("record a clone warning: %w", err)
		}
		u.Audit(uow.Entry{Action: "user.clone-warning", Resource: user.path(), Detail: map[string]any{
			"username": user.Username, "factorId": warning.row.FactorID, "counter": warning.counter, "lastCounter": warning.row.Counter, "address": address,
		}})
		return nil
	})
	if err != nil {
		slog.ErrorContext(ctx, "passkey: clone warning not stored", "user", user.ID, "factor", warning.row.FactorID, "error", err)
	}
}
