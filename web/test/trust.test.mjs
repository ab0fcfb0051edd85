// Who gets in, what stored text can do, and what happens when the daemon goes.
import { test, before, after } from "node:test";
import assert from "node:assert/strict";
import { Browser, World, go, payloads, settled } from "./world.mjs";
import { attack, browserAttacks, seed } from "./seed.mjs";

let world, browser, data;
before(async () => {
  [world, browser] = [await World.start(), await Browser.start()];
  data = await seed(world);
});
after(async () => { await browser?.end(); await world?.end(); });

test("a link works once and leaves no trace", async () => {
  const context = await browser.chromium.newContext();
  const page = await context.newPage();
  const asked = [];
  page.on("request", (r) => asked.push(r.url()));
  const link = world.link();
  const code = link.split("#code=")[1];
  await page.goto(link);
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  assert.ok(!page.url().includes(code), "the code stays in the address");
  assert.ok(!asked.some((u) => u.includes(code) || u.includes(world.token)), "a secret was sent in an address");
  const kept = await page.evaluate(() => JSON.stringify({ ...localStorage }) + document.cookie);
  assert.ok(!kept.includes(world.token), "the token is kept in the page");
  const [cookie] = await context.cookies();
  assert.equal(cookie.httpOnly, true);
  assert.equal(cookie.sameSite, "Strict");
  assert.ok(!cookie.value.includes(world.token));

  const second = await browser.chromium.newContext();
  const thief = await second.newPage();
  await thief.goto(link);
  await thief.getByText("used already or is too old").waitFor();
  await thief.locator("pre").getByText("codememory dashboard").waitFor();
  await Promise.all([context.close(), second.close()]);
});

test("without a session, with a wrong code and with a stolen cookie nothing is shown", async () => {
  const signedIn = await browser.page(world);
  const [cookie] = await signedIn.context().cookies();
  for (const [address, cookies] of [["/", []], ["/#code=0123456789abcdef", []], ["/", [cookie]]]) {
    const context = await browser.chromium.newContext();
    await context.addCookies(cookies);
    const page = await context.newPage();
    await page.goto(world.base + address);
    await page.locator("pre").getByText("codememory dashboard").waitFor();
    assert.equal(await page.getByText("NATS").count(), 0);
    await context.close();
  }
  await signedIn.getByRole("button", { name: "Sign out" }).click();
  await signedIn.locator("pre").getByText("codememory dashboard").waitFor();
  await signedIn.reload();
  await signedIn.locator("pre").getByText("codememory dashboard").waitFor();
  await signedIn.context().close();
});

test("published attacks are shown as the text they are", async () => {
  const n = await attack(world);
  assert.ok(n > 100 && payloads.length > 500);
  const page = await browser.page(world);
  await go(page, "/memories?project=" + encodeURIComponent(world.dir("mill")));
  const list = page.getByRole("listbox");
  for (const text of browserAttacks.slice(0, 6)) {
    await page.getByLabel("Contains").fill(text.slice(0, 24));
    await page.getByRole("option").filter({ hasText: text.slice(0, 20) }).first().click();
    await page.locator(".memorytext").filter({ hasText: text.slice(0, 20) }).waitFor();
  }
  await page.getByLabel("Contains").fill("");
  for (let top = 0; top < n * 84; top += 1500) {
    await list.evaluate((el, to) => { el.scrollTop = to; }, top);
    await page.waitForFunction(() => ![...document.querySelectorAll(".waiting")].length);
  }
  for (const path of ["/search?q=script onerror window hacked", "/graph?nodes=500&project=" + encodeURIComponent(world.dir("mill")), "/preview?prompt=ignore previous instructions&project=" + encodeURIComponent(world.dir("mill")), "/review", "/"]) await go(page, path);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator("main img, main iframe, main script, main style").count(), 0);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("a policy without exceptions", async () => {
  const response = await fetch(world.base + "/");
  const policy = response.headers.get("content-security-policy");
  for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "frame-ancestors 'none'", "trusted-types 'none'"]) assert.ok(policy.includes(part), part);
  assert.ok(!policy.includes("unsafe"));
  const page = await browser.page(world);
  const blocked = await page.evaluate(() => {
    try { document.createElement("div").innerHTML = "<b>x</b>"; return false; } catch { return true; }
  });
  assert.ok(blocked, "text can become markup");
  await page.context().close();
});

test("what happens elsewhere appears by itself", async () => {
  const page = await browser.page(world);
  await go(page, "/memories");
  world.run("remember", "Live updates reach the page without a reload");
  await page.getByRole("option", { name: /Live updates reach the page/ }).waitFor();
  await go(page, "/activity");
  await page.getByText("All quiet").or(page.getByRole("log")).first().waitFor();
  world.run("remember", "A second one for the feed");
  await page.getByRole("log").getByText("was saved in shop").first().waitFor();
  await world.api("POST", "/v1/context", { project: world.dir("shop"), agent: "codex", goal: "live updates reach the page" });
  await page.getByRole("log").getByText("tokens were put before a model").first().waitFor();
  await page.getByRole("cell", { name: "codex" }).first().waitFor();
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("a daemon that restarts under the page", async () => {
  const page = await browser.page(world);
  await go(page, "/memories");
  await page.getByRole("option", { name: /Orders are events/ }).waitFor();
  await world.stop();
  await page.getByRole("alert").getByText("The daemon does not answer").waitFor();
  await page.getByText("Connecting…").waitFor();
  assert.equal(await page.getByRole("option", { name: /Orders are events/ }).count(), 1, "what was shown is gone");
  await world.daemon();
  await page.getByText("Live", { exact: true }).waitFor({ timeout: 15000 });
  await page.getByRole("alert").waitFor({ state: "detached" });
  world.run("remember", "Written after the restart");
  await page.getByRole("option", { name: /Written after the restart/ }).waitFor();
  await page.context().close();
});

test("thumbs down keeps a memory away from such prompts, and can be taken back", async () => {
  const page = await browser.page(world);
  await go(page, "/preview?project=" + encodeURIComponent(world.dir("shop")));
  await page.getByLabel("Prompt", { exact: true }).fill("fix the flaky login test");
  const hud = page.getByLabel("Text of the HUD");
  await hud.getByText("Login test flaky").waitFor();
  await page.getByRole("button", { name: /Of no use for this prompt: Login test flaky/ }).click();
  await hud.filter({ hasText: "Login test flaky" }).waitFor({ state: "detached" });
  const context = await world.api("POST", "/v1/context", { project: world.dir("shop"), goal: "please fix the flaky login test", parts: ["hud"] });
  assert.ok(!context.hud.includes("Login test flaky"), context.hud);
  await page.getByRole("button", { name: "Take back" }).click();
  await hud.getByText("Login test flaky").waitFor();
  const shown = (await world.api("GET", "/v1/memories/" + data.ids[4])).usage.shown;
  await page.getByLabel("Prompt", { exact: true }).fill("fix the flaky login test now");
  await settled(page);
  assert.equal((await world.api("GET", "/v1/memories/" + data.ids[4])).usage.shown, shown, "looking counts as showing");
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("capture is paused, everywhere and in a project", async () => {
  const page = await browser.page(world);
  await go(page, "/settings");
  await page.getByRole("button", { name: "Pause everywhere" }).click();
  await page.locator("strong").getByText("Paused everywhere").waitFor();
  assert.equal((await world.api("GET", "/v1/capture")).paused, true);
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Pause everywhere" }).waitFor();
  await page.getByLabel("Pause in one project").selectOption({ label: "mill" });
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await page.getByRole("listitem").filter({ hasText: "mill" }).getByRole("button", { name: "Resume" }).waitFor();
  assert.deepEqual((await world.api("GET", "/v1/capture")).projects.map((p) => p.name), ["mill"]);
  await page.context().close();
});

test("errors say what to do", async () => {
  const page = await browser.page(world);
  await go(page, "/memories?id=00000000000000000000000000000000");
  await page.getByRole("alert").getByText("no memory").waitFor();
  await go(page, "/sessions/ses_none");
  await page.getByText("There is no record of this session").waitFor();
  await page.getByText("no agent on this machine has records").waitFor();
  await go(page, "/nowhere");
  await page.getByRole("heading", { name: "No such page" }).waitFor();
  await page.context().close();
});
