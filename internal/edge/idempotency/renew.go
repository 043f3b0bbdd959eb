package idempotency

import "interlock/internal/base/encryption"

// Encrypted lists the tables with stored replies. A fingerprint in clear is not encrypted later,
// because servers detect a restored database by it (seen_records.go); it is deleted when its record
// expires.
var Encrypted = []encryption.Table{{
	Name: "idempotency_keys", KeyColumn: "seal_key", Condition: "(reply IS NOT NULL OR sealed_fingerprint IS NOT NULL)",
	Reads: []string{"scope", "idempotency_key", "fingerprint", "sealed_fingerprint", "reply"},
	Renewed: func(c encryption.Cipher, r encryption.Row) (map[string]any, error) {
		set := map[string]any{"seal_key": c.Current()}
		for column, data := range map[string]string{
			"reply":              associatedData(r.TenantID, r.Text("scope"), r.Text("idempotency_key")),
			"sealed_fingerprint": fingerprintData(r.TenantID, r.Bytes("fingerprint")),
		} {
			stored := r.Bytes(column)
			if stored == nil {
				continue
			}
			renewed, err := c.Renew(stored, r.KeyID, data)
			if err != nil {
				return nil, err
			}
			set[column] = renewed
		}
		return set, nil
	},
}}
