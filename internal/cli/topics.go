package cli

import "github.com/spf13/cobra"

// helpTopics are texts without a command: `codememory help exit-codes`.
func helpTopics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "exit-codes", Short: "What the exit codes mean", Long: exitCodesTopic},
		{Use: "json", Short: "What --json prints", Long: jsonTopic},
		{Use: "environment", Short: "Environment variables", Long: environmentTopic},
	}
}

const exitCodesTopic = `Exit codes:

  0    it worked; a search or a list that finds nothing worked too
  1    it failed, or verify, doctor or import found problems
  2    the command was called wrongly
  4    no memory or project has this id or name, or several have
  5    the daemon or a store cannot be reached
  6    refused: no permission, or the store is read-only
  75   daemon only: another daemon is running
  76   daemon only: its port is used by another program
  130  interrupted

An error is one line on stderr that says what failed and what to do next. With
--json it is {"error":{"code":"not_found","message":"…"}}, also on stderr. The
codes are invalid, not_found, conflict, unauthorized, forbidden, unavailable,
storage_full, read_only, too_large and internal.`

const jsonTopic = `With --json a command prints one JSON document on stdout, and nothing else. Fields
are only ever added, so ignore those you do not know. Lists are never null, times
are RFC 3339 in UTC, and ids are whole: 32 hexadecimal digits.

  remember        {memory, event, reason, redacted[]}; event is ADD, UPDATE or NONE
  search          {hits[{memory, score, why}], degraded, reasons[]}
  list            {memories[], next, total}; give next to --cursor for more
  show, edit      a memory
  undo            {memory, undone}
  pin, unpin, archive, unarchive, forget
                  {memories[]}
  purge           {reports[{purged[], files[], warnings[]}]}
  history         {entries[{id, text, from, until, what, reason}]}
  entities        {entities[{name, type, aliases[], memories}], edges[{from, to,
                  memories}]}
  review          {items[{kind, reason, memories[]}]}; accept and reject print
                  {memories[]}
  promote         {memory, event, from, projects[]}
  consolidate     {reports[{project, looked, clusters, merged[{kept, replaced[],
                  reason}], archived[], condensed, stale, written[], kept[], took}]}
  context         {stable, hud, stable_tokens, hud_tokens, memories[{memory, score,
                  why}], degraded, reasons[]}
  why             {hud, tokens, shown[{memory, score, why}], left_out[], reasons[]}
  journal         {day, text, days[]}
  sessions        {sessions[{session_id, agent, goal, status, started_at, active_at,
                  work_pending[], files[], markdown_path, …}]}; sessions path prints
                  {markdown_path, copied}, and export {output, format, sessions}, or the
                  sessions with all their fields when there is no --output
  sessions show, handoff, transcript, expand
                  {text}
  checkpoint      a session, as in sessions
  backfill        {sessions, turns, indexed, failed}
  extract         {llm, reason, sessions[{kind, agent, session, turns, state, error,
                  memories, tokens, cost_usd, …}], memories}
  costs           {since, total, today, budget, by_model[], by_role, by_provider, days,
                  outcomes}
  init            {project, created[], moved, skipped[], brief, rules{agent, changes[]}}
  install, uninstall
                  {dry_run, plans[{agent, changes[{action, path, folder, why, own,
                  warning}]}]}; action is create, replace, remove or keep
  projects        {projects[]}; merge, rename and forget print a project
  export          {file, format, memories}; without --output the memories themselves
  import          {file, format, dry_run, added, updated, known, bad[{line, what}]}
  backup, restore {project, file, files, bytes, memories, aside}
  rebuild, verify {reports[{project, memories, problems[{path, line, what, todo}]}]}
  status          {ok, version, daemon{running, pid, port, version, started, problem},
                  embedding, llm, degraded[], agents[{agent, state, detail, next,
                  sessions, turns_today, event_at}], today{turns, memories}, project,
                  total, projects, problems[], outbound[], config, data}
  stop            {stopped, pid}
  doctor          {ok, checks[{name, state, detail, next}]}; state is ok, warning or
                  failed
  stats           {total, by_type, by_scope, projects, users}
  config list     {settings[{key, value, from}]}
  config get, set, unset
                  {key, value, from}
  config explain  {key{name, type, default, doc, env}, value, from, layers[]}
  config path     {file}
  config prompt   {name, text}
  dashboard       {url, opened}
  eval            {rows[{set, system, queries, any_at_1, …, p50_ms, p99_ms, cpu_ms}]}
  version         {version, go, platform}

A memory is {id, text, type, category, scope, project, importance, source{agent,
session, turns[], author, excerpt, class, rule, confidence}, created_at,
updated_at, pinned, archived, forgotten_at, quarantine, revisions[],
supersedes[], superseded_by, entities[], links[], seen[], files[], metadata,
usage}. Fields without a value may be left out.`

const environmentTopic = `Environment variables:

  CODEMEMORY_PROJECT      the project to work with when --project is not given
  CODEMEMORY_DISABLE      1 switches everything off
  CODEMEMORY_DATA_DIR     where the stores, the token and the lock are
  CODEMEMORY_CONFIG       the configuration file
  CODEMEMORY_STATE_DIR    where the logs are
  NO_COLOR                print without colour
  COLUMNS                 the width to write for, instead of that of the terminal
  VISUAL, EDITOR          the editor of "codememory edit --editor"

Every setting can be given as a variable: http.port is CODEMEMORY_HTTP_PORT.
"codememory config list" shows them all, "codememory config explain KEY" says
where a value comes from.`
