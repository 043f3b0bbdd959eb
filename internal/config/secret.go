package config

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"strconv"
	"sync"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/encryption"
	"interlock/internal/base/merge"
	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// The value of a secret config is encrypted at rest, and shown only to callers with
// SecretsPermission. Writers without it may replace the value. No error, merge or retry may confirm
// a guess of the value:
//
//   - The value is one member for merging: two edits of it conflict. A caller who cannot read it
//     replaces it as a whole.
//   - A new value always makes a new version, even if it is equal.
//   - Changing the type or the schema needs SecretsPermission or a new value in the same edit:
//     the validation would disclose properties of the value.
//   - A schema violation is reported only by the name of the rule.
//
// When a config becomes secret, the values of its earlier versions are encrypted too, and withheld
// from the same callers.

// Stored is a value as stored in its row: plain, or encrypted with the key KeyID.
type Stored struct {
	Plain  string `gorm:"column:value"`
	Sealed []byte `gorm:"column:sealed_value"`
	KeyID  string `gorm:"column:value_key"`
}

// vault encrypts and decrypts the values of secret configs.
type vault struct {
	cipher encryption.Cipher
	// redacts is set for reads on behalf of a caller who may not see the values: they are "", and
	// not fetched.
	redacts bool
	// unread contains the ids of keys for which a failed decryption was logged.
	unread sync.Map
}

// valueContext is the associated data that binds an encrypted value to its config.
func valueContext(tenant int64, key string) string {
	return "configs\x00" + strconv.FormatInt(tenant, 10) + "\x00" + key
}

// encrypt returns a value in its stored form.
func (v *vault) encrypt(tenant int64, key, value string) Stored {
	sealed, id := v.cipher.Encrypt([]byte(value), valueContext(tenant, key))
	return Stored{Sealed: sealed, KeyID: id}
}

// renew returns a stored value encrypted with the current key (Cipher.Renew), or unchanged if it
// cannot be decrypted.
func (v *vault) renew(tenant int64, key string, s Stored) Stored {
	if s.KeyID == "" {
		return s
	}
	sealed, err := v.cipher.Renew(s.Sealed, s.KeyID, valueContext(tenant, key))
	if err != nil {
		return s
	}
	return Stored{Sealed: sealed, KeyID: v.cipher.Current()}
}

// decrypt returns the value of a row, or "" if it cannot be decrypted, so that the config can still
// be listed and replaced. Only the first failure per key is logged, because a lost key affects many
// values.
func (v *vault) decrypt(ctx context.Context, tenant int64, key string, s Stored) (string, error) {
	if s.KeyID == "" {
		return s.Plain, nil
	}
	if v == nil {
		return "", errors.New("config: a row was read without the vault")
	}
	if v.redacts {
		return "", nil
	}
	value, err := v.cipher.Decrypt(s.Sealed, s.KeyID, valueContext(tenant, key))
	if err != nil {
		if _, logged := v.unread.LoadOrStore(s.KeyID, true); !logged {
			slog.ErrorContext(ctx, "config: decrypting a secret value failed; others with the same key may fail too", "key", s.KeyID, "tenant", tenant, "config", key, "error", err)
		}
		return "", nil
	}
	return string(value), nil
}

type vaultKey struct{}

// readable returns a database handle that decrypts on read.
func (s *Service) readable(db *gorm.DB) *gorm.DB {
	return db.WithContext(context.WithValue(db.Statement.Context, vaultKey{}, s.vault))
}

// readableFor returns a handle like readable, for rows that are only shown to the context's caller.
// Values that the caller may not read are not fetched; Filter.fits does not measure them either.
func (s *Service) readableFor(ctx context.Context, db *gorm.DB) *gorm.DB {
	if mayReadSecrets(ctx) {
		return s.readable(db)
	}
	return db.WithContext(context.WithValue(db.Statement.Context, vaultKey{}, &vault{redacts: true})).Omit("sealed_value")
}

// read returns the database handle for reads outside of a unit.
func (s *Service) read(ctx context.Context) *gorm.DB { return s.readable(s.db.Read(ctx)) }

// tx returns a unit's transaction.
func (s *Service) tx(ctx context.Context, u *uow.Unit) (*gorm.DB, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	return s.readable(tx), nil
}

func vaultOf(tx *gorm.DB) *vault {
	v, _ := tx.Statement.Context.Value(vaultKey{}).(*vault)
	return v
}

// AfterFind implements gorm's AfterFindInterface.
func (c *Config) AfterFind(tx *gorm.DB) (err error) {
	c.vault = vaultOf(tx)
	c.Value, err = c.vault.decrypt(tx.Statement.Context, c.TenantID, c.Key, c.Stored)
	return err
}

// AfterFind implements gorm's AfterFindInterface.
func (h *History) AfterFind(tx *gorm.DB) (err error) {
	h.vault = vaultOf(tx)
	h.Value, err = h.vault.decrypt(tx.Statement.Context, h.TenantID, h.Key, h.Stored)
	return err
}

// isConfidential reports whether the value needs SecretsPermission. It is also true for a version
// that was written before its config became secret.
func (c *Config) isConfidential() bool { return c.Secret || c.KeyID != "" }

// store sets the stored form of the value, and returns its violations. before is the stored form to
// reuse if the value is unchanged.
func (c *Config) store(before Stored, isNew bool) []apperr.Field {
	switch {
	case !c.Secret:
		c.Stored = Stored{Plain: c.Value}
	case c.vault == nil || c.vault.cipher.Current() == "":
		return []apperr.Field{{Pointer: "/secret", Code: "unavailable", Message: "cannot be true: this installation has no encryption key (INTERLOCK_ENCRYPTION_KEYS)"}}
	case isNew || before.KeyID == "":
		c.Stored = c.vault.encrypt(c.TenantID, c.Key, c.Value)
	default:
		c.Stored = c.vault.renew(c.TenantID, c.Key, before)
	}
	return nil
}

// opaque is the value of a secret config in a document: a leaf that is compared by its ciphertext.
// Two values set separately differ even if their texts are equal, and a new value differs from
// every stored one, so that no response confirms a guess.
type opaque struct {
	text, ciphertext string
	isNew, revealed  bool
}

// MarshalJSON returns the value if it is revealed, otherwise null.
func (o opaque) MarshalJSON() ([]byte, error) {
	if !o.revealed {
		return []byte("null"), nil
	}
	return []byte(o.text), nil
}

// opaque returns the value of a secret config; revealed is true if its JSON contains the value.
func (c *Config) opaque(revealed bool) opaque {
	return opaque{text: c.Value, ciphertext: c.currentCiphertext(), isNew: c.hasNewValue, revealed: revealed && c.Value != ""}
}

// currentCiphertext returns the value encrypted with the current key. Rows with the same value have
// the same ciphertext, also if one was encrypted with an older key.
func (c *Config) currentCiphertext() string {
	return string(c.vault.renew(c.TenantID, c.Key, c.Stored).Sealed)
}

// valueSource returns the source of the value in a change of a config.
func (o opaque) valueSource(c *Config) valueSource {
	switch {
	case o.isNew:
		return valueNew
	case o.ciphertext != c.currentCiphertext():
		return valueEarlier
	}
	return valueUnchanged
}

// valueSource is the source of the value in a change.
type valueSource int

const (
	// valueUnchanged is the current value of the config.
	valueUnchanged valueSource = iota
	// valueNew is a value that the author wrote.
	valueNew
	// valueEarlier is the secret value of an earlier version, the base of a stale edit. Its author
	// may not have seen it.
	valueEarlier
)

// author contains the permissions of the author of a change. The zero author may do everything and
// reads no secret values: an approval applies changes that were permitted to its author.
type author struct {
	may   permit
	reads bool
	// claim is the manager that the author acts for; nil to leave the owners unchecked and unchanged.
	claim *claim
	// now is the time at which the claim becomes the owner of fields.
	now time.Time
}

func (s *Service) authorOf(ctx context.Context) author {
	by := author{claim: claimOf(ctx), now: s.clock.Now(), reads: mayReadSecrets(ctx)}
	if !by.reads {
		by.may = permitBlind
	}
	return by
}

// claiming returns the author with the claim of a proposed change; nil leaves it unchanged.
func (by author) claiming(c *claim) author {
	if c != nil {
		by.claim = c
	}
	return by
}

// patched applies a patch to the document of a config. For an author who cannot read secrets, a
// secret value is null, so a value in the patch replaces the whole value (RFC 7396, 2). A patch of
// an author who can read the value is merged into the value.
func (by author) patched(document, patch any) any {
	return by.claimed(document, by.patchedContent(document, patch), patch)
}

func (by author) patchedContent(document, patch any) any {
	before, _ := valueIn(document)
	hidden, wasSecret := before.(opaque)
	after := merge.Patch(document, patch)
	value, hasValue := valueIn(patch)
	if !hasValue || value == nil || !wasSecret && !isSecret(after) {
		return after
	}
	switch readable, err := merge.Parse([]byte(hidden.text)); {
	case !wasSecret:
		value, _ = valueIn(after)
	case by.reads && err == nil:
		value = merge.Patch(readable, value)
	}
	text, err := merge.Encode(value)
	if err != nil {
		return after
	}
	return withMember(after, "value", opaque{text: string(text), isNew: true, revealed: by.reads})
}

// isSecret reports whether a document is of a secret config.
func isSecret(document any) bool {
	members, _ := merge.ObjectOf(document)
	secret, _ := members.Get("secret")
	return secret == true
}

// permit returns an error if a change of a config is not permitted. Nil permits everything.
type permit func(before *Config, after Content, from valueSource) error

// permitBlind permits the changes of callers who may not read secret values. An edit may not
// restore an earlier secret value: if the config is no longer secret the value would be readable,
// and a schema in the same patch would disclose properties of it.
func permitBlind(before *Config, after Content, from valueSource) error {
	switch {
	case before.Secret && !after.Secret:
		return apperr.New(apperr.Forbidden, "Config %q is secret; making it readable requires the permission %s.", before.Key, SecretsPermission)
	case from == valueEarlier:
		return apperr.New(apperr.Forbidden, "The version of config %q that you edited has a secret value; restoring it requires the permission %s. Set another value, or edit the newest version.", before.Key, SecretsPermission)
	case from == valueUnchanged && before.isConfidential() && (after.ValueType != before.ValueType || after.Schema != before.Schema):
		return apperr.New(apperr.Forbidden, "Config %q is secret; its type and schema change only together with a new value, or with the permission %s.", before.Key, SecretsPermission)
	}
	return nil
}

// permitRollback rejects restoring a secret value in a config that is not secret, where every
// reader would see the value, unless the caller may read secret values.
func permitRollback(ctx context.Context, row, to *Config) error {
	if row.isConfidential() || !to.isConfidential() || mayReadSecrets(ctx) {
		return nil
	}
	return apperr.New(apperr.Forbidden, "The value of version %d of config %q is secret and the config is not; restoring that value requires the permission %s.", to.Version, row.Key, SecretsPermission)
}

// mayReadSecrets reports whether the caller may read the values of secret configs.
func mayReadSecrets(ctx context.Context) bool {
	caller, _ := principal.From(ctx)
	return caller.May(SecretsPermission)
}

// mayReveal reports whether a response may contain the value of a config or of a version. A stored
// response with a confidential value is not replayed to a caller who may no longer read it.
func mayReveal(ctx context.Context, value string, confidential bool) bool {
	if !confidential {
		return true
	}
	return value != "" && httpapi.MayReveal(ctx, SecretsPermission)
}

// destroyedOf returns the members that an overwriting edit destroyed, for the audit log and
// approvals, with secret values masked, because the audit log and approvals do not encrypt these
// members. The history contains the values.
func destroyedOf(destroyed map[string]any) map[string]any {
	for name, value := range destroyed {
		if _, secret := value.(opaque); secret {
			destroyed[name] = map[string]bool{"masked": true}
		}
	}
	return destroyed
}

// masked returns the destroyed members with the value masked.
func masked(destroyed map[string]any) map[string]any {
	if _, has := destroyed["value"]; has {
		destroyed = maps.Clone(destroyed)
		destroyed["value"] = map[string]bool{"masked": true}
	}
	return destroyed
}

// encryptEarlierVersions encrypts the earlier versions of a config that a write makes secret.
func (s *Service) encryptEarlierVersions(ctx context.Context, u *uow.Unit, before, after *Config) error {
	if before.Secret || !after.Secret {
		return nil
	}
	return s.encryptHistory(ctx, u, after)
}
