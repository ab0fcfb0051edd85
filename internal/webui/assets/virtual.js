// A list of any length of which only what is seen exists. Pages of rows are
// asked for when they come into view.
import { html, useEffect, useLayoutEffect, useRef, useState } from "./lib/preact.js";

const pageSize = 100;
const overscan = 8;

// useRows keeps the pages that were asked for. fetchPage(offset, limit, signal)
// returns { rows, total }; inputs say when everything must be asked again.
export function useRows(fetchPage, inputs) {
  const store = useRef(null);
  const [, redraw] = useState(0);
  const key = JSON.stringify(inputs);
  if (!store.current || store.current.key !== key) {
    store.current?.stop.abort();
    store.current = { key, pages: new Map(), asked: new Set(), total: store.current?.total ?? null, stop: new AbortController(), error: null, fresh: true };
  }
  const s = store.current;
  const ask = (n) => {
    if (s.asked.has(n)) return;
    s.asked.add(n);
    fetchPage(n * pageSize, pageSize, s.stop.signal).then(
      (page) => {
        s.pages.set(n, page.rows);
        s.total = page.total;
        s.error = null;
        s.fresh = false;
        if (s === store.current) redraw((x) => x + 1);
      },
      (error) => {
        s.asked.delete(n);
        if (error.name === "AbortError" || s !== store.current) return;
        s.error = error;
        redraw((x) => x + 1);
      },
    );
  };
  useEffect(() => ask(0), [key]);
  return {
    total: s.total, error: s.error, loading: s.fresh,
    row: (i) => s.pages.get(Math.floor(i / pageSize))?.[i % pageSize],
    need: (first, last) => {
      for (let n = Math.floor(first / pageSize); n <= Math.floor(last / pageSize); n++) if (n >= 0 && (s.total === null || n * pageSize < s.total)) ask(n);
    },
    // reload asks again for what is known, without emptying the list meanwhile.
    reload: () => {
      const known = [...s.asked];
      s.asked.clear();
      (known.length ? known : [0]).forEach(ask);
    },
  };
}

// VirtualList draws rows of one height. It is a listbox: arrows move, Enter opens.
export function VirtualList({ rows, height, label, selected, onOpen, render, idOf, empty }) {
  const box = useRef();
  const [view, setView] = useState({ first: 0, last: 20 });
  const [active, setActive] = useState(-1);
  const total = rows.total ?? 0;
  const measure = () => {
    const el = box.current;
    if (!el) return;
    const first = Math.max(0, Math.floor(el.scrollTop / height) - overscan);
    const last = Math.min(Math.max(total - 1, 0), Math.ceil((el.scrollTop + el.clientHeight) / height) + overscan);
    setView((old) => old.first === first && old.last === last ? old : { first, last });
  };
  useLayoutEffect(() => {
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(box.current);
    return () => watch.disconnect();
  }, [total]);
  // What is dragged past quickly is not asked for.
  useEffect(() => {
    const timer = setTimeout(() => rows.need(view.first, view.last), 60);
    return () => clearTimeout(timer);
  }, [view.first, view.last, rows.total, rows.loading]);

  const show = (i) => {
    const el = box.current;
    const top = i * height;
    if (top < el.scrollTop) el.scrollTop = top;
    else if (top + height > el.scrollTop + el.clientHeight) el.scrollTop = top + height - el.clientHeight;
  };
  const pressed = (e) => {
    const page = Math.max(1, Math.floor(box.current.clientHeight / height) - 1);
    const to = { ArrowDown: active + 1, j: active + 1, ArrowUp: active - 1, k: active - 1, PageDown: active + page, PageUp: active - page, Home: 0, End: total - 1 }[e.key];
    if (to !== undefined && total > 0) {
      e.preventDefault();
      const next = Math.max(0, Math.min(total - 1, to));
      setActive(next);
      show(next);
    } else if (e.key === "Enter" && rows.row(active)) {
      e.preventDefault();
      onOpen(rows.row(active));
    }
  };
  const items = [];
  for (let i = view.first; i <= view.last && i < total; i++) {
    const row = rows.row(i);
    const chosen = row && selected && idOf(row) === selected;
    items.push(html`<div key=${i} id=${"row" + i} role="option" aria-selected=${chosen ? "true" : "false"} aria-posinset=${i + 1} aria-setsize=${total}
      class="row ${chosen ? "chosen" : ""} ${i === active ? "active" : ""}" style=${{ transform: `translateY(${i * height}px)`, height: height + "px" }}
      onClick=${() => { setActive(i); if (row) onOpen(row); }}>${row ? render(row) : html`<span class="waiting"></span>`}</div>`);
  }
  return html`<div class="virtual" ref=${box} role="listbox" aria-label=${label} tabIndex="0" aria-activedescendant=${active >= view.first && active <= view.last && active < total ? "row" + active : undefined}
    aria-busy=${rows.loading} onScroll=${measure} onKeyDown=${pressed} onFocus=${() => active < 0 && total > 0 && setActive(view.first && Math.ceil(box.current.scrollTop / height))}>
    <div class="sizer" role="presentation" style=${{ height: Math.max(total * height, 1) + "px" }}>${items}</div>
    ${rows.total === 0 && !rows.loading && html`<div class="virtualempty" role="option" aria-selected="false">${empty}</div>`}
  </div>`;
}
