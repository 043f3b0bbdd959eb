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
		Name: "configs", KeyColumn: "value_key", Condition: "value_key <> ''", Reads: []string{"key", "sealed_value"},
		Renewed: renewedValue, Along: renewNewest,
	},
	{
		Name: "config_histories", KeyColumn: "value_key", Condition: "value_key <> ''", Reads: []string{"key", "sealed_value"},
		Renewed: renewedValue,
		// The newest version has the same ciphertext as its config: Along renews both.
		Unless: "EXISTS (SELECT 1 FROM configs c WHERE c.id = config_histories.config_id AND c.version = config_histories.version AND c.value_key = config_histories.value_key)",
	},
	proposals("approvals"), proposals("approval_histories"),
}

func renewedValue(c encryption.Cipher, r encryption.Row) (map[string]any, error) {
	sealed, err := c.Renew(r.Bytes("sealed_value"), r.KeyID, valueContext(r.TenantID, r.Text("key")))
	return map[string]any{"sealed_value": sealed, "value_key": c.Current()}, err
}

// renewNewest renews all versions of a config with the same ciphertext, including the newest: an
// edit that did not change the value may have made a newer version since the row was read.
//
//	UPDATE config_histories SET sealed_value = ?, value_key = ?
//	 WHERE tenant_id = ? AND config_id = ? AND value_key = ? AND sealed_value = ?
func renewNewest(tx *gorm.DB, r encryption.Row, set map[string]any) error {
	return tx.Exec("UPDATE config_histories SET sealed_value = ?, value_key = ? WHERE tenant_id = ? AND config_id = ? AND value_key = ? AND sealed_value = ?",
		set["sealed_value"], set["value_key"], r.TenantID, r.ID, r.KeyID, r.Bytes("sealed_value")).Error
}

// proposals returns a table of proposals, which contain encrypted values of secret configs.
func proposals(table string) encryption.Table {
	return encryption.Table{
		Name: table, Condition: `content LIKE '%"sealedWith":%'`, Reads: []string{"content"},
		Keys: func(r encryption.Row) (keys []string) {
			for _, c := range sealedIn(r) {
				keys = append(keys, c.SealedWith)
			}
			return keys
		},
		Renewed: func(c encryption.Cipher, r encryption.Row) (map[string]any, error) {
			content := r.Text("content")
			for _, change := range sealedIn(r) {
				sealed, err := c.Renew(change.Sealed, change.SealedWith, proposalContext(r.TenantID, change.Key))
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
				// The rest of the text is unchanged, byte for byte.
				content = strings.ReplaceAll(content, was, is)
			}
			return map[string]any{"content": content}, nil
		},
	}
}

// sealedIn returns the changes of a proposal with an encrypted value. Proposals of other domains
// have none.
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

// sealedText returns an encrypted value as encoded in a proposal.
func sealedText(sealed []byte, keyID string) (string, error) {
	text, err := strictjson.Encode(struct {
		Sealed     []byte `json:"sealed"`
		SealedWith string `json:"sealedWith"`
	}{sealed, keyID})
	return string(bytes.Trim(text, "{}\n")), err
}
