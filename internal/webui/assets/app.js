// The frame of the pages: signing in, the way around, and what all pages share.
import { html, render, useCallback, useEffect, useMemo, useRef, useState, useErrorBoundary } from "./lib/preact.js";
import * as api from "./api.js";
import { App, Dialog, Problem, useKeys } from "./ui.js";
import { Overview } from "./pages/overview.js";
import { Memories } from "./pages/memories.js";
import { Search } from "./pages/search.js";
import { Timeline } from "./pages/timeline.js";
import { Session } from "./pages/session.js";
import { Graph } from "./pages/graph.js";
import { Preview } from "./pages/preview.js";
import { Review } from "./pages/review.js";
import { Activity } from "./pages/activity.js";
import { Settings } from "./pages/settings.js";

const pages = [
  { path: "/", name: "Overview", page: Overview, key: "o" },
  { path: "/memories", name: "Memories", page: Memories, key: "m" },
  { path: "/search", name: "Search", page: Search, key: "s" },
  { path: "/timeline", name: "Timeline", page: Timeline, key: "t" },
  { path: "/graph", name: "Graph", page: Graph, key: "g" },
  { path: "/preview", name: "HUD preview", page: Preview, key: "h" },
  { path: "/review", name: "Review", page: Review, key: "r" },
  { path: "/activity", name: "Activity", page: Activity, key: "a" },
  { path: "/settings", name: "Settings", page: Settings, key: "e" },
];

// place reads where we are from the address: #/memories?type=preference
function place() {
  const [path, search] = (location.hash.slice(1) || "/").split("?");
  return { path: path || "/", params: Object.fromEntries(new URLSearchParams(search || "")) };
}

function usePlace() {
  const [at, set] = useState(place);
  useEffect(() => {
    const changed = () => set(place());
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  // go changes the address; replace keeps the way back short while typing.
  const go = useCallback((path, params = {}, replace) => {
    const to = "#" + path + api.query(params);
    if (replace) {
      history.replaceState(null, "", to);
      set(place());
    } else {
      location.hash = to;
    }
  }, []);
  return [at, go];
}

function useProjects(live) {
  const [projects, set] = useState([]);
  useEffect(() => {
    let timer;
    const load = () => api.get("/v1/projects").then((a) => set(a.projects), () => {});
    load();
    const off = live((event) => {
      if (!/^(reset|store|memory|turn)/.test(event.kind)) return;
      clearTimeout(timer);
      timer = setTimeout(load, 1000);
    });
    return () => { clearTimeout(timer); off(); };
  }, []);
  return projects;
}

// useEvents opens the one stream of events that all pages share.
function useEvents() {
  const readers = useRef(new Set());
  const seen = useRef([]);
  useEffect(() => {
    const stop = new AbortController();
    api.follow((event) => {
      if (event.kind !== "reset") seen.current = [event, ...seen.current].slice(0, 200);
      for (const fn of [...readers.current]) fn(event);
    }, stop.signal);
    return () => stop.abort();
  }, []);
  const live = useCallback((fn) => {
    readers.current.add(fn);
    return () => readers.current.delete(fn);
  }, []);
  return [live, seen];
}

function useToasts() {
  const [toasts, set] = useState([]);
  const toast = useCallback((text, action) => {
    const id = Math.random();
    set((all) => [...all.slice(-2), { id, text, action }]);
    setTimeout(() => set((all) => all.filter((t) => t.id !== id)), action ? 10000 : 5000);
  }, []);
  const close = (id) => set((all) => all.filter((t) => t.id !== id));
  return [toasts, toast, close];
}

const themes = { "": "System", light: "Light", dark: "Dark" };

function ThemeChoice() {
  const [theme, set] = useState(localStorage.getItem("codememory.theme") || "");
  const choose = (next) => {
    set(next);
    if (next) document.documentElement.dataset.theme = next;
    else delete document.documentElement.dataset.theme;
    localStorage.setItem("codememory.theme", next);
    dispatchEvent(new Event("themechange"));
  };
  return html`<fieldset class="themes"><legend class="hidden">Theme</legend>${Object.entries(themes).map(([value, name]) => html`
    <label key=${name}><input type="radio" name="theme" value=${value} checked=${theme === value} onChange=${() => choose(value)} /><span>${name}</span></label>`)}</fieldset>`;
}

const shortcuts = [
  ["/", "search"], ["g then a letter", "go to a page: o m s t g h r a e"], ["↑ ↓ or j k", "move in a list"], ["Enter", "open"],
  ["e", "edit the open memory"], ["p", "pin or unpin it"], ["f", "forget it"], ["u", "undo its last change"], ["?", "this list"],
];

function Shortcuts({ onClose }) {
  return html`<${Dialog} title="Keys" onClose=${onClose}><dl class="keys">${shortcuts.map(([key, does]) => html`<div key=${key}><dt><kbd>${key}</kbd></dt><dd>${does}</dd></div>`)}</dl></${Dialog}>`;
}

// useWays are the keys that lead from page to page.
function useWays(go, help) {
  const last = useRef("");
  useKeys((e) => {
    if (last.current === "g") {
      last.current = "";
      const page = pages.find((p) => p.key === e.key);
      e.stopImmediatePropagation(); // it is no key of the page that is left
      if (page) { e.preventDefault(); go(page.path); }
      return;
    }
    last.current = e.key;
    if (e.key === "/") { e.preventDefault(); go("/search"); }
    if (e.key === "?") help();
  }, true);
}

function SignedOut({ message }) {
  return html`<main class="signin" id="main"><h1>CodeMemory</h1>
    <p>${message || "This page is not signed in, or no longer."}</p>
    <p>Run this in a terminal; it opens a page that is signed in:</p>
    <pre><code>codememory dashboard</code></pre>
    <p class="muted">The link it opens works once and for two minutes. A session lasts a day.</p></main>`;
}

function Frame({ signOut }) {
  const [at, go] = usePlace();
  const [live, seen] = useEvents();
  const projects = useProjects(live);
  const [toasts, toast, close] = useToasts();
  const [connection, setConnection] = useState("ok");
  const [help, setHelp] = useState(false);
  useWays(go, () => setHelp(true));
  useEffect(() => api.watchConnection((state) => state === "signedout" ? signOut() : setConnection(state)), []);
  const found = pages.find((p) => p.path === at.path) || (at.path.startsWith("/sessions/") ? { path: "/timeline", name: "Session", page: Session } : null);
  const app = useMemo(() => ({
    projects, go, toast, live, seen, nameOf: (id) => id === "user" || !id ? "Mine" : projects.find((p) => p.id === id)?.name || id,
  }), [projects]);
  // A new page begins at its heading, for eyes and for screen readers.
  const moved = useRef(false);
  useEffect(() => {
    if (moved.current) {
      scrollTo(0, 0);
      if (!document.activeElement?.closest("main")) document.querySelector("main h1")?.focus({ preventScroll: true }); // unless the page has put it elsewhere
    }
    moved.current = true;
  }, [at.path]);
  return html`<${App.Provider} value=${app}>
    <a class="skip" href="#main" onClick=${(e) => { e.preventDefault(); document.querySelector("main h1")?.focus(); }}>Skip to the content</a>
    <div class="frame">
      <header class="side">
        <a class="brand" href="#/"><img src="/ui/icon.svg" alt="" width="26" height="26" />CodeMemory</a>
        <nav aria-label="Pages"><ul>${pages.map((p) => html`<li key=${p.path}><a href=${"#" + p.path} aria-current=${found?.path === p.path ? "page" : undefined}>${p.name}</a></li>`)}</ul></nav>
        <div class="sidefoot">
          <p class="connection ${connection}" role="status"><span class="dot"></span>${connection === "ok" ? "Live" : "Connecting…"}</p>
          <${ThemeChoice} />
          <div class="sidelinks"><button class="quiet" onClick=${() => setHelp(true)}>Keys</button><button class="quiet" onClick=${api.signOut}>Sign out</button></div>
        </div>
      </header>
      <main id="main">
        ${connection === "lost" && html`<div class="problem banner" role="alert"><p>The daemon does not answer. Any <code>codememory</code> command starts it again; this page then goes on by itself.</p></div>`}
        <${Guarded} key=${at.path}>${found ? html`<${found.page} at=${at} params=${at.params} />` : html`<h1 tabIndex="-1">No such page</h1><p><a href="#/">Go to the overview</a></p>`}</${Guarded}>
      </main>
    </div>
    <div class="toasts" role="status" aria-live="polite">${toasts.map((t) => html`<div class="toast" key=${t.id}><span>${t.text}</span>
      ${t.action && html`<button class="quiet" onClick=${() => { close(t.id); t.action.do(); }}>${t.action.name}</button>`}</div>`)}</div>
    ${help && html`<${Shortcuts} onClose=${() => setHelp(false)} />`}
  </${App.Provider}>`;
}

// Guarded keeps a defect of one page from taking the rest along.
function Guarded({ children }) {
  const [error, reset] = useErrorBoundary();
  if (error) return html`<h1 tabIndex="-1">This page broke</h1><${Problem} error=${{ message: `${error.message} – please report it with what you did.` }} retry=${reset} />`;
  return children;
}

function Root({ failure }) {
  const [out, set] = useState(Boolean(failure));
  const [checked, check] = useState(false);
  useEffect(() => {
    if (failure) return;
    api.get("/v1/health").then(() => check(true), (e) => e.code === "unauthorized" ? set(true) : check(true));
  }, []);
  if (out) return html`<${SignedOut} message=${failure} />`;
  if (!checked) return html`<p class="loading" role="status" aria-label="Loading"><span></span></p>`;
  return html`<${Frame} signOut=${() => set(true)} />`;
}

async function start() {
  let failure = "";
  try {
    await api.signIn();
  } catch (err) {
    failure = err.message;
  }
  render(html`<${Root} failure=${failure} />`, document.getElementById("app"));
}

// Another code may arrive in a page that is open already.
addEventListener("hashchange", () => { if (location.hash.startsWith("#code=")) location.reload(); });
start();
