package client

import (
	"errors"
	"io"
	"os"
	"runtime"
)

// disk is the access to the files that must survive a crash.
type disk interface {
	open(path string) (diskFile, error)
	rename(from, to string) error
	// syncDirectory makes the names of new and renamed files durable.
	syncDirectory(path string) error
}

// diskFile is the part of *os.File that the client uses.
type diskFile interface {
	io.Reader
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Sync() error
}

// systemDisk is the disk of the operating system.
type systemDisk struct{}

func (systemDisk) open(path string) (diskFile, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
}

func (systemDisk) rename(from, to string) error { return os.Rename(from, to) }

// syncDirectory does nothing on Windows, which makes file names durable itself.
func (systemDisk) syncDirectory(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}
