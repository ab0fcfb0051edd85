// The parts that pages are made of.
import { html, createContext, useCallback, useContext, useEffect, useRef, useState } from "./lib/preact.js";
import { ago, full, plain } from "./words.js";

// App is what every page can use: projects, toast, live, go.
export const App = createContext(null);
export const useApp = () => useContext(App);

// useLoad asks for something and again when one of the inputs changes. The old
// answer stays until the new one is there, so that nothing jumps.
export function useLoad(load, inputs) {
  const [state, set] = useState({ loading: true });
  const [round, again] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    set((old) => ({ ...old, loading: true }));
    Promise.resolve(load(stop.signal)).then(
      (data) => stop.signal.aborted || set({ data, loading: false }),
      (error) => stop.signal.aborted || error.name === "AbortError" || set((old) => ({ data: old.data, error, loading: false })),
    );
    return () => stop.abort();
  }, [...inputs, round]);
  return { ...state, reload: useCallback(() => again((n) => n + 1), []) };
}

// useLive calls fn soon after an event whose kind begins with one of the
// prefixes; a burst of events makes one call. "reset" counts as every kind.
export function useLive(fn, ...prefixes) {
  const app = useApp();
  const latest = useRef(fn);
  latest.current = fn;
  useEffect(() => {
    let timer;
    const off = app.live((event) => {
      if (event.kind !== "reset" && !prefixes.some((p) => event.kind.startsWith(p))) return;
      clearTimeout(timer);
      timer = setTimeout(() => latest.current(event), 200);
    });
    return () => {
      clearTimeout(timer);
      off();
    };
  }, []);
}

export function useDebounced(value, wait) {
  const [late, set] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => set(value), wait);
    return () => clearTimeout(timer);
  }, [value, wait]);
  return late;
}

// typing reports whether a key belongs to a field.
const typing = (e) => /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName) && e.target.type !== "radio" && e.target.type !== "checkbox";

// useKeys calls fn with every key that is meant for the page: not typed into a
// field, not for the browser, and with no dialog open. What is on the screen
// decides: fn is always that of the last drawing. The first one may keep a key
// from the others.
export function useKeys(fn, first = false) {
  const latest = useRef();
  latest.current = fn;
  useEffect(() => {
    const pressed = (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey || typing(e) || document.querySelector("dialog[open]")) return;
      latest.current(e);
    };
    addEventListener("keydown", pressed, first);
    return () => removeEventListener("keydown", pressed, first);
  }, []);
}

export const Time = ({ at }) => at ? html`<time dateTime=${at} title=${full(at)}>${ago(at)}</time>` : null;
export const Badge = ({ kind = "", children }) => html`<span class="badge ${kind}">${children}</span>`;
export const Type = ({ of }) => html`<span class="badge type">${plain(of)}</span>`;

export function PageHead({ title, lead, children }) {
  useEffect(() => { document.title = `${title} – CodeMemory`; }, [title]);
  return html`<header class="pagehead"><div><h1 tabIndex="-1">${title}</h1>${lead && html`<p class="lead">${lead}</p>`}</div>${children && html`<div class="actions">${children}</div>`}</header>`;
}

export const Panel = ({ title, more, children, class: name = "", id }) => html`<section class="panel ${name}" aria-labelledby=${id}>
  <div class="panelhead"><h2 id=${id}>${title}</h2>${more}</div>${children}</section>`;

// Empty says that there is nothing, and what to do about it.
export const Empty = ({ title, children }) => html`<div class="empty"><p class="emptytitle">${title}</p><p>${children}</p></div>`;

export const Problem = ({ error, retry }) => html`<div class="problem" role="alert"><p>${error.message}</p>
  ${retry && html`<button onClick=${retry}>Try again</button>`}</div>`;

// Loaded shows what was asked for, or why it is not there.
export function Loaded({ of, children, lines = 4 }) {
  if (of.error && !of.data) return html`<${Problem} error=${of.error} retry=${of.reload} />`;
  if (!of.data) return html`<div class="loading" role="status" aria-label="Loading">${Array.from({ length: lines }, (_, i) => html`<span key=${i}></span>`)}</div>`;
  return html`${of.error && html`<${Problem} error=${of.error} retry=${of.reload} />`}${children(of.data)}`;
}

let fields = 0;

export function Choose({ label, value, onChange, options }) {
  const [id] = useState(() => "field" + ++fields);
  return html`<div class="field"><label for=${id}>${label}</label>
    <select id=${id} value=${value} onChange=${(e) => onChange(e.target.value)}>
      ${options.map((o) => typeof o === "string" ? { value: o, name: plain(o) } : o).map((o) => html`<option key=${o.value} value=${o.value} selected=${o.value === value}>${o.name}</option>`)}
    </select></div>`;
}

export function ProjectChoice({ value, onChange, all = "All projects", label = "Project", user = true }) {
  const { projects } = useApp();
  const options = [];
  if (all) options.push({ value: "", name: all });
  for (const p of projects) {
    if (p.id === "user" && !user) continue;
    options.push({ value: p.id, name: p.id === "user" ? "Mine, in every project" : p.name });
  }
  const named = projects.find((p) => p.root === value || p.name === value); // an address may name it so
  if (named) value = named.id;
  if (value && !options.some((o) => o.value === value)) options.push({ value, name: value });
  return html`<${Choose} label=${label} value=${value} onChange=${onChange} options=${options} />`;
}

// Dialog is modal: it takes the focus, keeps it, and gives it back.
export function Dialog({ title, children, onClose, wide }) {
  const ref = useRef();
  useEffect(() => {
    const before = document.activeElement;
    ref.current.showModal();
    return () => before?.focus?.();
  }, []);
  return html`<dialog ref=${ref} class=${wide ? "wide" : ""} aria-labelledby="dialogtitle" onCancel=${(e) => { e.preventDefault(); onClose(); }}
    onClick=${(e) => e.target === ref.current && onClose()}>
    <div class="dialoghead"><h2 id="dialogtitle">${title}</h2><button class="quiet icon" aria-label="Close" onClick=${onClose}>✕</button></div>
    ${children}</dialog>`;
}

export function Copy({ text, children = "Copy" }) {
  const [done, set] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      set(true);
      setTimeout(() => set(false), 1500);
    } catch {
      set(false);
    }
  };
  return html`<button onClick=${copy} aria-live="polite">${done ? "Copied" : children}</button>`;
}

export function Meter({ value, most, label }) {
  return html`<span class="meter"><progress value=${value} max=${most || 1} aria-label=${label}></progress></span>`;
}

export const Score = ({ value }) => html`<span class="score" title="score from 0 to 1">${value.toFixed(2)}</span>`;
