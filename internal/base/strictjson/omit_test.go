package strictjson_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/strictjson"
)

type secret string

var omitter = strictjson.NewOmitter[secret]("secretShownOnce")

type secretView struct {
	inner
	Token  secret   `json:"token"`
	Codes  []secret `json:"codes,omitempty"`
	Nested *inner   `json:"nested,omitempty"`
	Rows   []inner  `json:"rows,omitempty"`
}

type inner struct {
	ID     json.Number `json:"id"`
	Path   secret      `json:"a/~path,omitempty"`
	Time   *time.Time  `json:"time,omitempty"`
	Remark string      `json:"remark,omitempty"`
}

func TestOmitterOmitsMembersOfOneType(t *testing.T) {
	at := time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		value   any
		want    string
		omitted bool
	}{
		"at the root":          {secretView{inner: inner{ID: "1.50"}, Token: "hush"}, `{"id":1.50,"secretShownOnce":true}`, true},
		"in a list of secrets": {map[string]any{"codes": []secret{"hush", "hush"}}, `{"secretShownOnce":true}`, true},
		"in a nested object":   {secretView{Nested: &inner{ID: "2", Path: "hush", Time: &at, Remark: "<stays>"}}, `{"id":0,"token":"","nested":{"id":2,"time":"2026-01-31T09:30:00.000000Z","remark":"<stays>"},"secretShownOnce":true}`, true},
		"in a list of objects": {secretView{Rows: []inner{{ID: "1"}, {ID: "2", Path: "hush"}}}, `{"id":0,"token":"","rows":[{"id":1},{"id":2}],"secretShownOnce":true}`, true},
		"none":                 {secretView{inner: inner{ID: "1"}}, `{"id":1,"token":""}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			text, omitted, err := omitter.Encode(c.value)
			require.NoError(t, err)
			require.Equal(t, c.want, string(text))
			require.Equal(t, c.omitted, omitted)
		})
	}
}
