import assert from "node:assert/strict"
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"
import { HUD, STABLE, context, daemon, load, open, source, until } from "./harness.mjs"

// A small generator of values that OpenCode should never send but might.
function random(seed) {
  const next = () => ((seed = (seed * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff)
  const pick = (list) => list[Math.floor(next() * list.length)]
  const keys = ["info", "parts", "id", "sessionID", "role", "type", "text", "state", "status", "input", "output", "tokens", "cache", "time", "created", "summary", "parentID", "tool", "model", "limit", "messages", "system", "event", "properties", "context", "message", "jsonSchema", "toolID"]
  const leaf = () => pick([null, undefined, 0, -1, NaN, Infinity, "", "user", "assistant", "text", "tool", "completed", "session.created", "message.updated", "session.idle", "remember this", "\u0000\ud800", "x".repeat(5000), true, "memory", "ses_fuzz", "You are opencode.", "prt_1", 10n ** 20n, () => 1, Symbol("x")])
  const value = (depth) => {
    const kind = next()
    if (depth <= 0 || kind < 0.3) return leaf()
    if (kind < 0.6) return Array.from({ length: Math.floor(next() * 4) }, () => value(depth - 1))
    return Object.fromEntries(Array.from({ length: 1 + Math.floor(next() * 5) }, () => [pick(keys), value(depth - 1)]))
  }
  const thrower = () => new Proxy({}, { get() { throw new Error("poisoned") } })
  return { value: () => (next() < 0.05 ? thrower() : value(6)), shaped: () => ({ messages: [value(4), { info: { role: "user", sessionID: "ses_fuzz", id: "msg_1" }, parts: [value(3), { type: "text", text: "remember" }] }, value(5), { info: { role: "assistant", tokens: value(2) }, parts: value(3) }], parts: [value(3), { type: "text", text: "remember this", messageID: "m" }], system: [leaf(), leaf()], context: value(1), message: value(2), jsonSchema: leaf() }) }
}

test("no hook throws, whatever it is called with", async (t) => {
  await daemon(t, () => context(HUD, STABLE, ["mem_1"]))
  const hooks = await open({ deadline: 100 }, { client: { get: () => { throw new Error("no client") } } })
  const names = Object.keys(hooks).filter((name) => typeof hooks[name] === "function" && name !== "dispose")
  assert.equal(names.length, 7)
  for (let seed = 1; seed <= 400; seed++) {
    const r = random(seed)
    for (const name of names) {
      const input = seed % 3 ? r.value() : { sessionID: "ses_fuzz", event: { type: "session.created", properties: r.value() } }
      await hooks[name](input, seed % 2 ? r.shaped() : r.value())
    }
  }
  for (const tool of Object.values(hooks.tool)) assert.equal(typeof (await tool.execute(random(7).value(), null)), "string")
  await hooks.dispose()
})

test("a hook leaves nothing behind that could end the process", async (t) => {
  const lost = []
  const note = (error) => lost.push(error)
  process.on("unhandledRejection", note)
  t.after(() => process.off("unhandledRejection", note))
  const d = await daemon(t)
  const hooks = await open()
  await d.stop()
  await hooks.event({ event: { type: "session.idle", properties: { sessionID: "ses_1" } } })
  await hooks["chat.message"]({ sessionID: "ses_1" }, { message: { id: "m" }, parts: [{ type: "text", text: "remember" }] })
  await hooks.dispose()
  await new Promise((r) => setTimeout(r, 50))
  assert.deepEqual(lost, [])
})

test("the file imports values from node alone, exports one default, and never prints", () => {
  for (const [, kind, from] of source.matchAll(/^import (type )?.*? from "(.*?)"/gm)) assert.ok(kind || from.startsWith("node:"), from)
  assert.deepEqual(source.match(/^export .*/gm), ['export default { id: "codememory", server }'])
  assert.doesNotMatch(source, /console\.|process\.std(out|err)|import\(|require\(/)
})

test("the installer's stand-in for npm goes when another plugin comes, and only then", async (t) => {
  const standIn = '{"packages":{"":{"dependencies":{"@opencode-ai/plugin":"*"}}}}\n'
  for (const [name, files, gone] of [
    ["alone", { "package-lock.json": standIn }, false],
    ["a plugin", { "package-lock.json": standIn, "plugins/other.ts": "" }, true],
    ["a tool", { "package-lock.json": standIn, "tool/other.js": "" }, true],
    ["packages", { "package-lock.json": standIn, "package.json": "{}" }, true],
    ["a lock file of npm", { "package-lock.json": "{}", "plugins/other.ts": "" }, false],
  ]) {
    const dir = mkdtempSync(join(tmpdir(), "codememory-config-"))
    t.after(() => rmSync(dir, { recursive: true }))
    for (const folder of ["plugins", "tool"]) mkdirSync(join(dir, folder))
    for (const [file, text] of Object.entries(files)) writeFileSync(join(dir, file), text)
    await open({}, { plugin: await load({}, join(dir, "plugins")) })
    assert.equal(await until(() => !existsSync(join(dir, "package-lock.json")), gone ? 1000 : 60), gone, name)
  }
})
