import { element, svgElement } from '../build-element.js';

/** Ground, shape, light: ten of them. */
const palettes = [
  ['#5b1a3a', '#f3c6b0', '#e0506a'],
  ['#114b4f', '#7fd1c7', '#f2a65a'],
  ['#10402f', '#9fd99b', '#e9c46a'],
  ['#1f2a55', '#f2a65a', '#8ecae6'],
  ['#47246b', '#c8a8f0', '#f6d06a'],
  ['#7a2a16', '#f4b266', '#fbe3c2'],
  ['#243b73', '#8fb8e8', '#f4ead5'],
  ['#173f5f', '#ef8f6b', '#fae3c6'],
  ['#33312e', '#d6c9a8', '#c65d3b'],
  ['#3b5323', '#d4dd8a', '#f7f1d4'],
] as const;

const motifs = [
  (shape: string, light: string) =>
    `<path d="M20 12L34 44H6z" fill="${shape}"/><circle cx="31" cy="11" r="5" fill="${light}"/>`,
  (shape: string, light: string) =>
    `<circle cx="20" cy="24" r="11" fill="${shape}"/><circle cx="25" cy="20" r="10" fill="${light}" opacity=".25"/><circle cx="9" cy="12" r="1.4" fill="${light}"/>`,
  (shape: string, light: string) =>
    [8, 15, 22, 29]
      .map(
        (x, at) =>
          `<rect x="${x}" y="${[16, 11, 20, 13][at]}" width="4.5" height="28" fill="${at === 2 ? light : shape}"/>`,
      )
      .join(''),
  (shape: string, light: string) =>
    `<path d="M0 36L40 14V0H0z" fill="${shape}"/><circle cx="28" cy="27" r="6" fill="${light}"/>`,
  (shape: string, light: string) =>
    [22, 15, 8]
      .map(
        (r, at) =>
          `<circle cx="38" cy="10" r="${r}" fill="none" stroke="${at === 1 ? light : shape}" stroke-width="4"/>`,
      )
      .join(''),
  (shape: string, light: string) =>
    `<circle cx="20" cy="20" r="9" fill="${light}"/><path d="M0 38q10-7 20 0t20 0v18H0z" fill="${shape}"/>`,
] as const;

/**
 * A drawn cover where the catalogue has none: always the same for a title, told apart by colour, shape and
 * initial.
 */
function drawnPoster(title: string): SVGSVGElement {
  let hash = 2166136261;
  for (const letter of title) hash = Math.imul(hash ^ letter.codePointAt(0)!, 16777619) >>> 0;
  const [ground, shape, light] = palettes[hash % palettes.length];
  const motif = motifs[Math.floor(hash / 16) % motifs.length];
  const initial = [...title.replace(/^(the|a|an)\s+/i, '')][0]?.toUpperCase() ?? '';
  const safe = /[\p{L}\p{N}]/u.test(initial) ? initial : '';
  return svgElement(
    `<svg xmlns="http://www.w3.org/2000/svg" class="poster" viewBox="0 0 40 56" preserveAspectRatio="xMidYMax slice" aria-hidden="true"><rect width="40" height="56" fill="${ground}"/>${motif(shape, light)}<text x="4" y="52" font-size="9" font-weight="700" fill="#fff">${safe}</text></svg>`,
  );
}

/**
 * The catalogue's picture of a title, or a drawn cover where it has none. The title stands beside it in
 * words.
 */
export function poster(title: string, picture?: string): Element {
  return picture === undefined
    ? drawnPoster(title)
    : element('img', { class: 'poster', src: picture, alt: '', width: 32, height: 45, decoding: 'async' });
}
