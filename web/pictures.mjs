// Renews the pictures of the README: node web/pictures.mjs, after make build.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Browser, World, go, repo, settled } from "./test/world.mjs";
import { doubts, seed } from "./test/seed.mjs";

const world = await World.start();
const browser = await Browser.start();
try {
  const { ids } = await seed(world);
  await doubts(world);
  const page = await browser.page(world, { viewport: { width: 1120, height: 700 } });
  const shop = encodeURIComponent(world.dir("shop"));
  for (const [name, path, theme] of [
    ["overview", "/", "light"], ["memories", `/memories?id=${ids[0]}`, "light"], ["preview", `/preview?project=${shop}&prompt=publish refund events on NATS`, "dark"],
    ["search", "/search?q=why does the login test fail now and then", "light"], ["graph", "/graph", "dark"],
  ]) {
    await page.emulateMedia({ colorScheme: theme });
    await go(page, path);
    await page.waitForTimeout(600);
    await settled(page);
    mkdirSync(join(repo, "docs/img"), { recursive: true });
    await page.screenshot({ path: join(repo, "docs/img", name + ".png") });
  }
} finally {
  await browser.end();
  await world.end();
}
