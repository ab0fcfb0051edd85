// What models cost that CodeMemory asks by itself: the model is a server of
// this test, the rest is real.
import { test, before, after } from "node:test";
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { Browser, World, go, violations } from "./world.mjs";
import { seed } from "./seed.mjs";

let world, browser, model, address;
before(async () => {
  model = createServer((request, response) => {
    request.resume().on("end", () => {
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ id: "x", object: "chat.completion", model: "gpt-test", choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: '{"queries":["refund events"],"entities":["nats"],"keep":[]}' } }], usage: { prompt_tokens: 120000, completion_tokens: 4000, total_tokens: 124000 } }));
    });
  });
  await new Promise((done) => model.listen(0, "127.0.0.1", done));
  address = `http://127.0.0.1:${model.address().port}/v1`;
  world = await World.start(`[llm]\nprovider = "fake"\n[llm.budget]\nusd = 1.0\n[llm.providers.fake]\ntype = "openai"\nurl = "${address}"\nmodel = "gpt-test"\nprice_input = 1.0\nprice_output = 10.0\n[llm.roles.expand]\nprovider = "fake"\n`);
  browser = await Browser.start();
  await seed(world);
});
after(async () => { await browser?.end(); await world?.end(); model?.close(); });

test("costs, budget and endpoints are shown, and the count begins anew", async () => {
  await world.api("POST", "/v1/context", { project: world.dir("shop"), agent: "codex", session: "s1", goal: "publish refund events" });
  for (let i = 0; i < 100 && (await world.api("GET", "/v1/costs")).total.calls === 0; i++) await new Promise((done) => setTimeout(done, 100));
  const page = await browser.page(world);
  await go(page, "/activity");
  await page.getByRole("cell", { name: "fake/gpt-test" }).waitFor();
  await page.getByText(/of \$1\.00/).waitFor();
  await page.getByText("Last calls").click();
  await page.getByRole("cell", { name: "expand" }).first().waitFor();
  assert.deepEqual(await violations(page), []);
  await page.screenshot({ path: new URL("../artifacts/costs.png", import.meta.url).pathname });
  await page.getByRole("button", { name: "Begin the count anew…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Begin anew" }).click();
  await page.getByText("The count begins anew.").waitFor();
  assert.equal((await world.api("GET", "/v1/costs")).total.calls, 0);
  await go(page, "/settings");
  await page.getByText(address.replace("/v1", "")).first().waitFor();
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("typing into the preview asks no model", async () => {
  const before = (await world.api("GET", "/v1/activity")).entries.length;
  const page = await browser.page(world);
  await go(page, "/preview?project=" + encodeURIComponent(world.dir("shop")) + "&prompt=why are refunds late");
  await page.getByText("With this call").waitFor();
  await page.waitForTimeout(800);
  assert.equal((await world.api("GET", "/v1/activity")).entries.length, before);
  await page.context().close();
});
