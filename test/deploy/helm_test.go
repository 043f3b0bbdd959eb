//go:build chart

package deploy

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// helm runs Helm with values and the release name shop, and returns the output.
func helm(t *testing.T, values object, arguments ...string) (output []byte, err error) {
	t.Helper()
	text, err := json.Marshal(values)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "values.json")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	command := exec.Command("../../bin/helm", append(arguments, chart, "--values", file)...)
	command.Env = append(os.Environ(), "HELM_CACHE_HOME="+t.TempDir(), "HELM_CONFIG_HOME="+t.TempDir(), "HELM_DATA_HOME="+t.TempDir())
	var said bytes.Buffer
	command.Stderr = &said
	output, err = command.Output()
	if err != nil {
		t.Logf("helm %s: %s%s", arguments[0], output, &said)
	}
	return output, err
}

// kubeconform validates resources against the schemas and rejects unknown fields.
func kubeconform(t *testing.T, resources []byte) error {
	t.Helper()
	command := exec.Command("../../bin/kubeconform", "-strict", "-summary", "-schema-location", schemas+"/{{ .ResourceKind }}{{ .KindSuffix }}.json", "-")
	command.Stdin = bytes.NewReader(resources)
	output, err := command.CombinedOutput()
	t.Logf("kubeconform: %s", output)
	return err
}

func TestHelmAndKubernetesTakeTheChart(t *testing.T) {
	for name, values := range deployments {
		t.Run(name, func(t *testing.T) {
			values := valuesWith(t, values)
			_, err := helm(t, values, "lint", "--strict")
			require.NoError(t, err)
			rendered, err := helm(t, values, "template", "shop")
			require.NoError(t, err)
			require.NoError(t, kubeconform(t, rendered))
			require.Error(t, kubeconform(t, bytes.Replace(rendered, []byte("containerPort:"), []byte("containerPrt:"), 1)), "a fault is found")

			ours, err := render(t, values)
			require.NoError(t, err)
			require.Equal(t, byKind(t, rendered), ours, "the chart that make test checks equals that of Helm")
		})
	}
}

func TestHelmRejectsValuesThatTheSchemaRejects(t *testing.T) {
	values := valuesWith(t, deployments["replicas"])
	values["settings"].(object)["INTERLOCK_RATE_LIMITS"] = 1
	_, err := helm(t, values, "lint", "--strict")
	require.Error(t, err)
}

func TestSchemasEqualThoseOfKubernetes(t *testing.T) {
	fresh := t.TempDir()
	output, err := exec.Command("go", "run", "./schemas", fresh).CombinedOutput()
	require.NoError(t, err, "%s", output)
	made, err := filepath.Glob(fresh + "/*.json")
	require.NoError(t, err)
	there, err := filepath.Glob(schemas + "/*.json")
	require.NoError(t, err)
	require.Len(t, there, len(made))
	for _, file := range made {
		require.Equal(t, read(t, file), read(t, filepath.Join(schemas, filepath.Base(file))))
	}
}
