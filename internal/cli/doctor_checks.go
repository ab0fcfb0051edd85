package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"codememory"
	"codememory/internal/daemon/rendezvous"
	"codememory/internal/embedding/minilm"
)

// littleSpace is where a disk is called nearly full: a large project's
// database with its write-ahead log and a backup need about this much.
const littleSpace = 500 << 20

// oldLeftover is the age from which a temporary file belongs to nobody.
const oldLeftover = time.Hour

func (d *patient) dataDirectory() check {
	const name = "data directory"
	dir := d.layout.Data
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fine(name, dir+" (made at first use)")
	}
	f, err := os.CreateTemp(dir, ".codememory-doctor-*")
	if err != nil {
		return broken(name, fmt.Sprintf("%s cannot be written: %v", dir, err), "give yourself write permission, or set CODEMEMORY_DATA_DIR to another place")
	}
	err = errors.Join(f.Close(), os.Remove(f.Name()))
	if err != nil {
		return broken(name, err.Error(), "check the disk of "+dir)
	}
	return fine(name, dir)
}

func (d *patient) diskSpace() check {
	const name = "disk space"
	dir := d.layout.Data
	for {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	free, err := diskFree(dir)
	switch {
	case err != nil:
		return doubtful(name, fmt.Sprintf("cannot be found out: %v", err), "")
	case free < littleSpace:
		return doubtful(name, size(int64(free))+" free", "make room on the disk of "+dir)
	default:
		return fine(name, size(int64(min(free, 1<<62)))+" free")
	}
}

func (d *patient) token() check {
	const name = "token"
	file := d.layout.TokenFile()
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fine(name, "none yet (made when the daemon first starts)")
	case err != nil:
		return broken(name, err.Error(), "make "+file+" readable for yourself")
	case info.Size() == 0:
		return broken(name, file+" is empty", "remove it: the daemon makes a new one")
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return doubtful(name, fmt.Sprintf("%s could be read by others (%04o) until now", file, info.Mode().Perm()),
			`it was made private; if others use this machine, "codememory stop" and remove it: a new one is made`)
	default:
		return fine(name, file+" is private")
	}
}

func (d *patient) settingsChecks() []check {
	problems := configProblems(d.loaded, d.layout, d.configErr)
	if len(problems) == 0 {
		return []check{fine("settings", d.layout.ConfigFile)}
	}
	var checks []check
	for _, problem := range problems {
		checks = append(checks, doubtful("settings", problemLine(problem), problem.Todo))
	}
	return checks
}

func (d *patient) daemonCheck() check {
	const name = "daemon"
	switch {
	case d.daemon.Problem != "":
		return broken(name, d.daemon.Problem, `"codememory stop", then any command starts it again; the log is `+d.layout.LogFile())
	case !d.daemon.Running:
		return fine(name, d.daemon.sentence(d.now()))
	case d.daemon.Version != d.version:
		return doubtful(name, fmt.Sprintf("is %s, this is %s", d.daemon.Version, d.version), `"codememory stop" makes the next command start this version`)
	default:
		return fine(name, d.daemon.sentence(d.now()))
	}
}

// lock finds a daemon that holds its lock but does not answer.
func (d *patient) lock() check {
	const name = "lock"
	if d.daemon.Running {
		return fine(name, "held by the daemon")
	}
	if _, err := os.Stat(d.layout.LockFile()); errors.Is(err, fs.ErrNotExist) {
		return fine(name, "free")
	}
	lock, err := rendezvous.LockDaemon(d.layout)
	switch {
	case codememory.CodeOf(err) == codememory.Conflict:
		return broken(name, "a process that does not answer holds "+d.layout.LockFile(), d.endHolder())
	case err != nil:
		return broken(name, err.Error(), "check the permissions of "+d.layout.LockFile())
	}
	if err := lock.Unlock(); err != nil {
		return doubtful(name, err.Error(), "")
	}
	return fine(name, "free")
}

func (d *patient) endHolder() string {
	if info, err := rendezvous.ReadInfo(d.layout); err == nil {
		return "end process " + strconv.Itoa(info.PID)
	}
	return "end the codememory process that runs in the background"
}

func (d *patient) port(ctx context.Context) check {
	const name = "port"
	port := d.loaded.Config.HTTP.Port
	if d.daemon.Running {
		return fine(name, fmt.Sprintf("%d is the daemon's", d.daemon.Port))
	}
	if port == 0 {
		return fine(name, "any free one")
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(rendezvous.Host, strconv.Itoa(port)))
	if err != nil {
		return broken(name, fmt.Sprintf("%d is taken by another program: %v", port, err), "end that program, or choose another port: codememory config set http.port 0")
	}
	if err := listener.Close(); err != nil {
		return doubtful(name, err.Error(), "")
	}
	return fine(name, fmt.Sprintf("%d is free", port))
}

func (d *patient) git(ctx context.Context) check {
	const name = "git"
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "git", "--version").Output()
	if err != nil {
		return doubtful(name, "is not installed or does not run", "install git: without it worktrees and clones are not recognised as one project")
	}
	return fine(name, strings.TrimSpace(string(out)))
}

func (d *patient) model(ctx context.Context) check {
	const name = "model"
	switch provider := d.loaded.Config.Embedding.Provider; provider {
	case "none":
		return doubtful(name, "switched off: search by words only", "codememory config unset embedding.provider")
	case "builtin":
		if err := minilm.Verify(); err != nil {
			return broken(name, err.Error(), "")
		}
		return fine(name, minilm.ModelID+", checksum right")
	default:
		return d.remoteModel(ctx, provider)
	}
}

// remoteModel asks the service, which asks the server.
func (d *patient) remoteModel(ctx context.Context, provider string) check {
	svc, done, err := d.connectRunning(ctx)
	if err != nil {
		return broken("model", err.Error(), "")
	}
	defer done()
	health, err := svc.Health(ctx)
	if err != nil {
		return broken("model", err.Error(), "")
	}
	if len(health.Reasons) > 0 {
		return broken("model", strings.Join(health.Reasons, "; "), "start the "+provider+" server, or: codememory config unset embedding.provider")
	}
	return fine("model", health.EmbeddingModel)
}

// stores opens the project's and the user's store and verifies both.
func (d *patient) stores(ctx context.Context) []check {
	ref, err := d.projectRef()
	if err != nil {
		return []check{broken("store", err.Error(), "")}
	}
	svc, done, err := d.connectRunning(ctx)
	if err != nil {
		return []check{broken("store", err.Error(), "")}
	}
	defer done()
	var checks []check
	for _, one := range []struct{ name, ref string }{{"project store", ref}, {"user store", codememory.UserProject}} {
		checks = append(checks, storeChecks(ctx, svc, one.name, one.ref)...)
	}
	return checks
}

func storeChecks(ctx context.Context, svc codememory.Service, name, ref string) []check {
	reports, err := svc.Verify(ctx, ref)
	if err != nil {
		return []check{broken(name, err.Error(), `"codememory rebuild" makes the database anew from the text`)}
	}
	var checks []check
	memories := 0
	for _, r := range reports {
		memories += r.Memories
		for _, problem := range r.Problems {
			checks = append(checks, broken(name, problemLine(problem), problem.Todo))
		}
	}
	if len(checks) == 0 {
		checks = append(checks, fine(name, plural(memories, "memory", "memories")+", text and database agree"))
	}
	return checks
}

// leftovers finds what a killed process left behind.
func (d *patient) leftovers() check {
	const name = "left-over files"
	var stale []string
	if _, err := os.Stat(d.layout.DaemonInfo()); err == nil && !d.daemon.Running {
		stale = append(stale, d.layout.DaemonInfo())
	}
	for _, pattern := range []string{".codememory-*.tmp", ".codememory-doctor-*"} {
		files, err := filepath.Glob(filepath.Join(d.layout.Data, pattern))
		if err != nil {
			continue
		}
		for _, file := range files {
			if info, err := os.Stat(file); err == nil && d.now().Sub(info.ModTime()) > oldLeftover {
				stale = append(stale, file)
			}
		}
	}
	if len(stale) > 0 {
		return doubtful(name, strings.Join(stale, ", "), "harmless; they can be removed")
	}
	return fine(name, "none")
}
