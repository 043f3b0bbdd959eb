package guesses

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
)

const (
	// MaxAttempts is the maximum number of wrong passwords and codes per account and network in
	// Window.
	MaxAttempts = 5
	// Window is the time for which a wrong guess counts.
	Window = 15 * time.Minute
	// MaxAnonymous is the maximum number of wrong passwords per account in Window over all
	// networks, except known devices.
	MaxAnonymous = 50
	// attemptRounds bounds the search for a slot under concurrent claims and releases.
	attemptRounds = 10
)

// Row is one guess at an account's password or second factor. The unique key (account,
// network, slot) has room for MaxAttempts rows, so the database decides between concurrent
// guesses.
type Row struct {
	ID int64 `gorm:"primaryKey"`
	// Account is a digest: the account may not exist, and users sometimes type a password as
	// the username.
	Account string
	// Network is the origin of the guess: see ratelimit.Network and DevicePrefix.
	Network     string
	Slot        int
	CreatedTime time.Time
}

// TableName implements gorm's Tabler.
func (Row) TableName() string { return "sign_in_attempts" }

// Global implements storage.Global: an unknown account has no tenant.
func (Row) Global() {}

const attemptSlotKey = "uq_sign_in_attempts_slot"

// Attempts counts the guesses at accounts.
type Attempts struct {
	db    *storage.DB
	clock clock.Clock
}

// NewAttempts returns the attempts in a database.
func NewAttempts(db *storage.DB, now clock.Clock) Attempts { return Attempts{db: db, clock: now} }

// Guess is the account and the origin of a guess. MaxAttempts guesses from one network lock
// the account for that network, and MaxAnonymous guesses lock it for all networks, so that an
// attacker gains nothing from many networks. The owner of a locked account can still sign in
// from a known device, which has its own count.
type Guess struct {
	Account, Network string
	// Anonymous is set for a guess at a password without a session and without a known device.
	Anonymous bool
}

// everywhere is the key for all networks; no network has this name.
const everywhere = "*"

// AccountKey returns the key under which the guesses at an account are counted.
func AccountKey(tenant, username string) string {
	sum := sha256.Sum256([]byte(tenant + "\x00" + username))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// claim counts an attempt before it is made:
//
//	INSERT INTO sign_in_attempts (account, network, slot, created_time) VALUES (?, ?, ?, ?)
//
// and returns its id for release. Errors: TooManyAttempts if attempts of the last 15 minutes
// fill all slots, or the account has MaxAnonymous of them. The count over all networks is read
// before the insert, so concurrent guesses from several networks can exceed it by at most the
// number of hash slots.
func (a Attempts) claim(ctx context.Context, at Guess) (int64, error) {
	for range attemptRounds {
		now := a.clock.Now()
		own, anonymous, err := a.read(ctx, at)
		if err != nil {
			return 0, err
		}
		recent, old := splitByAge(own, now.Add(-Window))
		if len(recent) >= MaxAttempts {
			return 0, lockedOut(recent[0].CreatedTime.Add(Window).Sub(now))
		}
		if counted, _ := splitByAge(anonymous, now.Add(-Window)); at.Anonymous && len(counted) >= MaxAnonymous {
			return 0, lockedToStrangers(counted[len(counted)-MaxAnonymous].CreatedTime.Add(Window).Sub(now))
		}
		id, err := a.insert(ctx, at, now, recent, old)
		if err == nil && id != 0 {
			return id, nil
		}
		if err != nil && !storage.Is(err, storage.WriteConflict) {
			return 0, fmt.Errorf("count an attempt: %w", err)
		}
	}
	return 0, lockedOut(time.Second)
}

// read returns the attempts from one origin and the anonymous attempts from all networks, each
// oldest first.
func (a Attempts) read(ctx context.Context, at Guess) (own, anonymous []Row, err error) {
	var rows []Row
	if err := a.db.Read(ctx).Where("account = ?", at.Account).Order("created_time").Find(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("read the attempts: %w", err)
	}
	for _, row := range rows {
		if row.Network == at.Network {
			own = append(own, row)
		}
		if row.Network != everywhere && !strings.HasPrefix(row.Network, DevicePrefix) {
			anonymous = append(anonymous, row)
		}
	}
	return own, anonymous, nil
}

// Count runs try as a counted guess at a password or a code. If the guess is not wrong, its
// attempt is released; if the release fails, the attempt expires with its window. Earlier
// attempts remain counted: a right password must not allow more guesses at the code. Errors:
// those of claim and of try.
func (a Attempts) Count(ctx context.Context, at Guess, try func() (wrong bool, err error)) error {
	attempt, err := a.claim(ctx, at)
	if err != nil {
		return err
	}
	wrong, err := try()
	if !wrong {
		_ = a.release(context.WithoutCancel(ctx), attempt)
	}
	return err
}

// CountCode is like count, for a guess at a code. It also counts the guess over all networks: a
// code is short, and the guesser already has the account's password or a session, so a stranger
// cannot lock out the owner this way.
func (a Attempts) CountCode(ctx context.Context, at Guess, try func() (wrong bool, err error)) error {
	return a.Count(ctx, Guess{Account: at.Account, Network: everywhere}, func() (wrong bool, err error) {
		err = a.Count(ctx, at, func() (bool, error) {
			var err error
			wrong, err = try()
			return wrong, err
		})
		return wrong, err
	})
}

// insert claims a slot without a recent attempt. It returns 0 if concurrent guesses claimed all
// of them first.
func (a Attempts) insert(ctx context.Context, at Guess, now time.Time, recent, old []Row) (int64, error) {
	for _, row := range old {
		if err := a.release(ctx, row.ID); err != nil {
			return 0, err
		}
	}
	used := make(map[int]bool, MaxAttempts)
	for _, row := range recent {
		used[row.Slot] = true
	}
	for slot := 1; slot <= MaxAttempts; slot++ {
		if used[slot] {
			continue
		}
		row := Row{Account: at.Account, Network: at.Network, Slot: slot, CreatedTime: now}
		err := a.db.Write(ctx).Create(&row).Error
		if err == nil {
			return row.ID, nil
		}
		if !storage.IsDuplicate(err, attemptSlotKey) {
			return 0, err
		}
	}
	return 0, nil
}

// release deletes an attempt that was not wrong.
func (a Attempts) release(ctx context.Context, id int64) error {
	return a.db.Write(storage.AcrossTenants(ctx)).Exec("DELETE FROM sign_in_attempts WHERE id = ?", id).Error
}

// Forget deletes the attempts at an account from one network, in the transaction that starts
// its session. Attempts from other networks remain counted, so that the owner's sign-in does
// not allow an attacker further guesses.
func (Attempts) Forget(ctx context.Context, tx *gorm.DB, at Guess) error {
	const statement = "DELETE FROM sign_in_attempts WHERE account = ? AND network = ?"
	if err := tx.WithContext(storage.AcrossTenants(ctx)).Exec(statement, at.Account, at.Network).Error; err != nil {
		return fmt.Errorf("forget the attempts: %w", err)
	}
	return nil
}

// Clear deletes all attempts at an account, in the transaction that changes its password.
func (Attempts) Clear(ctx context.Context, tx *gorm.DB, account string) error {
	err := tx.WithContext(storage.AcrossTenants(ctx)).Exec("DELETE FROM sign_in_attempts WHERE account = ?", account).Error
	if err != nil {
		return fmt.Errorf("clear the attempts: %w", err)
	}
	return nil
}

// splitByAge divides attempts, oldest first, into those after the time since and the older ones.
func splitByAge(rows []Row, since time.Time) (recent, old []Row) {
	for i, row := range rows {
		if row.CreatedTime.After(since) {
			return rows[i:], rows[:i]
		}
	}
	return nil, rows
}

func lockedOut(wait time.Duration) error {
	return apperr.New(apperr.TooManyAttempts, "Too many wrong passwords or codes for this account from your network. Wait before the next try.").After(wait)
}

func lockedToStrangers(wait time.Duration) error {
	return apperr.New(apperr.TooManyAttempts, "Too many wrong passwords for this account from many networks. Sign in from a browser that it has been signed in from before, or wait.").After(wait)
}
