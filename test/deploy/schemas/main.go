// Command schemas writes the JSON Schemas that the rendered chart is validated against to a
// folder: the Kubernetes schema of each kind of resource in the chart, without descriptions
// and with unknown fields rejected.
//
//	go run ./test/deploy/schemas test/deploy/schemas
//
// They are extracted from the OpenAPI document of Kubernetes
// (api/openapi-spec/swagger.json, Apache License 2.0), which is part of the module
// k8s.io/kubernetes on the Go module proxy. The version and the hash of that module are
// below.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	module = "k8s.io/kubernetes"
	number = "v1.37.2"
	sum    = "h1:A2VDEiObzkYqFTKhSsn0ZEb0RlLEXpHWj93gi2HqEwE="
)

// kinds are the kinds in the chart, by the names that kubeconform uses.
var kinds = map[string]string{
	"cronjob-batch-v1":              "io.k8s.api.batch.v1.CronJob",
	"deployment-apps-v1":            "io.k8s.api.apps.v1.Deployment",
	"job-batch-v1":                  "io.k8s.api.batch.v1.Job",
	"networkpolicy-networking-v1":   "io.k8s.api.networking.v1.NetworkPolicy",
	"poddisruptionbudget-policy-v1": "io.k8s.api.policy.v1.PodDisruptionBudget",
	"service-v1":                    "io.k8s.api.core.v1.Service",
	"serviceaccount-v1":             "io.k8s.api.core.v1.ServiceAccount",
	"statefulset-apps-v1":           "io.k8s.api.apps.v1.StatefulSet",
}

// scalars are definitions whose JSON differs from their declared type.
var scalars = map[string]schema{
	"io.k8s.apimachinery.pkg.util.intstr.IntOrString": {"type": []string{"string", "integer"}},
	"io.k8s.apimachinery.pkg.api.resource.Quantity":   {"type": []string{"string", "number"}},
}

type schema = map[string]any

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: schemas FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "schemas:", err)
		os.Exit(1)
	}
}

func write(folder string) error {
	said, err := definitions()
	if err != nil {
		return err
	}
	used := map[string]schema{}
	for file, kind := range kinds {
		if err := use(kind, said, used); err != nil {
			return err
		}
		text := fmt.Sprintf(`{"$ref":"definitions.json#/definitions/%s"}`+"\n", kind)
		if err := os.WriteFile(filepath.Join(folder, file+".json"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	// One definition per line, so that a diff between two versions is readable.
	var text bytes.Buffer
	fmt.Fprintf(&text, "{\"$comment\":\"cut from %s %s by test/deploy/schemas/main.go\",\n\"definitions\":{", module, number)
	for i, name := range slices.Sorted(maps.Keys(used)) {
		if i > 0 {
			text.WriteByte(',')
		}
		line, err := json.Marshal(used[name])
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "\n%q:%s", name, line)
	}
	text.WriteString("\n}}\n")
	return os.WriteFile(filepath.Join(folder, "definitions.json"), text.Bytes(), 0o644)
}

// definitions returns all definitions of Kubernetes. Go checks the module against the
// public checksum database, and definitions compares its hash with the one above.
func definitions() (map[string]schema, error) {
	command := exec.Command("go", "mod", "download", "-json", module+"@"+number)
	command.Stderr = os.Stderr
	told, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("download %s: %w", module, err)
	}
	var at struct{ Dir, Sum string }
	if err := json.Unmarshal(told, &at); err != nil {
		return nil, err
	}
	if at.Sum != sum {
		return nil, fmt.Errorf("%s %s has the hash %s, not %s", module, number, at.Sum, sum)
	}
	text, err := os.ReadFile(filepath.Join(at.Dir, "api/openapi-spec/swagger.json"))
	if err != nil {
		return nil, err
	}
	var document struct{ Definitions map[string]schema }
	return document.Definitions, json.Unmarshal(text, &document)
}

// use adds a definition and the definitions that it refers to to used.
func use(name string, said, used map[string]schema) error {
	if used[name] != nil {
		return nil
	}
	if scalar, is := scalars[name]; is {
		used[name] = scalar
		return nil
	}
	if said[name] == nil {
		return errors.New("Kubernetes defines no " + name)
	}
	names := map[string]bool{}
	used[name] = strict(said[name], names)
	for other := range names {
		if err := use(other, said, used); err != nil {
			return err
		}
	}
	return nil
}

// strict returns a schema without members for readers and servers, which rejects unknown
// properties. It adds the definitions that the schema refers to to names.
func strict(s schema, names map[string]bool) schema {
	cut := schema{}
	for word, value := range s {
		switch {
		case word == "description" || word == "default" || strings.HasPrefix(word, "x-"):
		case word == "$ref":
			name := strings.TrimPrefix(value.(string), "#/definitions/")
			names[name] = true
			cut[word] = value
		case word == "items" || word == "additionalProperties":
			if below, is := value.(schema); is {
				value = strict(below, names)
			}
			cut[word] = value
		case word == "properties":
			properties := schema{}
			for property, of := range value.(schema) {
				properties[property] = strict(of.(schema), names)
			}
			cut[word] = properties
			cut["additionalProperties"] = false
		default:
			cut[word] = value
		}
	}
	return cut
}
