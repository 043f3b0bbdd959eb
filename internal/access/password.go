package access

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

// HashCost is the cost of a password hash, for the service and for an attacker.
type HashCost struct {
	MemoryKiB, Passes uint32
}

// owaspCost is OWASP's cost for argon2id with one lane (Password Storage Cheat Sheet).
var owaspCost = HashCost{MemoryKiB: 19 * 1024, Passes: 2}

func (c HashCost) params() argon2id.Params {
	return argon2id.Params{Memory: c.MemoryKiB, Iterations: c.Passes, Parallelism: 1, SaltLength: 16, KeyLength: 32}
}

const (
	// maxPasswordBytes bounds the hashed text.
	maxPasswordBytes = 1024
	// leastPassword is the minimum length in characters.
	leastPassword = 12
	// hashTimeout bounds the wait for a hash slot.
	hashTimeout = 3 * time.Second
)

// passwords hashes and compares passwords on half of the processors: a hash uses 19 MiB and about
// 30 ms, so unlimited sign-ins would exhaust the machine.
type passwords struct {
	params  argon2id.Params
	queue   *hashQueue
	timeout time.Duration
	compare func(password, hash string) (bool, error)
	// weak accepts short or easily guessed passwords, with a warning.
	weak bool
	// dummy is a hash that no password matches, at the cost of a real one.
	dummy string
}

// newPasswords returns passwords with this hash cost; the zero cost means OWASP's.
func newPasswords(cost HashCost) *passwords {
	params := cmp.Or(cost, owaspCost).params()
	return &passwords{
		params:  params,
		queue:   newHashQueue(max(1, runtime.GOMAXPROCS(0)/2), maxQueued),
		timeout: hashTimeout,
		compare: argon2id.ComparePasswordAndHash,
		dummy:   dummyHash(params),
	}
}

// dummyHash returns the hash for accounts that do not exist. Its key is all zeros, for which no
// password can be found.
func dummyHash(p argon2id.Params) string {
	zeros := func(n uint32) string { return base64.RawStdEncoding.EncodeToString(make([]byte, n)) }
	return fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s",
		p.Memory, p.Iterations, p.Parallelism, zeros(p.SaltLength), zeros(p.KeyLength))
}

// hash returns the argon2id hash of a password. Errors: Unavailable.
func (p *passwords) hash(ctx context.Context, password string) (string, error) {
	slot, err := p.enter(ctx, rank{})
	if err != nil {
		return "", err
	}
	defer slot.release()
	hash, err := argon2id.CreateHash(password, &p.params)
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	return hash, nil
}

// digest derives a key from a text with argon2id, at the cost of a hash. Equal texts and salts give
// equal keys. Errors: Unavailable.
func (p *passwords) digest(ctx context.Context, text string, salt []byte) ([]byte, error) {
	slot, err := p.enter(ctx, rank{})
	if err != nil {
		return nil, err
	}
	defer slot.release()
	return argon2.IDKey([]byte(text), salt, p.params.Iterations, p.params.Memory, p.params.Parallelism, p.params.KeyLength), nil
}

// matches compares a password in a session. Errors: Unavailable, if no comparison was made.
func (p *passwords) matches(ctx context.Context, password, hash string) (bool, error) {
	slot, err := p.enter(ctx, rank{})
	if err != nil {
		return false, err
	}
	defer slot.release()
	return p.same(password, hash)
}

// same compares a password with a hash; the caller holds a slot. The hash is "" for a user without
// a password: the comparison then returns false, at the same cost.
func (p *passwords) same(password, hash string) (bool, error) {
	if hash == "" {
		hash = p.dummy
	}
	same, err := p.compare(password, hash)
	if err != nil {
		return false, fmt.Errorf("compare a password with its hash: %w", err)
	}
	return same, nil
}

// enter acquires a hash slot. Errors: those of hashQueue.acquire.
func (p *passwords) enter(ctx context.Context, r rank) (*hashSlot, error) {
	return p.queue.acquire(ctx, r, p.timeout)
}

// chooser identifies the user who chose a password.
type chooser bool

const (
	// oneself is the user of the password, which must follow all rules.
	oneself chooser = true
	// another is an operator, in a setting or a command, or an admin. The password must only have
	// the minimum length; violations of the other rules are logged as warnings.
	another chooser = false
)

// newHash checks and hashes a chosen password. Errors: ValidationFailed, at the pointer.
func (p *passwords) newHash(ctx context.Context, by chooser, pointer, username, password string) (string, error) {
	if err := p.check(ctx, by, pointer, username, password); err != nil {
		return "", err
	}
	return p.hash(ctx, password)
}

// check rejects weak passwords before the hash.
func (p *passwords) check(ctx context.Context, by chooser, pointer, username, password string) error {
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
	case !p.weak && (by == oneself || weakness == tooShort):
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
	if utf8.RuneCountInString(password) < leastPassword {
		return tooShort, "must have at least " + strconv.Itoa(leastPassword) + " characters"
	}
	if guessable.Check(password, username, productName) {
		return "common", "must not be a common password, the username or the product's name, nor one of them with other digits or signs; several words that do not belong together are good"
	}
	return "", ""
}
