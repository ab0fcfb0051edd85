import assert from "node:assert/strict"
import { test } from "node:test"
import { HUD, STABLE, assistant, call, context, daemon, open, project, sessionID, until, user } from "./harness.mjs"

let blocks = 0
const answers = (path, body) => {
  if (path === "/v1/compaction") return { context: "Keep: port 9473", prompt: "Summarise for yourself." }
  return path === "/v1/context" ? context(HUD, body.parts.includes("stable") ? `${STABLE}${++blocks}` : "") : {}
}

async function compact(hooks, id, messages) {
  const output = { context: [], prompt: undefined }
  await hooks["experimental.session.compacting"]({ sessionID: id }, output)
  return { output, ...(await call(hooks, id, messages, { system: ["A summariser with a prompt of its own."] })) }
}

test("memory goes into the prompt of a compaction, and none of our blocks into the summary", async (t) => {
  const d = await daemon(t, answers)
  const hooks = await open()
  const id = sessionID()
  const messages = [user(id, "one")]
  const before = (await call(hooks, id, messages)).system[0]
  const compaction = await compact(hooks, id, messages)
  assert.deepEqual(compaction.output, { context: ["Keep: port 9473"], prompt: undefined })
  assert.equal(compaction.messages.length, 1)
  assert.deepEqual(compaction.system, ["A summariser with a prompt of its own."])
  assert.deepEqual(d.to("/v1/compaction"), [{ project, session: id, agent: "opencode" }])
  await hooks.event({ event: { type: "session.compacted", properties: { sessionID: id } } })
  const after = await call(hooks, id, messages)
  assert.equal(after.messages.length, 2, "the HUD is back")
  assert.notEqual(after.system[0], before, "the stable block is fetched anew")
})

test("the block is also fetched anew when the event comes late", async (t) => {
  await daemon(t, answers)
  const hooks = await open()
  const id = sessionID()
  const before = (await call(hooks, id, [user(id, "one")])).system[0]
  await compact(hooks, id, [user(id, "one")])
  const after = (await call(hooks, id, [user(id, "one")])).system[0]
  assert.notEqual(after, before)
})

test("a compaction of one session does not concern another", async (t) => {
  await daemon(t, answers)
  const hooks = await open()
  const [one, two] = [sessionID(), sessionID()]
  await hooks["experimental.session.compacting"]({ sessionID: one }, { context: [] })
  assert.equal((await call(hooks, two, [user(two, "hi")])).messages.length, 2)
  assert.equal((await call(hooks, one, [user(one, "hi")])).messages.length, 1)
})

test("the prompt is replaced only when asked for", async (t) => {
  await daemon(t, answers)
  const hooks = await open({ compactionPrompt: true })
  const output = { context: [], prompt: undefined }
  await hooks["experimental.session.compacting"]({ sessionID: sessionID() }, output)
  assert.equal(output.prompt, "Summarise for yourself.")
})

test("an older daemon without the route compacts as before", async (t) => {
  await daemon(t, () => [404, { error: "not found" }])
  const hooks = await open({ compactionPrompt: true })
  const output = { context: [], prompt: undefined }
  await hooks["experimental.session.compacting"]({ sessionID: sessionID() }, output)
  assert.deepEqual(output, { context: [], prompt: undefined })
})

// filled brings a session to this many tokens of 120,000.
async function filled(hooks, total) {
  const id = sessionID()
  const asked = user(id, "work")
  await call(hooks, id, [asked])
  await hooks.event({ event: { type: "message.updated", properties: { sessionID: id, info: assistant(id, asked, [], { tokens: { total } }).info } } })
  return id
}

test("memory_compact refuses below half, and never waits for the compaction it starts", async (t) => {
  await daemon(t, answers)
  const hooks = await open({}, { client: { summarize: (r) => (hooks.calls.push(["summarize", r]), new Promise(() => {})) } })
  const compactions = () => hooks.calls.filter(([name]) => name === "summarize")
  assert.match(await hooks.tool.memory_compact.execute({}, { sessionID: sessionID() }), /not known yet/)
  assert.match(await hooks.tool.memory_compact.execute({}, { sessionID: await filled(hooks, 59_000) }), /49% full/)
  const id = await filled(hooks, 90_000)
  assert.match(await hooks.tool.memory_compact.execute({}, { sessionID: id }), /asked for.*75% full/)
  assert.equal(compactions().length, 0, "begins only after the tool has answered")
  assert.ok(await until(() => compactions().length === 1))
  assert.deepEqual(compactions()[0][1], { path: { id }, body: { providerID: "p", modelID: "m", auto: true } })
})

test("in opencode run memory_compact refuses", async (t) => {
  await daemon(t, answers)
  const hooks = await open()
  const id = await filled(hooks, 90_000)
  const argv = process.argv
  process.argv = ["bun", "/$bunfs/root/opencode", "--print-logs", "run", "hello"]
  t.after(() => (process.argv = argv))
  assert.match(await hooks.tool.memory_compact.execute({}, { sessionID: id }), /single run/)
})

test("preemptive compaction is opt-in, from 80% and 50,000 tokens on, once", async (t) => {
  await daemon(t, answers)
  for (const [options, total, want] of [[{}, 110_000, 0], [{ preemptiveCompaction: true }, 90_000, 0], [{ preemptiveCompaction: true }, 97_000, 1]]) {
    const hooks = await open(options)
    const id = await filled(hooks, total)
    for (let i = 0; i < 3; i++) await hooks.event({ event: { type: "session.idle", properties: { sessionID: id } } })
    await until(() => false, 20)
    assert.equal(hooks.calls.filter(([name]) => name === "summarize").length, want)
  }
})
