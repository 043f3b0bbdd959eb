// Package passwords hashes, compares and checks passwords. A flood of guesses uses a bounded share of the
// processors: hash_queue.go limits the concurrent hashes, orders the waiting callers and rejects the
// excess.
package passwords

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
	"golang.org/x/crypto/argon2"

	"interlock/internal/access/input"
	"interlock/internal/base/guessable"
)

// Cost is the cost of a password hash, for the service and for an attacker.
type Cost struct {
	MemoryKiB, Passes uint32
}

// owaspCost is OWASP's cost for argon2id with one lane (Password Storage Cheat Sheet).
var owaspCost = Cost{MemoryKiB: 19 * 1024, Passes: 2}

func (c Cost) params() argon2id.Params {
	return argon2id.Params{Memory: c.MemoryKiB, Iterations: c.Passes, Parallelism: 1, SaltLength: 16, KeyLength: 32}
}

const (
	// maxPasswordBytes bounds the hashed text.
	maxPasswordBytes = 1024
	// minPasswordLength is the minimum length in characters.
	minPasswordLength = 12
	// hashTimeout bounds the wait for a hash slot.
	hashTimeout = 3 * time.Second
)

// Hasher hashes and compares passwords on half of the processors: a hash uses 19 MiB and about
// 30 ms, so unlimited sign-ins would exhaust the machine.
type Hasher struct {
	params argon2id.Params
	queue  *hashQueue
	// Timeout bounds the wait for a hash slot. Tests replace it and compare.
	Timeout time.Duration
	Compare func(password, hash string) (bool, error)
	// weak accepts short or easily guessed passwords, with a warning.
	weak bool
	// Dummy is a hash that no password matches, at the cost of a real one.
	Dummy string
}

// New returns passwords with this hash cost; the zero cost means OWASP's. weak accepts short or
// easily guessed passwords, for development.
func New(cost Cost, weak bool) *Hasher {
	params := cmp.Or(cost, owaspCost).params()
	return &Hasher{
		params:  params,
		queue:   newHashQueue(max(1, runtime.GOMAXPROCS(0)/2), maxQueued),
		Timeout: hashTimeout,
		Compare: argon2id.ComparePasswordAndHash,
		Dummy:   dummyHash(params),
		weak:    weak,
	}
}

// dummyHash returns the hash for accounts that do not exist. Its key is all zeros, for which no
// password can be found.
func dummyHash(p argon2id.Params) string {
	zeros := func(n uint32) string { return base64.RawStdEncoding.EncodeToString(make([]byte, n)) }
	return fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s",
		p.Memory, p.Iterations, p.Parallelism, zeros(p.SaltLength), zeros(p.KeyLength))
}

// Hash returns the argon2id hash of a password. Errors: Unavailable.
func (p *Hasher) Hash(ctx context.Context, password string) (string, error) {
	slot, err := p.Enter(ctx, Rank{})
	if err != nil {
		return "", err
	}
	defer slot.Release()
	hash, err := argon2id.CreateHash(password, &p.params)
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	return hash, nil
}

// Digest derives a key from a text with argon2id, at the cost of a hash. Equal texts and salts give
// equal keys. Errors: Unavailable.
func (p *Hasher) Digest(ctx context.Context, text string, salt []byte) ([]byte, error) {
	slot, err := p.Enter(ctx, Rank{})
	if err != nil {
		return nil, err
	}
	defer slot.Release()
	return argon2.IDKey([]byte(text), salt, p.params.Iterations, p.params.Memory, p.params.Parallelism, p.params.KeyLength), nil
}

// Matches compares a password in a session. Errors: Unavailable, if no comparison was made.
func (p *Hasher) Matches(ctx context.Context, password, hash string) (bool, error) {
	slot, err := p.Enter(ctx, Rank{})
	if err != nil {
		return false, err
	}
	defer slot.Release()
	return p.Same(password, hash)
}

// Same compares a password with a hash; the caller holds a slot. The hash is "" for a user without
// a password: the comparison then returns false, at the same cost.
func (p *Hasher) Same(password, hash string) (bool, error) {
	if hash == "" {
		hash = p.Dummy
	}
	same, err := p.Compare(password, hash)
	if err != nil {
		return false, fmt.Errorf("compare a password with its hash: %w", err)
	}
	return same, nil
}

// Enter acquires a hash slot. Errors: those of hashQueue.acquire.
func (p *Hasher) Enter(ctx context.Context, r Rank) (*Slot, error) {
	return p.queue.acquire(ctx, r, p.Timeout)
}

// Chooser identifies the user who chose a password.
type Chooser bool

const (
	// Oneself is the user of the password, which must follow all rules.
	Oneself Chooser = true
	// Another is an operator, in a setting or a command, or an admin. The password must only have
	// the minimum length; violations of the other rules are logged as warnings.
	Another Chooser = false
)

// NewHash checks and hashes a chosen password. Errors: ValidationFailed, at the pointer.
func (p *Hasher) NewHash(ctx context.Context, by Chooser, pointer, username, password string) (string, error) {
	if err := p.Check(ctx, by, pointer, username, password); err != nil {
		return "", err
	}
	return p.Hash(ctx, password)
}

// Check rejects weak passwords before the hash.
func (p *Hasher) Check(ctx context.Context, by Chooser, pointer, username, password string) error {
	switch {
	case password == "":
		return input.Invalid(pointer, "required", "is required")
	case len(password) > maxPasswordBytes:
		return input.Invalid(pointer, "max", "must have at most "+strconv.Itoa(maxPasswordBytes)+" bytes")
	case !utf8.ValidString(password) || strings.ContainsRune(password, 0):
		return input.Invalid(pointer, "text", "must be text that can be typed")
	}
	weakness, rule := weaknessOf(username, password)
	switch {
	case weakness == "":
		return nil
	case !p.weak && (by == Oneself || weakness == tooShort):
		return input.Invalid(pointer, weakness, rule)
	}
	slog.WarnContext(ctx, "access: weak password accepted", "username", username, "because", rule)
	return nil
}

// tooShort is the code of the rule that every password must follow.
const tooShort = "min"

// productName is a name that every visitor of the sign-in page knows.
const productName = "interlock"

// weaknessOf returns the code and the text of the rule that a password violates; "" for none.
func weaknessOf(username, password string) (code, rule string) {
	if utf8.RuneCountInString(password) < minPasswordLength {
		return tooShort, "must have at least " + strconv.Itoa(minPasswordLength) + " characters"
	}
	if guessable.Check(password, username, productName) {
		return "common", "must not be a common password, the username or the product's name, nor one of them with other digits or signs; several words that do not belong together are good"
	}
	return "", ""
}
