const escapeText = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/**
 * One panel per axis, both scales logarithmic, so that a straight line is a power and its slope the exponent.
 */
export function growthChart(results) {
  const size = { width: 300, height: 220, left: 54, bottom: 40, top: 34, right: 14 };
  const panels = Object.entries(results).map(([axis, { points, exponent }], k) => {
    const xs = points.map((point) => Math.log10(point.x));
    const ys = points.map((point) => Math.log10(point.y));
    const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const px = (x) => size.left + ((x - x0) / (x1 - x0)) * (size.width - size.left - size.right);
    const py = (y) =>
      size.height - size.bottom - ((y - y0) / (y1 - y0)) * (size.height - size.bottom - size.top);
    const line = points.map((_, i) => `${px(xs[i]).toFixed(1)},${py(ys[i]).toFixed(1)}`).join(' ');
    const dots = points
      .map(
        (point, i) =>
          `<circle cx="${px(xs[i]).toFixed(1)}" cy="${py(ys[i]).toFixed(1)}" r="3"><title>${point.x}: ${point.y.toFixed(1)} ms</title></circle>`,
      )
      .join('');
    const ticks = [0, points.length - 1]
      .map(
        (i) =>
          `<text x="${px(xs[i]).toFixed(1)}" y="${size.height - size.bottom + 16}" text-anchor="${i === 0 ? 'start' : 'end'}">${points[i].x.toLocaleString('en')}</text><text x="${size.left - 6}" y="${(py(ys[i]) + 4).toFixed(1)}" text-anchor="end">${points[i].y.toFixed(0)} ms</text>`,
      )
      .join('');
    return `<g transform="translate(${(k % 2) * size.width} ${Math.floor(k / 2) * size.height})"><text x="${size.left}" y="18" font-weight="600">${escapeText(axis)}: exponent ${exponent.toFixed(2)}</text><path d="M${size.left} ${size.top}V${size.height - size.bottom}H${size.width - size.right}" fill="none" stroke="#888"/><polyline points="${line}" fill="none" stroke="#2457a6" stroke-width="2"/><g fill="#2457a6">${dots}</g>${ticks}</g>`;
  });
  const rows = Math.ceil(panels.length / 2);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${2 * size.width}" height="${rows * size.height}" font-family="system-ui, sans-serif" font-size="12" fill="#222"><rect width="100%" height="100%" fill="white"/>${panels.join('')}</svg>\n`;
}
