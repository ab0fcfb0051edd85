package httpapi

import (
	"regexp"
	"strings"
	"sync"

	"codememory"
)

var tagPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_.-]+$`) })

// owner is whose memories a container tag means.
type owner struct {
	tag     string
	project string // as a reference for the service
	scope   codememory.Scope
	reach   codememory.Reach
}

// ownerOf reads a user_id. It is part of file names in older systems, so only
// harmless characters are allowed. A tag of a user means the one user of this
// machine; one of a project is resolved by the service.
func ownerOf(tag string) (owner, error) {
	switch {
	case tag == "":
		return owner{}, codememory.Errorf(codememory.Invalid, "user_id required")
	case !tagPattern().MatchString(tag):
		return owner{}, codememory.Errorf(codememory.Invalid, "user_id may hold only letters, digits, _, . and -")
	case isUserTag(tag):
		return owner{tag: tag, project: codememory.UserProject, scope: codememory.ScopeUser, reach: codememory.ReachUser}, nil
	default:
		return owner{tag: tag, project: codememory.TagPrefix + tag, scope: codememory.ScopeProject, reach: codememory.ReachProject}, nil
	}
}

func isUserTag(tag string) bool { return strings.Contains(tag, "_user_") }
