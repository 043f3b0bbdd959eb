// Package settings are the process settings.
package settings
