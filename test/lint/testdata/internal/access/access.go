// Package access is a domain too.
package access
