// Command services waits for processes.
package main

import "time"

func main() { time.Sleep(time.Second) }
