package contract_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/strictjson"
	"interlock/internal/edge/httpapi"
	"interlock/test/apptest"
)

// A user who may write configs may delete a secret config and create its key again as
// readable. Approvals that were proposed before the config was secret stay masked.
func TestRecreatedReadableKeyRevealsNoOldApproval(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		w := pairOf(t, p)
		key, _ := w.make(t, object{"value": "first"})
		edit := w.schedule(t, w.owner, key, object{"value": w.canary})
		imported := approvalIn(t, as(t, w.owner, 202, "POST", "/configs/import"+later, object{"onExisting": "update", "configs": []any{object{"key": key, "value": w.canary}}}))
		w.patch(t, key, object{"secret": true})
		as(t, w.blind, 204, "DELETE", "/configs/"+key, nil, "If-Match", w.tag(t, key))
		as(t, w.blind, 201, "POST", "/configs", object{"key": key, "value": "mine"})
		for _, approval := range []string{edit, imported} {
			etag := w.unseeing(t, 200, "GET", approval, nil).Header.Get("ETag")
			w.unseeing(t, 200, "GET", approval+"/history", nil)
			w.unseeing(t, 409, "POST", approval+"/approve", nil, "If-Match", etag)
			w.unseeing(t, 409, "POST", approval+"/rebase", nil, "If-Match", etag)
			require.Contains(t, string(as(t, w.owner, 200, "GET", approval, nil).Body), w.canary)
		}
		// A proposal for the new, readable config is shown.
		require.Contains(t, string(w.blind.Do(t, "GET", httpapi.Base+w.schedule(t, w.owner, key, object{"value": "public"}), nil).Body), "public")
	})
}

// The approval of an overwrite shows the changes that it would overwrite, but not after the
// config has become secret.
func TestApprovalHidesOverwrittenValueOnceSecret(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		w := pairOf(t, p)
		key, stale := w.make(t, object{"value": object{"a": 1, "none": nil}, "valueType": "json"})
		w.patch(t, key, object{"value": object{"a": w.canary, "none": 1}})
		// A merge patch cannot set a member to null, so the approval proposes the whole
		// content.
		approval := approvalIn(t, as(t, w.owner, 202, "PATCH", "/configs/"+key+later+"&overwrite=because", object{"remark": "over"}, "If-Match", stale))
		require.Contains(t, string(as(t, w.blind, 200, "GET", approval, nil).Body), w.canary)
		w.patch(t, key, object{"secret": true})
		w.unseeing(t, 200, "GET", approval, nil)
		w.unseeing(t, 200, "GET", approval+"/history", nil)
	})
}

// A digest that any reader can compute would confirm guesses of the content.
func TestApprovalDigestConfirmsNoGuess(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		w := pairOf(t, p)
		key, _ := w.make(t, object{"value": "first"})
		approval := w.schedule(t, w.owner, key, object{"value": w.canary})
		var row struct{ Kind, Resource, BaseEtag, Content, Digest string }
		db := p.Services().DB.Read(storage.AcrossTenants(t.Context()))
		require.NoError(t, db.Raw("SELECT kind, resource, base_etag, content, digest FROM approvals WHERE id = ?", approval[len("/approvals/"):]).Scan(&row).Error)
		require.Contains(t, row.Content, w.canary, "it was readable when it was proposed")
		at, err := time.Parse(time.RFC3339, as(t, w.owner, 200, "GET", approval, nil).JSON(t)["effectiveTime"].(string))
		require.NoError(t, err)
		content, err := strictjson.Canonical([]byte(row.Content))
		require.NoError(t, err)
		sum := sha256.Sum256([]byte(row.Kind + "\x00" + row.Resource + "\x00" + row.BaseEtag + "\x00" + at.UTC().Format(time.RFC3339Nano) + "\x00" + string(content)))
		require.NotEqual(t, hex.EncodeToString(sum[:]), row.Digest)
	})
}

// A test operation compares with the proposal as its caller may read it.
func TestJSONPatchTestConfirmsNoSecret(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		w := pairOf(t, p)
		key, _ := w.make(t, object{"value": "first", "secret": true})
		approval := w.schedule(t, w.blind, key, object{"value": w.canary, "remark": "rate"})
		send := func(status int, operations string) apptest.Answer {
			etag := w.unseeing(t, 200, "GET", approval, nil).Header.Get("ETag")
			return w.unseeing(t, status, "PATCH", approval, operations, "If-Match", etag, "Content-Type", "application/json-patch+json")
		}
		guess := func(text string) any {
			return send(422, `[{"op":"test","path":"/patch/value","value":"`+text+`"}]`).JSON(t)["fields"]
		}
		require.Equal(t, guess("another value"), guess(w.canary))
		send(200, `[{"op":"test","path":"/patch/value","value":null},{"op":"copy","from":"/patch/value","path":"/patch/value"},{"op":"add","path":"/note","value":"why"}]`)
		require.Equal(t, map[string]any{"value": w.canary, "remark": "rate"}, as(t, w.owner, 200, "GET", approval, nil).JSON(t)["patch"], "the proposed value remains")
		send(422, `[{"op":"replace","path":"/patch/remark","value":"other"}]`)
		send(200, `[{"op":"replace","path":"/patch","value":{"value":"mine","remark":"other"}}]`)
	})
}

// The fingerprint of a request includes the secret in it. A reader of the database must not
// be able to test guesses against it.
func TestRequestFingerprintsConfirmNoGuess(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		w := pairOf(t, p)
		for path, body := range map[string]object{
			"/configs":        {"key": unique("config"), "value": "1234", "secret": true},
			"/config-batches": {"changes": []any{object{"key": unique("config"), "op": "create", "patch": object{"value": "1234", "secret": true}}}},
		} {
			key := unique("k")
			first := w.owner.Do(t, "POST", httpapi.Base+path, body, "X-Idempotency-Key", key)
			require.Less(t, first.Status, 300, "%s", first.Body)
			again := as(t, w.owner, first.Status, "POST", path, body, "X-Idempotency-Key", key)
			require.Equal(t, "true", again.Header.Get("X-Idempotency-Replay"))
			require.Equal(t, string(first.Body), string(again.Body))
			as(t, w.owner, 422, "POST", path, object{}, "X-Idempotency-Key", key)

			text, err := json.Marshal(body)
			require.NoError(t, err)
			guess := sha256.New()
			for _, part := range []string{"POST", httpapi.Base + path, "", string(text)} {
				guess.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
				guess.Write([]byte(part))
			}
			var records []struct{ Fingerprint []byte }
			db := p.Services().DB.Read(storage.AcrossTenants(t.Context()))
			require.NoError(t, db.Raw("SELECT fingerprint FROM idempotency_keys WHERE idempotency_key = ?", key).Scan(&records).Error)
			require.Len(t, records, 1)
			require.NotEqual(t, guess.Sum(nil), records[0].Fingerprint, path)
		}
	})
}
