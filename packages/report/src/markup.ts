/** Text made safe between tags and inside double quotes, of HTML and of SVG alike. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * A number as people read it: four significant digits, no trailing zeros, plain notation in thousands from
 * 0.0001 to 999,999.
 */
export function formatNumber(value: number): string {
  if (value === Infinity) return '∞';
  if (value === -Infinity) return '−∞';
  if (Number.isNaN(value)) return '–';
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return inThousands(value);
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4)
    return sign(
      value
        .toExponential(2)
        .replace(/\.?0+e/, 'e')
        .replace('e+', 'e'),
    );
  return inThousands(Number(value.toPrecision(4)));
}

function inThousands(value: number): string {
  const text = String(value);
  return sign(Number.isInteger(value) ? text.replace(/\B(?=(\d{3})+$)/g, ',') : text);
}

function sign(text: string): string {
  return text.replace('-', '−').replace('e−', 'e-');
}

/**
 * A coordinate with two decimals, without trailing zeros: keeps SVG files small and the same on every
 * machine.
 */
export function coordinate(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** A file name from a title: "Quality against ε" becomes "quality-against". */
export function fileNameOf(title: string): string {
  return (
    title
      .normalize('NFKD')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 60) || 'chart'
  );
}
