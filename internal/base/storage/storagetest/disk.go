package storagetest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"interlock/internal/base/storage"
)

// Disk is a fault injector between SQLite and the files of one database. It is an SQLite
// VFS: operations that it passes reach the files.
type Disk struct {
	// Path is the database's file. The log has the suffix -wal.
	Path  string
	fault atomic.Pointer[Fault]
}

// Fault decides about each write and sync of a database file: 0 passes it, an SQLite result
// code fails it. A failed write writes nothing.
type Fault func(op Op, file string) int32

// Op is an operation of SQLite on a file.
type Op string

// The operations that a Fault decides about.
const (
	Write Op = "write"
	Sync  Op = "sync"
)

// Disk failures as SQLite result codes.
const (
	DiskFull    = int32(sqlite3.SQLITE_FULL)
	DiskBusy    = int32(sqlite3.SQLITE_BUSY)
	WriteFailed = int32(sqlite3.SQLITE_IOERR_WRITE)
	SyncFailed  = int32(sqlite3.SQLITE_IOERR_FSYNC)
)

// Fail sets the fault for all operations; nil passes all.
func (d *Disk) Fail(f Fault) {
	if f == nil {
		d.fault.Store(nil)
		return
	}
	d.fault.Store(&f)
}

// FailNext fails the next operation of a kind on the write-ahead log once.
func (d *Disk) FailNext(op Op, code int32) {
	var done atomic.Bool
	d.Fail(func(requested Op, file string) int32 {
		if requested == op && strings.HasSuffix(file, "-wal") && done.CompareAndSwap(false, true) {
			return code
		}
		return 0
	})
}

// CrashImage copies the files as a crash of the program would leave them, and returns the
// URL of the copy.
func (d *Disk) CrashImage(t *testing.T) (databaseURL string) {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "crashed.db")
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(d.Path + suffix)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(copied+suffix, content, 0o600))
	}
	return "sqlite://" + copied
}

// AfterACrash opens a CrashImage.
func (d *Disk) AfterACrash(t *testing.T) *storage.DB {
	t.Helper()
	return Open(t, d.CrashImage(t))
}

func (d *Disk) verdict(op Op, file string) int32 {
	if fault := d.fault.Load(); fault != nil {
		return (*fault)(op, file)
	}
	return 0
}

// SQLiteOnDisk returns a migrated database on a disk that can fail.
func SQLiteOnDisk(t *testing.T) (*storage.DB, *Disk) {
	t.Helper()
	disk := NewDisk(t)
	return migrated(t, "sqlite://"+disk.Path), disk
}

// NewDisk returns the disk of a database that does not exist yet.
func NewDisk(t *testing.T) *Disk {
	t.Helper()
	layer.register(t)
	disk := &Disk{Path: filepath.Join(t.TempDir(), "interlock.db")}
	layer.disks.Store(disk.Path, disk)
	t.Cleanup(func() { layer.disks.Delete(disk.Path) })
	return disk
}

// layer is the VFS of this process. SQLite calls its functions and identifies files by
// address.
var layer vfs

type vfs struct {
	once sync.Once
	err  error
	// open is the function of the VFS below.
	open uintptr
	// disks are keyed by the path of their database, files and methods by their address in
	// the VFS below.
	disks, files, methods sync.Map
}

// file is an open file of a disk.
type file struct {
	disk *Disk
	path string
	// below are the methods of the VFS below.
	below *sqlite3.Tsqlite3_io_methods
}

// register registers the layer on top of SQLite's VFS, once, for all databases opened
// afterwards.
func (l *vfs) register(t *testing.T) {
	t.Helper()
	l.once.Do(func() {
		tls := libc.NewTLS()
		below := at[sqlite3.Tsqlite3_vfs](sqlite3.Xsqlite3_vfs_find(tls, 0))
		l.open = below.FxOpen
		address := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(*below)))
		own := at[sqlite3.Tsqlite3_vfs](address)
		*own = *below
		own.FpNext, own.FxOpen = 0, addressOf(openFile)
		own.FzName, l.err = libc.CString("interlock-test")
		if l.err == nil && sqlite3.Xsqlite3_vfs_register(tls, address, 1) != sqlite3.SQLITE_OK {
			l.err = errors.New("SQLite does not take the layer")
		}
	})
	require.NoError(t, l.err)
}

// openFile implements sqlite3_vfs.xOpen.
func openFile(tls *libc.TLS, own, name, pFile uintptr, flags int32, outFlags uintptr) int32 {
	type xOpen = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32
	if code := function[xOpen](layer.open)(tls, own, name, pFile, flags, outFlags); code != sqlite3.SQLITE_OK || name == 0 {
		return code
	}
	path := libc.GoString(name)
	disk, ok := layer.disks.Load(strings.TrimSuffix(path, "-wal"))
	opened := at[sqlite3.Tsqlite3_file](pFile)
	if !ok || opened.FpMethods == 0 {
		return sqlite3.SQLITE_OK
	}
	below := opened.FpMethods
	layer.files.Store(pFile, file{disk: disk.(*Disk), path: path, below: at[sqlite3.Tsqlite3_io_methods](below)})
	opened.FpMethods = layer.over(tls, below)
	return sqlite3.SQLITE_OK
}

// over returns a method table in which the layer's methods replace some of those below.
func (l *vfs) over(tls *libc.TLS, below uintptr) uintptr {
	if made, ok := l.methods.Load(below); ok {
		return made.(uintptr)
	}
	methods := at[sqlite3.Tsqlite3_io_methods](below)
	address := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(*methods)))
	own := at[sqlite3.Tsqlite3_io_methods](address)
	*own = *methods
	own.FxWrite, own.FxSync, own.FxClose = addressOf(writeFile), addressOf(syncFile), addressOf(closeFile)
	made, _ := l.methods.LoadOrStore(below, address)
	return made.(uintptr)
}

// writeFile implements sqlite3_io_methods.xWrite.
func writeFile(tls *libc.TLS, pFile, content uintptr, length int32, offset int64) int32 {
	f := layer.file(pFile)
	if code := f.disk.verdict(Write, f.path); code != 0 {
		return code
	}
	type xWrite = func(tls *libc.TLS, file, content uintptr, length int32, offset int64) int32
	return function[xWrite](f.below.FxWrite)(tls, pFile, content, length, offset)
}

// syncFile implements sqlite3_io_methods.xSync.
func syncFile(tls *libc.TLS, pFile uintptr, flags int32) int32 {
	f := layer.file(pFile)
	if code := f.disk.verdict(Sync, f.path); code != 0 {
		return code
	}
	type xSync = func(tls *libc.TLS, file uintptr, flags int32) int32
	return function[xSync](f.below.FxSync)(tls, pFile, flags)
}

// closeFile implements sqlite3_io_methods.xClose.
func closeFile(tls *libc.TLS, pFile uintptr) int32 {
	f := layer.file(pFile)
	layer.files.Delete(pFile)
	type xClose = func(tls *libc.TLS, file uintptr) int32
	return function[xClose](f.below.FxClose)(tls, pFile)
}

func (l *vfs) file(address uintptr) file {
	opened, _ := l.files.Load(address)
	return opened.(file)
}

// at returns the value at an address of SQLite's memory.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// addressOf returns the address by which SQLite calls a function; function is the inverse.
func addressOf[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&struct{ f F }{f})) }

func function[F any](address uintptr) F {
	return *(*F)(unsafe.Pointer(&struct{ address uintptr }{address}))
}
