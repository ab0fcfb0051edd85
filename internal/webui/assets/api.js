// Every question to the daemon goes through here.

const keyName = "codememory.key";

// Failure is what went wrong, in words for people.
export class Failure extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const listeners = new Set();

// watchConnection calls fn with "ok", "lost" or "signedout" whenever that changes.
export function watchConnection(fn) {
  listeners.add(fn);
  return () => listeners.delete(fn);
}

let state = "ok";
function report(next) {
  if (next === state) return;
  state = next;
  for (const fn of listeners) fn(next);
}

function headers() {
  return { "X-CodeMemory-Key": localStorage.getItem(keyName) || "" };
}

// signIn exchanges the code in the address for a session. The code is taken
// out of the address at once, so that it is in no bookmark.
export async function signIn() {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (!code) return;
  history.replaceState(null, "", "/#/");
  const response = await fetch("/ui/session", { method: "POST", body: JSON.stringify({ code }) });
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Failure(body.error?.code, body.error?.message || "The link did not work.");
  localStorage.setItem(keyName, body.key);
}

export async function signOut() {
  localStorage.removeItem(keyName);
  await fetch("/ui/session", { method: "DELETE" }).catch(() => {});
  report("signedout");
}

async function ask(method, path, body, signal) {
  let response;
  try {
    response = await fetch(path, {
      method, signal, headers: headers(), body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (err) {
    if (err.name === "AbortError") throw err;
    report("lost");
    throw new Failure("unavailable", "The daemon does not answer. Any codememory command starts it again; this page then goes on by itself.");
  }
  if (response.status === 401) {
    report("signedout");
    throw new Failure("unauthorized", "This page is no longer signed in: run codememory dashboard.");
  }
  report("ok");
  const answer = await response.json().catch(() => null);
  if (!response.ok) throw new Failure(answer?.error?.code || "internal", answer?.error?.message || `The daemon answered ${response.status}.`);
  return answer;
}

// query writes the set values of an object into an address; lists repeat.
export function query(values) {
  const q = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    for (const v of Array.isArray(value) ? value : [value]) {
      if (v !== undefined && v !== null && v !== "" && v !== false) q.append(name, v);
    }
  }
  const text = q.toString();
  return text ? "?" + text : "";
}

export const get = (path, signal) => ask("GET", path, undefined, signal);
export const post = (path, body = {}, signal) => ask("POST", path, body, signal);
export const patch = (path, body) => ask("PATCH", path, body);
export const remove = (path) => ask("DELETE", path);

export const memory = (id) => `/v1/memories/${encodeURIComponent(id)}`;

// follow calls fn with every event until the signal ends. A broken stream is
// opened again; "reset" then says that events may have been missed.
export async function follow(fn, signal) {
  let connected = false;
  for (let failures = 0; !signal.aborted; ) {
    try {
      const response = await fetch("/v1/events", { headers: headers(), signal });
      if (response.status === 401) return report("signedout");
      if (!response.ok) throw new Error(String(response.status));
      report("ok");
      if (connected) fn({ kind: "reset" });
      connected = true;
      failures = 0;
      await read(response.body.getReader(), fn);
    } catch {
      if (signal.aborted) return;
      report("lost");
    }
    failures++;
    await new Promise((done) => setTimeout(done, Math.min(250 * 2 ** failures, 5000)));
  }
}

async function read(reader, fn) {
  const decoder = new TextDecoder();
  for (let rest = ""; ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += decoder.decode(value, { stream: true });
    const blocks = rest.split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const data = block.split("\n").find((line) => line.startsWith("data: "));
      if (!data) continue;
      const event = JSON.parse(data.slice(6));
      if (event.kind) fn(event);
    }
  }
}
