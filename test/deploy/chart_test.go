package deploy

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
)

var references = object{
	"INTERLOCK_DATABASE_URL": object{"name": "shop", "key": "database"}, "INTERLOCK_REDIS_URL": object{"name": "shop", "key": "redis"},
	"INTERLOCK_ENCRYPTION_KEYS": object{"name": "shop", "key": "keys"},
}

// without omits one of the references.
func without(name string) object {
	some := maps.Clone(references)
	delete(some, name)
	return object{"secrets": some}
}

func at(t *testing.T, value any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch step := step.(type) {
		case string:
			require.Contains(t, value, step)
			value = value.(object)[step]
		case int:
			value = value.([]any)[step]
		}
	}
	return value
}

func TestServerChartSupportsRollingUpdates(t *testing.T) {
	objects, err := render(t, valuesWith(t, object{"secrets": references, "replicas": 3, "settings": object{"INTERLOCK_RATE_LIMIT": 7}}))
	require.NoError(t, err)
	require.NotContains(t, objects, "StatefulSet")
	deployment := objects["Deployment"]
	require.Equal(t, 3, at(t, deployment, "spec", "replicas"))
	require.Equal(t, object{"type": "RollingUpdate", "rollingUpdate": object{"maxUnavailable": 0, "maxSurge": 1}}, at(t, deployment, "spec", "strategy"))
	pod := at(t, deployment, "spec", "template", "spec")
	require.Len(t, at(t, pod, "topologySpreadConstraints"), 2)
	require.Equal(t, 1, at(t, objects["PodDisruptionBudget"], "spec", "maxUnavailable"))
	labels := at(t, deployment, "spec", "template", "metadata", "labels")
	for _, selector := range []any{
		at(t, deployment, "spec", "selector", "matchLabels"), at(t, objects["Service"], "spec", "selector"),
		at(t, objects["PodDisruptionBudget"], "spec", "selector", "matchLabels"), at(t, pod, "topologySpreadConstraints", 0, "labelSelector", "matchLabels"),
	} {
		require.Equal(t, labels, selector)
	}
	requireHardened(t, pod)
	environment := environmentOf(t, at(t, pod, "containers", 0))
	require.Equal(t, object{"name": "INTERLOCK_RATE_LIMIT", "value": "7"}, environment["INTERLOCK_RATE_LIMIT"])
	require.Equal(t, object{"secretKeyRef": object{"name": "shop", "key": "redis"}}, environment["INTERLOCK_REDIS_URL"]["valueFrom"], "a secret is a reference")

	job := objects["Job"]
	require.Equal(t, object{"helm.sh/hook": "pre-install,pre-upgrade", "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded"}, at(t, job, "metadata", "annotations"))
	require.Equal(t, 0, at(t, job, "spec", "backoffLimit"))
	migrate := at(t, job, "spec", "template", "spec", "containers", 0)
	require.Equal(t, []any{"migrate", "up"}, at(t, migrate, "args"))
	require.Equal(t, at(t, pod, "containers", 0, "image"), at(t, migrate, "image"))
	require.Contains(t, environmentOf(t, migrate), "INTERLOCK_DATABASE_URL")
}

func TestFilesThatSettingsNameAreMountedFromASecret(t *testing.T) {
	for _, mode := range []object{{"secrets": references}, {"mode": "embedded"}} {
		for _, files := range []string{"", "shop-files"} {
			values := maps.Clone(mode)
			values["files"] = files
			objects, err := render(t, valuesWith(t, values))
			require.NoError(t, err)
			for _, kind := range []string{"Deployment", "StatefulSet", "Job"} {
				if objects[kind] == nil {
					continue
				}
				pod := at(t, objects[kind], "spec", "template", "spec")
				mounts, _ := at(t, pod, "containers", 0).(object)["volumeMounts"].([]any)
				volumes, _ := pod.(object)["volumes"].([]any)
				mount, volume := object{"name": "files", "mountPath": "/etc/interlock", "readOnly": true}, object{"name": "files", "secret": object{"secretName": files}}
				if files == "" {
					require.NotContains(t, mounts, mount)
					require.NotContains(t, volumes, volume)
					continue
				}
				require.Contains(t, mounts, mount, kind)
				require.Contains(t, volumes, volume, kind)
			}
		}
	}
}

func TestProbesUseThePortAndSchemeOfThePod(t *testing.T) {
	for _, mode := range []string{"replicas", "embedded"} {
		values := maps.Clone(deployments[mode])
		for _, settings := range []object{{}, {"INTERLOCK_ADDR": "[::]:8443", "INTERLOCK_OPS_ADDR": ":91", "INTERLOCK_TLS_CERT": "/etc/interlock/tls.crt"}} {
			values["settings"] = settings
			objects, err := render(t, valuesWith(t, values))
			require.NoError(t, err)
			workload := objects["Deployment"]
			if mode == "embedded" {
				workload = objects["StatefulSet"]
			}
			container := at(t, workload, "spec", "template", "spec", "containers", 0)
			scheme, http, ops := "HTTP", 8080, 9090
			if len(settings) > 0 {
				scheme, http, ops = "HTTPS", 8443, 91
			}
			require.Equal(t, http, at(t, container, "ports", 0, "containerPort"))
			require.Equal(t, ops, at(t, container, "ports", 1, "containerPort"))
			for probe, path := range map[string]string{"startupProbe": "/healthz", "livenessProbe": "/healthz", "readinessProbe": "/readyz"} {
				require.Equal(t, object{"path": path, "port": "http", "scheme": scheme}, at(t, container, probe, "httpGet"))
			}
		}
	}
}

func TestEmbeddedChartRunsAtMostOnePod(t *testing.T) {
	objects, err := render(t, valuesWith(t, object{"mode": "embedded", "replicas": 5}))
	require.NoError(t, err)
	for _, kind := range []string{"Deployment", "Job", "PodDisruptionBudget"} {
		require.NotContains(t, objects, kind)
	}
	set := objects["StatefulSet"]
	require.Equal(t, 1, at(t, set, "spec", "replicas"), "regardless of replicas")
	require.Equal(t, []any{"ReadWriteOncePod"}, at(t, set, "spec", "volumeClaimTemplates", 0, "spec", "accessModes"))
	requireHardened(t, at(t, set, "spec", "template", "spec"))
	require.Contains(t, at(t, set, "spec", "template", "spec", "containers", 0, "volumeMounts"), object{"name": "data", "mountPath": "/data"})
}

func TestNetworkPolicyOpensOnlyThePorts(t *testing.T) {
	objects, err := render(t, valuesWith(t, object{"secrets": references}))
	require.NoError(t, err)
	policy := at(t, objects["NetworkPolicy"], "spec")
	require.Equal(t, at(t, objects["Service"], "spec", "selector"), at(t, policy, "podSelector", "matchLabels"))
	require.Equal(t, []any{"Ingress"}, at(t, policy, "policyTypes"))
	require.Equal(t, []any{
		object{"ports": []any{object{"port": "http"}}},
		object{"ports": []any{object{"port": "ops"}}, "from": []any{object{"namespaceSelector": object{}}}},
	}, at(t, policy, "ingress"))

	database := object{"to": []any{object{"ipBlock": object{"cidr": "10.1.2.3/32"}}}, "ports": []any{object{"port": 3306}}}
	objects, err = render(t, valuesWith(t, object{"secrets": references, "networkPolicy": object{"egress": []any{database}}}))
	require.NoError(t, err)
	policy = at(t, objects["NetworkPolicy"], "spec")
	require.Equal(t, []any{"Ingress", "Egress"}, at(t, policy, "policyTypes"))
	require.Len(t, at(t, policy, "egress"), 2, "DNS and the database")
	require.Equal(t, database, at(t, policy, "egress", 1))

	objects, err = render(t, valuesWith(t, object{"secrets": references, "networkPolicy": object{"enabled": false}}))
	require.NoError(t, err)
	require.NotContains(t, objects, "NetworkPolicy")
}

func TestChartRejectsInvalidValues(t *testing.T) {
	for name, values := range map[string]object{
		"mode server needs secrets.INTERLOCK_DATABASE_URL":        {},
		"mode server needs secrets.INTERLOCK_ENCRYPTION_KEYS":     without("INTERLOCK_ENCRYPTION_KEYS"),
		"more than one replica needs secrets.INTERLOCK_REDIS_URL": without("INTERLOCK_REDIS_URL"),
		"mode embedded has its own database and no Redis":         {"mode": "embedded", "secrets": references},
		"image.tag is needed":                                     {"secrets": references, "image": object{"repository": "interlock", "tag": ""}},
	} {
		_, err := render(t, valuesWith(t, values))
		require.ErrorContains(t, err, name)
	}
	alone, err := render(t, valuesWith(t, object{"replicas": 1, "secrets": without("INTERLOCK_REDIS_URL")["secrets"]}))
	require.NoError(t, err)
	require.Equal(t, object{"type": "Recreate"}, at(t, alone["Deployment"], "spec", "strategy"), "without Redis two concurrent ones reject each other")

	values := readYAML(t, chart+"/values.yaml")
	values["settings"] = object{"INTERLOCK_ADMIN_PASSWORD": "in the open"}
	require.Error(t, schema(t).Validate(plain(t, values)), "a secret is not a setting")
	values["settings"] = object{"INTERLOCK_RATE_LIMITS": 1}
	require.Error(t, schema(t).Validate(plain(t, values)), "a setting that there is not")
}

// requireHardened checks the permissions of a pod.
func requireHardened(t *testing.T, pod any) {
	t.Helper()
	require.Equal(t, false, at(t, pod, "automountServiceAccountToken"))
	security := at(t, pod, "containers", 0, "securityContext")
	for name, want := range map[string]any{"runAsNonRoot": true, "readOnlyRootFilesystem": true, "allowPrivilegeEscalation": false, "capabilities": map[string]any{"drop": []any{"ALL"}}} {
		require.Equal(t, want, at(t, security, name))
	}
	for _, probe := range []string{"startupProbe", "livenessProbe", "readinessProbe"} {
		at(t, pod, "containers", 0, probe, "httpGet")
	}
	require.Greater(t, at(t, pod, "terminationGracePeriodSeconds").(int), int(shutdown(t).Seconds()), "a pod may finish its requests")
	require.Equal(t, "5s", environmentOf(t, at(t, pod, "containers", 0))["INTERLOCK_SHUTDOWN_DELAY"]["value"], "until no requests arrive any more")
}

func environmentOf(t *testing.T, container any) map[string]object {
	t.Helper()
	byName := map[string]object{}
	for _, variable := range at(t, container, "env").([]any) {
		name := at(t, variable, "name").(string)
		require.NotContains(t, byName, name, "twice")
		byName[name] = variable.(object)
	}
	return byName
}
