package dbcopy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"interlock/internal/base/clock"
)

// kind is a form of values that does not depend on the engine. A value is nil, or the Go type of its
// kind.
type kind int

const (
	// integer is int64; engines store booleans as integers.
	integer kind = iota
	// text and blob are string.
	text
	blob
	// moment is time.Time in UTC and whole microseconds, the precision of the service; SQLite can contain
	// more digits.
	moment
	// document is a string with canonical JSON, because MySQL does not preserve spaces, the order of
	// members and the spelling of numbers.
	document
)

// sizeOf returns the approximate size of a normalized value in a statement, in bytes.
func sizeOf(value any) int {
	const number = 16
	content, _ := value.(string)
	return number + len(content)
}

// kinds are the kinds of MySQL's types. MariaDB stores JSON as text, unchanged.
var kinds = map[string]kind{
	"tinyint": integer, "smallint": integer, "mediumint": integer, "int": integer, "bigint": integer,
	"char": text, "varchar": text, "tinytext": text, "text": text, "mediumtext": text, "longtext": text,
	"binary": blob, "varbinary": blob, "tinyblob": blob, "blob": blob, "mediumblob": blob, "longblob": blob,
	"datetime": moment, "json": document,
}

// normalize converts a value from a driver.
func (k kind) normalize(value any) (any, error) {
	if value == nil {
		return nil, nil
	}
	switch k {
	case integer:
		return integerOf(value)
	case moment:
		return momentOf(value)
	}
	content, err := contentOf(value)
	if err != nil || k != document {
		return content, err
	}
	return canonical(content)
}

// argument converts a normalized value for the driver of the target.
func (k kind) argument(value any) any {
	if content, ok := value.(string); ok && k == blob {
		return []byte(content)
	}
	return value
}

func integerOf(value any) (any, error) {
	switch value := value.(type) {
	case int64:
		return value, nil
	case bool:
		if value {
			return int64(1), nil
		}
		return int64(0), nil
	case []byte:
		return strconv.ParseInt(string(value), 10, 64)
	}
	return nil, fmt.Errorf("%v (%T) is not an integer; correct it in the source", value, value)
}

func momentOf(value any) (any, error) {
	at, ok := value.(time.Time)
	if !ok {
		return nil, fmt.Errorf("%v (%T) is not a time; correct it in the source", value, value)
	}
	return clock.Stored(at), nil
}

func contentOf(value any) (string, error) {
	switch value := value.(type) {
	case string:
		return value, nil
	case []byte:
		return string(value), nil
	}
	return "", fmt.Errorf("%v (%T) is neither text nor bytes; correct it in the source", value, value)
}

// canonical returns JSON with sorted members, without spaces, and with numbers that are not integers
// in the shortest form of a double.
func canonical(content string) (string, error) {
	decoder := json.NewDecoder(bytes.NewReader([]byte(content)))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return "", fmt.Errorf("it is not JSON; correct it in the source: %w", err)
	}
	value, err := shortNumbers(value)
	if err != nil {
		return "", err
	}
	made, err := json.Marshal(value)
	return string(made), err
}

func shortNumbers(value any) (_ any, err error) {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if value[name], err = shortNumbers(member); err != nil {
				return nil, err
			}
		}
	case []any:
		for i, element := range value {
			if value[i], err = shortNumbers(element); err != nil {
				return nil, err
			}
		}
	case json.Number:
		if _, err := value.Int64(); err == nil {
			return value, nil
		}
		number, err := value.Float64()
		if err != nil {
			return nil, errors.New("the number " + value.String() + " is too large")
		}
		return number, nil
	}
	return value, nil
}
