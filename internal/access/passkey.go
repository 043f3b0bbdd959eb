package access

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

	"interlock/internal/base/apperr"
	"interlock/internal/base/passkey"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// A passkey is a second factor whose private key never leaves its authenticator: what its user
// shows is the signature of a challenge, made for this site and no other. Package passkey says
// what is signed rightly; here is that a challenge is answered once and that the counter of a
// passkey only goes forward.
//
// The challenge of a sign-in or step-up is made from the token of its row (signedFor), and that
// of a set-up is kept in the row of the factor until it is confirmed. A unit that takes an answer
// deletes or confirms that row by a statement whose row count decides, in the transaction that
// takes the answer: a crash leaves the challenge unanswered or the answer taken, and of many
// answers at once one is taken.

// PasskeySite returns the host that passkeys are used at, and "" where they cannot be.
func (s *Service) PasskeySite() string {
	if s.site == nil {
		return ""
	}
	return s.site.ID()
}

// requirePasskeysAt is ValidationFailed where no passkey can be used: browsers know none but for
// the host of the page, and no page of another origin is believed.
func (s *Service) requirePasskeysAt(origin string) error {
	switch {
	case s.site == nil:
		return invalid("/kind", "unavailable", "cannot be a passkey here: "+s.siteFault.Error()+". INTERLOCK_PUBLIC_URL must be an https:// address with a host name")
	case origin != "" && !s.site.Accepts(origin):
		return invalid("/kind", "unavailable", fmt.Sprintf("cannot be a passkey at %.100q: they are used at %s, as INTERLOCK_PUBLIC_URL says", origin, s.site))
	}
	return nil
}

// signedFor is the challenge that a passkey signs for the sign-in or step-up with a token. The
// token opens more than that and is not shown to authenticators.
func signedFor(token string) []byte {
	sum := sha256.Sum256([]byte("passkey\x00" + token))
	return sum[:]
}

// passkeyRequest is what a browser is told to use one of a user's passkeys; nil for a user who
// has none that is good at this site.
func (s *Service) passkeyRequest(db *gorm.DB, userID int64, token string) (json.RawMessage, error) {
	rows, err := s.passkeysHere(db, userID)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return s.site.RequestOptions(signedFor(token), known(rows))
}

// passkeySetup is what the set-up of a passkey has to be answered with, as its factor keeps it.
type passkeySetup struct{ challenge, handle []byte }

const setupChallengeBytes = 32

func (p passkeySetup) pack() []byte { return slices.Concat(p.challenge, p.handle) }

func unpackSetup(raw []byte) (passkeySetup, error) {
	if len(raw) != setupChallengeBytes+passkey.HandleBytes {
		return passkeySetup{}, fmt.Errorf("the set-up of a passkey has %d bytes", len(raw))
	}
	return passkeySetup{raw[:setupChallengeBytes], raw[setupChallengeBytes:]}, nil
}

// preparePasskey makes the challenge of a passkey. All of a user's have one handle, by which
// authenticators know that they are of one user; it is random and says nothing of the user.
func (s *Service) preparePasskey(tx *gorm.DB, user *User, setup *FactorSetup) error {
	rows, err := s.passkeysHere(tx, user.ID)
	if err != nil {
		return err
	}
	wanted := passkeySetup{make([]byte, setupChallengeBytes), make([]byte, passkey.HandleBytes)}
	// They end the program rather than return an error (crypto/rand).
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

func ownerOf(user *User, handle []byte) passkey.Owner {
	return passkey.Owner{Handle: handle, Name: user.Username, DisplayName: user.DisplayName}
}

// registerPasskey takes what a browser says of the passkey that it made for a factor, whose
// challenge ends with it. Errors: ValidationFailed at /credential.
func (s *Service) registerPasskey(tx *gorm.DB, user *User, factor *Factor, in FactorConfirmation, _ time.Time) error {
	wanted, err := unpackSetup(factor.Secret)
	if err != nil {
		return err
	}
	if s.site == nil {
		return s.requirePasskeysAt("")
	}
	made, err := s.site.Register(wanted.challenge, ownerOf(user, wanted.handle), in.Credential)
	if errors.Is(err, passkey.ErrRefused) {
		slog.WarnContext(tx.Statement.Context, "a passkey was not registered", "user", user.ID, "error", err)
		return invalid("/credential", "wrong", "is not the answer of a passkey of this site to this set-up; begin anew")
	}
	if err != nil {
		return err
	}
	row := passkeyOf(s.site.ID(), made)
	row.UserID, row.FactorID = user.ID, factor.ID
	if err := tx.Create(&row).Error; err != nil {
		if storage.IsDuplicate(err, credentialKey) {
			return invalid("/credential", "taken", "is of a passkey that is registered already")
		}
		return fmt.Errorf("insert the passkey: %w", err)
	}
	factor.Secret, factor.Passkey = []byte{}, &row
	return nil
}

// acceptPasskey takes what one of a user's passkeys signed:
//
//	UPDATE user_passkeys SET counter = ?, flags = ? WHERE tenant_id = ? AND id = ? AND (counter < ? OR counter = 0 AND ? = 0)
//
// A counter that does not go forward is of a copy of the passkey, or a copy was used before: it is
// refused, as a *cloneWarning. Authenticators that do not count say 0 each time, which proves
// nothing either way and is taken (WebAuthn, 7.2, step 22). What is said of backup may change, and
// is then in the audit log.
func (s *Service) acceptPasskey(tx *gorm.DB, user User, shown ShownFactor, now time.Time) (bool, map[string]any, error) {
	rows, err := s.passkeysHere(tx, user.ID)
	if err != nil || len(rows) == 0 {
		return false, nil, err
	}
	at, said, err := s.site.Verify(signedFor(shown.Challenge), known(rows), shown.Credential)
	if errors.Is(err, passkey.ErrRefused) {
		slog.WarnContext(tx.Statement.Context, "a passkey was refused", "user", user.ID, "error", err)
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
		return false, nil, fmt.Errorf("take what a passkey signed: %w", result.Error)
	case result.RowsAffected != 1:
		return false, nil, &cloneWarning{row, said.Counter}
	}
	if err := tx.Exec("UPDATE user_factors SET last_used_time = ? WHERE tenant_id = ? AND id = ?", now, user.TenantID, row.FactorID).Error; err != nil {
		return false, nil, fmt.Errorf("note the use of a passkey: %w", err)
	}
	detail := map[string]any{"factorId": row.FactorID}
	if !row.Flags.SameBackup(said.Flags) {
		detail["backup"] = map[string]any{"before": backupOf(row.Flags), "after": backupOf(said.Flags)}
	}
	return true, detail, nil
}

// backupOf is what the audit log has of where a passkey is kept.
func backupOf(f passkey.Flags) map[string]bool {
	return map[string]bool{"eligible": f.BackupEligible(), "backedUp": f.BackedUp()}
}

func errPasskeyRefused() *apperr.Error {
	return apperr.New(apperr.InvalidCredentials, "The passkey was not accepted. Try again, or show another factor.")
}

// cloneWarning is a passkey whose counter went back: there may be a copy of it.
type cloneWarning struct {
	row Passkey
	// counter is what was said.
	counter uint32
}

// Error implements error.
func (c *cloneWarning) Error() string {
	return fmt.Sprintf("passkey %d says %d after %d", c.row.ID, c.counter, c.row.Counter)
}

// Unwrap is what the caller is told: no more than of any passkey that proves nothing.
func (c *cloneWarning) Unwrap() error { return errPasskeyRefused() }

// noteClone leaves the warning that a passkey may have a copy: with the passkey, for its user, and
// in the audit log. The refusal it is for has been rolled back with all else of its unit, so that
// this is a unit of its own; a crash in between loses the warning and not the refusal. Any other
// error is none.
func (s *Service) noteClone(ctx context.Context, user User, address string, err error) {
	var warning *cloneWarning
	if !errors.As(err, &warning) {
		return
	}
	ctx = context.WithoutCancel(ctx)
	if _, known := principal.From(ctx); !known {
		who := Identity{ID: user.ID, DisplayName: user.DisplayName}
		ctx = principal.With(ctx, who.acting(principal.Admin, user.TenantID, "", nil))
	}
	err = s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		tx, err := u.Tx(ctx)
		if err != nil {
			return err
		}
		const statement = "UPDATE user_passkeys SET clone_warning_time = ? WHERE tenant_id = ? AND id = ?"
		if err := tx.Exec(statement, u.Now(), user.TenantID, warning.row.ID).Error; err != nil {
			return fmt.Errorf("warn of a copy of a passkey: %w", err)
		}
		u.Audit(uow.Entry{Action: "user.clone-warning", Resource: user.path(), Detail: map[string]any{
			"username": user.Username, "factorId": warning.row.FactorID, "counter": warning.counter, "lastCounter": warning.row.Counter, "address": address,
		}})
		return nil
	})
	if err != nil {
		slog.ErrorContext(ctx, "the warning of a copy of a passkey was not kept", "user", user.ID, "factor", warning.row.FactorID, "error", err)
	}
}
