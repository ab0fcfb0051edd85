// Memories and the entities they share, as a picture to walk through, with the
// same as a list for those who do not see it.
import { html, useEffect, useMemo, useRef, useState } from "../lib/preact.js";
import * as api from "../api.js";
import { Badge, Choose, Empty, Loaded, PageHead, ProjectChoice, useApp, useLive, useLoad } from "../ui.js";
import { count, number, plain } from "../words.js";
import { layout } from "../force.js";

export function Graph({ params }) {
  const app = useApp();
  const { project = "", entity = "", focus = "" } = params;
  const limit = Number(params.nodes) || 200;
  const set = (change) => app.go("/graph", { ...params, ...change }, true);
  const found = useLoad((signal) => api.post("/v1/graph", { project: project || undefined, all: !project, entity: entity || undefined, limit }, signal), [project, entity, limit]);
  useLive(found.reload, "store");
  return html`<${PageHead} title="Graph" lead="Entities connect the memories that name them." />
    <div class="filters"><${ProjectChoice} value=${project} onChange=${(project) => set({ project, focus: "" })} />
      <${Choose} label="At most" value=${String(limit)} onChange=${(nodes) => set({ nodes })} options=${["100", "200", "500"].map((n) => ({ value: n, name: n + " nodes" }))} />
      ${entity && html`<button class="chip" onClick=${() => set({ entity: "" })}>around ${entity} ✕</button>`}</div>
    <${Loaded} of=${found} lines=${8}>${(g) => g.nodes.length
      ? html`<${Explorer} graph=${g} focus=${focus} onFocus=${(focus) => set({ focus })} onAround=${(entity) => set({ entity, focus: "" })} />`
      : html`<${Empty} title="There is nothing to draw yet">Memories that name the same tools, files or ideas are connected here.</${Empty}>`}</${Loaded}>`;
}

function Explorer({ graph, focus, onFocus, onAround }) {
  const model = useMemo(() => prepare(graph), [graph]);
  const chosen = model.index.get(focus) ?? -1;
  const [only, setOnly] = useState("");
  const words = only.toLowerCase();
  const list = graph.nodes.map((n, i) => ({ n, i })).filter(({ n }) => !words || n.label.toLowerCase().includes(words));
  return html`<div class="graph">
    <${Picture} model=${model} chosen=${chosen} onChoose=${(i) => onFocus(i < 0 ? "" : graph.nodes[i].id)} />
    <div class="graphside">
      ${chosen >= 0 ? html`<${Chosen} model=${model} at=${chosen} onFocus=${onFocus} onAround=${onAround} />` : html`<p class="muted">${count(model.entities, "entity", "entities")}, ${count(model.memories, "memory", "memories")}, ${count(graph.edges.length, "connection")}.
        ${graph.left > 0 ? ` ${number(graph.left)} older memories are left out.` : ""} Choose a node, here or in the list. Drag moves, the wheel zooms.</p>`}
      <label class="field"><span>Find a node</span><input type="search" value=${only} onInput=${(e) => setOnly(e.target.value)} /></label>
      <ul class="nodes" aria-label="Nodes">${list.slice(0, 200).map(({ n, i }) => html`<li key=${n.id}><button class="quiet node" aria-pressed=${i === chosen} onClick=${() => onFocus(n.id)}><span class="dot ${n.kind}" aria-hidden="true"></span><span>${n.label}</span><span class="num muted">${model.near[i].length || ""}</span></button></li>`)}</ul>
    </div></div>`;
}

function Chosen({ model, at, onFocus, onAround }) {
  const n = model.graph.nodes[at];
  return html`<section class="picked" aria-label="The chosen node" aria-live="polite"><p><${Badge} kind="type">${plain(n.type)}</${Badge}> <span class="muted">${n.kind}</span> <button class="quiet icon" aria-label="Choose nothing" onClick=${() => onFocus("")}>✕</button></p>
    <p class="pickedtext">${n.label}</p>
    <p>${n.kind === "memory" ? html`<a href=${"#/memories?id=" + n.id}>Open it</a>` : html`<button onClick=${() => onAround(n.label)}>Only what is around it</button> <a href=${"#/memories" + api.query({ entity: n.label })}>Its memories</a>`}</p>
    ${model.near[at].length > 0 && html`<h3>Connected with</h3><ul class="nodes">${model.near[at].slice(0, 40).map(({ to, type }) => html`<li key=${to + type}><button class="quiet node" onClick=${() => onFocus(model.graph.nodes[to].id)}><span class="dot ${model.graph.nodes[to].kind}" aria-hidden="true"></span><span>${model.graph.nodes[to].label}</span>${type !== "mentions" && html`<span class="muted">${type}</span>`}</button></li>`)}</ul>`}</section>`;
}

function prepare(graph) {
  const index = new Map(graph.nodes.map((n, i) => [n.id, i]));
  const edges = [], near = graph.nodes.map(() => []);
  for (const e of graph.edges) {
    const a = index.get(e.from), b = index.get(e.to);
    if (a === undefined || b === undefined) continue;
    edges.push([a, b, e.type]);
    near[a].push({ to: b, type: e.type });
    near[b].push({ to: a, type: e.type });
  }
  const entities = graph.nodes.filter((n) => n.kind === "entity").length;
  const most = Math.max(1, ...graph.nodes.filter((n) => n.kind === "entity").map((n) => n.weight));
  const weights = graph.nodes.map((n) => n.kind === "entity" ? 1 + 4 * Math.sqrt(n.weight / most) : 0.6);
  return { graph, index, edges, near, entities, memories: graph.nodes.length - entities, weights, force: layout(graph.nodes.length, edges, weights) };
}

const radius = (model, i) => model.graph.nodes[i].kind === "entity" ? 3 + 2.2 * model.weights[i] : 4;

// Picture draws the graph and moves it; the list beside it says the same in words.
function Picture({ model, chosen, onChoose }) {
  const canvas = useRef();
  const state = useRef({ scale: 1, x: 0, y: 0, hover: -1, touched: false });
  const current = useRef({});
  current.current = { model, chosen, onChoose };
  useEffect(() => {
    const el = canvas.current;
    const s = state.current;
    s.touched = false;
    const { model } = current.current;
    let frame = 0;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const step = () => {
      const until = performance.now() + (still ? 400 : 12);
      while (!model.force.cold && performance.now() < until) model.force.tick();
      if (!s.touched) fit(el, s, model);
      draw(el, s, current.current.model, current.current.chosen);
      el.dataset.settled = String(model.force.cold);
      frame = model.force.cold ? 0 : requestAnimationFrame(step);
    };
    const redraw = () => { if (!frame) frame = requestAnimationFrame(step); };
    s.redraw = redraw;
    redraw();
    const watch = new ResizeObserver(redraw);
    watch.observe(el);
    addEventListener("themechange", redraw);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", redraw);
    const stop = interact(el, s, current, redraw);
    return () => { cancelAnimationFrame(frame); watch.disconnect(); removeEventListener("themechange", redraw); dark.removeEventListener("change", redraw); stop(); };
  }, [model]);
  useEffect(() => state.current.redraw?.(), [chosen]);
  const zoom = (by) => () => { const s = state.current; s.touched = true; s.scale *= by; s.x *= by; s.y *= by; s.redraw(); };
  return html`<div class="picture"><canvas ref=${canvas} role="img" aria-label="Picture of the graph; the list of nodes beside it says the same"></canvas>
    <div class="zoom"><button aria-label="Zoom in" onClick=${zoom(1.4)}>+</button><button aria-label="Zoom out" onClick=${zoom(1 / 1.4)}>−</button><button aria-label="Show all of it" onClick=${() => { state.current.touched = false; state.current.redraw(); }}>⤢</button></div>
    <p class="legend" aria-hidden="true"><span class="dot entity"></span> entity <span class="dot memory"></span> memory</p></div>`;
}

// fit shows all nodes.
function fit(el, s, model) {
  let minX = Infinity, maxX = -Infinity, minY = Infinity, maxY = -Infinity;
  for (const n of model.force.nodes) {
    minX = Math.min(minX, n.x); maxX = Math.max(maxX, n.x); minY = Math.min(minY, n.y); maxY = Math.max(maxY, n.y);
  }
  const w = el.clientWidth, h = el.clientHeight;
  s.scale = Math.min(1.8, (w - 260) / Math.max(1, maxX - minX), (h - 90) / Math.max(1, maxY - minY));
  s.x = (-(minX + maxX) / 2) * s.scale - 70; // labels stand to the right
  s.y = (-(minY + maxY) / 2) * s.scale;
}

function interact(el, s, current, redraw) {
  const at = (e) => {
    const box = el.getBoundingClientRect();
    const px = e.clientX - box.left, py = e.clientY - box.top;
    const { model } = current.current;
    let best = -1, bestD = 14 * 14;
    model.force.nodes.forEach((n, i) => {
      const dx = n.x * s.scale + s.x + el.clientWidth / 2 - px, dy = n.y * s.scale + s.y + el.clientHeight / 2 - py;
      const d = dx * dx + dy * dy;
      if (d < bestD) { best = i; bestD = d; }
    });
    return best;
  };
  let drag = null;
  const down = (e) => { drag = { x: e.clientX, y: e.clientY, moved: false }; el.setPointerCapture(e.pointerId); };
  const move = (e) => {
    if (drag) {
      if (Math.abs(e.clientX - drag.x) + Math.abs(e.clientY - drag.y) > 3 || drag.moved) {
        s.x += e.clientX - drag.x; s.y += e.clientY - drag.y;
        drag = { x: e.clientX, y: e.clientY, moved: true };
        s.touched = true;
        redraw();
      }
      return;
    }
    const over = at(e);
    if (over !== s.hover) { s.hover = over; el.style.cursor = over >= 0 ? "pointer" : "grab"; redraw(); }
  };
  const up = (e) => { if (drag && !drag.moved) current.current.onChoose(at(e)); drag = null; };
  const wheel = (e) => {
    e.preventDefault();
    const by = Math.exp(-e.deltaY * 0.0015);
    const box = el.getBoundingClientRect();
    const px = e.clientX - box.left - el.clientWidth / 2, py = e.clientY - box.top - el.clientHeight / 2;
    const next = Math.max(0.1, Math.min(8, s.scale * by));
    s.x = px - ((px - s.x) * next) / s.scale; s.y = py - ((py - s.y) * next) / s.scale;
    s.scale = next; s.touched = true;
    redraw();
  };
  const list = [["pointerdown", down], ["pointermove", move], ["pointerup", up], ["wheel", wheel]];
  for (const [name, fn] of list) el.addEventListener(name, fn, { passive: false });
  return () => { for (const [name, fn] of list) el.removeEventListener(name, fn); };
}

function draw(el, s, model, chosen) {
  const ratio = devicePixelRatio || 1;
  const w = el.clientWidth, h = el.clientHeight;
  if (el.width !== Math.round(w * ratio) || el.height !== Math.round(h * ratio)) { el.width = Math.round(w * ratio); el.height = Math.round(h * ratio); }
  const c = el.getContext("2d");
  const css = getComputedStyle(el);
  const ink = css.color, accent = css.accentColor === "auto" ? ink : css.accentColor, soft = css.outlineColor, back = css.backgroundColor;
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, w, h);
  const at = (i) => [model.force.nodes[i].x * s.scale + s.x + w / 2, model.force.nodes[i].y * s.scale + s.y + h / 2];
  const lit = new Set();
  const centre = chosen >= 0 ? chosen : s.hover;
  if (centre >= 0 && centre < model.near.length) { lit.add(centre); model.near[centre].forEach((e) => lit.add(e.to)); }
  const dim = chosen >= 0, crowded = model.edges.length > 300;
  for (const [a, b, type] of model.edges) {
    const on = centre >= 0 && (a === centre || b === centre);
    const [x1, y1] = at(a), [x2, y2] = at(b);
    c.strokeStyle = on ? accent : soft;
    c.globalAlpha = on ? 0.9 : dim ? 0.08 : crowded ? 0.2 : 0.4;
    c.lineWidth = on || type !== "mentions" ? 1.6 : 1;
    c.setLineDash(type === "mentions" ? [] : [4, 3]);
    c.beginPath(); c.moveTo(x1, y1); c.lineTo(x2, y2); c.stroke();
  }
  c.setLineDash([]);
  model.graph.nodes.forEach((n, i) => {
    const [x, y] = at(i);
    c.globalAlpha = dim && !lit.has(i) ? 0.3 : 1;
    c.beginPath(); c.arc(x, y, radius(model, i), 0, 7);
    c.fillStyle = n.kind === "entity" ? accent : soft;
    c.fill();
    if (i === chosen) { c.lineWidth = 2.5; c.strokeStyle = ink; c.stroke(); }
  });
  labels(c, s, model, lit, chosen, at, { ink, back, w, h, dim });
}

// roomy is the scale from which on memories are labelled too.
const roomy = 0.9;
// few is up to how many nodes they are labelled at any scale.
const few = 60;

// labels writes as many names as fit without touching each other: what is
// chosen first, then entities by weight, then memories once there is room.
function labels(c, s, model, lit, chosen, at, look) {
  const order = model.graph.nodes.map((n, i) => i).sort((a, b) => rank(b) - rank(a));
  const taken = [];
  c.textBaseline = "middle";
  for (const i of order) {
    const n = model.graph.nodes[i];
    const on = lit.has(i);
    if (n.kind === "memory" && !on && s.scale < roomy && order.length > few) continue;
    if (look.dim && !on) continue;
    const size = n.kind === "entity" ? Math.min(16, 10 + model.weights[i]) : 11;
    c.font = `${n.kind === "entity" ? 600 : 400} ${size}px ${getComputedStyle(document.body).fontFamily}`;
    const most = on ? 64 : 34;
    const text = n.label.length > most ? n.label.slice(0, most - 2).trimEnd() + "…" : n.label;
    const [x, y] = at(i);
    const width = c.measureText(text).width;
    const left = x + radius(model, i) + 4;
    const box = [left - 2, y - size / 2 - 2, left + width + 2, y + size / 2 + 2];
    if (box[0] > look.w || box[2] < 0 || box[1] > look.h || box[3] < 0) continue;
    if (taken.some((t) => box[0] < t[2] && box[2] > t[0] && box[1] < t[3] && box[3] > t[1])) continue;
    taken.push(box);
    c.globalAlpha = 0.8;
    c.fillStyle = look.back;
    c.fillRect(box[0], box[1], box[2] - box[0], box[3] - box[1]);
    c.globalAlpha = 1;
    c.fillStyle = look.ink;
    c.fillText(text, left, y);
  }
  function rank(i) { return (i === chosen ? 1000 : 0) + (lit.has(i) ? 100 : 0) + model.weights[i]; }
}
