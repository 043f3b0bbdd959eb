package config

import (
	"bytes"
	"encoding/json"
	"strings"

	"gorm.io/gorm"

	"interlock/internal/base/encryption"
	"interlock/internal/base/strictjson"
)

// Encrypted are the tables with values of secret configs.
var Encrypted = []encryption.Table{
	{
		Name: "configs", KeyColumn: "value_key", Holds: "value_key <> ''", Reads: []string{"key", "sealed_value"},
		Renewed: renewedValue, Along: renewNewest,
	},
	{
		Name: "config_histories", KeyColumn: "value_key", Holds: "value_key <> ''", Reads: []string{"key", "sealed_value"},
		Renewed: renewedValue,
		// The newest version says what its config says, also how that is encrypted: they are renewed together.
		Unless: "EXISTS (SELECT 1 FROM configs c WHERE c.id = config_histories.config_id AND c.version = config_histories.version AND c.value_key = config_histories.value_key)",
	},
	proposals("approvals"), proposals("approval_histories"),
}

func renewedValue(c encryption.Cipher, r encryption.Row) (map[string]any, error) {
	sealed, err := c.Renew(r.Bytes("sealed_value"), r.KeyID, placeOf(r.TenantID, r.Text("key")))
	return map[string]any{"sealed_value": sealed, "value_key": c.Current()}, err
}

// renewNewest renews the newest version of a config with it, whichever that is by now: an edit that
// left the value alone has given it another one since the row was read. All versions with that value
// become the same.
//
//	UPDATE config_histories SET sealed_value = ?, value_key = ?
//	 WHERE tenant_id = ? AND config_id = ? AND value_key = ? AND sealed_value = ?
func renewNewest(tx *gorm.DB, r encryption.Row, set map[string]any) error {
	return tx.Exec("UPDATE config_histories SET sealed_value = ?, value_key = ? WHERE tenant_id = ? AND config_id = ? AND value_key = ? AND sealed_value = ?",
		set["sealed_value"], set["value_key"], r.TenantID, r.ID, r.KeyID, r.Bytes("sealed_value")).Error
}

// proposals is a table with what is proposed, in which the values of secret configs are encrypted.
func proposals(table string) encryption.Table {
	return encryption.Table{
		Name: table, Holds: `content LIKE '%"sealedWith":%'`, Reads: []string{"content"},
		Keys: func(r encryption.Row) (keys []string) {
			for _, c := range sealedIn(r) {
				keys = append(keys, c.SealedWith)
			}
			return keys
		},
		Renewed: func(c encryption.Cipher, r encryption.Row) (map[string]any, error) {
			content := r.Text("content")
			for _, change := range sealedIn(r) {
				sealed, err := c.Renew(change.Sealed, change.SealedWith, proposalPlace(r.TenantID, change.Key))
				if err != nil {
					return nil, err
				}
				was, err := sealedText(change.Sealed, change.SealedWith)
				if err != nil {
					return nil, err
				}
				is, err := sealedText(sealed, c.Current())
				if err != nil {
					return nil, err
				}
				// All else stays byte for byte.
				content = strings.ReplaceAll(content, was, is)
			}
			return map[string]any{"content": content}, nil
		},
	}
}

// sealedIn returns the changes of a proposal that have a value encrypted. What other domains propose
// has none.
func sealedIn(r encryption.Row) (sealed []proposedChange) {
	var changes []proposedChange
	if json.Unmarshal(r.Bytes("content"), &changes) != nil {
		return nil
	}
	for _, c := range changes {
		if c.SealedWith != "" {
			sealed = append(sealed, c)
		}
	}
	return sealed
}

// sealedText is a sealed value as the text of a proposal has it.
func sealedText(sealed []byte, keyID string) (string, error) {
	text, err := strictjson.Encode(struct {
		Sealed     []byte `json:"sealed"`
		SealedWith string `json:"sealedWith"`
	}{sealed, keyID})
	return string(bytes.Trim(text, "{}\n")), err
}
