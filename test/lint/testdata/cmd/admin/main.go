// Command admin answers on standard output.
package main

import (
	"fmt"
	"time"

	_ "interlock/internal/app"
	_ "interlock/internal/settings"
)

func main() { fmt.Println(time.Now()) }
