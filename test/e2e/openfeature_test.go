package e2e_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/config"
	"interlock/test/apptest"
)

const flagsPath = config.OFREP + "/evaluate/flags"

var flagContext = object{"context": object{"targetingKey": "customer-7", "country": "DE", "age": nil}}

// flagKeys returns the keys of a bulk evaluation.
func flagKeys(t *testing.T, answer apptest.Answer) []any {
	t.Helper()
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	keys := []any{}
	for _, flag := range answer.JSON(t)["flags"].([]any) {
		keys = append(keys, flag.(object)["key"])
	}
	return keys
}

func TestFlagHasTheValueOfItsConfig(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := p.Admin(t)
		for _, flag := range []struct {
			key, kind string
			value     any
			text      string
		}{
			{"checkout.express", "boolean", false, `"value":false,`},
			{"checkout.title", "string", "", `"value":"",`},
			{"checkout.tax", "number", 0.2, `"value":0.2,`},
			{"checkout.retries", "number", 3, `"value":3,`},
			{"a/b:c[0]", "json", object{}, `"value":{},`},
			{"checkout.none", "json", nil, ``},
		} {
			created := newConfig(t, c, flag.key, flag.value, flag.kind)
			answer := c.Do(t, http.MethodPost, flagsPath+"/"+url.PathEscape(flag.key), flagContext)
			require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
			require.Equal(t, "application/json", answer.Header.Get("Content-Type"))
			tag := created["etag"].(string)
			require.Equal(t, `{"key":"`+flag.key+`",`+flag.text+`"reason":"STATIC","variant":"v1","metadata":{"version":1,"etag":"\"`+tag[1:len(tag)-1]+`\""}}`, string(answer.Body))
		}
		c.Do(t, http.MethodPatch, "/api/v1/configs/checkout.tax", object{"value": 0.25}, "If-Match", etag(c.Do(t, http.MethodGet, "/api/v1/configs/checkout.tax", nil).JSON(t)))
		// Neither a body nor a context is necessary.
		for _, body := range []any{nil, object{}, object{"context": nil}, object{"context": object{"targetingKey": nil}}} {
			changed := c.Do(t, http.MethodPost, flagsPath+"/checkout.tax", body).JSON(t)
			require.Equal(t, []any{0.25, "v2"}, []any{changed["value"], changed["variant"]})
		}
	})
}

func TestFlagErrorsHaveTheMembersOfOFREP(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := p.Admin(t)
		newConfig(t, c, "on", true, "boolean")
		deleted := newConfig(t, c, "deleted", true, "boolean")
		require.Equal(t, http.StatusNoContent, c.Do(t, http.MethodDelete, "/api/v1/configs/deleted", nil, "If-Match", etag(deleted)).Status)
		secret := c.Do(t, http.MethodPost, "/api/v1/configs", object{"key": "key", "value": "nightingale", "secret": true})
		require.Equal(t, http.StatusCreated, secret.Status, "%s", secret.Body)

		for _, failure := range []struct {
			key, body, code string
			status          int
		}{
			{"none", `{}`, "FLAG_NOT_FOUND", http.StatusNotFound},
			{"none", `no JSON`, "FLAG_NOT_FOUND", http.StatusNotFound},
			{"deleted", `{}`, "FLAG_NOT_FOUND", http.StatusNotFound},
			{"key", `{}`, "FLAG_NOT_FOUND", http.StatusNotFound},
			{"on", `no JSON`, "PARSE_ERROR", http.StatusBadRequest},
			{"on", `{"context":{}`, "PARSE_ERROR", http.StatusBadRequest},
			{"on", `{"contexts":{}}`, "PARSE_ERROR", http.StatusBadRequest},
			{"on", `{"context":"customer-7"}`, "INVALID_CONTEXT", http.StatusBadRequest},
			{"on", `{"context":{"targetingKey":7}}`, "INVALID_CONTEXT", http.StatusBadRequest},
			{"", `no JSON`, "PARSE_ERROR", http.StatusBadRequest},
			{"", `{"context":[]}`, "INVALID_CONTEXT", http.StatusBadRequest},
		} {
			path, key := flagsPath, any(nil)
			if failure.key != "" {
				path, key = path+"/"+failure.key, failure.key
			}
			answer := c.Do(t, http.MethodPost, path, failure.body)
			require.Equal(t, failure.status, answer.Status, "%v: %s", failure, answer.Body)
			body := answer.JSON(t)
			require.Equal(t, []any{key, failure.code}, []any{body["key"], body["errorCode"]}, "%v: %s", failure, answer.Body)
			require.NotEmpty(t, body["errorDetails"])
			require.NotContains(t, string(answer.Body), "nightingale")
		}
		require.Equal(t, []any{"on"}, flagKeys(t, c.Do(t, http.MethodPost, flagsPath, flagContext)), "no secret config is a flag, for any caller")
	})
}

func TestFlagsNeedThePermissionToReadConfigs(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := p.Admin(t)
		newConfig(t, c, "on", true, "boolean")
		anonymous := *c
		anonymous.Token = ""
		for _, path := range []string{flagsPath, flagsPath + "/on"} {
			require.Equal(t, http.StatusUnauthorized, anonymous.Do(t, http.MethodPost, path, flagContext).Status)
			require.Equal(t, http.StatusForbidden, p.Caller(t, c.Tenant, "items:read").Do(t, http.MethodPost, path, flagContext).Status)
			require.Equal(t, http.StatusOK, p.Caller(t, c.Tenant, "configs:read").Do(t, http.MethodPost, path, flagContext).Status)
			require.Equal(t, http.StatusMethodNotAllowed, c.Do(t, http.MethodGet, path, nil).Status)
		}
	})
}

func TestAllFlagsAreUnchangedUntilAConfigChanges(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c, stranger := p.Admin(t), p.Admin(t)
		evaluate := func(by *apptest.Caller, path, tag string) apptest.Answer {
			return by.Do(t, http.MethodPost, path, flagContext, "If-None-Match", tag)
		}
		require.Empty(t, flagKeys(t, evaluate(c, flagsPath, `"none"`)))
		one := newConfig(t, c, "shop.one", 1, "number")
		newConfig(t, c, "cart.two", "2", "string")
		first := evaluate(c, flagsPath, `"none"`)
		require.Equal(t, []any{"cart.two", "shop.one"}, flagKeys(t, first))
		tag := first.Header.Get("ETag")
		require.NotEmpty(t, tag)

		for _, spelling := range []string{tag, "W/" + tag, `"other", ` + tag} {
			same := evaluate(c, flagsPath+"?flagConfigEtag=x&flagConfigLastModified=1771622898", spelling)
			require.Equal(t, http.StatusNotModified, same.Status, "%s", same.Body)
			require.Empty(t, same.Body)
			require.Equal(t, tag, same.Header.Get("ETag"))
		}
		require.Empty(t, flagKeys(t, evaluate(stranger, flagsPath, tag)), "a tag does not match in another tenant")
		require.Equal(t, []any{"shop.one"}, flagKeys(t, evaluate(c, flagsPath+"?prefix=shop.", `"none"`)))

		for _, change := range []func(){
			func() { newConfig(t, c, "shop.three", object{"a": 1}, "json") },
			func() {
				edited := c.Do(t, http.MethodPatch, "/api/v1/configs/shop.one", object{"remark": "only the remark"}, "If-Match", etag(one))
				require.Equal(t, http.StatusOK, edited.Status, "%s", edited.Body)
				one = edited.JSON(t)
			},
			func() {
				require.Equal(t, http.StatusNoContent, c.Do(t, http.MethodDelete, "/api/v1/configs/shop.one", nil, "If-Match", etag(one)).Status)
			},
		} {
			change()
			changed := evaluate(c, flagsPath, tag)
			require.Equal(t, http.StatusOK, changed.Status)
			require.NotEqual(t, tag, changed.Header.Get("ETag"))
			tag = changed.Header.Get("ETag")
			require.Equal(t, http.StatusNotModified, evaluate(c, flagsPath, tag).Status)
		}
		require.Equal(t, []any{"cart.two", "shop.three"}, flagKeys(t, evaluate(c, flagsPath, `"none"`)))
	})
}
