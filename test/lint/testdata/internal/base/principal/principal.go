// Package principal says who calls.
package principal
