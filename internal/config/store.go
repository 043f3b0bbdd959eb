package config

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// uniqueKey is the unique key that keeps one config a key and tenant.
const uniqueKey = "uq_configs_key"

// keysAtOnce is how many keys are asked for in one statement.
const keysAtOnce = 500

// byKey reads the config with this key, or a NotFound error.
//
//	SELECT * FROM configs WHERE tenant_id = ? AND key = ?
func (s *Service) byKey(ctx context.Context, key string) (*Config, error) {
	// The engines pad and fold; only keys that could be stored are asked for.
	if !isKey(key) {
		return nil, apperr.MissingRow("config", key)
	}
	row := new(Config)
	if err := s.read(ctx).Where("`key` = ?", key).Take(row).Error; err != nil {
		return nil, storage.Found(err, "config", key)
	}
	return row, nil
}

// byID reads the config with this id.
func (s *Service) byID(db *gorm.DB, id int64) (*Config, error) {
	row := new(Config)
	if err := s.readable(db).Where("id = ?", id).Take(row).Error; err != nil {
		return nil, err
	}
	return row, nil
}

// KeyWithHistory returns the key itself when a config has or had it. Errors: NotFound.
//
//	SELECT id FROM config_histories WHERE tenant_id = ? AND key = ? LIMIT 1
func (s *Service) KeyWithHistory(ctx context.Context, key string) (string, error) {
	missing := apperr.MissingRow("config", key)
	if !isKey(key) {
		return "", missing
	}
	var found []int64
	if err := s.db.Read(ctx).Model(&History{}).Where("`key` = ?", key).Limit(1).Pluck("id", &found).Error; err != nil {
		return "", fmt.Errorf("look for the history of config %q: %w", key, err)
	}
	if len(found) == 0 {
		return "", missing
	}
	return key, nil
}

// byKeys reads the configs that have one of the keys.
func byKeys(db *gorm.DB, keys []string) (map[string]*Config, error) {
	found := make(map[string]*Config, len(keys))
	for len(keys) > 0 {
		some := keys[:min(keysAtOnce, len(keys))]
		keys = keys[len(some):]
		var rows []*Config
		if err := db.Where("`key` IN ?", some).Find(&rows).Error; err != nil {
			return nil, fmt.Errorf("read %d configs: %w", len(some), err)
		}
		for _, row := range rows {
			found[row.Key] = row
		}
	}
	return found, nil
}

// withheld returns of which keys nobody is shown a value that was proposed in clear who may not read
// secrets, by the versions that the proposals are based on, the zero Ref for a creation: those whose
// config is secret now, and those of before it was. When a config becomes secret all its versions up
// to then are encrypted, and so are those of earlier configs of its key: that tells them also when
// it was made readable, or deleted and its key given to another, since.
//
//	SELECT key FROM configs WHERE tenant_id = ? AND key IN (…) AND secret = 1
//	SELECT key, config_id, MAX(version) FROM config_histories
//	 WHERE tenant_id = ? AND key IN (…) AND value_key <> '' GROUP BY key, config_id
func (s *Service) withheld(ctx context.Context, bases map[string]guard.Ref) (map[string]bool, error) {
	withheld := map[string]bool{}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(bases)), keysAtOnce) {
		var secret []string
		if err := s.db.Read(ctx).Model(&Config{}).Where("`key` IN ? AND secret = ?", some, true).Pluck("key", &secret).Error; err != nil {
			return nil, fmt.Errorf("read which of %d configs are secret: %w", len(some), err)
		}
		for _, key := range secret {
			withheld[key] = true
		}
		var were []struct {
			Key      string
			ConfigID int64
			Newest   int64
		}
		err := s.db.Read(ctx).Model(&History{}).Select("`key`", "config_id", "MAX(version) AS newest").
			Where("`key` IN ? AND value_key <> ''", some).Group("`key`, config_id").Find(&were).Error
		if err != nil {
			return nil, fmt.Errorf("read which of %d configs were secret: %w", len(some), err)
		}
		for _, was := range were {
			base := bases[was.Key]
			if base == (guard.Ref{}) || base.ID == was.ConfigID && base.Version <= was.Newest {
				withheld[was.Key] = true
			}
		}
	}
	return withheld, nil
}

// Filter narrows a list of configs; zero members narrow nothing.
type Filter struct {
	Prefix    string
	ValueType Type
	// Text is looked for in key, remark and value, whatever its case in ASCII. A secret value is
	// nowhere that a statement could look.
	Text string
}

func (f Filter) filters() (filters []storage.Filter) {
	if f.Prefix != "" {
		// "~" comes after every character that a key can have.
		filters = append(filters, storage.Between("key", f.Prefix, f.Prefix+"~"))
	}
	if f.ValueType != "" {
		filters = append(filters, storage.Equal("value_type", f.ValueType).Along("key"))
	}
	return append(filters, storage.Containing(f.Text, "key", "remark", "value"))
}

func (f Filter) apply(query *gorm.DB) *gorm.DB { return storage.Apply(query, f.filters()...) }

var sorts = storage.Sorts{
	Columns: map[string]string{"key": "key", "updatedTime": "updated_time", "version": "version"},
	Unique:  []string{"key"},
	Default: "key",
}

// newestFirst is the only order of a history that has a meaning, and its reverse.
var newestFirst = storage.Sorts{Columns: map[string]string{"revision": "id"}, Default: "-revision"}

// at reads one version of a row, or gorm.ErrRecordNotFound.
//
//	SELECT * FROM config_histories WHERE tenant_id = ? AND config_id = ? AND version = ?
func (s *Service) at(ctx context.Context, row *Config, version int64) (*Config, error) {
	var h History
	if err := s.read(ctx).Where("config_id = ? AND version = ?", row.ID, version).Take(&h).Error; err != nil {
		return nil, err
	}
	return h.config(row), nil
}

const historyInsert = "INSERT INTO config_histories (tenant_id, config_id, `key`, version, action, value, sealed_value, value_key, value_type, " +
	"value_schema, remark, protected, secret, approval_id, note, changed_by, changed_by_name, changed_time) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

// insertHistory writes the history row of the version that the config has now. It is
// part of every edit, so it is the bare statement.
func insertHistory(ctx context.Context, u *uow.Unit, c *Config, action Action, note string) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	err = storage.ExecDeferred(tx, historyInsert, c.TenantID, c.ID, c.Key, c.Version, action, c.Plain, c.Sealed, c.KeyID, c.ValueType,
		c.Schema, c.Remark, c.Protected, c.Secret, u.Approval(), note, c.UpdatedBy, c.UpdatedByName, c.UpdatedTime)
	if err != nil {
		return fmt.Errorf("write the history of config %q: %w", c.Key, err)
	}
	return nil
}
