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

// uniqueKey is the unique key of tenant and key.
const uniqueKey = "uq_configs_key"

// keysPerStatement bounds the keys of one statement.
const keysPerStatement = 500

// byKey returns the config with this key. Errors: NotFound.
//
//	SELECT * FROM configs WHERE tenant_id = ? AND key = ?
func (s *Service) byKey(ctx context.Context, key string) (*Config, error) {
	// Engines ignore case and padding, so invalid keys are not queried.
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

// KeyWithHistory returns key if a config has or had it. Errors: NotFound.
//
//	SELECT id FROM config_histories WHERE tenant_id = ? AND key = ? LIMIT 1
func (s *Service) KeyWithHistory(ctx context.Context, key string) (string, error) {
	missing := apperr.MissingRow("config", key)
	if !isKey(key) {
		return "", missing
	}
	var found []int64
	if err := s.db.Read(ctx).Model(&History{}).Where("`key` = ?", key).Limit(1).Pluck("id", &found).Error; err != nil {
		return "", fmt.Errorf("find the history of config %q: %w", key, err)
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
		some := keys[:min(keysPerStatement, len(keys))]
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

// withheld returns the keys with plain proposed values that callers without SecretsPermission must
// not see, by the base versions of the proposals (the zero Ref for a create): keys of configs
// that are secret now, and bases from before their config became secret. When a config becomes
// secret, all earlier versions of its key are encrypted; therefore an encrypted version identifies
// such bases even if the config has been made readable, or deleted and its key reused, since then.
//
//	SELECT key FROM configs WHERE tenant_id = ? AND key IN (…) AND secret = 1
//	SELECT key, config_id, MAX(version) FROM config_histories
//	 WHERE tenant_id = ? AND key IN (…) AND value_key <> '' GROUP BY key, config_id
func (s *Service) withheld(ctx context.Context, bases map[string]guard.Ref) (map[string]bool, error) {
	withheld := map[string]bool{}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(bases)), keysPerStatement) {
		var secret []string
		if err := s.db.Read(ctx).Model(&Config{}).Where("`key` IN ? AND secret = ?", some, true).Pluck("key", &secret).Error; err != nil {
			return nil, fmt.Errorf("find the secret ones among %d configs: %w", len(some), err)
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
			return nil, fmt.Errorf("find the formerly secret ones among %d configs: %w", len(some), err)
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

// Filter narrows a list of configs. Fields with the zero value do not filter.
type Filter struct {
	Prefix    string
	ValueType Type
	// Text is searched in key, remark and value, ignoring ASCII case. Secret values are not
	// searchable.
	Text string
}

func (f Filter) filters() (filters []storage.Filter) {
	if f.Prefix != "" {
		// "~" sorts after every character of a key.
		filters = append(filters, storage.Between("key", f.Prefix, f.Prefix+"~"))
	}
	if f.ValueType != "" {
		filters = append(filters, storage.Equal("value_type", f.ValueType).OrderedBy("key"))
	}
	return append(filters, storage.Containing(f.Text, "key", "remark", "value"))
}

func (f Filter) apply(query *gorm.DB) *gorm.DB { return storage.Apply(query, f.filters()...) }

var sorts = storage.Sorts{
	Columns: map[string]string{"key": "key", "updatedTime": "updated_time", "version": "version"},
	Unique:  []string{"key"},
	Default: "key",
}

// newestFirst allows ordering a history by revision only.
var newestFirst = storage.Sorts{Columns: map[string]string{"revision": "id"}, Default: "-revision"}

// at returns a config at one of its versions. Errors: gorm.ErrRecordNotFound.
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
	"value_schema, remark, protected, secret, owners, approval_id, note, changed_by, changed_by_name, changed_time) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

// insertHistory inserts the history row of the config's current version. It runs in every edit, so
// it bypasses gorm's query builder.
func insertHistory(ctx context.Context, u *uow.Unit, c *Config, action Action, note string) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	err = storage.ExecDeferred(tx, historyInsert, c.TenantID, c.ID, c.Key, c.Version, action, c.Plain, c.Sealed, c.KeyID, c.ValueType,
		c.Schema, c.Remark, c.Protected, c.Secret, string(c.Owners), u.Approval(), note, c.UpdatedBy, c.UpdatedByName, c.UpdatedTime)
	if err != nil {
		return fmt.Errorf("write the history of config %q: %w", c.Key, err)
	}
	return nil
}
