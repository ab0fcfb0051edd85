package rendezvous

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"codememory"
	"codememory/internal/atomicfile"
	"codememory/internal/paths"
)

// minToken is the shortest token that is accepted, should somebody write their own.
const minToken = 32

// Token returns the token of this user, made by whoever asks first. When others
// could read the file, that is mended and log is warned.
func Token(l paths.Layout, log *slog.Logger) (string, error) {
	if err := atomicfile.MkdirAll(l.Data, 0o700); err != nil {
		return "", err
	}
	path := l.TokenFile()
	// Where files cannot be linked, its maker may still be writing it.
	for wait := time.Millisecond; ; wait *= 2 {
		token, err := readToken(path, log)
		switch {
		case err == nil && len(token) >= minToken:
			return token, nil
		case errors.Is(err, fs.ErrNotExist):
			if err := makeToken(path); err != nil && !errors.Is(err, fs.ErrExist) {
				return "", atomicfile.Coded("write", path, err)
			}
		case err != nil:
			return "", err
		case wait > 100*time.Millisecond:
			return "", codememory.Errorf(codememory.Invalid, "%s holds no token of at least %d characters: delete the file, and a new one is made", path, minToken)
		default:
			time.Sleep(wait)
		}
	}
}

func readToken(path string, log *slog.Logger) (string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", codememory.Errorf(codememory.Forbidden, "%s is no plain file: remove it, and a new token is made", path)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(path, 0o600); err != nil {
			return "", atomicfile.Coded("protect", path, err)
		}
		log.Warn("others could read the token; now only its owner can", "file", path, "mode", info.Mode().Perm().String())
	}
	data, err := os.ReadFile(path)
	return strings.TrimSpace(string(data)), err
}

// makeToken writes a fresh token under the name path, which appears with its
// whole content or, when it exists already, not at all.
func makeToken(path string) error {
	var secret [32]byte
	rand.Read(secret[:]) // never fails
	text := []byte(hex.EncodeToString(secret[:]) + "\n")

	temp, err := os.CreateTemp(filepath.Dir(path), ".codememory-token-*.tmp") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(text)
	if err == nil {
		err = temp.Sync()
	}
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	if err = os.Link(temp.Name(), path); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return createWhole(path, text) // this file system has no links
}

func createWhole(path string, text []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err = file.Write(text); err == nil {
		err = file.Sync()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		os.Remove(path)
	}
	return err
}
