package storage

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
)

// clusterVariables say whether others write beside a server: Galera's, which is ON there, and
// that of Group Replication, which then has a name.
const clusterVariables = "SHOW VARIABLES WHERE Variable_name IN ('wsrep_on', 'group_replication_group_name')"

// causalReads has every statement on a Galera cluster wait until its server has applied
// what was committed before it anywhere: 1 for reads and BEGIN, 2 for UPDATE and DELETE, 4
// for INSERT and REPLACE. Without it "not found" on another server says nothing: the
// witness of a COMMIT whose reply was lost, and whatever a client reads back, would be
// answered of a moment before.
const causalReads = "SET SESSION wsrep_sync_wait = 7"

// fitToCluster makes reads causal where the server is one of a Galera cluster, and reports
// whether others write beside it. Each connection is asked: a process outlives the server
// that it was started at, and a name or a proxy may lead to another kind.
func fitToCluster(ctx context.Context, over link) (inCluster bool, err error) {
	variables, err := variablesOf(ctx, over)
	if err != nil {
		return false, fmt.Errorf("ask for the server's cluster: %w", err)
	}
	if variables["wsrep_on"] == "ON" {
		if _, err := over.ExecContext(ctx, causalReads, nil); err != nil {
			return false, fmt.Errorf("make reads causal: %w", err)
		}
		return true, nil
	}
	return variables["group_replication_group_name"] != "", nil
}

func variablesOf(ctx context.Context, over link) (map[string]string, error) {
	rows, err := over.QueryContext(ctx, clusterVariables, nil)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	variables := map[string]string{}
	row := make([]driver.Value, 2)
	for {
		switch err := rows.Next(row); {
		case errors.Is(err, io.EOF):
			return variables, nil
		case err != nil:
			return nil, err
		}
		variables[textOf(row[0])] = textOf(row[1])
	}
}

// textOf is a value of a row as text, which drivers may have as bytes.
func textOf(value driver.Value) string {
	if bytes, ok := value.([]byte); ok {
		return string(bytes)
	}
	return fmt.Sprint(value)
}
