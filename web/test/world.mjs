// A machine for one test run: a fresh home, a built binary, a real daemon with
// real data, and Debian's Chromium.
import { spawn, execFileSync } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { gunzipSync } from "node:zlib";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { AxeBuilder } from "@axe-core/playwright";

const here = dirname(fileURLToPath(import.meta.url));
export const repo = resolve(here, "../..");
export const artifacts = join(repo, "web/artifacts");
const binary = process.env.CODEMEMORY_BIN || join(repo, "bin/codememory");

// payloads are published attacks; here they are only text that must stay text.
export const payloads = gunzipSync(readFileSync(join(repo, "internal/render/testdata/payloads.jsonl.gz"))).toString().trim().split("\n").map((line) => JSON.parse(line).text);

function freePort() {
  return new Promise((done, failed) => {
    const server = createServer();
    server.once("error", failed);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

export class World {
  static async start(settings) {
    const w = new World();
    w.home = mkdtempSync(join(tmpdir(), "codememory-ui-"));
    w.port = await freePort();
    w.env = {
      PATH: process.env.PATH, HOME: w.home, TZ: "UTC", LANG: "C.UTF-8", CODEMEMORY_HTTP_PORT: String(w.port), CODEMEMORY_DAEMON_IDLE_EXIT: "10m",
      GIT_CONFIG_GLOBAL: join(w.home, "gitconfig"), GIT_CEILING_DIRECTORIES: w.home,
    };
    w.base = `http://127.0.0.1:${w.port}`;
    for (const name of ["shop", "mill"]) {
      const dir = join(w.home, "src", name);
      mkdirSync(dir, { recursive: true });
      execFileSync("git", ["init", "-q", dir], { env: w.env });
    }
    if (settings) write(join(w.home, ".config/codememory/config.toml"), settings);
    await w.daemon();
    return w;
  }

  dir(name) { return join(this.home, "src", name); }
  run(...args) { return execFileSync(binary, args, { env: this.env, cwd: this.dir("shop"), encoding: "utf8" }); }
  get token() { return readFileSync(join(this.home, ".local/share/codememory/token"), "utf8").trim(); }

  // daemon starts one in the foreground and waits until it answers.
  async daemon() {
    this.process = spawn(binary, ["daemon", "--detached"], { env: this.env, stdio: "ignore" });
    for (let i = 0; i < 200; i++) {
      try {
        if ((await fetch(this.base + "/livez")).status === 204) return;
      } catch { /* not yet */ }
      await new Promise((done) => setTimeout(done, 50));
    }
    throw new Error("the daemon does not answer");
  }

  async stop() {
    const ended = new Promise((done) => this.process.once("exit", done));
    this.run("stop");
    await ended;
  }

  async end() {
    await this.stop().catch(() => this.process.kill());
    rmSync(this.home, { recursive: true, force: true });
  }

  async api(method, path, body) {
    const response = await fetch(this.base + path, {
      method, headers: { Authorization: "Bearer " + this.token, "Content-Type": "application/json" }, body: body && JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  link() { return this.run("dashboard", "--no-open").trim(); }
}

export class Browser {
  static async start() {
    const b = new Browser();
    b.chromium = await chromium.launch({
      executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
      args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    });
    return b;
  }

  // page opens the pages signed in. What goes wrong in them is kept in page.faults.
  async page(world, options = {}) {
    const context = await this.chromium.newContext({ viewport: { width: 1440, height: 900 }, timezoneId: "UTC", locale: "en-GB", reducedMotion: "reduce", ...options });
    const page = await context.newPage();
    page.faults = [];
    page.on("pageerror", (err) => page.faults.push("error: " + err.message));
    page.on("console", (m) => m.type() === "error" && page.faults.push("console: " + m.text()));
    page.on("dialog", (d) => { page.faults.push("dialog: " + d.message()); d.dismiss(); });
    page.on("request", (r) => { if (!r.url().startsWith(world.base) && !r.url().startsWith("data:")) page.faults.push("outside: " + r.url()); });
    page.setDefaultTimeout(15000);
    await page.goto(world.link());
    await page.getByRole("heading", { level: 1 }).waitFor();
    return page;
  }

  end() { return this.chromium.close(); }
}

// go opens a page of ours by its address and waits until it shows its data.
export async function go(page, path) {
  await page.evaluate((to) => { location.hash = to; }, path);
  await settled(page);
}

export async function settled(page) {
  await page.locator("main h1").first().waitFor();
  await page.waitForFunction(() => !document.querySelector("main .loading") && !document.querySelector('[aria-busy="true"]') && document.querySelector("canvas")?.dataset.settled !== "false");
}

// violations runs axe on what is shown.
export async function violations(page) {
  const { violations } = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]).analyze();
  return violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(" | ")}`);
}

export function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
