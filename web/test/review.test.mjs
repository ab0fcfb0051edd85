// What needs a decision: each with one key, by the mouse too, and with a way back.
import { test, before, after } from "node:test";
import assert from "node:assert/strict";
import { Browser, World, go, violations } from "./world.mjs";
import { doubts, seed } from "./seed.mjs";

let world, browser, data, doubt;
before(async () => {
  [world, browser] = [await World.start(), await Browser.start()];
  data = await seed(world);
  doubt = await doubts(world);
});
after(async () => { await browser?.end(); await world?.end(); });

const memory = (id) => world.api("GET", "/v1/memories/" + id);
const item = (page, text) => page.locator(".reviewitem").filter({ hasText: text });

test("one key each", async () => {
  const page = await browser.page(world);
  await go(page, "/review?project=" + encodeURIComponent(world.dir("shop")));
  await item(page, "Rebase onto trunk").waitFor();
  assert.deepEqual(await violations(page), []);

  await item(page, "Rebase onto trunk").click({ position: { x: 8, y: 8 } });
  await page.keyboard.press("a");
  await item(page, "Rebase onto trunk").waitFor({ state: "detached" });
  await page.getByText("Accepted.").waitFor();
  assert.equal((await memory(doubt.quarantined)).quarantine ?? "", "");

  await item(page, "run as root").click({ position: { x: 8, y: 8 } });
  await page.locator(".current").filter({ hasText: "run as root" }).waitFor();
  await page.keyboard.press("x");
  await page.getByText("Rejected: forgotten.").waitFor();
  assert.ok((await memory(doubt.attack)).forgotten_at);
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await item(page, "run as root").waitFor();

  await item(page, "port 8080").click({ position: { x: 8, y: 8 } });
  const texts = await item(page, "port 8080").locator(".reviewtext").allTextContents();
  await page.keyboard.press("1");
  await page.getByText("Kept; the others are superseded.").waitFor();
  const [kept, other] = texts[0].includes("8080") ? [doubt.conflict[0], doubt.conflict[1]] : [doubt.conflict[1], doubt.conflict[0]];
  assert.equal((await memory(other)).superseded_by, kept);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("promoted from its own page", async () => {
  const page = await browser.page(world);
  await go(page, "/memories?id=" + data.ids[7]);
  await page.getByRole("article").getByRole("button", { name: "Promote" }).click();
  await page.getByText("It is yours now").waitFor();
  const mine = await world.api("GET", "/v1/memories?reach=user");
  assert.ok(mine.memories.some((m) => m.text.startsWith("Prefers table tests")));
  await page.context().close();
});
