// A small force layout: nodes repel each other, edges pull, the middle holds
// all together. The same graph always gives the same picture.

// layout prepares nodes {x, y, vx, vy} for edges given as pairs of indices.
export function layout(size, edges, weights) {
  const nodes = Array.from({ length: size }, (_, i) => {
    const r = 26 * Math.sqrt(i + 0.5); // a sunflower: no two in one place
    const angle = i * Math.PI * (3 - Math.sqrt(5));
    return { x: r * Math.cos(angle), y: r * Math.sin(angle), vx: 0, vy: 0 };
  });
  const degree = new Array(size).fill(0);
  for (const [a, b] of edges) {
    degree[a]++;
    degree[b]++;
  }
  let heat = 1;
  return { nodes, degree, tick, get cold() { return heat < 0.02; } };

  function tick() {
    heat *= 0.985;
    repel();
    for (const [a, b] of edges) pull(a, b);
    for (let i = 0; i < size; i++) {
      const n = nodes[i];
      const hold = degree[i] ? 0.014 : 0.022; // what hangs on nothing stays near
      n.vx -= n.x * hold * heat;
      n.vy -= n.y * hold * heat;
      n.x += n.vx *= 0.6;
      n.y += n.vy *= 0.6;
    }
  }

  function repel() {
    for (let i = 0; i < size; i++) {
      const a = nodes[i];
      for (let j = i + 1; j < size; j++) {
        const b = nodes[j];
        const dx = a.x - b.x, dy = a.y - b.y;
        const d2 = dx * dx + dy * dy + 1;
        if (d2 > 250000) continue;
        let f = (heat * (2600 + 700 * (weights[i] + weights[j]) + 900 * weights[i] * weights[j])) / d2;
        const d = Math.sqrt(d2);
        const gap = 10 + 3 * (weights[i] + weights[j]); // no node covers another
        if (d < gap) f += 0.25 * (gap - d);
        a.vx += (f * dx) / d; a.vy += (f * dy) / d;
        b.vx -= (f * dx) / d; b.vy -= (f * dy) / d;
      }
    }
  }

  function pull(i, j) {
    const a = nodes[i], b = nodes[j];
    const dx = b.x - a.x, dy = b.y - a.y;
    const d = Math.sqrt(dx * dx + dy * dy) || 1;
    const f = (heat * 0.12 * (d - 60)) / Math.max(1, Math.sqrt(Math.min(degree[i], degree[j])));
    a.vx += (f * dx) / d; a.vy += (f * dy) / d;
    b.vx -= (f * dx) / d; b.vy -= (f * dy) / d;
  }
}
