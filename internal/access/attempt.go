package access

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
	// maxAttempts is how many wrong passwords and codes an account takes from one network in
	// attemptWindow.
	maxAttempts   = 5
	attemptWindow = 15 * time.Minute
	// maxAnonymous is how many wrong passwords an account takes in attemptWindow from all
	// networks together, known devices apart.
	maxAnonymous = 50
	// attemptRounds bounds the search for a slot while others claim and release them.
	attemptRounds = 10
)

// attemptRow is one guess at an account's password or second factor. The unique key on (account, network,
// slot) has room for maxAttempts of them, so the engine decides who of many
// parallel guessers may try.
type attemptRow struct {
	ID int64 `gorm:"primaryKey"`
	// Account is a digest: the account may not exist, and what is typed as a
	// username is now and then a password.
	Account string
	// Network is where the guess came from: see ratelimit.Network and devicePrefix.
	Network     string
	Slot        int
	CreatedTime time.Time
}

// TableName implements gorm's Tabler.
func (attemptRow) TableName() string { return "sign_in_attempts" }

// Global implements storage.Global: an unknown account has no tenant.
func (attemptRow) Global() {}

const attemptSlotKey = "uq_sign_in_attempts_slot"

type attempts struct {
	db    *storage.DB
	clock clock.Clock
}

// guessed is what a password or a code is guessed at, and from where. Five guesses from one
// network lock the account for that network, and maxAnonymous of them for all networks: who
// has many must not have as many guesses. The owner of an account that somebody locks so
// comes in from a device that it knows, which counts by itself.
type guessed struct {
	account, network string
	// anonymous is set for a guess at a password by nobody that is known, neither by a
	// session nor by a device.
	anonymous bool
}

// everywhere stands for all networks; no network is called so.
const everywhere = "*"

func accountKey(tenant, username string) string {
	sum := sha256.Sum256([]byte(tenant + "\x00" + username))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// claim counts an attempt before it is made:
//
//	INSERT INTO sign_in_attempts (account, network, slot, created_time) VALUES (?, ?, ?, ?)
//
// and returns its id for release. Errors: TooManyAttempts when all slots hold
// attempts of the last 15 minutes, or the account has maxAnonymous of them. What is counted
// over all networks is read before it is written, so that guesses from several networks at
// once may exceed it, by no more than hash at a time.
func (a attempts) claim(ctx context.Context, at guessed) (int64, error) {
	for range attemptRounds {
		now := a.clock.Now()
		own, anonymous, err := a.read(ctx, at)
		if err != nil {
			return 0, err
		}
		recent, old := splitByAge(own, now.Add(-attemptWindow))
		if len(recent) >= maxAttempts {
			return 0, lockedOut(recent[0].CreatedTime.Add(attemptWindow).Sub(now))
		}
		if counted, _ := splitByAge(anonymous, now.Add(-attemptWindow)); at.anonymous && len(counted) >= maxAnonymous {
			return 0, lockedToStrangers(counted[len(counted)-maxAnonymous].CreatedTime.Add(attemptWindow).Sub(now))
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

// read returns the attempts that count for one place of guesses, and those of all networks,
// each oldest first.
func (a attempts) read(ctx context.Context, at guessed) (own, anonymous []attemptRow, err error) {
	var rows []attemptRow
	if err := a.db.Read(ctx).Where("account = ?", at.account).Order("created_time").Find(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("read the attempts: %w", err)
	}
	for _, row := range rows {
		if row.Network == at.network {
			own = append(own, row)
		}
		if row.Network != everywhere && !strings.HasPrefix(row.Network, devicePrefix) {
			anonymous = append(anonymous, row)
		}
	}
	return own, anonymous, nil
}

// count counts a guess at a password or a code while it is made. One that does not turn out
// wrong does not count: its attempt is taken back, or ends with its window if that cannot be
// done. The others stay: a password that is right must not buy more guesses at the code.
// Errors: those of claim and of try.
func (a attempts) count(ctx context.Context, at guessed, try func() (wrong bool, err error)) error {
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

// countCode is count for a code. Guesses at the codes of an account count together as well,
// wherever they come from: a code is short, and who guesses one has the account's password or
// a session already, so that no stranger keeps the owner out by it.
func (a attempts) countCode(ctx context.Context, at guessed, try func() (wrong bool, err error)) error {
	return a.count(ctx, guessed{account: at.account, network: everywhere}, func() (wrong bool, err error) {
		err = a.count(ctx, at, func() (bool, error) {
			var err error
			wrong, err = try()
			return wrong, err
		})
		return wrong, err
	})
}

// insert claims one of the slots that no recent attempt holds, and returns 0 when other
// guessers claimed all of them first.
func (a attempts) insert(ctx context.Context, at guessed, now time.Time, recent, old []attemptRow) (int64, error) {
	for _, row := range old {
		if err := a.release(ctx, row.ID); err != nil {
			return 0, err
		}
	}
	used := make(map[int]bool, maxAttempts)
	for _, row := range recent {
		used[row.Slot] = true
	}
	for slot := 1; slot <= maxAttempts; slot++ {
		if used[slot] {
			continue
		}
		row := attemptRow{Account: at.account, Network: at.network, Slot: slot, CreatedTime: now}
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

// release deletes an attempt that was no wrong guess, so that it does not count.
func (a attempts) release(ctx context.Context, id int64) error {
	return a.db.Write(storage.AcrossTenants(ctx)).Exec("DELETE FROM sign_in_attempts WHERE id = ?", id).Error
}

// forget deletes the attempts at an account from one network, in the transaction that begins
// its session. Those from elsewhere go on to count, or each time that the owner signs in
// somebody else could guess anew.
func (attempts) forget(ctx context.Context, tx *gorm.DB, at guessed) error {
	const statement = "DELETE FROM sign_in_attempts WHERE account = ? AND network = ?"
	if err := tx.WithContext(storage.AcrossTenants(ctx)).Exec(statement, at.account, at.network).Error; err != nil {
		return fmt.Errorf("forget the attempts: %w", err)
	}
	return nil
}

// clear deletes all attempts at an account, in the transaction that gives it another password.
func (attempts) clear(ctx context.Context, tx *gorm.DB, account string) error {
	err := tx.WithContext(storage.AcrossTenants(ctx)).Exec("DELETE FROM sign_in_attempts WHERE account = ?", account).Error
	if err != nil {
		return fmt.Errorf("clear the attempts: %w", err)
	}
	return nil
}

// splitByAge divides attempts, oldest first, into those that still count and older ones.
func splitByAge(rows []attemptRow, since time.Time) (recent, old []attemptRow) {
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
