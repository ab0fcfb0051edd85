import assert from "node:assert/strict"
import { test } from "node:test"
import { call, context, daemon, open, project, sessionID, user } from "./harness.mjs"

test("the two tools together need at most 3 KB of the prompt", async () => {
  const { tool } = await open()
  assert.deepEqual(Object.keys(tool), ["memory", "memory_compact"])
  const size = JSON.stringify(Object.entries(tool).map(([name, t]) => ({ name, description: t.description, parameters: { type: "object", properties: t.args, required: [] } }))).length
  assert.ok(size <= 3072, `${size} bytes`)
})

test("no argument of memory is required", async () => {
  const hooks = await open()
  const output = { description: "d", parameters: {}, jsonSchema: { type: "object", properties: { a: {} }, required: ["a"] } }
  await hooks["tool.definition"]({ toolID: "memory" }, output)
  assert.deepEqual(output.jsonSchema, { type: "object", properties: { a: {} }, required: [] })
  const other = { jsonSchema: { required: ["a"] } }
  await hooks["tool.definition"]({ toolID: "bash" }, other)
  assert.deepEqual(other.jsonSchema.required, ["a"])
})

test("memory passes on what the model gave, without what it left empty", async (t) => {
  const d = await daemon(t, (path) => (path === "/v1/tool" ? { text: "Saved as mem_1." } : context()))
  const hooks = await open()
  const id = sessionID()
  await call(hooks, id, [user(id, "x")], { model: { id: "m", providerID: "p", limit: { context: 128_000, input: 90_000, output: 8000 } } })
  const said = await hooks.tool.memory.execute({ mode: "add", content: "x", query: "", limit: null, args: {}, tool: undefined }, { sessionID: id })
  assert.equal(said, "Saved as mem_1.")
  assert.deepEqual(d.to("/v1/tool"), [
    { tool: "memory", args: { mode: "add", content: "x" }, project, session: id, agent: "opencode", model: { provider: "p", id: "m", context: 128_000, input: 90_000, output: 8000 } },
  ])
})

test("a refusal is told in the daemon's words, an absence plainly", async (t) => {
  const d = await daemon(t, () => [400, { error: { code: "invalid", message: "memory text is empty: say what to remember" } }])
  const hooks = await open()
  const ask = (args) => hooks.tool.memory.execute(args, { sessionID: sessionID() })
  assert.match(await ask({ mode: "add" }), /memory text is empty: say what to remember/)
  d.handle = () => [404, { error: "not found" }]
  assert.match(await ask({ mode: "add", content: "x" }), /cannot be reached.*not saved/)
  await d.stop()
  assert.match(await ask({ mode: "search" }), /cannot be reached/)
  assert.equal(typeof (await hooks.tool.memory.execute(undefined, undefined)), "string")
})
