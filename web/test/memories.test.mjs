// The whole path of a memory: found, edited, pinned, replaced, forgotten,
// brought back, purged; and lists of any length.
import { test, before, after } from "node:test";
import assert from "node:assert/strict";
import { Browser, World, go, settled, violations } from "./world.mjs";
import { seed } from "./seed.mjs";

let world, browser, data;
before(async () => {
  [world, browser] = [await World.start(), await Browser.start()];
  data = await seed(world);
});
after(async () => { await browser?.end(); await world?.end(); });

const memory = (id) => world.api("GET", "/v1/memories/" + id);

test("edited, with the old wording kept", async () => {
  const page = await browser.page(world);
  const id = data.ids[8];
  await go(page, "/memories?id=" + id);
  const open = page.getByRole("article");
  await open.getByText("the mail to the customer is missing").waitFor();
  await page.keyboard.press("e");
  await open.getByLabel("Text", { exact: true }).fill("Refunds: endpoint, event and mail are done.");
  await open.getByLabel("Type", { exact: true }).selectOption("active-context");
  await open.getByLabel(/^Why/).fill("the mail was written");
  await page.keyboard.press("Control+Enter");
  await open.getByText("How it changed").waitFor();
  await open.getByText("because: the mail was written").waitFor();
  const m = await memory(id);
  assert.equal(m.text, "Refunds: endpoint, event and mail are done.");
  assert.equal(m.type, "active-context");
  assert.match(m.revisions[0].text, /mail to the customer is missing/);
  assert.deepEqual(await violations(page), []);
  await open.getByRole("button", { name: "Undo last change" }).click();
  await page.getByText("The last change was taken back.").waitFor();
  assert.match((await memory(id)).text, /mail to the customer is missing/);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("what cannot be saved says why and loses nothing", async () => {
  const page = await browser.page(world);
  await go(page, "/memories?id=" + data.ids[3]);
  const open = page.getByRole("article");
  await open.getByRole("button", { name: "Edit" }).click();
  const long = "x".repeat(33 * 1024);
  await open.getByLabel("Text", { exact: true }).fill(long);
  await open.getByRole("button", { name: "Save" }).click();
  await open.getByRole("alert").getByText("at most 32768 are kept").waitFor();
  assert.equal(await open.getByLabel("Text", { exact: true }).inputValue(), long);
  await page.context().close();
});

test("pinned, archived, forgotten with undo", async () => {
  const page = await browser.page(world);
  const id = data.ids[9];
  await go(page, "/memories?id=" + id);
  const open = page.getByRole("article");
  await open.getByRole("button", { name: "Pin", exact: true }).click();
  await open.getByRole("button", { name: "Unpin" }).waitFor();
  assert.equal((await memory(id)).pinned, true);
  await open.getByRole("button", { name: "Archive" }).click();
  await open.getByRole("button", { name: "Unarchive" }).click();
  await open.getByRole("button", { name: "Archive", exact: true }).waitFor();
  await open.getByRole("button", { name: "Forget" }).click();
  await page.getByRole("status").getByText("Forgotten.").waitFor();
  await open.getByText("forgotten", { exact: true }).first().waitFor();
  assert.ok((await memory(id)).forgotten_at);
  await page.getByRole("option", { name: /HTTP handlers are named/ }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo", exact: true }).last().click();
  await page.getByRole("option", { name: /HTTP handlers are named/ }).waitFor();
  assert.ok(!(await memory(id)).forgotten_at);
  await page.context().close();
});

test("replaced by a newer fact", async () => {
  const page = await browser.page(world);
  const id = data.ids[13];
  await go(page, "/memories?id=" + id);
  await page.getByRole("article").getByRole("button", { name: "Replace…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("What holds now").fill("Mill runs as a Kubernetes CronJob at 03:00 since the warehouse opens at 05:00.");
  await dialog.getByLabel("Why").fill("new opening hours");
  assert.deepEqual(await violations(page), []);
  await dialog.getByRole("button", { name: "Replace" }).click();
  const open = page.getByRole("article");
  await open.getByText("How it changed").waitFor();
  await open.getByText("because: new opening hours").waitFor();
  assert.ok((await memory(id)).superseded_by);
  await page.context().close();
});

test("purged only after its id was typed", async () => {
  const page = await browser.page(world);
  const id = data.ids[11];
  await go(page, "/memories?id=" + id);
  await page.getByRole("article").getByRole("button", { name: "Purge…" }).click();
  const dialog = page.getByRole("dialog");
  const purge = dialog.getByRole("button", { name: "Purge for good" });
  assert.ok(await purge.isDisabled());
  await dialog.getByLabel(/to confirm/).fill("mem_" + id.slice(-8));
  await purge.click();
  await page.getByText("no trace of its text").waitFor();
  await assert.rejects(memory(id), /404/);
  await page.getByRole("option", { name: /Contoso/ }).waitFor({ state: "detached" });
  await page.context().close();
});

test("filters are in the address and combine", async () => {
  const page = await browser.page(world);
  await go(page, "/memories");
  await page.getByRole("search").getByLabel("Type", { exact: true }).selectOption("preference");
  await page.getByText("3 memories match").waitFor();
  await page.getByLabel("Scope").selectOption("user");
  await page.getByText("2 memories match").waitFor();
  await page.getByLabel("Contains").fill("lieferschein");
  await page.getByText("1 memory matches").waitFor();
  assert.match(page.url(), /type=preference.*scope=user.*text=lieferschein/);
  await page.reload();
  await page.getByRole("option", { name: /keep German names/ }).waitFor();
  await page.getByLabel("Contains").fill("no such words anywhere");
  await page.getByText("Nothing matches these filters").waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByLabel("State").selectOption("superseded");
  await page.getByRole("option", { name: /04:30/ }).waitFor();
  await page.context().close();
});

test("a list of thousands is there at once and can be jumped through", async () => {
  const n = 2000;
  const now = Date.now();
  const parts = "stock order refund price label return supplier invoice payment customer basket search image review coupon gift ship track route driver depot shelf scanner printer mail sms push login role audit report export import backup batch clock lease".split(" ");
  const places = ["postgres", "redis", "sqlite", "kafka", "s3.bucket", "etcd"];
  const lines = Array.from({ length: n }, (_, i) => {
    const at = new Date(now - 200 * 864e5 - i * 6e4).toISOString();
    return JSON.stringify({ id: (BigInt(Date.parse(at)) << 80n | BigInt(i) | 7n << 76n).toString(16).padStart(32, "0"), text: `Fact ${i}: the \`${parts[Math.floor((i * 7919 % 1000 / 1000) ** 2 * parts.length)]}-api\` keeps its state in \`${places[i % 17 % places.length]}\`, see aisle ${i % 31}.`, type: "learned-pattern", scope: "project", importance: 0.5, source: { agent: "cli" }, created_at: at, updated_at: at, usage: {} });
  });
  const response = await fetch(world.base + "/v1/import?project=" + encodeURIComponent(world.dir("mill")), { method: "POST", headers: { Authorization: "Bearer " + world.token, "Content-Type": "application/x-ndjson" }, body: lines.join("\n") });
  assert.equal(response.status, 200, await response.text());
  const page = await browser.page(world);
  await go(page, "/memories");
  await page.getByText(/^2,0\d\d memories$/).waitFor();
  const list = page.getByRole("listbox");
  assert.ok(await list.getByRole("option").count() < 60, "all rows exist");
  await list.focus();
  await page.keyboard.press("End");
  await page.getByText(`Fact ${n - 1}:`).waitFor();
  await page.keyboard.press("Home");
  await page.getByText("Orders are events on NATS").first().waitFor();
  await list.evaluate((el) => { el.scrollTop = el.scrollHeight / 2; });
  await page.waitForFunction(() => [...document.querySelectorAll('[role="option"]')].some((e) => /Fact (9|10)\d\d:/.test(e.textContent)));
  await go(page, "/graph?nodes=500");
  await settled(page);
  await page.screenshot({ path: new URL("../artifacts/graph-500.png", import.meta.url).pathname });
  assert.deepEqual(page.faults, []);
  await page.context().close();
});
