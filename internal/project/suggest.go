package project

import (
	"context"
	"path/filepath"
	"strings"

	"codememory"
	"codememory/internal/git"
)

// Suggestion says that two projects may be one. It is never acted upon by
// itself: forks and copies of a template look the same.
type Suggestion struct {
	From   codememory.Project `json:"from"`
	Into   codememory.Project `json:"into"`
	Reason string             `json:"reason"`
}

// Suggest returns the projects that may be merged into the one ref names: they
// have the same remote, their folder is gone and their last commit is here,
// their folder lies in this repository, or they are known only by a container
// tag that fits one of its folders.
func (r *Registry) Suggest(ctx context.Context, ref string) ([]Suggestion, error) {
	snap, err := r.current()
	if err != nil {
		return nil, err
	}
	into, err := snap.find(ref)
	if err != nil {
		return nil, err
	}
	commits := snap.commitsHere(ctx, into)
	var list []Suggestion
	for _, from := range snap.state.Projects {
		if from == into || from.MergedInto != "" {
			continue
		}
		if reason := likeness(from, into, commits); reason != "" {
			list = append(list, Suggestion{
				From: from.project(snap.names[from.ID]), Into: into.project(snap.names[into.ID]), Reason: reason,
			})
		}
	}
	return list, ctx.Err()
}

// commitsHere returns which of the commits of all other projects are in the
// repository of rec. Without git there are none.
func (snap *snapshot) commitsHere(ctx context.Context, rec *record) map[string]bool {
	var commits []string
	for _, other := range snap.state.Projects {
		for _, r := range other.Roots {
			if other != rec && r.Commit != "" {
				commits = append(commits, r.Commit)
			}
		}
	}
	here := make(map[string]bool)
	if last := rec.latest(); last.GitDir != "" {
		known, _ := git.KnownCommits(ctx, last.Path, commits)
		for _, c := range known {
			here[c] = true
		}
	}
	return here
}

// likeness says why from may belong to into, or "".
func likeness(from, into *record, commitsHere map[string]bool) string {
	for _, f := range from.Roots {
		for _, i := range into.Roots {
			switch {
			case f.Source != "" && f.Source == i.Source:
				_, source, _ := strings.Cut(f.Source, ":")
				return "both come from " + source
			case f.FileID != "" && f.FileID == i.FileID && !exists(f.Path):
				return "the folder " + f.Path + " may have been renamed to " + i.Path
			case i.GitDir != "" && f.GitDir == "" && strings.HasPrefix(pathKey(f.Path), pathKey(i.Path)+string(filepath.Separator)):
				return "the folder " + f.Path + " lies in the repository at " + i.Path
			}
		}
		if commitsHere[f.Commit] && !exists(f.Path) {
			return "the folder " + f.Path + " is gone and its last known commit is here"
		}
	}
	if len(from.Roots) == 0 {
		return tagLikeness(from, into)
	}
	return ""
}

func tagLikeness(from, into *record) string {
	for _, a := range from.Aliases {
		digits, ok := taggedDigest(a)
		for _, p := range into.paths() {
			if ok && digits == digest(p, tagDigits) {
				return "the container tag " + strings.TrimPrefix(a, tagKind) + " stands for " + p
			}
		}
	}
	return ""
}
