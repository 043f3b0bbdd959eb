package deploy

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// schemas is the folder with the schema of each kind in the chart. schemas/main.go
// generates it.
const schemas = "schemas"

// deployments are values for the chart, in addition to an image.
var deployments = map[string]object{
	"replicas":               {"secrets": references, "replicas": 3},
	"one without Redis":      {"replicas": 1, "secrets": without("INTERLOCK_REDIS_URL")["secrets"]},
	"embedded":               {"mode": "embedded"},
	"embedded, with backups": {"mode": "embedded", "backup": object{"claim": "shop-backups"}},
	"replicas with everything": {
		"secrets": references, "files": "shop-files", "backup": object{"claim": "shop-backups", "schedule": "*/30 * * * *", "repository": "r.example/tools", "keep": 3}, "service": object{"type": "NodePort", "port": 8081}, "imagePullSecrets": []any{object{"name": "registry"}},
		"nodeSelector": object{"pool": "apps"}, "tolerations": []any{object{"key": "apps", "operator": "Exists"}}, "podAnnotations": object{"team": "shop"},
		"networkPolicy": object{
			"callers": []any{object{"ipBlock": object{"cidr": "10.0.0.0/8"}}}, "egress": []any{object{"to": []any{object{"ipBlock": object{"cidr": "10.1.0.0/16"}}}}},
		},
		"resources": object{"limits": object{"cpu": 2, "memory": "2Gi"}},
		"settings":  object{"INTERLOCK_IDEMPOTENCY_QUOTA": 2000000, "INTERLOCK_SECURE": true, "INTERLOCK_PROMISE_SHARE": 0.5, "INTERLOCK_CURRENCY": "EUR", "INTERLOCK_ADDR": "0.0.0.0:80"},
	},
	"embedded with everything": {
		"mode": "embedded", "files": "shop-files", "storage": object{"size": "1Ti", "className": "fast"},
		"secrets":  object{"INTERLOCK_ADMIN_PASSWORD": object{"name": "shop", "key": "password"}},
		"settings": object{"INTERLOCK_DATA_DIR": "/data/interlock", "INTERLOCK_OPS_ADDR": "0.0.0.0:91"},
	},
}

// known validates a resource against the Kubernetes schema of its kind.
func known(t *testing.T, resource object) error {
	t.Helper()
	group, version, grouped := strings.Cut(at(t, resource, "apiVersion").(string), "/")
	kind := strings.ToLower(at(t, resource, "kind").(string)) + "-" + group
	if grouped {
		kind = strings.Join([]string{strings.ToLower(at(t, resource, "kind").(string)), strings.TrimSuffix(group, ".k8s.io"), version}, "-")
	}
	compiled, err := jsonschema.NewCompiler().Compile(schemas + "/" + kind + ".json")
	require.NoError(t, err)
	return compiled.Validate(plain(t, resource))
}

func TestChartIsValidForKubernetes(t *testing.T) {
	unused := map[string]bool{}
	files, err := os.ReadDir(schemas)
	require.NoError(t, err)
	for _, file := range files {
		if kind, _, is := strings.Cut(file.Name(), "-"); is {
			unused[kind] = true
		}
	}
	for name, values := range deployments {
		objects, err := render(t, valuesWith(t, values))
		require.NoError(t, err, name)
		for kind, resource := range objects {
			require.NoError(t, known(t, resource), "%s: %s", name, kind)
			delete(unused, strings.ToLower(kind))
		}
	}
	require.Empty(t, unused, "schemas of kinds that the chart does not have")
}

func TestUnknownKubernetesFieldIsReported(t *testing.T) {
	for name, spoil := range map[string]func(pod object){
		"another word for a field":     func(pod object) { pod["serviceAccounts"] = "shop" },
		"a number in place of a text":  func(pod object) { pod["serviceAccountName"] = 1 },
		"a field that must be there":   func(pod object) { delete(at(t, pod, "containers", 0).(object), "name") },
		"a field of a field, far down": func(pod object) { at(t, pod, "containers", 0, "readinessProbe", "httpGet").(object)["ports"] = "http" },
	} {
		objects, err := render(t, valuesWith(t, deployments["replicas"]))
		require.NoError(t, err)
		require.NoError(t, known(t, objects["Deployment"]))
		spoil(at(t, objects["Deployment"], "spec", "template", "spec").(object))
		require.Error(t, known(t, objects["Deployment"]), name)
	}
}

// The numbers of a values file are JSON numbers, which Go formats as 2e+06 from a million
// on.
func TestChartWritesNoExponents(t *testing.T) {
	objects, err := render(t, valuesWith(t, deployments["replicas with everything"]))
	require.NoError(t, err)
	environment := environmentOf(t, at(t, objects["Deployment"], "spec", "template", "spec", "containers", 0))
	for name, value := range deployments["replicas with everything"]["settings"].(object) {
		require.Equal(t, object{"name": name, "value": fmt.Sprint(value)}, environment[name])
	}
}
