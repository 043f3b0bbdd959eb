// Package storagetest helps tests, which import what they exercise.
package storagetest

import _ "interlock/internal/core/uow"
