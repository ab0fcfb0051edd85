package config

import "time"

// LLM is which language models help, if any. Without a provider none is ever
// asked.
type LLM struct {
	Enabled   bool                   `toml:"enabled" json:"enabled" project:"false" doc:"let the configured models read what is captured"`
	Provider  string                 `toml:"provider" json:"provider" doc:"name of the provider for every task without its own; empty is none"`
	Idle      Duration               `toml:"idle" json:"idle" range:"1m.." doc:"a session that was quiet for this long is read"`
	Budget    LLMBudget              `toml:"budget" json:"budget"`
	Providers map[string]LLMProvider `toml:"providers" json:"providers,omitempty" each:"NAME"`
	Roles     map[string]LLMRole     `toml:"roles" json:"roles,omitempty" each:"ROLE" names:"expand,compress,extract,entities,link,contradict,consolidate,summarise,arc"`
}

// LLMBudget is what a day may cost.
type LLMBudget struct {
	Tokens int     `toml:"tokens" json:"tokens" range:"0.." doc:"most tokens a day, prompts and answers together; 0 is no limit"`
	USD    float64 `toml:"usd" json:"usd" range:"0.." doc:"most US dollars a day, by the stated prices; 0 is no limit"`
}

// LLMProvider is somebody who can be asked.
type LLMProvider struct {
	Type        string  `toml:"type" json:"type" oneof:"ollama,openai,anthropic,agent" doc:"its protocol: ollama, openai and anthropic also mean compatible servers, agent is a coding agent on this machine"`
	URL         string  `toml:"url" json:"url" check:"url" doc:"base address of the server; empty is the protocol's usual one"`
	Model       string  `toml:"model" json:"model" doc:"model to ask when a role names none"`
	APIKey      Secret  `toml:"api_key" json:"api_key" doc:"key of the server, as env:NAME or file:PATH"`
	Context     int     `toml:"context" json:"context" range:"0..10000000" doc:"tokens of the model's context window; 0 is a cautious guess"`
	Agent       string  `toml:"agent" json:"agent" oneof:"opencode,claude,codex," doc:"the agent to run, for type agent"`
	Command     string  `toml:"command" json:"command" doc:"program of the agent; empty is looked for in PATH"`
	PriceInput  float64 `toml:"price_input" json:"price_input" range:"0.." doc:"US dollars for a million tokens of prompts"`
	PriceCached float64 `toml:"price_cached" json:"price_cached" range:"0.." doc:"US dollars for a million tokens of prompts that the server had cached"`
	PriceOutput float64 `toml:"price_output" json:"price_output" range:"0.." doc:"US dollars for a million tokens of answers"`
}

// LLMRole is who does a task.
type LLMRole struct {
	Provider string   `toml:"provider" json:"provider" doc:"name of the provider; none switches the task off"`
	Model    string   `toml:"model" json:"model" doc:"model to ask; empty is the provider's"`
	Timeout  Duration `toml:"timeout" json:"timeout" range:"0.." doc:"longest wait for one answer; 0 is the task's own"`
	Retries  int      `toml:"retries" json:"retries" range:"-1..10" doc:"tries after a failure that may pass; 0 is the task's own, -1 is none"`
	Fallback []string `toml:"fallback" json:"fallback" doc:"who is asked next, as provider or provider/model"`
}

func defaultLLM() LLM {
	return LLM{Enabled: true, Idle: Duration{time.Hour}, Budget: LLMBudget{Tokens: 2_000_000, USD: 2}}
}
