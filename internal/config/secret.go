package config

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"strconv"
	"sync"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/encryption"
	"interlock/internal/base/merge"
	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// The value of a secret config is encrypted wherever it is at rest, and shown only to who has
// SecretsPermission. Who may write configs may give it another value without seeing the one that
// it has. So that no refusal, merge or repeat answers a guess:
//
//   - The value is one place: two edits of it meet. Who does not read it replaces it whole.
//   - A value that is given always makes a new version, also the same one.
//   - Type and schema are changed by who may read the value, or together with a new one: the
//     rules would tell what it is like.
//   - A breach of its schema is reported by the name of the rule alone.
//
// Who makes a config secret has the values of its earlier versions encrypted with it, and kept
// from the same readers.

// Stored is a value as its row has it: in clear, or encrypted with the key KeyID.
type Stored struct {
	Plain  string `gorm:"column:value"`
	Sealed []byte `gorm:"column:sealed_value"`
	KeyID  string `gorm:"column:value_key"`
}

// vault encrypts and decrypts the values of secret configs.
type vault struct {
	cipher encryption.Cipher
	// redacts is set where rows are read for a caller who may not see their values: those are "", and
	// not fetched.
	redacts bool
	// unread has the ids of keys with which something could not be read, and was logged.
	unread sync.Map
}

// placeOf binds an encrypted value to its config.
func placeOf(tenant int64, key string) string {
	return "configs\x00" + strconv.FormatInt(tenant, 10) + "\x00" + key
}

// encrypt returns a value as its row is to have it.
func (v *vault) encrypt(tenant int64, key, value string) Stored {
	sealed, id := v.cipher.Encrypt([]byte(value), placeOf(tenant, key))
	return Stored{Sealed: sealed, KeyID: id}
}

// renew returns a stored value encrypted with the current key (Cipher.Renew), or as it is when it
// cannot be decrypted.
func (v *vault) renew(tenant int64, key string, s Stored) Stored {
	if s.KeyID == "" {
		return s
	}
	sealed, err := v.cipher.Renew(s.Sealed, s.KeyID, placeOf(tenant, key))
	if err != nil {
		return s
	}
	return Stored{Sealed: sealed, KeyID: v.cipher.Current()}
}

// decrypt returns the value that a row has. One that cannot be decrypted is "", so that the config can
// be listed and be given another one. The first of each key is logged: a lost key is that of many.
func (v *vault) decrypt(ctx context.Context, tenant int64, key string, s Stored) (string, error) {
	if s.KeyID == "" {
		return s.Plain, nil
	}
	if v == nil {
		return "", errors.New("config: a row was read by who cannot decrypt it")
	}
	if v.redacts {
		return "", nil
	}
	value, err := v.cipher.Decrypt(s.Sealed, s.KeyID, placeOf(tenant, key))
	if err != nil {
		if _, logged := v.unread.LoadOrStore(s.KeyID, true); !logged {
			slog.ErrorContext(ctx, "the value of a secret config cannot be read, and perhaps no other one of its encryption key", "key", s.KeyID, "tenant", tenant, "config", key, "error", err)
		}
		return "", nil
	}
	return string(value), nil
}

type vaultKey struct{}

// readable returns a database whose reads decrypt.
func (s *Service) readable(db *gorm.DB) *gorm.DB {
	return db.WithContext(context.WithValue(db.Statement.Context, vaultKey{}, s.vault))
}

// readableFor is readable for rows that are only shown to the context's caller. What they are not shown
// is left in the database: it is not measured either (Filter.fits).
func (s *Service) readableFor(ctx context.Context, db *gorm.DB) *gorm.DB {
	if mayReadSecrets(ctx) {
		return s.readable(db)
	}
	return db.WithContext(context.WithValue(db.Statement.Context, vaultKey{}, &vault{redacts: true})).Omit("sealed_value")
}

// read returns the database to read from, outside of a unit.
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

// isConfidential reports whether the value is for readers with SecretsPermission alone: also one
// of before its config became secret.
func (c *Config) isConfidential() bool { return c.Secret || c.KeyID != "" }

// store puts the value into the form in which the row keeps it, unless it has it already, and
// returns what is wrong when it cannot.
func (c *Config) store(before Stored, given bool) []apperr.Field {
	switch {
	case !c.Secret:
		c.Stored = Stored{Plain: c.Value}
	case c.vault == nil || c.vault.cipher.Current() == "":
		return []apperr.Field{{Pointer: "/secret", Code: "unavailable", Message: "cannot be true: this installation has no key that encrypts (INTERLOCK_ENCRYPTION_KEYS)"}}
	case given || before.KeyID == "":
		c.Stored = c.vault.encrypt(c.TenantID, c.Key, c.Value)
	default:
		c.Stored = c.vault.renew(c.TenantID, c.Key, before)
	}
	return nil
}

// opaque is the value of a secret config in a document: a leaf that is compared as a whole, and by
// what is at rest. Two that were given apart differ also when they are the same text, and one that
// is just given is unlike every one that there is: no answer tells a guess from a miss.
type opaque struct {
	text, ciphertext string
	given, revealed  bool
}

// MarshalJSON shows the value to who may read it.
func (o opaque) MarshalJSON() ([]byte, error) {
	if !o.revealed {
		return []byte("null"), nil
	}
	return []byte(o.text), nil
}

// opaque returns the value of a secret config; revealed says whether it shows as JSON.
func (c *Config) opaque(revealed bool) opaque {
	return opaque{text: c.Value, ciphertext: c.currentCiphertext(), given: c.given, revealed: revealed && c.Value != ""}
}

// currentCiphertext is the value as the current key encrypts it: two rows with one value have the same
// one, also when one of them was encrypted with an older key.
func (c *Config) currentCiphertext() string {
	return string(c.vault.renew(c.TenantID, c.Key, c.Stored).Sealed)
}

// valueSource says where the value that it stands for comes from, in a change of a config.
func (o opaque) valueSource(c *Config) valueSource {
	switch {
	case o.given:
		return valueGiven
	case o.ciphertext != c.currentCiphertext():
		return valueOfEarlier
	}
	return valueKept
}

// valueSource says where a change has its value from.
type valueSource int

const (
	// valueKept is the value that the config has.
	valueKept valueSource = iota
	// valueGiven is one that the author wrote.
	valueGiven
	// valueOfEarlier is a secret one of an earlier version, on which a stale edit is based. Its
	// author need not have seen it.
	valueOfEarlier
)

// author is who makes a change: what they may do, and whether they read secret values. The zero
// author may do everything and reads none: an approval applies what was permitted to its author.
type author struct {
	may   permit
	reads bool
}

func authorOf(ctx context.Context) author {
	if mayReadSecrets(ctx) {
		return author{reads: true}
	}
	return author{may: permitBlind}
}

// patched applies a patch to the document of a config, as its author reads secrets. To who is shown
// a null in the place of a secret value, it is one (RFC 7396, 2): what they give is the whole new
// value. A patch of who reads it is merged into it.
func (by author) patched(document, patch any) any {
	before, _ := valueIn(document)
	hidden, wasSecret := before.(opaque)
	after := merge.Patch(document, patch)
	given, isGiven := valueIn(patch)
	if !isGiven || given == nil || !wasSecret && !isSecret(after) {
		return after
	}
	switch readable, err := merge.Parse([]byte(hidden.text)); {
	case !wasSecret:
		given, _ = valueIn(after)
	case by.reads && err == nil:
		given = merge.Patch(readable, given)
	}
	text, err := merge.Encode(given)
	if err != nil {
		return after
	}
	return withMember(after, "value", opaque{text: string(text), given: true, revealed: by.reads})
}

// isSecret reports whether a document is of a secret config.
func isSecret(document any) bool {
	members, _ := merge.ObjectOf(document)
	secret, _ := members.Get("secret")
	return secret == true
}

// permit says whether a change of a config may be made. Nil permits everything.
type permit func(before *Config, after Content, from valueSource) error

// permitBlind is what may be changed by who may not read secret values. An earlier value is not
// brought back by an edit, whatever the config is now: where it is not secret the value would be
// readable, and a schema in the same patch would tell what it is like.
func permitBlind(before *Config, after Content, from valueSource) error {
	switch {
	case before.Secret && !after.Secret:
		return apperr.New(apperr.Forbidden, "Config %q is secret; making it readable requires the permission %s.", before.Key, SecretsPermission)
	case from == valueOfEarlier:
		return apperr.New(apperr.Forbidden, "The version of config %q that you edited has a secret value; bringing it back requires the permission %s. Give another value, or edit the newest version.", before.Key, SecretsPermission)
	case from == valueKept && before.isConfidential() && (after.ValueType != before.ValueType || after.Schema != before.Schema):
		return apperr.New(apperr.Forbidden, "Config %q is secret; its type and schema change only together with a new value, or with the permission %s.", before.Key, SecretsPermission)
	}
	return nil
}

// permitRollback refuses to bring a secret value back into a config that is not secret, where
// everybody would read it, unless the caller may read it.
func permitRollback(ctx context.Context, row, to *Config) error {
	if row.isConfidential() || !to.isConfidential() || mayReadSecrets(ctx) {
		return nil
	}
	return apperr.New(apperr.Forbidden, "The value of version %d of config %q is secret and the config is not; bringing that value back requires the permission %s.", to.Version, row.Key, SecretsPermission)
}

// mayReadSecrets reports whether the caller may read the values of secret configs.
func mayReadSecrets(ctx context.Context) bool {
	caller, _ := principal.From(ctx)
	return caller.May(SecretsPermission)
}

// mayReveal reports whether a reply may have the value of a config, or of a version of it. A reply
// that has a confidential one is not replayed to a caller who may not read it any more.
func mayReveal(ctx context.Context, value string, confidential bool) bool {
	if !confidential {
		return true
	}
	return value != "" && httpapi.MayReveal(ctx, SecretsPermission)
}

// destroyedOf is what an overwriting edit took away, as the audit log and approvals keep it: they
// are not encrypted. The history has the values.
func destroyedOf(destroyed map[string]any) map[string]any {
	for name, value := range destroyed {
		if _, secret := value.(opaque); secret {
			destroyed[name] = map[string]bool{"masked": true}
		}
	}
	return destroyed
}

// masked is what an edit would destroy, as it is shown when the value in it is withheld.
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
