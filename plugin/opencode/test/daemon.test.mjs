import assert from "node:assert/strict"
import { mkdtempSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"
import { HUD, call, context, daemon, load, open, sessionID, timed, until, user } from "./harness.mjs"

const hud = () => context(HUD)

test("a daemon that needs 5 s delays a call by no more than the deadline", async (t) => {
  const d = await daemon(t, hud)
  d.delay = 5000
  const hooks = await open()
  const id = sessionID()
  const { ms, result } = await timed(() => call(hooks, id, [user(id, "hello")]))
  assert.ok(ms <= 350, `took ${ms} ms`)
  assert.equal(result.messages.length, 1)
  const again = await timed(() => call(hooks, id, [user(id, "hello")]))
  assert.ok(again.ms < 50, `the breaker is open, but it took ${again.ms} ms`)
})

test("a slow daemon delays neither the acceptance of a message nor its end", async (t) => {
  const d = await daemon(t)
  d.delay = 5000
  const hooks = await open()
  const id = sessionID()
  const message = { message: { id: "msg_1", sessionID: id }, parts: user(id, "remember this").parts }
  assert.ok((await timed(() => hooks["chat.message"]({ sessionID: id }, message))).ms < 50)
  assert.equal(message.parts.length, 2)
  assert.ok((await timed(() => hooks.event({ event: { type: "session.idle", properties: { sessionID: id } } }))).ms < 50)
  assert.ok((await timed(() => hooks.dispose())).ms <= 350)
})

test("answers that are errors or no JSON inject nothing and break nothing", async (t) => {
  const d = await daemon(t)
  const hooks = await open()
  for (const answer of [[500, {}], [404, { error: "not found" }], [200, null], [200, []], [200, { hud: 7, stable: {} }], [200, "text"]]) {
    d.handle = () => answer
    const id = sessionID()
    const { ms, result } = await timed(() => call(hooks, id, [user(id, "hello")]))
    assert.equal(result.messages.length, 1)
    assert.deepEqual(result.system, ["You are opencode."])
    assert.ok(ms < 200)
  }
  d.handle = hud
  const id = sessionID()
  assert.equal((await call(hooks, id, [user(id, "hello")])).messages.length, 2, "errors do not open the breaker")
})

test("without a daemon calls are silent and fast, and the first after its return has the HUD", async (t) => {
  const d = await daemon(t, hud)
  const hooks = await open()
  const id = sessionID()
  assert.equal((await call(hooks, id, [user(id, "one")])).messages.length, 2)
  await d.stop()
  for (let i = 0; i < 5; i++) {
    const { ms, result } = await timed(() => call(hooks, id, [user(id, "two")]))
    assert.equal(result.messages.length, 1)
    assert.ok(ms < 50, `took ${ms} ms`)
  }
  await d.start()
  assert.equal((await call(hooks, id, [user(id, "three")])).messages.length, 2)
})

test("the breaker stays open while nothing changes, and tries again later", async (t) => {
  const d = await daemon(t, hud)
  d.delay = 5000
  const hooks = await open({ deadline: 100 })
  const id = sessionID()
  await call(hooks, id, [user(id, "one")])
  d.delay = 0
  assert.equal((await call(hooks, id, [user(id, "two")])).messages.length, 1, "open")
  assert.ok(await until(() => false, 550) === false)
  assert.equal((await call(hooks, id, [user(id, "three")])).messages.length, 2, "closed again")
})

test("a program that took the daemon's port is not told the token", async (t) => {
  const d = await daemon(t, hud)
  d.prove = false
  const hooks = await open()
  const id = sessionID()
  assert.equal((await call(hooks, id, [user(id, "hello")])).messages.length, 1)
  assert.deepEqual(d.strangers, [])
})

test("HTTP_PROXY does not see requests to the daemon", async (t) => {
  await daemon(t, hud)
  for (const name of ["HTTP_PROXY", "http_proxy", "ALL_PROXY"]) {
    process.env[name] = "http://127.0.0.1:9"
    t.after(() => delete process.env[name])
  }
  const hooks = await open()
  const id = sessionID()
  assert.equal((await call(hooks, id, [user(id, "hello")])).messages.length, 2)
})

test("a missing data directory, token or daemon.json is silence", async (t) => {
  const d = await daemon(t, hud)
  const hooks = await open()
  for (const spoil of [() => writeFileSync(join(d.dir, "daemon.json"), "{"), () => writeFileSync(join(d.dir, "daemon.json"), '{"port":99999}'), () => unlinkSync(join(d.dir, "token")), () => rmSync(d.dir, { recursive: true })]) {
    spoil()
    const id = sessionID()
    const { ms, result } = await timed(() => call(hooks, id, [user(id, "hello")]))
    assert.equal(result.messages.length, 1)
    assert.ok(ms < 100)
  }
})

test("the daemon is started, detached and once, when a message comes and it is not running", async (t) => {
  const d = await daemon(t, hud)
  await d.stop()
  unlinkSync(join(d.dir, "daemon.json"))
  const dir = mkdtempSync(join(tmpdir(), "codememory-bin-"))
  t.after(() => rmSync(dir, { recursive: true }))
  const log = join(dir, "log")
  const binary = join(dir, "code memory")
  writeFileSync(binary, `#!/bin/sh\necho "$@" >> "${log}"\nsleep 1\n`, { mode: 0o755 })
  const hooks = await open({ autostart: true }, { plugin: await load({ BINARY: binary }) })
  const id = sessionID()
  assert.equal(await until(() => false, 50), false, "loading the plugin starts nothing")
  assert.throws(() => readFileSync(log))
  await hooks["chat.message"]({ sessionID: id }, { message: { id: "msg_1" }, parts: user(id, "hello").parts })
  await hooks.event({ event: { type: "session.created", properties: { info: { id } } } })
  setTimeout(() => d.start(), 100)
  const sent = await call(hooks, id, [user(id, "hello")])
  assert.equal(sent.messages.length, 2, "the call waits for a daemon that is coming up")
  assert.equal(readFileSync(log, "utf8"), "daemon --detached --autostart\n")
})

test("a program that cannot be started costs no waiting", async (t) => {
  const d = await daemon(t, hud)
  await d.stop()
  unlinkSync(join(d.dir, "daemon.json"))
  const path = process.env.PATH
  process.env.PATH = "/nonexistent"
  t.after(() => (process.env.PATH = path))
  const hooks = await open({ autostart: true })
  const id = sessionID()
  const { ms } = await timed(() => call(hooks, id, [user(id, "hello")]))
  assert.ok(ms < 150, `took ${ms} ms`)
})

test("events are passed on, and dispose waits for those under way", async (t) => {
  const d = await daemon(t, () => [202, {}])
  const hooks = await open()
  const id = sessionID()
  await hooks.event({ event: { type: "session.created", properties: { info: { id } } } })
  await hooks["chat.message"]({ sessionID: id }, { message: { id: "msg_1" }, parts: user(id, "hello").parts })
  for (const type of ["session.idle", "session.compacted"]) await hooks.event({ event: { type, properties: { sessionID: id } } })
  await hooks.event({ event: { type: "session.deleted", properties: { info: { id } } } })
  await hooks.event({ event: { type: "plugin.added", properties: {} } })
  await hooks.dispose()
  assert.deepEqual(
    d.to("/v1/agents/opencode/poke").map((p) => p.event).sort(),
    ["compacted", "created", "deleted", "idle", "prompt"],
  )
  assert.ok(d.to("/v1/agents/opencode/poke").every((p) => p.session === id && p.dir === "/work/project"))
})

test("while hooks are silent, notes and tools still reach a daemon that answers again", async (t) => {
  const d = await daemon(t, (path) => (path === "/v1/tool" ? { text: "found" } : {}))
  d.delay = 5000
  const hooks = await open({ deadline: 50 })
  const id = sessionID()
  await call(hooks, id, [user(id, "one")])
  d.delay = 0
  assert.equal(await hooks.tool.memory.execute({ mode: "search", query: "x" }, { sessionID: id }), "found")
  await hooks["chat.message"]({ sessionID: id }, { message: { id: "msg_1" }, parts: user(id, "remember this").parts })
  assert.ok(await until(() => d.to("/v1/notes").length === 1))
})
