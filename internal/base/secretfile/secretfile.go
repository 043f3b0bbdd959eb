// Package secretfile reads secrets from files of the operator.
package secretfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// maxSize is in bytes; a larger file does not contain a secret.
const maxSize = 64 << 10

// Read reads a secret from a file, without the end of its line. Errors: the file cannot be read, is
// empty or too large.
func Read(file string) (string, error) {
	opened, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer opened.Close()
	content, err := io.ReadAll(io.LimitReader(opened, maxSize+1))
	if err == nil && len(content) > maxSize {
		err = errors.New("it is too large for a secret")
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	text := strings.TrimRight(string(content), "\r\n")
	if text == "" {
		return "", fmt.Errorf("%s is empty; it must have the secret in its first line", file)
	}
	return text, nil
}
