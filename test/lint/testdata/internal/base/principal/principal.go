// Package principal describes the caller.
package principal
