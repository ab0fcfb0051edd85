// CodeMemory for OpenCode: puts remembered facts before the model on every call,
// tells the daemon when there is something to capture, and offers two tools.
//
// This file is written by `codememory install opencode` and replaced with every
// version; edit the original instead. It needs nothing but the runtime: values
// are imported from node: modules only, because an import that cannot be
// resolved makes OpenCode drop a plugin without a word.
//
// The rules for everything below: a hook never throws, never prints, and never
// keeps OpenCode waiting longer than the deadline. Output objects are changed in
// place, since OpenCode ignores reassigned arrays. One closure serves all
// sessions of a folder and one process may have several closures, so what must
// be remembered hangs on the session id and lives in `shared`.
import type { Hooks, Plugin } from "@opencode-ai/plugin"
import { spawn } from "node:child_process"
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { existsSync } from "node:fs"
import { readFile, readdir, unlink } from "node:fs/promises"
import { connect as tcp } from "node:net"
import { homedir } from "node:os"
import { dirname, isAbsolute, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

const VERSION = "dev" // filled in by the installer
const BINARY = "" // filled in by the installer; without it, codememory of the PATH

const AGENT = "opencode"
const HOST = "127.0.0.1"
const MARK = "<codememory kind="

// What OpenCode hands over differs between its versions and is not always
// complete, so nothing is taken for granted at run time.
type Loose = any

// ---------------------------------------------------------------- settings

interface Settings {
  deadline: number // ms that a hook may take
  toolDeadline: number // ms that a tool may take; the model asked for it and waits
  autostart: boolean
  subagents: boolean // inject into the sessions of subagents too
  keywordPatterns: string[] // regular expressions besides the built-in ones
  contextLine: "advisory" | "always" | "off" // the line about the context window
  levels: [number, number, number] // percent used at which the advice changes
  compactionPrompt: boolean // replace the prompt of a compaction instead of adding to it
  preemptiveCompaction: boolean // compact when a turn ends with the window nearly full
}

const DEFAULTS: Settings = {
  deadline: 300,
  toolDeadline: 10_000,
  autostart: true,
  subagents: false,
  keywordPatterns: [],
  contextLine: "advisory",
  levels: [70, 85, 92],
  compactionPrompt: false,
  preemptiveCompaction: false,
}

// settingsFrom takes what has the type of its default. A plugin that lies in a
// plugins folder gets no options, so they may also come as JSON in a variable.
function settingsFrom(options: Loose): Settings {
  let given: Loose = {}
  try {
    given = JSON.parse(process.env.CODEMEMORY_OPENCODE ?? "{}") ?? {}
  } catch {}
  const all: Loose = { ...given, ...(options ?? {}) }
  const settings: Loose = { ...DEFAULTS }
  for (const [name, fallback] of Object.entries(DEFAULTS)) {
    const value = all[name]
    if (typeof value === typeof fallback && Array.isArray(value) === Array.isArray(fallback)) settings[name] = value
  }
  if (!(settings.deadline >= 20 && settings.deadline <= 5000)) settings.deadline = DEFAULTS.deadline
  const levels = settings.levels
  if (levels.length !== 3 || !levels.every((n: Loose) => Number.isFinite(n))) settings.levels = DEFAULTS.levels
  return settings
}

const switchedOff = (name: string): boolean => {
  const value = process.env[name]
  return value !== undefined && value !== "" && !["0", "f", "F", "false", "FALSE", "False"].includes(value)
}

// ---------------------------------------------------------------- state

interface Model {
  provider: string
  id: string
  context: number
  input: number
  output: number
}

interface Session {
  parent?: string | null // of a subagent; null: a main session; undefined: not known yet
  asking?: Promise<void>
  stable?: string // undefined: never received
  appended: string // what was last put into the system prompt
  stale: boolean // the stable block shall be fetched anew
  compaction: "none" | "announced" | "running"
  goal: string
  turn: string // the user's message that `pinned` belongs to
  pinned: string[]
  budgetEnds: number // of the LLM call in preparation; its hooks share one deadline
  model?: Model
  used?: number // tokens in the context window
  compactedAt: number
}

// Link is what is known about the daemon of one data directory.
interface Link {
  dir: string
  known?: { identity: string; port: number; token: string; at: number }
  failures: number
  closedUntil: number
  failedOn: string // what daemon.json said when the breaker opened
  startingUntil: number
  spawnFailures: number
  nextSpawn: number
}

interface Shared {
  sessions: Map<string, Session>
  links: Map<string, Link>
  pending: Set<Promise<unknown>>
}

// shared is the same for every copy of this plugin that the process loaded, so
// that two of them do not inject twice.
const shared: Shared = ((globalThis as Loose)[Symbol.for("codememory.opencode.1")] ??= {
  sessions: new Map(),
  links: new Map(),
  pending: new Set(),
})

const MAX_SESSIONS = 200

function sessionOf(id: string): Session {
  let s = shared.sessions.get(id)
  if (s) {
    shared.sessions.delete(id)
  } else {
    s = { appended: "", stale: false, compaction: "none", goal: "", turn: "", pinned: [], budgetEnds: 0, compactedAt: 0 }
  }
  shared.sessions.set(id, s) // now the youngest
  for (const oldest of shared.sessions.keys()) {
    if (shared.sessions.size <= MAX_SESSIONS) break
    shared.sessions.delete(oldest)
  }
  return s
}

// ---------------------------------------------------------------- the daemon

const now = () => Date.now()
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

class Failure extends Error {
  constructor(readonly reason: "absent" | "slow" | "foreign") {
    super(reason)
  }
}

function dataDir(): string {
  const own = process.env.CODEMEMORY_DATA_DIR
  if (own) return own.startsWith("~/") ? join(homedir(), own.slice(2)) : own
  const xdg = process.env.XDG_DATA_HOME
  if (xdg && isAbsolute(xdg)) return join(xdg, "codememory")
  if (process.platform !== "win32") return join(homedir(), ".local", "share", "codememory")
  return join(process.env.LOCALAPPDATA || join(homedir(), "AppData", "Local"), "codememory")
}

interface Answer {
  status: number
  headers: Map<string, string>
  body: string
}

const MAX_ANSWER = 8 << 20

// exchange is a plain HTTP request over a socket. Not fetch, and not node:http,
// which is fetch in Bun: both would send the token through HTTP_PROXY when that
// is set. HTTP/1.0 lets the end of the connection end the answer.
function exchange(port: number, method: string, path: string, headers: Record<string, string>, body: string, ms: number) {
  return new Promise<Answer>((resolve, reject) => {
    const bytes = Buffer.from(body)
    const lines = [`${method} ${path} HTTP/1.0`, `Host: ${HOST}:${port}`, `User-Agent: codememory-opencode/${VERSION}`]
    for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
    if (method !== "GET") lines.push("Content-Type: application/json", `Content-Length: ${bytes.length}`)
    const chunks: Buffer[] = []
    let size = 0
    const socket = tcp({ host: HOST, port })
    const finish = (settle: () => void) => {
      clearTimeout(timer)
      socket.destroy()
      settle()
    }
    const timer = setTimeout(() => finish(() => reject(new Failure("slow"))), Math.max(1, ms))
    socket.on("connect", () => socket.write(Buffer.concat([Buffer.from(lines.join("\r\n") + "\r\n\r\n"), bytes])))
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > MAX_ANSWER) finish(() => reject(new Failure("foreign")))
    })
    socket.on("error", () => finish(() => reject(new Failure("absent"))))
    socket.on("close", () =>
      finish(() => {
        const answer = parseAnswer(Buffer.concat(chunks).toString("utf8"))
        answer ? resolve(answer) : reject(new Failure("absent"))
      }),
    )
  })
}

function parseAnswer(text: string): Answer | undefined {
  const end = text.indexOf("\r\n\r\n")
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(text)
  if (end < 0 || !status) return
  const headers = new Map<string, string>()
  for (const line of text.slice(0, end).split("\r\n").slice(1)) {
    const colon = line.indexOf(":")
    if (colon > 0) headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
  }
  return { status: Number(status[1]), headers, body: text.slice(end + 4) }
}

class Daemon {
  constructor(private settings: Settings) {}

  private link(): Link {
    const dir = dataDir()
    let link = shared.links.get(dir)
    if (!link) {
      link = { dir, failures: 0, closedUntil: 0, failedOn: "", startingUntil: 0, spawnFailures: 0, nextSpawn: 0 }
      shared.links.set(dir, link)
    }
    return link
  }

  // post asks the daemon and returns its answer, or undefined when there is
  // none in time. The breaker is for hooks, which OpenCode waits for: what it
  // does not wait for, or what the model asked for, is always tried.
  async post(path: string, body: unknown, ms: number, hook = true): Promise<Loose | undefined> {
    const answer = await this.ask(path, body, ms, hook)
    if (!answer || answer.status >= 300) return
    try {
      return JSON.parse(answer.body || "{}")
    } catch {
      return
    }
  }

  async ask(path: string, body: unknown, ms: number, hook = true): Promise<Answer | undefined> {
    const link = this.link()
    const ends = now() + ms
    try {
      if (hook && now() < link.closedUntil) {
        if ((await identity(link)) === link.failedOn) return
        link.closedUntil = link.failures = 0 // another daemon came up meanwhile
      }
      const { port, token } = await this.connect(link, ends)
      const answer = await exchange(port, "POST", path, { Authorization: `Bearer ${token}` }, JSON.stringify(body), ends - now())
      if (answer.status === 401 || answer.status === 403) throw new Failure("foreign")
      if (link.known) link.known.at = now()
      link.failures = 0
      return answer
    } catch {
      link.known = undefined
      if (hook) await this.open(link)
      return
    }
  }

  // open silences us for a while that doubles with each failure in a row. A new
  // daemon.json ends it early.
  private async open(link: Link) {
    link.failures++
    link.closedUntil = now() + Math.min(30_000, 250 * 2 ** link.failures)
    link.failedOn = await identity(link)
  }

  // connect finds the daemon and makes sure that it knows the token before it
  // is told: a killed daemon may have left its port to any other program.
  private async connect(link: Link, ends: number) {
    for (;;) {
      const said = await identity(link)
      const known = link.known
      if (known && known.identity === said && now() - known.at < 5000) return known
      try {
        return await this.meet(link, said, ends)
      } catch (error) {
        link.known = undefined
        if (!(error instanceof Failure) || error.reason === "slow") throw error
        this.start(link)
        if (now() >= Math.min(ends, link.startingUntil)) throw error
        await sleep(Math.min(15, ends - now()))
      }
    }
  }

  private async meet(link: Link, said: string, ends: number) {
    let port = 0
    let token = ""
    try {
      port = JSON.parse(said).port
      token = (await readFile(join(link.dir, "token"), "utf8")).trim()
    } catch {}
    if (!Number.isInteger(port) || port < 1 || port > 65535 || !token) throw new Failure("absent")
    const challenge = randomBytes(16).toString("hex")
    const answer = await exchange(port, "GET", "/livez", { "X-CodeMemory-Challenge": challenge }, "", ends - now())
    const mac = createHmac("sha256", token)
    for (const part of ["codememory livez", challenge, `${HOST}:${port}`]) mac.update(part).update("\0")
    const want = mac.digest()
    const got = Buffer.from(answer.headers.get("x-codememory-proof") ?? "", "hex")
    if (got.length !== want.length || !timingSafeEqual(got, want)) throw new Failure("foreign")
    link.spawnFailures = 0
    return (link.known = { identity: said, port, token, at: now() })
  }

  // start brings the daemon up, which is harmless when it runs already: the
  // second one sees the lock and leaves.
  private start(link: Link) {
    if (!this.settings.autostart || now() < link.nextSpawn) return
    link.nextSpawn = now() + Math.min(60_000, 2000 * 2 ** link.spawnFailures++)
    link.startingUntil = now() + 5000
    try {
      const command = BINARY && existsSync(BINARY) ? BINARY : "codememory"
      const child = spawn(command, ["daemon", "--detached", "--autostart"], { cwd: homedir(), detached: true, stdio: "ignore", windowsHide: true })
      child.on("error", () => (link.startingUntil = 0))
      child.on("exit", () => (link.startingUntil = 0))
      child.unref()
    } catch {
      link.startingUntil = 0
    }
  }
}

// identity is what the running daemon says of itself, "" without one.
async function identity(link: Link): Promise<string> {
  try {
    return await readFile(join(link.dir, "daemon.json"), "utf8")
  } catch {
    return ""
  }
}

// ---------------------------------------------------------------- reading messages

const cut = (text: string, most: number) => (text.length <= most ? text : text.slice(0, most - 1) + "…")
const firstLine = (text: unknown) => String(text ?? "").trim().split("\n")[0].trim()

// realText is what the user wrote, without what OpenCode, we or other plugins added.
function realText(parts: Loose): string {
  if (!Array.isArray(parts)) return ""
  return parts
    .filter((p) => p?.type === "text" && !p.synthetic && !p.ignored && typeof p.text === "string")
    .map((p) => p.text)
    .join("\n")
    .trim()
}

function clipGoal(text: string): string {
  return text.length <= 4000 ? text : text.slice(0, 3000) + "\n…\n" + text.slice(-1000)
}

const TARGETS = ["filePath", "path", "file", "command", "pattern", "query", "url", "description", "name"]

// actionOf says in a few words what a finished tool call was about.
function actionOf(part: Loose, directory: string) {
  const state = part?.state
  if (part?.type !== "tool" || !["completed", "error"].includes(state?.status)) return
  if (part.tool === "memory" || part.tool === "memory_compact") return
  const input = state.input ?? {}
  const key = TARGETS.find((name) => typeof input[name] === "string" && input[name])
  let target: string = key ? input[key] : firstLine(state.title)
  if (isAbsolute(target)) {
    const inside = relative(directory, target)
    if (inside && !inside.startsWith("..") && !isAbsolute(inside)) target = inside
  }
  let result = ""
  const exit = state.metadata?.exit
  if (state.status === "error") result = "error: " + firstLine(state.error)
  else if (typeof exit === "number" && exit !== 0) result = `exit ${exit}: ` + firstLine(state.output)
  return { tool: String(part.tool ?? ""), target: cut(firstLine(target), 200), result: cut(result, 200) }
}

interface View {
  session: string
  user: Loose // the info of the last message of role user
  turn: string // id of the last message that the user wrote
  goal: string
  actions: { tool: string; target: string; result: string }[]
  visible: string[]
  injected: boolean
}

// viewOf reads a conversation as it will be sent; messages may lack anything.
function viewOf(messages: Loose[], directory: string): View | undefined {
  let user: Loose
  let at = -1
  let injected = false
  const visible = new Set<string>()
  for (let i = messages.length - 1; i >= 0; i--) {
    const { info, parts } = messages[i] ?? {}
    if (!info || !Array.isArray(parts)) continue
    if (info.role === "user") {
      user ??= info
      if (at < 0 && realText(parts)) at = i
      if (parts.some((p) => p?.type === "text" && typeof p.text === "string" && p.text.startsWith(MARK + '"hud"'))) injected = true
      continue
    }
    for (const p of parts) {
      if (p?.type !== "tool" || p.tool !== "memory" || typeof p.state?.output !== "string" || p.state.time?.compacted) continue
      for (const [id] of p.state.output.matchAll(/\b(?:mem_[0-9a-z]{8,}|[0-9a-f]{32})\b/g)) if (visible.size < 100) visible.add(id)
    }
  }
  if (!user || typeof user.sessionID !== "string") return
  const since = messages.slice(at + 1).flatMap((m) => (m?.info?.role === "assistant" && Array.isArray(m.parts) ? m.parts : []))
  const actions = since.map((p) => actionOf(p, directory)).filter((a) => a !== undefined)
  return {
    session: user.sessionID,
    user,
    turn: at >= 0 ? String(messages[at].info.id) : "",
    goal: at >= 0 ? clipGoal(realText(messages[at].parts)) : "",
    actions: at >= 0 ? actions.slice(-8) : [],
    visible: [...visible],
    injected,
  }
}

// ---------------------------------------------------------------- context window

// counted is OpenCode's own measure of what one answer left in the window.
function counted(info: Loose): number {
  const t = info?.tokens
  if (info?.role !== "assistant" || info.summary === true || !t) return 0
  const sum = (t.input ?? 0) + (t.output ?? 0) + (t.cache?.read ?? 0) + (t.cache?.write ?? 0)
  const total = t.total || sum
  return Number.isFinite(total) && total > 0 ? total : 0
}

// readings gives the tokens at the end of each turn since the last compaction,
// oldest first. What a compaction kept stands after its summary but was counted
// before it, so times decide, not places.
function readings(messages: Loose[]): number[] {
  let since = 0
  for (const m of messages) if (m?.info?.summary === true && m.info.role === "assistant") since = Math.max(since, m.info.time?.created ?? 0)
  const perTurn = new Map<string, number>()
  for (const m of messages) {
    const n = counted(m?.info)
    if (n && (m.info.time?.created ?? 0) >= since) perTurn.set(String(m.info.parentID), n)
  }
  return [...perTurn.values()]
}

// usable is how many tokens fit before OpenCode compacts; 0 when unknown.
function usable(model: Model, reserved: number | undefined): number {
  const most = Number(process.env.OPENCODE_EXPERIMENTAL_OUTPUT_TOKEN_MAX) || 32_000
  const output = Math.min(model.output, most) || most
  const room = model.input ? model.input - (reserved ?? Math.min(20_000, output)) : model.context - output
  return model.context > 0 && room > 0 ? room : 0
}

const thousands = (n: number) => (n >= 10_000 ? `${Math.round(n / 1000)}k` : n >= 1000 ? `${(n / 1000).toFixed(1)}k` : String(n))

const ADVICE = [
  "Save decisions worth keeping with memory add.",
  "Finish this step, save open points with memory add, then memory_compact.",
  "Save open points with memory add now: compaction is near.",
]

// usageLine is one line of at most 160 characters, which is what the HUD shows.
function usageLine(settings: Settings, model: Model, room: number, turns: number[]): string {
  const used = turns[turns.length - 1]
  if (settings.contextLine === "off" || !used || !room) return ""
  const percent = Math.round((100 * used) / room)
  const level = settings.levels.filter((from) => percent >= from).length
  if (!level && settings.contextLine !== "always") return ""
  let line = `${percent}% used (${thousands(used)} of ${thousands(room)} tokens, ${cut(`${model.provider}/${model.id}`, 30)})`
  const recent = turns.slice(-6)
  const growth = recent.length > 1 ? (used - recent[0]) / (recent.length - 1) : 0
  if (used - recent[0] > used / 10) line += ", growing"
  if (growth > 0 && used < room) line += `, about ${Math.max(1, Math.floor((room - used) / growth))} turns left`
  return level ? `${line}. ${ADVICE[level - 1]}` : line
}

function modelOf(model: Loose): Model | undefined {
  if (!model?.id) return
  const n = (v: Loose) => (Number.isFinite(v) && v > 0 ? v : 0)
  const limit = model.limit ?? {}
  return { provider: String(model.providerID ?? ""), id: String(model.id), context: n(limit.context), input: n(limit.input), output: n(limit.output) }
}

// ---------------------------------------------------------------- nudge

const KEYWORDS = [
  "remember", "memorize", "save this", "note this", "keep in mind", "don'?t forget", "learn this", "store this",
  "record this", "make a note", "take note", "jot down", "commit to memory", "remember that", "never forget", "always remember",
]

const NUDGE = `${MARK}"nudge">
The user asks for something to be remembered. Save it now with memory({mode:"add", content, type, scope}): one self-contained fact in
one to three sentences; scope "user" for what holds in every project, else "project". Then answer the message as usual.
</codememory>`

function keywordPattern(extra: string[]): RegExp {
  const valid = extra.filter((source) => {
    try {
      new RegExp(source)
      return source !== ""
    } catch {
      return false
    }
  })
  return new RegExp(`\\b(?:${[...KEYWORDS, ...valid].join("|")})\\b`, "i")
}

const withoutCode = (text: string) =>
  text
    .replace(/’/g, "'")
    .replace(/^[ \t]*(```+|~~~+)[\s\S]*?(?:^[ \t]*\1|$(?![\s\S]))/gm, " ")
    .replace(/(`+)[^`][\s\S]*?\1/g, " ")

// ---------------------------------------------------------------- ids

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
let counter = 0

// freshId has the form of OpenCode's ids, which sort by time.
function freshId(prefix: string): string {
  const stamp = BigInt(now()) * 4096n + BigInt(++counter % 4096)
  const tail = Array.from(randomBytes(14), (b) => BASE62[b % 62]).join("")
  return `${prefix}_${(stamp & 0xffffffffffffn).toString(16).padStart(12, "0")}${tail}`
}

// idAfter sorts behind all parts of a message, because OpenCode orders parts by id.
function idAfter(parts: Loose[]): string {
  const last = parts.map((p) => (typeof p?.id === "string" ? p.id : "")).sort().pop() ?? ""
  if (!last.startsWith("prt")) return freshId("prt")
  const id = last.slice(0, 16).padEnd(30, "z")
  return id > last ? id : last + "z"
}

// ---------------------------------------------------------------- tools

const MODES = ["add", "search", "list", "profile", "forget", "get", "history", "help"]
const OPERATIONS = ["help", "summary", "sessions", "children", "messages", "message", "search", "compactions", "context", "plans"]

const MEMORY_DESCRIPTION = `Long-term memory across sessions. Give either mode (remembered facts) or tool (history of past sessions).
mode: add (content; stores it as given), search (query), list, profile (about the user), forget / get / history (memoryId), help.
tool: sessions, children / messages / compactions (args.sessionId), message (args.messageId), search (args.query, past conversations), summary, context (window usage), plans, help.
Save decisions with their reason, corrections, preferences and fixes that took effort. Search before asking the user what was settled earlier.`

const text = (description: string) => ({ type: "string", description })

const MEMORY_ARGS = {
  mode: { type: "string", enum: MODES, description: "operation on remembered facts" },
  tool: { type: "string", enum: OPERATIONS, description: "operation on past sessions, instead of mode" },
  content: text("add: one self-contained fact, 1-3 sentences"),
  query: text("search: plain words; dates, agents and paths work"),
  type: text("add, list: project-brief, architecture, tech-context, product-context, project-config, error-solution, learned-pattern, preference, progress …"),
  scope: { type: "string", enum: ["project", "user"], description: "user: holds in every project" },
  memoryId: text("forget, get, history: mem_…"),
  limit: { type: "number", description: "most results" },
  args: { type: "object", description: "arguments of tool: sessionId, messageId, query, limit, role, showTools, maxLength, read" },
}

const COMPACT_DESCRIPTION =
  "Compact this conversation now: it is summarised and the work goes on with free context. Use when the context window is more than half full and a step is finished. Save open points with memory add first."

// given drops what a model filled in only because the schema seemed to ask for it.
function given(args: Loose): Record<string, unknown> {
  const empty = (v: Loose) => v === undefined || v === null || v === "" || (typeof v === "object" && !Array.isArray(v) && Object.keys(v).length === 0)
  return Object.fromEntries(Object.entries(args ?? {}).filter(([, value]) => !empty(value)))
}

// inRun tells `opencode run`, whose process ends with the turn. A compaction
// that begins then would be left unfinished in the session.
const inRun = () => process.argv.slice(2).find((arg) => !arg.startsWith("-")) === "run"

// ---------------------------------------------------------------- the plugin

const HELPERS = /^\s*(?:You are a title generator|You are a context summarization agent|You are an? (?:anchored )?context summarization|You are a helpful AI assistant tasked with summarizing|Summarize what was done in this conversation)/i

class Adapter {
  private readonly daemon: Daemon
  private readonly keywords: RegExp
  private reserved: number | undefined

  constructor(
    private readonly settings: Settings,
    private readonly client: Loose,
    private readonly directory: string,
  ) {
    this.daemon = new Daemon(settings)
    this.keywords = keywordPattern(settings.keywordPatterns.filter((p) => typeof p === "string"))
  }

  hooks(): Hooks {
    const hooks: Loose = {
      config: this.guarded(async (config) => {
        const reserved = config?.compaction?.reserved
        if (Number.isFinite(reserved)) this.reserved = reserved
      }),
      event: this.guarded(async (input) => this.onEvent(input?.event)),
      dispose: async () => {
        await Promise.race([Promise.allSettled([...shared.pending]), sleep(this.settings.deadline)])
      },
      "chat.message": this.guarded((input, output, call) => this.onMessage(input, output, call)),
      "experimental.chat.messages.transform": this.guarded((_, output, call) => this.onMessages(output, call)),
      "experimental.chat.system.transform": this.guarded((input, output, call) => this.onSystem(input, output, call)),
      "experimental.session.compacting": this.guarded((input, output, call) => this.onCompacting(input, output, call)),
      // Arguments without zod all count as required; most of ours are not.
      "tool.definition": this.guarded(async (input, output) => {
        if (input?.toolID !== "memory" || !output?.jsonSchema) return
        output.jsonSchema = { ...output.jsonSchema, required: [] }
      }),
      tool: {
        memory: { description: MEMORY_DESCRIPTION, args: MEMORY_ARGS, execute: (args: Loose, context: Loose) => this.memory(args, context) },
        memory_compact: { description: COMPACT_DESCRIPTION, args: {}, execute: (_: Loose, context: Loose) => this.compact(context) },
      },
    }
    return hooks
  }

  // guarded makes a hook that returns by the deadline, whatever happens in it.
  // What comes later must not change the output any more: it asks call.over.
  private guarded(hook: (input: Loose, output: Loose, call: Call) => Promise<void>) {
    return async (input: Loose, output: Loose): Promise<void> => {
      const call = new Call(this.settings.deadline)
      let timer: Loose
      try {
        await Promise.race([hook(input, output, call), new Promise((resolve) => (timer = setTimeout(resolve, this.settings.deadline + 20)))])
      } catch {
      } finally {
        clearTimeout(timer)
        call.over = true
      }
    }
  }

  // ---- what the daemon is told

  private send(path: string, body: unknown) {
    const sent: Promise<unknown> = this.daemon.post(path, body, 3000, false).catch(() => undefined)
    shared.pending.add(sent)
    void sent.finally(() => shared.pending.delete(sent))
  }

  private poke(session: string, event: string) {
    this.send(`/v1/agents/${AGENT}/poke`, { session, dir: this.directory, event })
  }

  private async onEvent(event: Loose) {
    const properties = event?.properties ?? {}
    const id = properties.sessionID ?? properties.info?.id
    if (typeof id !== "string") return
    switch (event.type) {
      case "session.created":
      case "session.updated":
        if (properties.info?.id) sessionOf(properties.info.id).parent = properties.info.parentID ?? null
        if (event.type === "session.created") this.poke(properties.info?.id ?? id, "created")
        return
      case "session.idle":
        this.poke(id, "idle")
        this.preempt(id)
        return
      case "session.compacted": {
        const s = sessionOf(id)
        s.stale = true
        s.used = undefined
        if (s.compaction === "running") s.compaction = "none"
        this.poke(id, "compacted")
        return
      }
      case "session.deleted":
        shared.sessions.delete(id)
        this.poke(id, "deleted")
        return
      case "message.updated": {
        const used = counted(properties.info)
        if (used && properties.info.sessionID) sessionOf(properties.info.sessionID).used = used
      }
    }
  }

  // ---- before the model is called

  private async onMessage(input: Loose, output: Loose, call: Call) {
    const id = input?.sessionID ?? output?.message?.sessionID
    const parts = output?.parts
    if (typeof id !== "string" || !Array.isArray(parts)) return
    const s = sessionOf(id)
    const said = realText(parts)
    if (!said) return
    s.goal = clipGoal(said)
    this.poke(id, "prompt") // also starts the daemon, well before it is needed
    void this.learnParent(s, id)
    if (!this.keywords.test(withoutCode(said.slice(0, 50_000))) || parts.some((p) => typeof p?.text === "string" && p.text.startsWith(MARK + '"nudge"'))) return
    if (await this.isSubagent(s, id, call)) return
    this.send("/v1/notes", { project: this.directory, session: id, agent: AGENT, text: cut(said, 16_000) })
    const messageID = output.message?.id ?? parts[0]?.messageID
    if (call.over || typeof messageID !== "string") return
    parts.push({ id: idAfter(parts), sessionID: id, messageID, type: "text", synthetic: true, text: NUDGE })
  }

  private async onMessages(output: Loose, call: Call) {
    const messages = output?.messages
    if (!Array.isArray(messages)) return
    const view = viewOf(messages, this.directory)
    if (!view) return
    const s = sessionOf(view.session)
    if (s.compaction === "announced") {
      s.compaction = "running" // these messages go into the summary: nothing of ours
      return
    }
    s.compaction = "none"
    s.budgetEnds = call.ends
    if (view.injected || (await this.isSubagent(s, view.session, call))) return
    if (view.goal) s.goal = view.goal
    if (view.turn !== s.turn) {
      s.turn = view.turn
      s.pinned = []
    }
    const answer = await this.context(s, view.session, {
      goal: s.goal,
      actions: view.actions,
      pinned: s.pinned,
      visible: view.visible,
      usage: this.usage(s, messages),
      parts: this.wantsStable(s) ? ["stable", "hud"] : ["hud"],
    })
    if (call.over || typeof answer?.hud !== "string" || !answer.hud.trim()) return
    s.pinned = idsOf(answer.memories)
    const messageID = freshId("msg")
    messages.push({
      info: { ...view.user, id: messageID, time: { created: now() } },
      parts: [{ id: freshId("prt"), sessionID: view.session, messageID, type: "text", synthetic: true, text: answer.hud }],
    })
  }

  private async onSystem(input: Loose, output: Loose, call: Call) {
    const id = input?.sessionID
    const system = output?.system
    if (typeof id !== "string" || !Array.isArray(system) || typeof system[0] !== "string" || HELPERS.test(system[0])) return
    const s = sessionOf(id)
    if (s.compaction !== "none") return
    s.model = modelOf(input.model) ?? s.model
    if (await this.isSubagent(s, id, call)) return
    if (s.budgetEnds < now() - 5000) s.budgetEnds = call.ends // a call without the hook for messages
    if (this.wantsStable(s)) await this.context(s, id, { goal: s.goal, parts: ["stable"] })
    if (!call.over) merge(system, s)
  }

  private wantsStable = (s: Session) => s.stable === undefined || s.stale

  private async context(s: Session, session: string, request: Loose): Promise<Loose> {
    const left = s.budgetEnds - now()
    if (left < 5) return
    const answer = await this.daemon.post("/v1/context", { project: this.directory, session, agent: AGENT, again: !s.stale, ...request }, left)
    if (request.parts.includes("stable") && typeof answer?.stable === "string") {
      s.stable = answer.stable.trim()
      s.stale = false
    }
    return answer
  }

  private usage(s: Session, messages: Loose[]): string {
    const turns = readings(messages)
    if (turns.length) s.used = turns[turns.length - 1]
    return s.model ? usageLine(this.settings, s.model, usable(s.model, this.reserved), turns) : ""
  }

  // ---- subagents

  private async isSubagent(s: Session, id: string, call: Call): Promise<boolean> {
    if (this.settings.subagents) return false
    if (s.parent === undefined) await Promise.race([this.learnParent(s, id), sleep(Math.max(0, (call.ends - now()) / 2))])
    return typeof s.parent === "string"
  }

  private learnParent(s: Session, id: string): Promise<void> {
    if (s.parent !== undefined) return Promise.resolve()
    return (s.asking ??= (async () => {
      try {
        const found = await this.client.session.get({ path: { id } })
        if (found?.data?.id === id) s.parent ??= found.data.parentID ?? null
      } catch {
      } finally {
        s.asking = undefined
      }
    })())
  }

  // ---- compaction

  private async onCompacting(input: Loose, output: Loose, call: Call) {
    const id = input?.sessionID
    if (typeof id !== "string") return
    const s = sessionOf(id)
    s.compaction = "announced"
    s.stale = true
    s.pinned = []
    if (await this.isSubagent(s, id, call)) return
    const answer = await this.daemon.post("/v1/compaction", { project: this.directory, session: id, agent: AGENT }, call.ends - now())
    if (call.over || !output) return
    if (typeof answer?.context === "string" && answer.context.trim() && Array.isArray(output.context)) output.context.push(answer.context)
    if (this.settings.compactionPrompt && typeof answer?.prompt === "string" && answer.prompt.trim()) output.prompt = answer.prompt
  }

  private percentUsed(s: Session): number | undefined {
    const room = s.model ? usable(s.model, this.reserved) : 0
    return s.used && room ? Math.round((100 * s.used) / room) : undefined
  }

  // summarize is never awaited by a hook or tool: OpenCode begins the
  // compaction only after they have returned.
  private summarize(s: Session, id: string, auto: boolean) {
    const model = s.model
    if (!model) return
    s.compactedAt = now()
    setTimeout(() => {
      try {
        void Promise.resolve(
          this.client.session.summarize({ path: { id }, body: { providerID: model.provider, modelID: model.id, auto } }),
        ).catch(() => undefined)
      } catch {}
    }, 0)
  }

  private preempt(id: string) {
    const s = sessionOf(id)
    if (!this.settings.preemptiveCompaction || inRun() || typeof s.parent === "string" || now() - s.compactedAt < 30_000) return
    if ((s.used ?? 0) >= 50_000 && (this.percentUsed(s) ?? 0) >= 80) this.summarize(s, id, false)
  }

  // ---- tools

  private async memory(args: Loose, context: Loose): Promise<string> {
    try {
      const id = String(context?.sessionID ?? "")
      const s = sessionOf(id)
      const clean = given(args)
      const request = { tool: "memory", args: clean, project: this.directory, session: id, agent: AGENT, model: s.model }
      const answer = await this.daemon.ask("/v1/tool", request, this.settings.toolDeadline, false)
      let body: Loose
      try {
        body = JSON.parse(answer?.body ?? "null")
      } catch {}
      if (answer && answer.status < 300 && typeof body?.text === "string") {
        if (clean.mode === "add" || clean.mode === "forget") s.stale = true
        return body.text
      }
      const reason = body?.error?.message ?? body?.message ?? body?.error
      if (answer && typeof reason === "string" && answer.status !== 404) return `The memory did not do this: ${reason}`
      return clean.mode === "add"
        ? "The memory cannot be reached at the moment, so this was not saved. Go on without it, and tell the user if it mattered."
        : "The memory cannot be reached at the moment. Go on without it."
    } catch {
      return "The memory cannot be reached at the moment. Go on without it."
    }
  }

  private async compact(context: Loose): Promise<string> {
    try {
      const id = String(context?.sessionID ?? "")
      const s = sessionOf(id)
      if (inRun()) return "Not compacted: this is a single run, which ends with this turn. OpenCode compacts by itself when the context window is full."
      const percent = this.percentUsed(s)
      if (percent === undefined) return "Not compacted: how full the context window is, is not known yet."
      if (percent < 50) return `Not compacted: the context window is ${percent}% full, and compaction is for more than 50%. Go on with the work.`
      this.summarize(s, id, true)
      return `Compaction of this session has been asked for (the context window is ${percent}% full) and begins when this step ends. Go on after it.`
    } catch {
      return "Not compacted: OpenCode could not be asked. Go on with the work."
    }
  }
}

class Call {
  readonly ends: number
  over = false
  constructor(ms: number) {
    this.ends = now() + ms
  }
}

// merge makes the stable block the end of the first system message, once. Some
// model servers refuse a second system message.
function merge(system: string[], s: Session) {
  let head = system[0]
  if (s.appended) head = head.replace(s.appended, () => "")
  head = head.replace(/\s*<codememory kind="stable">(?:(?!<\/codememory>)[\s\S])*<\/codememory>\s*$/, "")
  s.appended = s.stable ? "\n\n" + s.stable : ""
  system[0] = head + s.appended
}

function idsOf(hits: Loose): string[] {
  if (!Array.isArray(hits)) return []
  return hits.map((h) => h?.memory?.id ?? h?.id).filter((id) => typeof id === "string")
}

// STAND_IN is the lock file with which the installer keeps OpenCode from waiting
// for npm, which this plugin does not need.
const STAND_IN = '{"packages":{"":{"dependencies":{"@opencode-ai/plugin":"*"}}}}\n'

// makeRoom removes the stand-in once another plugin or tool lies beside this
// one: that may need packages, and OpenCode shall install them at its next start.
async function makeRoom() {
  try {
    const dir = dirname(dirname(fileURLToPath(import.meta.url)))
    const lock = join(dir, "package-lock.json")
    if ((await readFile(lock, "utf8")) !== STAND_IN) return
    const found = await Promise.all(["plugin", "plugins", "tool", "tools"].map((name) => readdir(join(dir, name)).catch(() => [])))
    const others = found.flat().some((name) => /\.[jt]s$/.test(name) && name !== "codememory.ts")
    if (others || existsSync(join(dir, "package.json"))) await unlink(lock)
  } catch {}
}

const server: Plugin = async (input: Loose, options: Loose) => {
  try {
    // The second variable marks an OpenCode that CodeMemory itself runs.
    if (switchedOff("CODEMEMORY_DISABLE") || switchedOff("CODEMEMORY_INTERNAL")) return {}
    void makeRoom()
    return new Adapter(settingsFrom(options), input?.client, String(input?.directory ?? process.cwd())).hooks()
  } catch {
    return {}
  }
}

export default { id: "codememory", server }
