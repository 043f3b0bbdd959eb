package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"interlock/client"
	"interlock/internal/config"
)

type configsCommand struct {
	Diff  configsDiff  `cmd:"" help:"Compare configs of files or of another server with a server. Exit status: 0 equal, 2 different, 3 conflicts, 1 error."`
	Apply configsApply `cmd:"" help:"Make the configs of a server equal to files or another server, all or none. Exit status: 0 done or proposed, 3 conflicts, 1 error."`
}

// Exit statuses of the configs commands, besides 0 and 1.
const (
	exitDifferent = 2
	exitConflicts = 3
)

// exitError is an error with an exit status.
type exitError struct {
	error
	status int
}

// ExitCode returns the exit status of the program.
func (e exitError) ExitCode() int { return e.status }

// configsPlan contains the flags of both commands. They call a running server and open no database.
type configsPlan struct {
	Path          string `arg:"" optional:"" help:"File or folder with configs: .json, .yaml, .yml, .properties, .env, or the export of another program."`
	Format        string `placeholder:"FORMAT" help:"Format of the files, such as nacos. Default: detected by the name and the content."`
	Environment   string `placeholder:"NAME" help:"Environment of an export, or profile of Spring, to read."`
	Server        string `required:"" env:"INTERLOCK_SERVER" placeholder:"URL" help:"The server to compare or change."`
	Token         string `env:"INTERLOCK_TOKEN" placeholder:"TOKEN" help:"API token for the server; prefer the variable or --token-file, because other users of the computer can read command lines."`
	TokenFile     string `placeholder:"FILE" help:"File with the API token for the server."`
	From          string `placeholder:"URL" help:"Server to read the configs from, instead of files."`
	FromTokenFile string `placeholder:"FILE" help:"File with the API token for --from. Default: the token for the server."`
	Prefix        string `help:"Compare and change only keys with this prefix."`
	Manager       string `placeholder:"NAME" help:"Program that owns the configs of the files, such as git:main."`
	Prune         bool   `help:"Delete configs that the files no longer contain and of which the manager owns the value. Needs --manager."`
	TakeOver      string `placeholder:"REASON" help:"Also change fields that others own; the history contains the reason."`
}

// Validate implements kong's validation.
func (c *configsPlan) Validate() error {
	switch {
	case (c.Path == "") == (c.From == ""):
		return errors.New("set either a path or --from")
	case c.Token == "" && c.TokenFile == "":
		return errors.New("set --token-file or INTERLOCK_TOKEN")
	case c.Format != "" && !slices.Contains(config.DocumentFormat("").Enum(), c.Format):
		return fmt.Errorf("--format must be one of %s", strings.Join(config.DocumentFormat("").Enum(), ", "))
	case c.Prune && c.Manager == "":
		return errors.New("--prune needs --manager: only configs of the manager are deleted")
	}
	return nil
}

type configsDiff struct {
	configsPlan `embed:""`
}

// Run prints the plan.
func (c *configsDiff) Run(ctx context.Context) error {
	plan, _, err := c.plan(ctx)
	if err != nil {
		return err
	}
	plan.print(os.Stdout)
	switch {
	case plan.counts[verdictConflict] > 0:
		return plan.conflictError("an apply would change nothing")
	case plan.isEmpty():
		return nil
	}
	return exitError{errors.New("the server differs from the source"), exitDifferent}
}

type configsApply struct {
	configsPlan `embed:""`
	Revision    string `help:"Revision of the source, such as a commit. Needs --manager."`
	Message     string `help:"Note for the history, the audit log and approvals. Default: the manager and the revision."`
}

// Validate implements kong's validation.
func (c *configsApply) Validate() error {
	if c.Revision != "" && c.Manager == "" {
		return errors.New("--revision needs --manager")
	}
	return c.configsPlan.Validate()
}

// Run prints the plan and makes its changes in one request that is bound to the compared versions.
func (c *configsApply) Run(ctx context.Context) error {
	plan, server, err := c.plan(ctx)
	if err != nil {
		return err
	}
	plan.print(os.Stdout)
	switch {
	case plan.counts[verdictConflict] > 0:
		return plan.conflictError("nothing was changed")
	case plan.isEmpty():
		return nil
	}
	batch, err := plan.batch()
	if err != nil {
		return err
	}
	if batch.Note = c.Message; batch.Note == "" && c.Manager != "" {
		batch.Note = strings.TrimSpace("Apply " + c.Manager + " " + c.Revision)
	}
	_, err = server.Configs.Change(ctx, batch, c.options()...)
	return applied(os.Stdout, batch.Changes, err)
}

func (c *configsApply) options() (options []client.CallOption) {
	if c.Manager != "" {
		options = append(options, client.ManagedBy(c.Manager, c.Revision))
	}
	if c.TakeOver != "" {
		options = append(options, client.TakeOver(c.TakeOver))
	}
	return options
}

// applied prints the outcome of the request and returns the error of the command.
func applied(out io.Writer, changes []client.ConfigChange, err error) error {
	var problem *client.Problem
	var proposed *client.Proposed
	var conflict *client.BatchConflict
	switch {
	case err == nil:
		fmt.Fprintf(out, "Applied: %d configs.\n", len(changes))
	case errors.As(err, &proposed):
		fmt.Fprintf(out, "A config is protected: all changes wait for approval %d.\n", proposed.Approval.ID)
	case errors.As(err, &conflict):
		for _, member := range conflict.Conflicts {
			fmt.Fprintf(out, "conflict   %s: %s\n", member.Key, member.Detail)
		}
		return exitError{fmt.Errorf("%d configs were changed by others since they were compared; nothing was changed: run the command again", len(conflict.Conflicts)), exitConflicts}
	case errors.As(err, &problem):
		for _, field := range problem.Fields {
			var index int
			if n, _ := fmt.Sscanf(field.Pointer, "/changes/%d/", &index); n == 1 && index < len(changes) {
				fmt.Fprintf(out, "invalid    %s: %s %s\n", changes[index].Key, field.Pointer, field.Message)
			}
		}
		return err
	default:
		return err
	}
	return nil
}

// plan reads the source and the server, and compares them.
func (c *configsPlan) plan(ctx context.Context) (*configsChanges, *client.Client, error) {
	token, err := tokenIn(c.TokenFile, c.Token)
	if err != nil {
		return nil, nil, err
	}
	server, err := client.New(c.Server, token)
	if err != nil {
		return nil, nil, err
	}
	snapshot, err := server.Configs.Snapshot(ctx, c.Prefix)
	if err != nil {
		return nil, nil, err
	}
	plan := &configsChanges{manager: c.Manager, prefix: c.Prefix, takesOver: c.TakeOver != "", current: map[string]client.Config{}, named: map[string]map[string][]string{}, counts: map[string]int{}}
	for _, current := range snapshot.Items {
		plan.current[current.Key] = current
	}
	settings, notes, err := c.settings(ctx, token, plan.isJSON)
	plan.notes = notes
	if err == nil {
		err = plan.compare(settings, c.Prune)
	}
	return plan, server, err
}

// settings reads the source.
func (c *configsPlan) settings(ctx context.Context, token string, isJSON func(key string) bool) ([]config.Setting, []config.Note, error) {
	if c.From == "" {
		return c.settingsInFiles(isJSON)
	}
	settings, err := c.settingsOfServer(ctx, token)
	return settings, nil, err
}

func (c *configsPlan) settingsOfServer(ctx context.Context, token string) ([]config.Setting, error) {
	token, err := tokenIn(c.FromTokenFile, token)
	if err != nil {
		return nil, err
	}
	server, err := client.New(c.From, token)
	if err != nil {
		return nil, err
	}
	exported, err := server.Configs.Export(ctx, client.ConfigExportQuery{Prefix: c.Prefix})
	if err != nil {
		return nil, fmt.Errorf("read the configs of %s: %w", c.From, err)
	}
	text, err := json.Marshal(exported)
	if err != nil {
		return nil, err
	}
	var export config.Export
	if err := json.Unmarshal(text, &export); err != nil {
		return nil, err
	}
	settings := make([]config.Setting, len(export.Configs))
	for i, row := range export.Configs {
		settings[i] = config.SettingOf(row)
		settings[i].At = c.From
	}
	return settings, nil
}

// tokenIn returns the token in a file; token if there is no file.
func tokenIn(file, token string) (string, error) {
	if file == "" {
		return token, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// settingsInFiles reads a file, or all files below a folder. Hidden files and Markdown are ignored; a
// file of an unknown format and a rejected entry are errors, because --prune would delete their configs.
func (c *configsPlan) settingsInFiles(isJSON func(key string) bool) (settings []config.Setting, notes []config.Note, err error) {
	err = filepath.WalkDir(c.Path, func(path string, entry fs.DirEntry, err error) error {
		isHidden := path != c.Path && strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".env"
		switch {
		case err != nil:
			return err
		case entry.IsDir() && isHidden:
			return filepath.SkipDir
		case entry.IsDir(), isHidden, path != c.Path && filepath.Ext(path) == ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		document, err := config.ReadDocument(config.Source{
			Name: path, Text: text, Format: config.DocumentFormat(c.Format), Environment: c.Environment, IsJSON: isJSON,
		})
		switch {
		case err != nil:
			return err
		case document.NeedsEnvironment:
			return fmt.Errorf("%s: has several environments; choose one with --environment: %s", path, strings.Join(document.Environments, ", "))
		}
		settings, notes = append(settings, document.Settings...), append(notes, document.Notes...)
		return document.Err()
	})
	return settings, notes, err
}
