package git_test

import (
	"runtime"
	"testing"

	"codememory/internal/git"
)

func TestParseRemote(t *testing.T) {
	tests := map[string]struct {
		urls []string
		want git.Remote
	}{
		"all doors of a GitHub repository": {
			[]string{
				"git@github.com:Owner/Repo.git", "git@github.com:owner/repo", "github.com:owner/repo.git/",
				"https://github.com/Owner/Repo", "https://github.com/owner/repo.git/", "https://GitHub.com/owner/repo",
				"https://user:ghp_secret@github.com/owner/repo.git", "https://x-access-token:tok@github.com:443/owner/repo",
				"ssh://git@github.com/owner/repo.git", "ssh://git@ssh.github.com:443/owner/repo.git",
				"git://github.com/owner/repo.git", "git+ssh://git@github.com/owner/repo", "http://www.github.com/owner//repo",
				"git@github.com-work:owner/repo.git", "  https://github.com/owner/repo\n",
			},
			git.Remote{Key: "github.com/owner/repo"},
		},
		"a server of one's own keeps the case of its paths": {
			[]string{"git@git.example.com:Team/App.git", "ssh://git@GIT.example.com:2222/Team/App", "https://git.example.com/Team/App.git", "git.example.com:/Team/App"},
			git.Remote{Key: "git.example.com/Team/App"},
		},
		"another case is another repository there": {
			[]string{"https://git.example.com/team/app"},
			git.Remote{Key: "git.example.com/team/app"},
		},
		"a port of http names a server": {
			[]string{"http://localhost:3000/o/r.git"},
			git.Remote{Key: "localhost:3000/o/r"},
		},
		"so does a tunnel": {
			[]string{"ssh://git@127.0.0.1:2222/o/r.git"},
			git.Remote{Key: "127.0.0.1:2222/o/r"},
		},
		"IPv6": {
			[]string{"ssh://git@[::1]/o/r.git", "git@[::1]:o/r.git"},
			git.Remote{Key: "::1/o/r"},
		},
		"GitLab groups": {
			[]string{"git@gitlab.com:Group/Sub/Repo.git", "https://oauth2:tok@gitlab.com/group/sub/repo"},
			git.Remote{Key: "gitlab.com/group/sub/repo"},
		},
		"Azure DevOps": {
			[]string{"https://dev.azure.com/Org/Proj/_git/Repo", "https://Org@dev.azure.com/Org/Proj/_git/Repo", "git@ssh.dev.azure.com:v3/Org/Proj/Repo", "https://org.visualstudio.com/Proj/_git/Repo", "https://org.visualstudio.com/DefaultCollection/Proj/_git/Repo"},
			git.Remote{Key: "dev.azure.com/org/proj/repo"},
		},
		"tokens in a query are dropped": {
			[]string{"https://git.example.com/o/r.git?access_token=secret"},
			git.Remote{Key: "git.example.com/o/r"},
		},
		"percent encoding": {
			[]string{"https://git.example.com/my%20team/r", "git.example.com:my team/r"},
			git.Remote{Key: "git.example.com/my team/r"},
		},
		"names no place": {
			[]string{"", "  ", "ext::sh -c 'cat secret'", "https://", "ssh://git@/x", "https://github.com/", "git@github.com:", "a\x00b", "https://h/%00x"},
			git.Remote{},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for _, u := range tt.urls {
				if got := git.ParseRemote(u); got != tt.want {
					t.Errorf("%q gives %+v, want %+v", u, got, tt.want)
				}
			}
		})
	}
	if runtime.GOOS == "windows" {
		return
	}
	for u, path := range map[string]string{
		"/srv/git/app.git": "/srv/git/app.git", "../app": "../app", "./a:b": "./a:b", "app.bundle": "app.bundle",
		"file:///srv/git/my%20app": "/srv/git/my app", "file://localhost/srv/x": "/srv/x", "C:/git/app": "C:/git/app",
	} {
		if got := git.ParseRemote(u); got != (git.Remote{Path: path}) {
			t.Errorf("%q gives %+v, want the path %q", u, got, path)
		}
	}
}
