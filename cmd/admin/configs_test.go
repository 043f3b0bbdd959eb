package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/client"
	"interlock/test/apptest"
)

// shop is a tenant of a running server. Commands compare and change its configs. A proxy counts the
// requests that can write.
type shop struct {
	*testing.T
	*client.Client
	url, folder string
	writes      atomic.Int64
	// beforeWrite runs before the proxy passes on a request that can write.
	beforeWrite func()
}

func newShop(t *testing.T, p *apptest.Program) *shop {
	s := &shop{T: t, folder: t.TempDir()}
	caller := p.Admin(t)
	target, err := url.Parse(p.URL)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			s.writes.Add(1)
			if s.beforeWrite != nil {
				s.beforeWrite()
			}
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	s.Client, err = client.New(p.URL, caller.Token)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(s.tokenFile(), []byte(caller.Token+"\n"), 0o600))
	return s
}

func (s *shop) tokenFile() string { return s.folder + ".token" }

// file writes a file of configs and returns its path.
func (s *shop) file(name, text string) string {
	s.Helper()
	path := filepath.Join(s.folder, name)
	require.NoError(s, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// configs runs a command, checks its exit status and returns its output.
func (s *shop) configs(status int, arguments ...string) string {
	s.Helper()
	var err error
	output := captured(s.T, func() {
		err = run(s.T, append([]string{"configs"}, append(arguments, "--server="+s.url, "--token-file="+s.tokenFile())...)...)
	})
	got := 0
	var coded interface{ ExitCode() int }
	switch {
	case errors.As(err, &coded):
		got = coded.ExitCode()
	case err != nil:
		got = 1
	}
	require.Equal(s, status, got, "%v\n%s", err, output)
	if err != nil {
		output += err.Error()
	}
	return output
}

func (s *shop) create(key, value string) client.Config {
	s.Helper()
	made, err := s.Configs.Create(s.Context(), client.ConfigCreate{Key: key, Value: []byte(value)})
	require.NoError(s, err)
	return made
}

func (s *shop) edit(key, value string, options ...client.CallOption) {
	s.Helper()
	read := s.get(key)
	read.Value = []byte(value)
	require.NoError(s, s.Configs.Save(s.Context(), &read, options...))
}

func (s *shop) get(key string) client.Config {
	s.Helper()
	read, err := s.Configs.Get(s.Context(), key)
	require.NoError(s, err)
	return read
}

// collected returns all rows of a list.
func collected[T any](s *shop, list client.List[T]) (rows []T) {
	s.Helper()
	for row, err := range list.All(s.Context()) {
		require.NoError(s, err)
		rows = append(rows, row)
	}
	return rows
}

const gitMain = "--manager=git:main"

func TestConfigsCommands(t *testing.T) {
	p := apptest.Start(t, apptest.Settings(t.TempDir()))
	for name, test := range map[string]func(s *shop){
		"apply makes the server equal and then writes nothing": applyMakesTheServerEqual,
		"every export applies without a change":                everyExportAppliesWithoutAChange,
		"conflicts name the owner and both values":             conflictsNameTheOwner,
		"prune deletes only configs of the manager":            pruneDeletesOnlyOwnConfigs,
		"protected configs become approvals":                   protectedConfigsBecomeApprovals,
		"an edit after the comparison is not lost":             aLaterEditIsNotLost,
		"racing edits are not lost":                            racingEditsAreNotLost,
		"names of env stand for keys of the server":            namesStandForKeys,
		"secrets are not printed":                              secretsAreNotPrinted,
		"errors change nothing":                                errorsChangeNothing,
		"exports of other programs apply":                      exportsOfOthersApply,
	} {
		t.Run(name, func(t *testing.T) { test(newShop(t, p)) })
	}
	t.Run("another server is a source", func(t *testing.T) { anotherServerIsASource(newShop(t, p), newShop(t, p)) })
}

func applyMakesTheServerEqual(s *shop) {
	s.create("shop.tax", "0.2")
	s.create("shop.limits", `{"a":1,"b":2}`)
	s.create("shop.same", `"x"`)
	s.create("other", "1")
	s.file("a.yaml", "shop:\n  tax: 0.21\n  limits:\n    a: 1\n    c: 3\n  same: x\n")
	s.file("b.properties", "shop.note = Rates of 2026\n")
	s.file("README.md", "# no configs")
	plan := s.configs(2, "diff", s.folder, gitMain)
	for _, line := range []string{
		`create     shop.note = "Rates of 2026"`, `change     shop.tax: 0.2 → 0.21`, `change     shop.limits: {"a":1,"b":2} → {"a":1,"c":3}`,
		`own        shop.same: git:main becomes the owner of value`, "create 1, change 2, own 1, delete 0, unchanged 0, conflict 0",
	} {
		require.Contains(s, plan, line)
	}
	require.NotContains(s, plan, "other")
	require.Zero(s, s.writes.Load(), "a comparison writes nothing")

	applied := s.configs(0, "apply", s.folder, gitMain, "--revision=abc", "--message=Release 7")
	require.Contains(s, applied, "Applied: 4 configs.")
	require.EqualValues(s, 1, s.writes.Load(), "all or nothing")
	require.JSONEq(s, `{"a":1,"c":3}`, string(s.get("shop.limits").Value))
	tax := s.get("shop.tax")
	require.Equal(s, "0.21", string(tax.Value))
	require.Equal(s, "abc", tax.Owner.Value.Revision)
	require.Equal(s, "git:main", tax.Owner.Value.Manager)
	require.Empty(s, s.get("other").Owner)
	history := collected(s, s.Configs.History("shop.tax", client.Paging{}))
	require.Equal(s, "Release 7", history[0].Note)

	require.Contains(s, s.configs(0, "apply", s.folder, gitMain, "--revision=def"), "unchanged 4, conflict 0")
	s.configs(0, "diff", s.folder, gitMain)
	require.EqualValues(s, 1, s.writes.Load(), "the second apply writes nothing")
	require.Equal(s, tax.Version, s.get("shop.tax").Version)
}

// awkward are values that a format can misread.
var awkward = map[string]string{
	"a.yes": `"yes"`, "b.number": "7.50", "c/text": `"007"`, "d.lines": `"  first: #1\r\n\tsecond \\ = !\n"`, "e[0]": `"it's $HOME"`,
	"f:object": `{"z":[1,null,true],"a":{"deep":1e3}}`, "g.list": `[{"a":1}]`, "h.empty": `""`, "i.null": "null", "j.bool": "true",
}

func everyExportAppliesWithoutAChange(s *shop) {
	for key, value := range awkward {
		s.create(key, value)
	}
	_, err := s.Configs.Create(s.Context(), client.ConfigCreate{Key: "k.quoted", Value: []byte(`"7.50"`), ValueType: client.ValueTypeNumber})
	require.NoError(s, err)
	for format, file := range map[string]string{"json": "c.json", "yaml": "c.yaml", "properties": "c.properties", "env": "c.env", "configmap": "c.configmap.yaml"} {
		request, err := http.NewRequestWithContext(s.Context(), http.MethodGet, s.url+"/api/v1/configs/export?format="+format, nil)
		require.NoError(s, err)
		token, err := os.ReadFile(s.tokenFile())
		require.NoError(s, err)
		request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		reply, err := http.DefaultClient.Do(request)
		require.NoError(s, err)
		text := new(strings.Builder)
		require.NoError(s, reply.Write(text))
		require.NoError(s, reply.Body.Close())
		_, body, _ := strings.Cut(text.String(), "\r\n\r\n")
		path := s.file(file, body)
		require.Contains(s, s.configs(0, "diff", path), "unchanged 11", format)
		require.Contains(s, s.configs(0, "apply", path), "unchanged 11", format)
		require.NoError(s, os.Remove(path))
	}
	require.Zero(s, s.writes.Load())
}

func exportsOfOthersApply(s *shop) {
	s.create("timeout", "5")
	consul := s.file("consul.json", `[{"key":"timeout","flags":1,"value":"MzA="},{"key":"shop/note","flags":0,"value":"eA=="}]`)
	plan := s.configs(2, "diff", consul)
	require.Contains(s, plan, "note       "+consul+":1: timeout has flags 1, which are dropped")
	require.Contains(s, plan, "change     timeout: 5 → 30")
	require.Contains(s, s.configs(0, "apply", consul), "Applied: 2 configs.")
	require.Equal(s, `"x"`, string(s.get("shop/note").Value))
	flags := s.file("flags.json", `{"features":[{"name":"f","description":"new"}],"featureStrategies":[],"featureEnvironments":[`+
		`{"featureName":"f","environment":"dev","enabled":true},{"featureName":"f","environment":"prod","enabled":false}]}`)
	require.Contains(s, s.configs(1, "apply", flags), "has several environments; choose one with --environment: dev, prod")
	s.configs(0, "apply", flags, "--environment=dev")
	made := s.get("f")
	require.Equal(s, []string{"true", "new"}, []string{string(made.Value), made.Remark})
	require.Contains(s, s.configs(1, "apply", flags, "--format=consul"), "is not a document of the format consul")
	rejected := s.configs(1, "apply", s.file("c.yaml", "good: 1\nbad: .inf\n"))
	require.Contains(s, rejected, "c.yaml:2: bad has the number .inf")
	require.EqualValues(s, 2, s.writes.Load(), "nothing of a file with a rejected entry is applied")
}

func conflictsNameTheOwner(s *shop) {
	path := s.file("c.json", `{"shop.tax":0.2,"shop.fee":1}`)
	s.configs(0, "apply", path, gitMain, "--revision=abc")
	s.edit("shop.tax", "0.5", client.TakeOver("incident 7"))
	s.file("c.json", `{"shop.tax":0.21,"shop.fee":2}`)
	for _, command := range []string{"diff", "apply"} {
		output := s.configs(3, command, path, gitMain)
		require.Contains(s, output, "conflict   shop.tax: 0.5 → 0.21 (value is owned by user:admin since ")
		require.Contains(s, output, "change     shop.fee: 1 → 2")
	}
	require.Contains(s, s.configs(3, "diff", path), "shop.fee: 1 → 2 (value is owned by git:main since ", "without a manager")
	require.Equal(s, "1", string(s.get("shop.fee").Value), "all or nothing")
	require.Contains(s, s.configs(0, "apply", path, gitMain, "--take-over=incident closed"), "Applied: 2 configs.")
	require.Equal(s, "0.21", string(s.get("shop.tax").Value))
	s.configs(0, "diff", path, gitMain)
}

func pruneDeletesOnlyOwnConfigs(s *shop) {
	s.create("manual", "1")
	path := s.file("c.yaml", "a: 1\nb: 2\nc: 3\nsecret: x\n")
	s.configs(0, "apply", path, gitMain)
	s.configs(0, "apply", s.file("other.yaml", "theirs: 1\n"), "--manager=argo")
	s.edit("c", "4", client.TakeOver("incident"))
	s.file("c.yaml", "# withheld: secret\na: 1\n")
	require.NotContains(s, s.configs(0, "diff", path, gitMain), "delete     ")
	plan := s.configs(2, "diff", path, gitMain, "--prune")
	require.Contains(s, plan, "delete     b = 2")
	require.Contains(s, plan, "delete 1, ")
	s.configs(0, "apply", path, gitMain, "--prune")
	_, err := s.Configs.Get(s.Context(), "b")
	require.True(s, client.HasCode(err, client.CodeNotFound), "%v", err)
	for _, key := range []string{"manual", "theirs", "c", "secret"} {
		s.get(key)
	}
	empty := filepath.Join(s.folder, "empty")
	require.NoError(s, os.Mkdir(empty, 0o700))
	require.Contains(s, s.configs(1, "apply", empty, gitMain, "--prune"), "has no configs")
	s.get("a")
}

func protectedConfigsBecomeApprovals(s *shop) {
	_, err := s.Configs.Create(s.Context(), client.ConfigCreate{Key: "p", Value: []byte("1"), Protected: true})
	require.NoError(s, err)
	path := s.file("c.yaml", "p: 2\nq: 1\n")
	for range 2 {
		require.Contains(s, s.configs(0, "apply", path, gitMain, "--revision=abc", "--message=Release 7"), "all changes wait for approval ")
	}
	waiting := collected(s, s.Approvals.List(client.ApprovalFilter{}))
	require.Len(s, waiting, 1, "the second apply proposes nothing")
	require.Equal(s, "Release 7", waiting[0].Note)
	require.Equal(s, "1", string(s.get("p").Value))
}

func aLaterEditIsNotLost(s *shop) {
	s.create("a", "1")
	s.create("b", "1")
	path := s.file("c.yaml", "a: 2\nb: 2\n")
	s.beforeWrite = func() { s.edit("b", "7") }
	output := s.configs(3, "apply", path, gitMain)
	require.Contains(s, output, "conflict   b: ")
	require.Equal(s, []string{"1", "7"}, []string{string(s.get("a").Value), string(s.get("b").Value)})
}

// Each acknowledged edit of a race is a version, and the last version has the current value.
func racingEditsAreNotLost(s *shop) {
	s.create("a", "0")
	for round := range 8 {
		path := s.file("c.yaml", fmt.Sprintf("a: %d\n", 100+round))
		before := s.get("a")
		var edited bool
		var status error
		var both sync.WaitGroup
		both.Go(func() {
			read := before
			read.Value = fmt.Append(nil, round+1)
			edited = s.Configs.Save(s.Context(), &read) == nil
		})
		both.Go(func() { status = run(s.T, "configs", "apply", path, "--server="+s.url, "--token-file="+s.tokenFile()) })
		both.Wait()
		versions := collected(s, s.Configs.History("a", client.Paging{}))
		var values []string
		for _, version := range versions[:len(versions)-int(before.Version)] {
			values = append(values, string(version.Value))
		}
		var want []string
		if status == nil {
			want = append(want, fmt.Sprint(100+round))
		}
		if edited {
			want = append(want, fmt.Sprint(round+1))
		}
		require.ElementsMatch(s, want, values, "%v", status)
		require.Equal(s, string(versions[0].Value), string(s.get("a").Value))
	}
}

func namesStandForKeys(s *shop) {
	s.create("shop.tax-rate", "0.2")
	path := s.file("c.env", "SHOP_TAX_RATE=0.3\nNEW_NAME='x'\n")
	plan := s.configs(2, "diff", path)
	require.Contains(s, plan, "change     shop.tax-rate: 0.2 → 0.3")
	require.Contains(s, plan, `create     NEW_NAME = "x"`)
	s.create("shop.tax.rate", "1")
	require.Contains(s, s.configs(1, "diff", path), "SHOP_TAX_RATE is the name of shop.tax-rate and shop.tax.rate")
}

func secretsAreNotPrinted(s *shop) {
	_, err := s.Configs.Create(s.Context(), client.ConfigCreate{Key: "s", Value: []byte(`"hidden"`), Secret: true})
	require.NoError(s, err)
	path := s.file("c.yaml", "s: other\n")
	plan := s.configs(2, "diff", path)
	require.Contains(s, plan, "s: (secret) → (secret)")
	require.NotContains(s, plan, "hidden")
	require.NotContains(s, plan, "other")
	s.configs(0, "apply", path, gitMain)
	s.configs(0, "diff", path, gitMain)
}

func errorsChangeNothing(s *shop) {
	s.create("name", `"x"`)
	for text, want := range map[string]string{
		"a: 1\na: 2\n": ":2: a is also set", "name: 7\n": ":1: name: it is a string on the server", "a b: 1\nok: 1\n": ":1: a b is not a key: a key must be 1 to 200 letters",
		"a: " + strings.Repeat("x", 300<<10) + "\n": "invalid    a: /changes/0/",
	} {
		require.Contains(s, s.configs(1, "apply", s.file("c.yaml", text), gitMain), want)
	}
	s.file("d.yaml", "x: 1\n")
	s.file("c.yaml", "x: 2\n")
	require.Contains(s, s.configs(1, "apply", s.folder), "x is also set at")
	require.Contains(s, s.configs(1, "apply", s.file("c.toml", "x = 1")), "format is unknown")
	for _, arguments := range [][]string{{"diff"}, {"diff", s.folder, "--from=http://h"}, {"diff", s.folder, "--prune"}, {"apply", s.folder, "--revision=abc"}} {
		s.configs(80, arguments...) // kong's status for wrong flags
	}
	list := collected(s, s.Configs.List(client.ConfigFilter{}))
	require.Len(s, list, 1)
}

func anotherServerIsASource(staging, production *shop) {
	_, err := staging.Configs.Create(staging.Context(), client.ConfigCreate{Key: "shop.tax", Value: []byte("0.21"), Remark: "Rate of 2026", Schema: []byte(`{"type":"number"}`)})
	require.NoError(staging, err)
	staging.create("draft.x", "1")
	production.create("shop.tax", "0.2")
	source := []string{"--from=" + staging.url, "--from-token-file=" + staging.tokenFile(), "--prefix=shop."}
	plan := production.configs(2, append([]string{"diff"}, source...)...)
	require.Contains(production, plan, `shop.tax: 0.2 → 0.21; remark "" → "Rate of 2026"; schema (none) → {"type":"number"}`)
	production.configs(0, append([]string{"apply", "--manager=staging"}, source...)...)
	production.configs(0, append([]string{"diff", "--manager=staging"}, source...)...)
	tax := production.get("shop.tax")
	require.Equal(production, "Rate of 2026", tax.Remark)
	require.Equal(production, "staging", tax.Owner.Schema.Manager)
}
