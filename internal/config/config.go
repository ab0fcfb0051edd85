// Package config reads CodeMemory's settings and explains them.
//
// Five layers say what a setting is, each stronger than the one before:
// defaults, the user's file (TOML, JSONC or JSON), the project's
// .codememory/config.json, the environment, and command-line flags. A project
// file may come with a stranger's repository, so it can change only harmless
// keys: never an endpoint, a secret, a port, a place or an automation.
//
// The environment spells a key in upper case with underscores for dots:
// http.port is CODEMEMORY_HTTP_PORT, redact.extra_patterns is
// CODEMEMORY_REDACT_EXTRA_PATTERNS. An empty variable counts as unset. Lists
// are given there, as in flags and in Set, as a JSON array or one item per line.
package config

import "time"

// Config holds every setting. The tags are the whole definition of a key: its
// name, what it may be (range, oneof, check), whether a project file may set it
// (project), and its line in the documentation (doc). Defaults are in Default.
//
// The project tag says "any" for free choice, "add" for a list that can only
// grow, "true" or "false" for a switch that can be moved in one direction.
type Config struct {
	Disable  bool   `toml:"disable" json:"disable" project:"true" doc:"switch everything off: no capture, no injection, no daemon"`
	Timezone string `toml:"timezone" json:"timezone" check:"timezone" doc:"IANA time zone of dates in words and journals; empty is the system's"`

	HTTP          HTTP          `toml:"http" json:"http"`
	Daemon        Daemon        `toml:"daemon" json:"daemon"`
	Embedding     Embedding     `toml:"embedding" json:"embedding"`
	Search        Search        `toml:"search" json:"search"`
	Retrieve      Retrieve      `toml:"retrieve" json:"retrieve"`
	Context       Context       `toml:"context" json:"context"`
	ContainerTags ContainerTags `toml:"container_tags" json:"container_tags"`
	Redact        Redact        `toml:"redact" json:"redact"`
	Capture       Capture       `toml:"capture" json:"capture"`
	MCP           MCP           `toml:"mcp" json:"mcp"`
	Projects      Projects      `toml:"projects" json:"projects"`
	Lifecycle     Lifecycle     `toml:"lifecycle" json:"lifecycle"`
	Hooks         Hooks         `toml:"hooks" json:"hooks"`
	Documents     Documents     `toml:"documents" json:"documents"`
	LLM           LLM           `toml:"llm" json:"llm"`
	Log           Log           `toml:"log" json:"log"`
}

// HTTP is where the daemon listens, always on the loopback address.
type HTTP struct {
	Port               int  `toml:"port" json:"port" range:"0..65535" doc:"port of the local API, MCP endpoint and web UI; 0 takes any free one"`
	CompatPort         int  `toml:"compat_port" json:"compat_port" range:"0..65535" doc:"second port for clients of older systems, usually 8020; 0 is off"`
	CompatWithoutToken bool `toml:"compat_without_token" json:"compat_without_token" doc:"let clients of the second port in without the token"`
}

// Daemon is how the background process lives.
type Daemon struct {
	Autostart bool     `toml:"autostart" json:"autostart" doc:"commands, hooks and MCP clients start the daemon when it is not running"`
	IdleExit  Duration `toml:"idle_exit" json:"idle_exit" range:"0.." doc:"the daemon ends after this long without a request; 0 is never"`
}

// Embedding is the model that turns text into vectors.
type Embedding struct {
	Provider  string   `toml:"provider" json:"provider" oneof:"builtin,ollama,openai,none" doc:"who computes vectors; builtin works offline, none leaves text search only"`
	Model     string   `toml:"model" json:"model" doc:"name of the provider's model; empty is the provider's default"`
	URL       string   `toml:"url" json:"url" check:"url" doc:"base address of an ollama or openai-compatible server; empty is the provider's default"`
	APIKey    Secret   `toml:"api_key" json:"api_key" doc:"key of the server, better given as env:NAME than literally"`
	Dimension int      `toml:"dimension" json:"dimension" range:"0..8192" doc:"dimensions to ask the model for; 0 is the model's own"`
	Timeout   Duration `toml:"timeout" json:"timeout" range:"100ms.." doc:"longest wait for one answer of the server"`
}

// Search is how results are found and ranked.
type Search struct {
	Fusion       string  `toml:"fusion" json:"fusion" project:"any" oneof:"convex,rrf" doc:"how text and vector results are united"`
	VectorWeight float64 `toml:"vector_weight" json:"vector_weight" project:"any" range:"0..1" doc:"share of the vectors in the united score; 0 chooses it for each question"`
	RRFK         int     `toml:"rrf_k" json:"rrf_k" project:"any" range:"1..1000" doc:"rank constant of rrf fusion"`
	Rerank       bool    `toml:"rerank" json:"rerank" project:"any" doc:"order the best results again by comparing tokens"`
	Floor        Floor   `toml:"floor" json:"floor" project:"any" doc:"score below which nothing is returned"`
}

// Retrieve is how many memories reach the model.
type Retrieve struct {
	MaxMemories int `toml:"max_memories" json:"max_memories" project:"any" range:"0..50" doc:"most memories shown at once, pinned ones included"`
	MaxFresh    int `toml:"max_fresh" json:"max_fresh" project:"any" range:"0..50" doc:"most of them that were not pinned or shown before"`
}

// Context is how large the injected text may be.
type Context struct {
	StableTokens  int  `toml:"stable_tokens" json:"stable_tokens" project:"any" range:"0..20000" doc:"budget of the block at the start of a session; 0 is no block"`
	HUDTokens     int  `toml:"hud_tokens" json:"hud_tokens" project:"any" range:"0..20000" doc:"budget of the block on every call; 0 is no block"`
	RecentActions bool `toml:"recent_actions" json:"recent_actions" project:"any" doc:"name the agent's last actions in the block on every call"`
}

// ContainerTags name the user and the project towards clients that send such tags.
type ContainerTags struct {
	Prefix  string `toml:"prefix" json:"prefix" doc:"first part of derived tags"`
	User    string `toml:"user" json:"user" doc:"tag of the user; empty is derived from the git address"`
	Project string `toml:"project" json:"project" doc:"tag of the project; empty is derived from its directory"`
}

// Redact is what is taken out before anything is written or sent.
type Redact struct {
	ExtraPatterns []string `toml:"extra_patterns" json:"extra_patterns" project:"add" check:"regexp" doc:"further regular expressions of secrets"`
	Allow         []string `toml:"allow" json:"allow" check:"regexp" doc:"regular expressions of text that is no secret although it looks like one"`
}

// Capture is whether the agents' work is recorded.
type Capture struct {
	Enabled bool `toml:"enabled" json:"enabled" project:"false" doc:"record the turns of agents"`
}

// MCP is what is offered over the Model Context Protocol.
type MCP struct {
	Tools string `toml:"tools" json:"tools" oneof:"default,all" doc:"which tools models see over MCP; all adds those of older systems (ocm__*)"`
}

// Projects is which directories count.
type Projects struct {
	Ignore []string `toml:"ignore" json:"ignore" check:"glob" doc:"globs of directories in which nothing is captured or injected"`
}

// Lifecycle is what happens to memories when others arrive.
type Lifecycle struct {
	Dedupe          bool    `toml:"dedupe" json:"dedupe" doc:"unite a new memory with an old one that says the same"`
	DuplicateCosine float64 `toml:"duplicate_cosine" json:"duplicate_cosine" range:"0..1" doc:"similarity from which two memories say the same; 0 is the model's own"`
	Daily           bool    `toml:"daily" json:"daily" doc:"merge what says the same and put aside what is old, once a day when nobody asks"`
}

// Documents are files made from memories, for people and agents to read.
type Documents struct {
	Project bool `toml:"project" json:"project" doc:"keep a PROJECT.md in the store of each project; your edits are never overwritten"`
	User    bool `toml:"user" json:"user" doc:"keep a USER.md of your preferences in your own store"`
	Skills  bool `toml:"skills" json:"skills" doc:"write what was said three times or more as candidates for skills; nothing reads them until you install one"`
}

// Hooks is what happens before an agent uses a tool, where its hooks allow it.
type Hooks struct {
	PointOfAction   bool   `toml:"point_of_action" json:"point_of_action" project:"false" doc:"before a file is edited or a command run that a memory names, show that memory, once a session"`
	CheckpointGate  string `toml:"checkpoint_gate" json:"checkpoint_gate" oneof:"off,remind,deny" doc:"remind the agent of a checkpoint after so many changes, or refuse further ones after twice as many"`
	CheckpointAfter int    `toml:"checkpoint_after" json:"checkpoint_after" range:"1..1000" doc:"changes after which a checkpoint is due"`
}

// Log is what the daemon writes about itself.
type Log struct {
	Level string `toml:"level" json:"level" oneof:"debug,info,warn,error" doc:"least severity that is logged"`
	MaxMB int    `toml:"max_mb" json:"max_mb" range:"1..1000" doc:"size in megabytes at which the log is rotated"`
	Keep  int    `toml:"keep" json:"keep" range:"0..100" doc:"how many rotated logs are kept"`
}

// Default returns the settings of a machine on which nobody set anything.
func Default() Config {
	return Config{
		HTTP:          HTTP{Port: 9473},
		Daemon:        Daemon{Autostart: true, IdleExit: Duration{30 * time.Minute}},
		Embedding:     Embedding{Provider: "builtin", Timeout: Duration{10 * time.Second}},
		Search:        Search{Fusion: "convex", RRFK: 60, Rerank: true},
		Retrieve:      Retrieve{MaxMemories: 8, MaxFresh: 5},
		Context:       Context{StableTokens: 1500, HUDTokens: 400},
		ContainerTags: ContainerTags{Prefix: "opencode"},
		Redact:        Redact{ExtraPatterns: []string{}, Allow: []string{}},
		Capture:       Capture{Enabled: true},
		MCP:           MCP{Tools: "default"},
		Projects:      Projects{Ignore: []string{}},
		Hooks:         Hooks{PointOfAction: true, CheckpointGate: "off", CheckpointAfter: 5},
		Lifecycle:     Lifecycle{Dedupe: true, Daily: true},
		LLM:           defaultLLM(),
		Log:           Log{Level: "info", MaxMB: 10, Keep: 3},
	}
}

// Location returns the time zone of the user.
func (c Config) Location() *time.Location {
	if c.Timezone != "" {
		if loc, err := time.LoadLocation(c.Timezone); err == nil {
			return loc
		}
	}
	return time.Local
}
