package config

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

// maxZipFiles is the maximum number of files in a zip. Their bytes are limited like those of an import.
const maxZipFiles = 10_000

// maxFileName bounds the name of a file, which is a part of each position, and in a zip a prefix of keys.
const maxFileName = 500

// zipFile is a file in a zip.
type zipFile struct {
	// folder and base are the parts of its name.
	folder, base string
	text         []byte
}

// readZip reads an export of Apollo or Nacos.
func (in *document) readZip() error {
	files, err := in.unzipped()
	if err != nil {
		return err
	}
	isApollo := func(f zipFile) bool { return apolloPosition(f) != nil || strings.HasSuffix(f.base, ".metadata") }
	isNacos := func(f zipFile) bool { return f.folder != "" && !strings.Contains(f.folder, "/") || isNacosMetadata(f) }
	switch {
	case len(files) == 0:
		return fmt.Errorf("%s: the zip contains no file", in.Name)
	case in.Format == formatApollo, in.Format == "" && every(files, isApollo):
		in.setFormat(formatApollo)
		return in.readApollo(files)
	case in.Format == formatNacos, in.Format == "" && every(files, isNacos):
		in.setFormat(formatNacos)
		return in.readNacos(files)
	}
	return fmt.Errorf("%s: the zip is neither an export of Apollo nor of Nacos; extract it and import its files", in.Name)
}

// unzipped returns the files of a zip. It counts their bytes while it reads them, because the sizes in a
// zip can be wrong.
func (in *document) unzipped() ([]zipFile, error) {
	archive, err := zip.NewReader(bytes.NewReader(in.Text), int64(len(in.Text)))
	if err != nil {
		return nil, fmt.Errorf("%s: the zip is damaged: %w", in.Name, err)
	}
	if len(archive.File) > maxZipFiles {
		return nil, fmt.Errorf("%s: the zip has %d files; at most %d can be read: export parts of it", in.Name, len(archive.File), maxZipFiles)
	}
	var files []zipFile
	left := int64(maxImportBytes)
	for _, entry := range archive.File {
		if len(entry.Name) > maxFileName {
			return nil, fmt.Errorf("%s: the zip has a file with a name of %d bytes; at most %d can be read", in.Name, len(entry.Name), maxFileName)
		}
		if entry.FileInfo().IsDir() {
			continue
		}
		text, err := unzip(entry, left)
		if err != nil {
			return nil, fmt.Errorf("%s: %s in the zip is damaged: %w", in.Name, entry.Name, err)
		}
		if left -= int64(len(text)); left < 0 {
			return nil, fmt.Errorf("%s: the files of the zip have more than %d bytes; export parts of it", in.Name, maxImportBytes)
		}
		// Apollo on Windows separates folders with backslashes.
		folder, base := path.Split(strings.ReplaceAll(entry.Name, `\`, "/"))
		files = append(files, zipFile{strings.Trim(folder, "/"), base, text})
	}
	slices.SortFunc(files, func(a, b zipFile) int { return strings.Compare(a.folder+"/"+a.base, b.folder+"/"+b.base) })
	return files, nil
}

// unzip returns at most left+1 bytes of a file.
func unzip(entry *zip.File, left int64) ([]byte, error) {
	reader, err := entry.Open()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	return io.ReadAll(io.LimitReader(reader, left+1))
}

// apolloNamespaceFile is the position of a namespace in an export of Apollo.
type apolloNamespaceFile struct{ app, environment, cluster, namespace string }

// apolloPosition returns the position of a file: owner/app/environment/app+cluster+namespace, or
// app+environment+cluster+namespace. It returns nil for other files.
func apolloPosition(f zipFile) *apolloNamespaceFile {
	switch parts := strings.Split(f.base, "+"); len(parts) {
	case 3:
		return &apolloNamespaceFile{parts[0], path.Base(f.folder), parts[1], parts[2]}
	case 4:
		return &apolloNamespaceFile{parts[0], parts[1], parts[2], parts[3]}
	}
	return nil
}

// apolloNamespace returns the name of a namespace in a file of Apollo.
func apolloNamespace(file string) string {
	name := path.Base(file)
	return name[strings.LastIndexByte(name, '+')+1:]
}

// readApollo reads the namespaces of one environment. Keys have the app as a prefix if there are several,
// and the cluster and the namespace unless they are the defaults.
func (in *document) readApollo(files []zipFile) error {
	var environments []string
	apps := map[string]bool{}
	for _, f := range files {
		if p := apolloPosition(f); p != nil {
			environments = append(environments, p.environment)
			apps[p.app] = true
		}
	}
	environment, ok, err := in.choose(environments)
	if err != nil || !ok {
		return err
	}
	for _, f := range files {
		p := apolloPosition(f)
		if p == nil || p.environment != environment {
			continue
		}
		var prefix string
		if len(apps) > 1 {
			prefix += p.app + "/"
		}
		if p.cluster != "default" {
			prefix += p.cluster + "/"
		}
		namespace := strings.TrimSuffix(p.namespace, ".properties")
		if namespace != "application" && isMapping(fileType(p.namespace)) {
			prefix += namespace + "/"
		}
		in.readFile(f, prefix, func(in *document) error {
			in.Environment = ""
			if isApolloItems(in.Text) {
				source, err := membersOf(in.Text)
				if err != nil {
					return err
				}
				return in.readApolloItems(source)
			}
			return in.readContent(namespace, fileType(p.namespace))
		})
	}
	return nil
}

// nacosMetadata is .metadata.yml of Nacos 2.
type nacosMetadata struct {
	Metadata []struct {
		DataID string `yaml:"dataId"`
		Group  string `yaml:"group"`
		Type   string `yaml:"type"`
	} `yaml:"metadata"`
}

func isNacosMetadata(f zipFile) bool {
	return f.folder == "" && slices.Contains([]string{".metadata.yml", ".meta.yml"}, f.base)
}

// readNacos reads group/dataId. Keys have the dataId as a prefix if there are several, and the group
// unless it is DEFAULT_GROUP.
func (in *document) readNacos(files []zipFile) error {
	types := map[string]string{}
	configs := slices.DeleteFunc(slices.Clone(files), isNacosMetadata)
	for _, f := range files {
		if !isNacosMetadata(f) {
			continue
		}
		in.readFile(f, "", func(in *document) error {
			var metadata nacosMetadata
			if err := checkNodes(in.Text); err != nil {
				return err
			}
			if err := yaml.Unmarshal(in.Text, &metadata); err != nil {
				return err
			}
			for _, m := range metadata.Metadata {
				types[m.Group+"/"+m.DataID] = m.Type
			}
			return nil
		})
	}
	for _, f := range configs {
		kind := types[f.folder+"/"+f.base]
		if kind == "" {
			kind = fileType(f.base)
		}
		var prefix string
		if f.folder != "DEFAULT_GROUP" {
			prefix += f.folder + "/"
		}
		if len(configs) > 1 && isMapping(kind) {
			prefix += f.base + "/"
		}
		in.readFile(f, prefix, func(in *document) error { return in.readContent(f.base, kind) })
	}
	return nil
}

// isMapping reports whether the content of a type is keys and values; other content is one value.
func isMapping(kind string) bool { return mappingReaders[kind] != nil }

// mappingReaders read the types with keys and values.
var mappingReaders = map[string]func(in *document) error{"yaml": readYAML, "yml": readYAML, "properties": readProperties}

// readFile reads a file of a zip with the prefix for its keys. A file that cannot be read is rejected,
// without its settings.
func (in *document) readFile(f zipFile, prefix string, read func(in *document) error) {
	name := strings.TrimPrefix(f.folder+"/"+f.base, "/")
	file := in.part(prefix)
	file.Name, file.Text = name, bytes.TrimPrefix(f.text, []byte("\ufeff"))
	if invalidRune(f.text) >= 0 {
		in.reject(name, "", "unreadable", "the file is not UTF-8")
		return
	}
	if err := read(file); err != nil {
		in.reject(name, "", "unreadable", "the file cannot be read: %s", err)
		return
	}
	in.include(file.out)
}

// fileType returns the extension of a file without its dot.
func fileType(name string) string { return strings.TrimPrefix(path.Ext(name), ".") }

// readContent reads the content of a config that is a file: keys and values, or one value with the name of
// the file.
func (in *document) readContent(name, kind string) error {
	switch {
	case isMapping(kind):
		return mappingReaders[kind](in)
	case kind != "json":
		in.addAt(in.Name, Setting{Name: name, Text: string(in.Text)})
	case !jsontext.Value(in.Text).IsValid():
		return fmt.Errorf("%s is not JSON with distinct names of members", name)
	default:
		in.addAt(in.Name, Setting{Name: name, Value: json.RawMessage(in.Text)})
	}
	return nil
}
