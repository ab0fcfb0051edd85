package project

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"codememory"
)

// maxPath is longer than any path a system accepts.
const maxPath = 4096

// CheckDir returns the cleaned form of a folder that a request names. It fails
// with Invalid unless dir is absolute, has no "..", and is an existing
// directory: a request must not steer us anywhere it does not say.
func CheckDir(dir string) (string, error) {
	clean, err := checkPath(dir)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(clean)
	if err != nil {
		return "", codememory.Errorf(codememory.Invalid, "project folder %s: %w", clean, err)
	}
	if !info.IsDir() {
		return "", codememory.Errorf(codememory.Invalid, "project folder %s is not a directory", clean)
	}
	return clean, nil
}

// checkPath does the part of CheckDir that does not touch the disk.
func checkPath(dir string) (string, error) {
	switch {
	case dir == "":
		return "", codememory.Errorf(codememory.Invalid, "project folder is empty: give an absolute path")
	case len(dir) > maxPath || strings.ContainsRune(dir, 0):
		return "", codememory.Errorf(codememory.Invalid, "project folder is not a path")
	case !filepath.IsAbs(dir):
		return "", codememory.Errorf(codememory.Invalid, "project folder %q is not absolute", dir)
	}
	for _, part := range strings.FieldsFunc(dir, func(r rune) bool { return r == '/' || r == filepath.Separator }) {
		if part == ".." {
			return "", codememory.Errorf(codememory.Invalid, "project folder %q contains \"..\": give the path itself", dir)
		}
	}
	clean := filepath.Clean(dir)
	if runtime.GOOS == "windows" && isForeignShare(clean) {
		return "", codememory.Errorf(codememory.Invalid, "project folder %q is on a network share: use a drive letter", dir)
	}
	return clean, nil
}

// isForeignShare reports whether merely looking at a Windows path would log in
// at another machine with the user's credentials. WSL's shares are local.
func isForeignShare(clean string) bool {
	share, ok := strings.CutPrefix(strings.ReplaceAll(clean, "/", `\`), `\\`)
	if !ok {
		return false
	}
	host, _, _ := strings.Cut(strings.ToLower(share), `\`)
	return host != "wsl$" && host != "wsl.localhost"
}

// placesWithoutProject returns the folders that hold everything and therefore
// are no project: work there belongs to the user.
func placesWithoutProject() map[string]bool {
	places := []string{os.TempDir(), "/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/dev/shm", `C:\Windows\Temp`}
	if home, err := os.UserHomeDir(); err == nil {
		places = append(places, home)
	}
	set := make(map[string]bool)
	for _, p := range places {
		if !filepath.IsAbs(p) {
			continue
		}
		set[pathKey(filepath.Clean(p))] = true
		if real, err := filepath.EvalSymlinks(p); err == nil {
			set[pathKey(real)] = true
		}
	}
	return set
}

// isNoProject reports whether dir, cleaned and resolved, is the root of a file
// system or one of the places.
func (r *Registry) isNoProject(dir string) bool {
	return dir == filepath.Dir(dir) || r.noProject[pathKey(dir)]
}
