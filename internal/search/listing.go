package search

import (
	"regexp"
	"strings"
	"sync"

	"codememory"
)

// listing matches a request for everything of a kind, and nothing more:
// "list all preferences", "show me every decision we made", "all error
// solutions". A question that goes on ("… about testing") is searched.
var listing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:please\s+|can you\s+|could you\s+)?` +
		`(?:(?:list|show|give|enumerate|display|print|get|tell)\s+(?:me\s+)?(?:all|every|each|the|my|our|of)?|what\s+are\s+all|all|every)\s*` +
		`(?:(?:of|the|my|our|known|stored|saved|recorded|project|project's|user|user's|developer|coding|remembered)\s+)*` +
		`([a-z-]+(?:\s+[a-z-]+)?)` +
		`(?:\s+(?:you know|you have|we have|we made|so far|that exist|please|again|in this project|of this project|for this project))*\s*[.?!]*$`)
})

// kinds maps what people call things to types; an empty list means every type.
var kinds = map[string][]codememory.Type{
	"preference":           {codememory.Preference},
	"coding preference":    {codememory.Preference},
	"decision":             {codememory.Architecture, codememory.ArchitecturePattern, codememory.TechContext},
	"architecture":         {codememory.Architecture, codememory.ArchitecturePattern},
	"architecture pattern": {codememory.ArchitecturePattern},
	"pattern":              {codememory.LearnedPattern, codememory.ArchitecturePattern},
	"learned pattern":      {codememory.LearnedPattern},
	"convention":           {codememory.LearnedPattern},
	"error":                {codememory.ErrorSolution},
	"error solution":       {codememory.ErrorSolution},
	"solution":             {codememory.ErrorSolution},
	"fixe":                 {codememory.ErrorSolution},
	"fix":                  {codememory.ErrorSolution},
	"setting":              {codememory.ProjectConfig},
	"config":               {codememory.ProjectConfig},
	"configuration":        {codememory.ProjectConfig},
	"project config":       {codememory.ProjectConfig},
	"tech context":         {codememory.TechContext},
	"tech stack":           {codememory.TechContext},
	"product context":      {codememory.ProductContext},
	"project brief":        {codememory.ProjectBrief},
	"session summarie":     {codememory.SessionSummary},
	"session summary":      {codememory.SessionSummary},
	"session-summarie":     {codememory.SessionSummary},
	"summarie":             {codememory.SessionSummary},
	"progress":             {codememory.Progress},
	"memorie":              {},
	"memory":               {},
	"everything":           {},
}

// parseListing recognises a listing and takes its words out of the text.
func (p *Parsed) parseListing() {
	m := listing().FindStringSubmatch(strings.TrimSpace(p.Text))
	if m == nil {
		return
	}
	name := strings.ToLower(strings.Join(strings.Fields(m[1]), " "))
	types, ok := kinds[strings.TrimSuffix(name, "s")]
	if !ok {
		if types, ok = kinds[name]; !ok {
			return
		}
	}
	p.Types, p.List, p.Text = types, true, ""
}
