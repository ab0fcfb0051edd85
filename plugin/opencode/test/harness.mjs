// A stand-in for the daemon and for OpenCode, so that the plugin is tested
// through its hooks alone, as OpenCode calls them.
import { transformSync } from "esbuild"
import { createHmac } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import http from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

export const source = readFileSync(new URL("../codememory.ts", import.meta.url), "utf8")

/** load compiles the plugin, with these constants filled in as the installer does, and loads it from a folder. */
export async function load(fill = {}, folder) {
  let text = source
  for (const [name, value] of Object.entries(fill)) {
    text = text.replace(new RegExp(`^const ${name} = ".*?"`, "m"), () => `const ${name} = ${JSON.stringify(value)}`)
  }
  const dir = folder ?? mkdtempSync(join(tmpdir(), "codememory-plugin-"))
  const file = join(dir, "codememory.mjs")
  writeFileSync(file, transformSync(text, { loader: "ts", format: "esm", target: "node20" }).code)
  try {
    return (await import(pathToFileURL(file).href)).default
  } finally {
    if (!folder) rmSync(dir, { recursive: true })
  }
}

/** daemon answers like the real one; `handle(path, body)` gives the answer or [status, answer]. */
export async function daemon(t, handle = () => ({})) {
  const dir = mkdtempSync(join(tmpdir(), "codememory-data-"))
  const token = "t".repeat(64)
  const d = { dir, token, requests: [], handle, delay: 0, prove: true, strangers: [] }
  const server = http.createServer(async (req, res) => {
    const address = `127.0.0.1:${server.address().port}`
    if (d.delay) await new Promise((r) => setTimeout(r, d.delay).unref())
    if (req.url === "/livez") {
      const mac = createHmac("sha256", d.prove ? token : "wrong")
      for (const part of ["codememory livez", req.headers["x-codememory-challenge"], address]) mac.update(part).update("\0")
      res.writeHead(204, { "X-CodeMemory-Proof": mac.digest("hex") })
      return res.end()
    }
    if (!d.prove) d.strangers.push(req.headers.authorization)
    let raw = ""
    for await (const chunk of req) raw += chunk
    if (req.headers.authorization !== `Bearer ${token}`) return res.writeHead(401).end("{}")
    const body = JSON.parse(raw)
    d.requests.push({ path: req.url, body })
    const answer = await d.handle(req.url, body)
    const [status, value] = Array.isArray(answer) ? answer : [200, answer]
    res.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value))
  })
  d.start = async () => {
    await new Promise((resolve) => server.listen(d.port ?? 0, "127.0.0.1", resolve))
    d.port = server.address().port
    d.announce()
  }
  d.announce = () => writeFileSync(join(dir, "daemon.json"), JSON.stringify({ pid: 1, port: d.port, version: "test", started: new Date().toISOString() }))
  d.stop = () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve)))
  d.to = (path) => d.requests.filter((r) => r.path === path).map((r) => r.body)
  writeFileSync(join(dir, "token"), token + "\n", { mode: 0o600 })
  await d.start()
  process.env.CODEMEMORY_DATA_DIR = dir
  t.after(async () => {
    await d.stop().catch(() => {})
    rmSync(dir, { recursive: true, force: true })
  })
  return d
}

let number = 0
export const sessionID = () => `ses_test${++number}`
export const project = "/work/project"

/** open instantiates the plugin for one folder; `sessions` are what session.get knows. */
export async function open(options = {}, { plugin, sessions = {}, client = {} } = {}) {
  plugin ??= await load()
  const calls = []
  return Object.assign(
    await plugin.server(
      {
        directory: project,
        worktree: project,
        client: {
          session: {
            get: async ({ path }) => (calls.push(["get", path.id]), { data: { id: path.id, ...sessions[path.id] } }),
            summarize: async (request) => (calls.push(["summarize", request]), { data: true }),
            ...client,
          },
        },
      },
      { autostart: false, ...options },
    ),
    { calls },
  )
}

let clock = 1_700_000_000_000
export function user(session, text, extra = {}) {
  const id = `msg_u${++number}`
  return {
    info: { id, sessionID: session, role: "user", time: { created: ++clock }, agent: "build", model: { providerID: "p", modelID: "m" } },
    parts: [{ id: `prt_u${number}`, sessionID: session, messageID: id, type: "text", text, ...extra }],
  }
}

export function assistant(session, parent, parts = [], extra = {}) {
  const id = `msg_a${++number}`
  return { info: { id, sessionID: session, role: "assistant", parentID: parent.info.id, time: { created: ++clock }, ...extra }, parts }
}

export const toolPart = (tool, input, state = {}) => ({ type: "tool", tool, state: { status: "completed", input, output: "", metadata: {}, ...state } })

/** call does what OpenCode does before it calls a model: messages first, then the system prompt. */
export async function call(hooks, session, messages, { system = ["You are opencode."], model } = {}) {
  const sent = { messages: [...messages], system: [...system] }
  await hooks["experimental.chat.messages.transform"]({}, sent)
  await hooks["experimental.chat.system.transform"]({ sessionID: session, model: model ?? { id: "m", providerID: "p", limit: { context: 128_000, output: 8_000 } } }, sent)
  return sent
}

export async function timed(work) {
  const began = performance.now()
  const result = await work()
  return { ms: performance.now() - began, result }
}

export const until = async (met, ms = 2000) => {
  for (const end = Date.now() + ms; Date.now() < end; await new Promise((r) => setTimeout(r, 5))) if (met()) return true
  return false
}

export const context = (hud = "", stable = "", ids = []) => ({ hud, stable, memories: ids.map((id) => ({ memory: { id } })) })
export const HUD = '<codememory kind="hud">\n- mem_00000001 (tech-context): pool 20\n</codememory>'
export const STABLE = '<codememory kind="stable">\n## Project Brief\n- A runner.\n</codememory>'
