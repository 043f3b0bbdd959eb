//go:build engines

package engines_test

import (
	"os"
	"testing"

	"interlock/test/apptest"
)

func TestMain(m *testing.M) { os.Exit(apptest.Main(m)) }
