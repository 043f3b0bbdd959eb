package e2e_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/settings"
	"interlock/test/apptest"
)

// keyed sends a request that creates one item, with an idempotency key.
func keyed(t *testing.T, c *apptest.Caller, key, sku string) apptest.Answer {
	t.Helper()
	return c.Do(t, http.MethodPost, "/api/v1/items", object{"sku": sku, "name": "Green tea", "price": 1990}, "X-Idempotency-Key", key)
}

func isReplay(a apptest.Answer) bool { return a.Header.Get("X-Idempotency-Replay") == "true" }

// Proves G3.2.
func TestRepeatedRequestHasOneEffectAndOneReply(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := underContract(t, p.Admin(t))
		first := keyed(t, c, "k-1", "TEA")
		require.Equal(t, http.StatusCreated, first.Status)
		require.False(t, isReplay(first))
		for range 3 {
			again := keyed(t, c, "k-1", "TEA")
			require.True(t, isReplay(again))
			require.Equal(t, first.Status, again.Status)
			require.Equal(t, string(first.Body), string(again.Body))
			for _, name := range []string{"Etag", "Location", "Content-Type"} {
				require.Equal(t, first.Header.Get(name), again.Header.Get(name), name)
			}
			require.Empty(t, again.Header.Values("Set-Cookie"))
		}
		require.EqualValues(t, 1, rows(t, c, "items", "sku = ?", "TEA"))
		require.EqualValues(t, 1, rows(t, c, "audit_entries", "action = 'item.create'"))
		require.EqualValues(t, 1, rows(t, c, "idempotency_keys", "idempotency_key = ?", "k-1"))
	})
}

// Proves G3.3.
func TestKeyRejectsADifferentRequest(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := underContract(t, p.Admin(t))
		item := keyed(t, c, "k-1", "TEA").JSON(t)
		body := object{"sku": "TEA", "name": "Green tea", "price": 1990}
		cases := map[string]apptest.Answer{
			"another body":   keyed(t, c, "k-1", "COFFEE"),
			"another path":   c.Do(t, http.MethodPost, "/api/v1/configs", body, "X-Idempotency-Key", "k-1"),
			"another query":  c.Do(t, http.MethodPost, "/api/v1/items?x=1", body, "X-Idempotency-Key", "k-1"),
			"another method": c.Do(t, http.MethodPatch, "/api/v1/items/TEA", object{"price": 1}, "X-Idempotency-Key", "k-1", "If-Match", item["etag"].(string)),
		}
		for name, answer := range cases {
			require.Equal(t, http.StatusUnprocessableEntity, answer.Status, "%s: %s", name, answer.Body)
			require.Equal(t, "idempotency_key_reused", answer.Code(), name)
		}
		require.EqualValues(t, 1, rows(t, c, "items", "1 = 1"))
		require.EqualValues(t, 0, rows(t, c, "configs", "1 = 1"))
		require.Equal(t, http.StatusCreated, keyed(t, c, "K-1", "CASE").Status, "keys that differ in case are different")
	})
}

// Proves G3.3.
func TestInvalidIdempotencyKeyIsRejected(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := underContract(t, p.Admin(t))
		for name, key := range map[string]string{
			"empty": "", "129 characters": strings.Repeat("k", 129), "not ASCII": "schlüssel", "a control character": "a\tb",
		} {
			answer := keyed(t, c, key, "TEA")
			require.Equal(t, http.StatusBadRequest, answer.Status, "%s: %s", name, answer.Body)
			require.Equal(t, "idempotency_key_invalid", answer.Code(), name)
		}
		body := object{"sku": "TEA", "name": "Green tea", "price": 1990}
		both := c.Do(t, http.MethodPost, "/api/v1/items", body, "X-Idempotency-Key", "a", "Idempotency-Key", "b")
		require.Equal(t, "idempotency_key_invalid", both.Code(), "two values")
		require.EqualValues(t, 0, rows(t, c, "items", "1 = 1"))
		same := c.Do(t, http.MethodPost, "/api/v1/items", body, "X-Idempotency-Key", "a", "Idempotency-Key", "a")
		require.Equal(t, http.StatusCreated, same.Status, "one value under both names")
		require.Equal(t, http.StatusCreated, keyed(t, c, strings.Repeat("k", 128), "LONG").Status)
	})
}

// Proves G3.3.
func TestKeyBelongsToItsTenantAndUser(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		owner := p.Admin(t)
		peer, stranger := colleague(t, owner, "ana", "Ana"), p.Admin(t)
		require.Equal(t, http.StatusCreated, keyed(t, owner, "k-1", "TEA").Status)
		other := keyed(t, peer, "k-1", "TEA")
		require.Equal(t, "already_exists", other.Code(), "a second user's request is his own: %s", other.Body)
		require.False(t, isReplay(other))
		require.Equal(t, http.StatusCreated, keyed(t, stranger, "k-1", "TEA").Status)
		require.EqualValues(t, 1, rows(t, owner, "items", "sku = 'TEA'"))
		require.EqualValues(t, 1, rows(t, stranger, "items", "sku = 'TEA'"))
	})
}

// Proves G3.2.
func TestFiftyParallelRepeatsHaveOneEffect(t *testing.T) {
	apptest.Both(t, func(t *testing.T, p *apptest.Program) {
		c := p.Admin(t)
		body := object{"sku": "TEA", "name": "Green tea", "price": 1990}
		answers := race(t, 50, func(ctx context.Context, _ int) (apptest.Answer, error) {
			return c.Try(ctx, http.MethodPost, "/api/v1/items", body, "X-Idempotency-Key", "k-1")
		})
		created, others := split(answers, http.StatusCreated)
		fresh := 0
		for _, answer := range created {
			if !isReplay(answer) {
				fresh++
			}
			require.Equal(t, string(created[0].Body), string(answer.Body))
		}
		require.Equal(t, 1, fresh)
		for _, answer := range others {
			require.Equal(t, "request_in_progress", answer.Code(), "%s", answer.Body)
			require.NotEmpty(t, answer.Header.Get("Retry-After"))
			require.EqualValues(t, 100, answer.JSON(t)["retryAfterMs"], "%s", answer.Body)
		}
		require.True(t, isReplay(keyed(t, c, "k-1", "TEA")))
		require.EqualValues(t, 1, rows(t, c, "items", "1 = 1"))
		require.EqualValues(t, 1, rows(t, c, "audit_entries", "action = 'item.create'"))
	})
}

// Proves G3.2, G3.3.
func TestRejectionsAreReplayed(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := underContract(t, p.Admin(t))
		require.Equal(t, http.StatusCreated, keyed(t, c, "k-1", "TEA").Status)
		refused := keyed(t, c, "k-2", "TEA")
		require.Equal(t, "already_exists", refused.Code())
		again := keyed(t, c, "k-2", "TEA")
		require.True(t, isReplay(again))
		require.Equal(t, string(refused.Body), string(again.Body), "to the byte, request id included")

		invalid := c.Do(t, http.MethodPost, "/api/v1/items", object{"sku": "X", "name": "", "price": -1}, "X-Idempotency-Key", "k-3")
		require.Equal(t, http.StatusUnprocessableEntity, invalid.Status)
		malformed := c.Do(t, http.MethodPost, "/api/v1/items", object{"sku": "X", "named": ""}, "X-Idempotency-Key", "k-3")
		require.Equal(t, "malformed_request", malformed.Code())
		corrected := keyed(t, c, "k-3", "X")
		require.Equal(t, http.StatusCreated, corrected.Status, "a rejected shape leaves the key free: %s", corrected.Body)
		require.False(t, isReplay(corrected))
	})
}

// Proves G3.3.
func TestKeyMatchesAnySpellingOfTheBody(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := underContract(t, p.Admin(t))
		send := func(body string) apptest.Answer {
			return c.Do(t, http.MethodPost, "/api/v1/configs", body, "X-Idempotency-Key", "k-1")
		}
		first := send(`{"key":"a.b","value":{"x":1.0,"y":[100]},"valueType":"json"}`)
		require.Equal(t, http.StatusCreated, first.Status, "%s", first.Body)
		again := send("{\n \"valueType\": \"json\", \"value\": {\"y\": [1e2], \"x\": 1}, \"\\u006bey\": \"a.b\"}")
		require.True(t, isReplay(again), "%s", again.Body)
		require.Equal(t, string(first.Body), string(again.Body))
		for _, other := range []string{`{"key":"a.b","value":{"x":1.5,"y":[100]},"valueType":"json"}`, `{"key":"a.b","value":{"x":1.0,"y":[100]}}`} {
			require.Equal(t, "idempotency_key_reused", send(other).Code(), other)
		}
	})
}

// Proves G3.2.
func TestNoOpTransitionAndBatchAreRepeated(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := underContract(t, p.Admin(t))
		item := keyed(t, c, "k-1", "TEA").JSON(t)
		send := func(key, method, path string, body any, headers ...string) apptest.Answer {
			return c.Do(t, method, path, body, append(headers, "X-Idempotency-Key", key)...)
		}
		etag := item["etag"].(string)
		for _, patch := range []object{{"price": 1990}, {"price": 2190}} {
			key := fmt.Sprint("patch-", patch["price"])
			first := send(key, http.MethodPatch, "/api/v1/items/TEA", patch, "If-Match", etag)
			require.Equal(t, http.StatusOK, first.Status, "%s", first.Body)
			again := send(key, http.MethodPatch, "/api/v1/items/TEA", patch, "If-Match", etag)
			require.True(t, isReplay(again))
			require.Equal(t, string(first.Body), string(again.Body))
		}
		require.EqualValues(t, 2, read(t, c, "/api/v1/items/TEA")["version"])

		campaign, codes := newCoupons(t, c, 1)
		require.NotNil(t, campaign)
		redeem := "/api/v1/coupons/" + codes[0] + "/redeem"
		first := send("redeem", http.MethodPost, redeem, object{"userId": 7})
		require.Equal(t, http.StatusOK, first.Status)
		again := send("redeem", http.MethodPost, redeem, object{"userId": 7})
		require.True(t, isReplay(again))
		require.Equal(t, string(first.Body), string(again.Body))

		batch := object{"action": "complete", "ids": []int64{1 << 60}}
		first = send("batch", http.MethodPost, "/api/v1/order-batches", batch)
		require.Equal(t, http.StatusOK, first.Status, "%s", first.Body)
		require.True(t, isReplay(send("batch", http.MethodPost, "/api/v1/order-batches", batch)))
	})
}

// Proves G3.3.
func TestRepeatChecksCallerAndPermissionAgain(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := p.Admin(t)
		require.Equal(t, http.StatusCreated, keyed(t, c, "k-1", "TEA").Status)
		reader := p.Caller(t, c.Tenant, "items:read")
		require.Equal(t, "forbidden", keyed(t, reader, "k-1", "TEA").Code(), "the same user with a token that may not")
		anonymous := &apptest.Caller{Program: p, HTTP: apptest.Client}
		require.Equal(t, "unauthenticated", keyed(t, anonymous, "k-1", "TEA").Code())
	})
}

// Proves G3.14.
func TestReplyTooLargeToStoreIsNotExecutedAgain(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := p.Admin(t)
		body := object{"key": "large", "valueType": "string", "value": strings.Repeat("x", 262_140)}
		first := c.Do(t, http.MethodPost, "/api/v1/configs", body, "X-Idempotency-Key", "k-1")
		require.Equal(t, http.StatusCreated, first.Status, "%.200s", first.Body)
		again := c.Do(t, http.MethodPost, "/api/v1/configs", body, "X-Idempotency-Key", "k-1")
		require.Equal(t, http.StatusOK, again.Status)
		require.True(t, isReplay(again))
		require.Equal(t, first.Header.Get("Location"), again.Header.Get("Location"))
		require.EqualValues(t, 1, rows(t, c, "configs", "1 = 1"))
	})
}

// onEachEngine starts a program for the test on SQLite, and in the nightly tier on MariaDB with
// Redis.
func onEachEngine(t *testing.T, test func(t *testing.T, p *apptest.Program), change func(*settings.Settings)) {
	for _, engine := range engines() {
		t.Run(engine, func(t *testing.T) {
			s := apptest.Settings(t.TempDir())
			if engine == "mariadb" {
				s.DatabaseURL, s.RedisURL = storagetest.NewMariaDBURL(t), redistest.NewServer(t).URL()
			}
			change(&s)
			test(t, apptest.Start(t, s))
		})
	}
}

// Proves G3.14.
func TestFullQuotaRejectsBeforeAnyEffect(t *testing.T) {
	onEachEngine(t, func(t *testing.T, p *apptest.Program) {
		c := underContract(t, p.Admin(t))
		for i := range 3 {
			require.Equal(t, keysOf(float64(i), false), read(t, c, "/api/v1/promises")["quotas"])
			require.Equal(t, http.StatusCreated, keyed(t, c, fmt.Sprint("k-", i), fmt.Sprint("TEA-", i)).Status)
		}
		require.Equal(t, keysOf(3, true), read(t, c, "/api/v1/promises")["quotas"])
		over := keyed(t, c, "k-3", "TEA-3")
		require.Equal(t, http.StatusTooManyRequests, over.Status)
		require.Equal(t, "quota_exceeded", over.Code())
		require.NotEmpty(t, over.Header.Get("Retry-After"))
		require.EqualValues(t, 3, rows(t, c, "items", "1 = 1"))
		require.True(t, isReplay(keyed(t, c, "k-0", "TEA-0")), "the replies are replayed")
		require.Equal(t, http.StatusCreated, keyed(t, p.Admin(t), "k-3", "TEA-3").Status, "another tenant has its own")
	}, func(s *settings.Settings) { s.Idempotency.Quota = 3 })
}

// keysOf is the promises' report of a tenant's keys, under a quota of three.
func keysOf(users float64, almostFull bool) []any {
	return []any{
		object{"holders": "user", "keys": users, "quota": 3.0, "almostFull": almostFull},
		object{"holders": "customer", "keys": 0.0, "quota": 3.0, "almostFull": false},
	}
}

// Proves G3.14.
func TestQuotasOfCustomersAndUsersAreSeparate(t *testing.T) {
	onEachEngine(t, func(t *testing.T, p *apptest.Program) {
		admin := p.Admin(t)
		require.Equal(t, http.StatusCreated, keyed(t, admin, "k-1", "TEA").Status)
		tap := func(c *apptest.Caller, id int64) apptest.Answer {
			return like(t, c, "TEA", id, true, "X-Idempotency-Key", fmt.Sprint("tap-", id))
		}
		ada, bob := customerOf(t, admin, "1001"), customerOf(t, admin, "1002")
		require.Equal(t, http.StatusOK, tap(ada, 1).Status)
		require.Equal(t, http.StatusOK, tap(bob, 2).Status)
		require.Equal(t, "quota_exceeded", tap(ada, 3).Code(), "the customers have two together")
		require.Equal(t, http.StatusCreated, keyed(t, admin, "k-2", "COFFEE").Status, "the quotas of customers and users are separate")
		require.Equal(t, "quota_exceeded", keyed(t, admin, "k-3", "COCOA").Code())
		onBehalf := like(t, admin, "TEA", 4, true, "X-Idempotency-Key", "tap-4", "X-On-Behalf-Of", "1003")
		require.Equal(t, "quota_exceeded", onBehalf.Code(), "a user that acts for a customer is a user")
	}, func(s *settings.Settings) { s.Idempotency.Quota, s.CustomerJWTSecret = 2, shopSecret })
}

// Proves G3.14.
func TestCriticalRepliesHaveLongerRetention(t *testing.T) {
	onEachEngine(t, func(t *testing.T, p *apptest.Program) {
		c := p.Admin(t)
		require.Equal(t, http.StatusCreated, keyed(t, c, "item", "TEA").Status)
		campaign, codes := newCoupons(t, c, 1)
		for key, request := range map[string]struct {
			path string
			body object
		}{
			"wallet":       {"/wallets/12/entries", object{"amount": 1990, "kind": "topup", "reference": "r-1"}},
			"transfer":     {"/wallet-transfers", object{"fromUserId": 12, "toUserId": 13, "amount": 1, "reference": "r-2"}},
			"stock":        {"/inventory/TEA/adjustments", object{"delta": 5, "reason": "found", "reference": "r-3"}},
			"order":        {"/orders", object{"userId": 7, "items": []any{object{"sku": "TEA", "quantity": 9}}}},
			"payment":      {"/orders/1/pay", object{"method": "wallet"}},
			"redeem":       {"/coupons/" + codes[0] + "/redeem", object{"userId": 7}},
			"sale":         {"/flash-sales", object{"name": "Noon", "sku": "TEA", "price": 1, "quantity": 1, "perUserLimit": 1, "startsTime": "2026-01-01T12:00:00Z", "endsTime": "2026-01-02T12:00:00Z", "queueCap": 10}},
			"config-batch": {"/config-batches", object{"changes": []any{object{"op": "create", "key": "batched", "patch": object{"value": 1}}}}},
			"campaign":     {fmt.Sprintf("/coupon-campaigns/%v/coupons", campaign["id"]), object{"count": 1}},
		} {
			c.Do(t, http.MethodPost, "/api/v1"+request.path, request.body, "X-Idempotency-Key", key)
		}
		ttls := map[string]time.Duration{}
		for _, row := range read(t, c, "/api/v1/idempotency-keys")["items"].([]any) {
			from, err := time.Parse(time.RFC3339Nano, row.(object)["createdTime"].(string))
			require.NoError(t, err)
			until, err := time.Parse(time.RFC3339Nano, row.(object)["expiresTime"].(string))
			require.NoError(t, err)
			ttls[row.(object)["key"].(string)] = until.Sub(from)
		}
		const ordinary, critical = 3 * time.Hour, 72 * time.Hour
		require.Equal(t, map[string]time.Duration{
			"item": ordinary, "config-batch": ordinary, "campaign": ordinary, "wallet": critical, "transfer": critical,
			"stock": critical, "order": critical, "payment": critical, "redeem": critical, "sale": critical,
		}, ttls)
	}, func(s *settings.Settings) {
		s.Idempotency.Retention, s.Idempotency.RetentionCritical = 3*time.Hour, 72*time.Hour
	})
}

// Proves G3.14.
func TestRepliesAreEncryptedAtRest(t *testing.T) {
	for name, prepare := range map[string]func(*settings.Settings){
		"by default":  func(*settings.Settings) {},
		"by settings": func(s *settings.Settings) { s.EncryptionKeys = []string{encryptionKey("now")} },
	} {
		t.Run(name, func(t *testing.T) {
			onEachEngine(t, func(t *testing.T, p *apptest.Program) {
				c := underContract(t, p.Admin(t))
				first := keyed(t, c, "k-1", "SECRET-TEA")
				require.Equal(t, http.StatusCreated, first.Status)
				require.EqualValues(t, 1, rows(t, c, "idempotency_keys", "seal_key <> '' AND reply NOT LIKE '%SECRET-TEA%'"))
				again := keyed(t, c, "k-1", "SECRET-TEA")
				require.True(t, isReplay(again))
				require.Equal(t, string(first.Body), string(again.Body))
			}, prepare)
		})
	}
}

func encryptionKey(id string) string {
	return id + ":" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(id[:1], 32)))
}

// under boots a program with other keys on the database of s for a caller, and stops it
// when do has returned.
func under(t *testing.T, s settings.Settings, c *apptest.Caller, do func(c *apptest.Caller), keys ...string) {
	t.Helper()
	t.Run(fmt.Sprint("with ", len(keys), " keys"), func(t *testing.T) {
		s.EncryptionKeys = keys
		other := *c
		other.Program = apptest.Start(t, s)
		do(&other)
	})
}

// Proves G3.14.
func TestKeyRotationReplaysOldRepliesAndLostKeyRejects(t *testing.T) {
	for _, engine := range engines() {
		t.Run(engine, func(t *testing.T) {
			s := apptest.Settings(t.TempDir())
			if engine == "mariadb" {
				s.DatabaseURL = storagetest.NewMariaDBURL(t)
			}
			caller := new(apptest.Caller)
			replies := map[string]apptest.Answer{}
			t.Run("in clear", func(t *testing.T) {
				s.EncryptionKeys = []string{"none"}
				*caller = *apptest.Start(t, s).Admin(t)
				replies["PLAIN"] = keyed(t, caller, "PLAIN", "PLAIN")
				require.Equal(t, http.StatusCreated, replies["PLAIN"].Status)
				require.EqualValues(t, 1, rows(t, caller, "idempotency_keys", "seal_key = ''"))
			})
			repeated := func(c *apptest.Caller, key string) {
				again := keyed(t, c, key, key)
				require.True(t, isReplay(again), "%s", again.Body)
				require.Equal(t, string(replies[key].Body), string(again.Body))
			}
			under(t, s, caller, func(c *apptest.Caller) {
				repeated(c, "PLAIN")
				replies["OLD"] = keyed(t, c, "OLD", "OLD")
				require.EqualValues(t, 1, rows(t, c, "idempotency_keys", "seal_key = 'old'"))
			}, encryptionKey("old"))
			under(t, s, caller, func(c *apptest.Caller) {
				repeated(c, "PLAIN")
				repeated(c, "OLD")
				require.Equal(t, http.StatusCreated, keyed(t, c, "NEW", "NEW").Status)
				require.EqualValues(t, 1, rows(t, c, "idempotency_keys", "seal_key = 'new'"))
			}, encryptionKey("new"), encryptionKey("old"))
			under(t, s, caller, func(c *apptest.Caller) {
				repeated(c, "PLAIN")
				for range 2 {
					problem := requireProblem(t, keyed(t, c, "OLD", "OLD"), http.StatusServiceUnavailable, "unavailable")
					require.Contains(t, problem["detail"], "was executed with status 201 and is not executed again")
					require.Contains(t, problem["detail"], "/items/OLD")
				}
				require.EqualValues(t, 1, rows(t, c, "items", "sku = 'OLD'"))
				require.EqualValues(t, 1, rows(t, c, "audit_entries", "resource = 'items/OLD'"))
			}, encryptionKey("new"))
		})
	}
}

func TestReplicasWithOneKeyRepeatEachOthersReplies(t *testing.T) {
	s := apptest.Settings(t.TempDir())
	s.DatabaseURL, s.RedisURL = storagetest.NewMariaDBURL(t), redistest.NewServer(t).URL()
	c := underContract(t, apptest.Start(t, s).Admin(t))
	first := keyed(t, c, "k-1", "TEA")
	s.DataDir = t.TempDir()
	other := *c
	other.Program = apptest.Start(t, s)
	again := keyed(t, &other, "k-1", "TEA")
	require.True(t, isReplay(again), "%s", again.Body)
	require.Equal(t, string(first.Body), string(again.Body))

	s.DataDir, s.EncryptionKeys = t.TempDir(), []string{"test:" + strings.TrimPrefix(encryptionKey("x"), "x:")}
	require.ErrorContains(t, app.New(s, "test").Start(t.Context()), `the encryption key "test" differs from the one`)
}

// Proves G3.5.
func TestDatabaseReplaysWithoutRedis(t *testing.T) {
	server := redistest.NewServer(t)
	s := apptest.Settings(t.TempDir())
	s.DatabaseURL, s.RedisURL = storagetest.NewMariaDBURL(t), server.URL()
	c := underContract(t, apptest.Start(t, s).Admin(t))
	s.DataDir = t.TempDir()
	other := *c
	other.Program = apptest.Start(t, s)
	first := keyed(t, c, "k-1", "TEA")
	require.Equal(t, http.StatusCreated, first.Status)

	server.Kill(t)
	again := keyed(t, &other, "k-1", "TEA")
	require.True(t, isReplay(again), "%s", again.Body)
	require.Equal(t, string(first.Body), string(again.Body))
	fresh := keyed(t, c, "k-2", "COFFEE")
	require.Equal(t, http.StatusCreated, fresh.Status, "%s", fresh.Body)
	require.True(t, isReplay(keyed(t, c, "k-2", "COFFEE")))
	racing := race(t, 20, func(ctx context.Context, _ int) (apptest.Answer, error) {
		return c.Try(ctx, http.MethodPost, "/api/v1/items", object{"sku": "COCOA", "name": "Cocoa", "price": 1}, "X-Idempotency-Key", "k-3")
	})
	effects := 0
	for _, answer := range racing {
		if answer.Status == http.StatusCreated && !isReplay(answer) {
			effects++
		}
	}
	require.Equal(t, 1, effects, "without a lease the unique row decides")
	require.EqualValues(t, 3, rows(t, c, "items", "1 = 1"))
}
