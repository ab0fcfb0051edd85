package git

import (
	"net/url"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// Remote is where a repository came from, reduced to what identifies it.
type Remote struct {
	// Key is host and path ("github.com/owner/repo"), the same for every
	// protocol, account and spelling. Empty for a local remote.
	Key string
	// Path is set instead when the remote is a folder of this machine. It may
	// be relative to the work tree.
	Path string
}

// foldedHosts serve the same repository for every case of its path.
var foldedHosts = map[string]bool{
	"github.com": true, "gist.github.com": true, "gitlab.com": true, "bitbucket.org": true,
	"codeberg.org": true, "gitea.com": true, "dev.azure.com": true,
}

// otherNames are second names of a host, mostly for ssh over port 443.
var otherNames = map[string]string{
	"www.github.com": "github.com", "ssh.github.com": "github.com",
	"www.gitlab.com": "gitlab.com", "altssh.gitlab.com": "gitlab.com",
	"www.bitbucket.org": "bitbucket.org", "altssh.bitbucket.org": "bitbucket.org",
	"ssh.dev.azure.com": "dev.azure.com", "vs-ssh.visualstudio.com": "dev.azure.com",
}

// defaultPorts say nothing about the server.
var defaultPorts = map[string]string{"http": "80", "https": "443", "git": "9418"}

// ParseRemote reduces the URL of a remote. Both fields of the result are empty
// when raw names no place, as a remote helper with a command does ("ext::…").
// Credentials never reach the result.
func ParseRemote(raw string) Remote {
	raw = strings.TrimSpace(raw)
	if raw == "" || strings.ContainsFunc(raw, func(r rune) bool { return r < ' ' }) {
		return Remote{}
	}
	if scheme, rest, ok := strings.Cut(raw, "://"); ok && isScheme(scheme) {
		return parseURL(strings.ToLower(scheme), rest)
	}
	if helper, _, ok := strings.Cut(raw, "::"); ok && isScheme(helper) {
		return Remote{}
	}
	if host, p, ok := cutSCP(raw); ok {
		return hosted("ssh", host, "", p)
	}
	return Remote{Path: filepath.FromSlash(raw)}
}

func isScheme(s string) bool {
	return s != "" && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789+-.") == ""
}

// parseURL reads what follows scheme://. net/url is too strict here: git
// accepts paths with spaces and percent signs.
func parseURL(scheme, rest string) Remote {
	authority, p, _ := strings.Cut(rest, "/")
	p = "/" + p
	if scheme == "file" {
		if runtime.GOOS == "windows" {
			return Remote{Path: windowsFilePath(authority, p)}
		}
		return Remote{Path: decode(p)}
	}
	if scheme == "http" || scheme == "https" { // a query holds tokens, if anything
		p, _, _ = strings.Cut(p, "?")
		p, _, _ = strings.Cut(p, "#")
	}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		authority = authority[at+1:]
	}
	host, port := authority, ""
	if i := strings.LastIndexByte(authority, ':'); i > strings.LastIndexByte(authority, ']') {
		host, port = authority[:i], authority[i+1:]
	}
	scheme = strings.TrimPrefix(strings.TrimSuffix(scheme, "+ssh"), "ssh+")
	return hosted(scheme, host, port, decode(p))
}

// windowsFilePath turns file:///C:/x and file://server/share/x into paths.
func windowsFilePath(authority, p string) string {
	p = decode(p)
	if authority != "" && authority != "localhost" {
		return filepath.FromSlash("//" + authority + p)
	}
	if len(p) > 2 && p[2] == ':' {
		p = p[1:]
	}
	return filepath.FromSlash(p)
}

// cutSCP splits [user@]host:path, git's rule being that the colon comes before
// any slash. C:\x and C:/x are drives.
func cutSCP(raw string) (host, p string, ok bool) {
	colon := strings.IndexByte(raw, ':')
	if open := strings.IndexByte(raw, '['); open >= 0 && open < colon { // [::1]:path, [host:port]:path
		if end := strings.Index(raw, "]:"); end > 0 {
			colon = end + 1
		}
	}
	if colon <= 0 || strings.ContainsAny(raw[:colon], `/\`) {
		return "", "", false
	}
	host, p = raw[:colon], raw[colon+1:]
	if len(host) == 1 && (runtime.GOOS == "windows" || strings.HasPrefix(p, "/") || strings.HasPrefix(p, `\`)) {
		return "", "", false
	}
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	return host, p, true
}

// hosted is the remote at a path of a host.
func hosted(scheme, host, port, p string) Remote {
	host = canonicalHost(scheme, host)
	if host == "" {
		return Remote{}
	}
	// The port of an ssh door does not identify the server, except where
	// several run on one machine: tunnels and test servers.
	if port == defaultPorts[scheme] || scheme == "ssh" && (port == "22" || !isLoopback(host)) {
		port = ""
	}
	p = canonicalPath(p)
	host, p = azure(host, p)
	if p == "" || strings.ContainsFunc(p, func(r rune) bool { return r < ' ' }) {
		return Remote{}
	}
	if foldedHosts[host] {
		p = strings.ToLower(p)
	}
	if port != "" {
		host += ":" + port
	}
	return Remote{Key: host + "/" + p}
}

func canonicalHost(scheme, host string) string {
	host = strings.ToLower(strings.Trim(host, "[]"))
	host = strings.TrimSuffix(host, ".")
	if strings.ContainsAny(host, " \\/@") {
		return ""
	}
	if name, ok := otherNames[host]; ok {
		return name
	}
	if scheme == "ssh" {
		// People with two accounts write git@github.com-work:… with an alias in
		// ~/.ssh/config; no real host is named so.
		for known := range foldedHosts {
			if strings.HasPrefix(host, known+"-") {
				return known
			}
		}
	}
	return host
}

func canonicalPath(p string) string {
	p = strings.TrimPrefix(path.Clean("/"+p), "/")
	p = strings.TrimSuffix(p, ".git")
	return strings.TrimRight(p, "/")
}

// azure maps the addresses of an Azure DevOps repository onto one.
func azure(host, p string) (string, string) {
	if org, ok := strings.CutSuffix(host, ".visualstudio.com"); ok {
		host = "dev.azure.com"
		p = org + "/" + strings.TrimPrefix(p, "DefaultCollection/")
	}
	if host == "dev.azure.com" {
		p = strings.TrimPrefix(p, "v3/")
		p = strings.Replace(p, "/_git/", "/", 1)
	}
	return host, p
}

func isLoopback(host string) bool {
	return host == "localhost" || host == "::1" || strings.HasPrefix(host, "127.")
}

// decode undoes percent-encoding where it is one.
func decode(p string) string {
	if d, err := url.PathUnescape(p); err == nil {
		return d
	}
	return p
}
