// Every page with real data: it shows it, in both themes, to everybody, at
// every size, and a picture of it is kept for review.
import { test, before, after } from "node:test";
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Browser, World, artifacts, go, settled, violations } from "./world.mjs";
import { doubts, seed } from "./seed.mjs";

let world, browser, data;
before(async () => {
  mkdirSync(artifacts, { recursive: true });
  [world, browser] = [await World.start(), await Browser.start()];
  data = await seed(world);
  await doubts(world);
});
after(async () => { await browser?.end(); await world?.end(); });

// pages says what each page must show once it is settled.
const pages = {
  overview: [() => "/", ["Learned this week", "Orders are events on NATS", "claude-code works", "Shown to models lately"]],
  memories: [() => `/memories?id=${data.ids[1]}`, ["21 memories", "Kafka was rejected", "What it hangs together with", "refines"]],
  search: [() => "/search?q=flaky login test", ["Login test flaky", "words: rank 1", "meaning: rank", "Fix the flaky login test", "Conversations"]],
  timeline: [() => "/timeline", ["Today", "Find out why refunds do not reach the warehouse", "Left open: Mail to the customer"]],
  session: [() => `/sessions/${data.sessions[1]}`, ["Left to do", "Backfill the refunds of last week", "Refunds are events of their own"]],
  graph: [() => "/graph", ["nats", "Find a node"]],
  preview: [() => "/preview?prompt=fix the flaky login test", ["/ 400 tokens", "<codememory kind=\"hud\">", "Why each line is there", "shares flaky"]],
  review: [() => "/review", ["to decide", "Rebase onto trunk", "Accept"]],
  activity: [() => "/activity", ["Shown to models", "This week", "was saved in", "No language model is asked"]],
  settings: [() => "/settings", ["What leaves this machine", "Nothing. Search, embeddings and storage work here", "http.port", "opencode not found"]],
};

for (const theme of ["light", "dark"]) {
  test(`every page in ${theme}`, async (t) => {
    const page = await browser.page(world, { colorScheme: theme });
    for (const [name, [path, texts]] of Object.entries(pages)) {
      await t.test(name, async () => {
        await go(page, path());
        for (const text of texts) await page.locator("main").getByText(text).first().waitFor();
        await settled(page);
        await page.screenshot({ path: join(artifacts, `${name}-${theme}.png`) });
        assert.deepEqual(await violations(page), []);
      });
    }
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });
}

test("readable on a phone and on a wall", async (t) => {
  for (const [label, viewport] of Object.entries({ phone: { width: 400, height: 800 }, wall: { width: 3840, height: 2160 } })) {
    const page = await browser.page(world, { viewport });
    for (const [name, [path, texts]] of Object.entries(pages)) {
      await t.test(`${name} on a ${label}`, async () => {
        await go(page, path());
        await page.locator("main").getByText(texts[0]).first().waitFor();
        await settled(page);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(wide <= 0, `it can be scrolled sideways by ${wide}px`);
        const small = await page.evaluate(() => Math.min(...[...document.querySelectorAll("main p, main td, main li, main a")].filter((e) => e.offsetParent && e.textContent.trim()).map((e) => parseFloat(getComputedStyle(e).fontSize))));
        assert.ok(small >= (label === "wall" ? 16 : 11), `text of ${small}px`);
        if (label === "phone" || name === "memories") await page.screenshot({ path: join(artifacts, `${name}-${label}.png`) });
      });
    }
    assert.deepEqual(page.faults, []);
    await page.context().close();
  }
});

test("nothing jumps while a page fills", async () => {
  const page = await browser.page(world);
  for (const [path] of Object.values(pages)) {
    await go(page, path());
    const shift = await page.evaluate(() => new Promise((done) => {
      let sum = 0;
      const watch = new PerformanceObserver((list) => { for (const e of list.getEntries()) if (!e.hadRecentInput) sum += e.value; });
      watch.observe({ type: "layout-shift" });
      setTimeout(() => { watch.disconnect(); done(sum); }, 400);
    }));
    assert.ok(shift < 0.1, `${path()} shifts by ${shift}`);
  }
  await page.context().close();
});

test("the keyboard reaches everything", async () => {
  const page = await browser.page(world);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.tagName), "H1");
  for (const [keys, title] of [["gm", "Memories"], ["gt", "Timeline"], ["gg", "Graph"], ["gh", "HUD preview"], ["gr", "Review"], ["ga", "Activity and costs"], ["ge", "Settings and health"], ["go", "Overview"]]) {
    for (const key of keys) await page.keyboard.press(key);
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
  }
  await page.keyboard.press("/");
  await page.locator(".searchbox:focus").waitFor();
  await page.keyboard.type("gateway refresh");
  await page.getByText("The gateway caches refresh tokens").first().waitFor();
  await go(page, "/memories");
  await page.getByRole("listbox").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("article").waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.context().close();
});

test("the theme can be chosen and stays", async () => {
  const page = await browser.page(world, { colorScheme: "light" });
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  await page.getByText("Dark", { exact: true }).click();
  const dark = await paper();
  assert.notEqual(light, dark);
  await page.reload();
  await settled(page);
  assert.equal(await paper(), dark);
  await page.context().close();
});

test("a session is read and handed over", async () => {
  const page = await browser.page(world);
  await go(page, "/timeline");
  await page.getByRole("link", { name: /flaky login test/ }).click();
  await page.getByRole("button", { name: "Read the conversation" }).click();
  await page.getByText("The session cookie expires after two seconds").last().waitFor();
  await page.getByText("run the test 20 times").click();
  await page.getByText("ok shop/auth 3.2s").waitFor();
  await page.getByRole("button", { name: "Hand over…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Text to hand over").getByText("logout test").waitFor();
  await dialog.getByLabel("To", { exact: true }).selectOption("codex");
  await dialog.getByLabel("Text to hand over").getByText("to codex").waitFor();
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("the graph is walked without seeing it", async () => {
  const page = await browser.page(world);
  await go(page, "/graph");
  await page.getByLabel("Find a node").fill("nats");
  await page.getByRole("list", { name: "Nodes" }).getByRole("button", { name: /^nats/ }).press("Enter");
  const chosen = page.getByRole("region", { name: "The chosen node" });
  await chosen.getByText("Connected with").waitFor();
  await chosen.getByRole("button", { name: /Kafka was rejected/ }).click();
  await chosen.getByRole("link", { name: "Open it" }).click();
  await page.getByRole("article").getByText("Kafka was rejected").waitFor();
  await page.context().close();
});
