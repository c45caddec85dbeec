/** How many series are told apart by colour, dash and marker before the cycle repeats. */
export const seriesStyles = 12;

/**
 * Colours by the roles of a chart's parts. The twelve series colours differ in lightness as well as hue, so that they
 * survive colour blindness and a grey printer; dash and marker differ besides. Each keeps a contrast of at least 3:1
 * against its background.
 */
const light = [
  '#0b62c1',
  '#c2410c',
  '#047857',
  '#a21caf',
  '#8a6100',
  '#0e7490',
  '#be123c',
  '#4b5563',
  '#3f6212',
  '#7c2d12',
  '#312e81',
  '#86198f',
];
const dark = [
  '#6cb2ff',
  '#ff9a5c',
  '#3ddba0',
  '#f08cff',
  '#f2c14e',
  '#4dd6f0',
  '#ff8fa8',
  '#b6c0cd',
  '#c6e377',
  '#e0a184',
  '#a5a1ff',
  '#ffc2dd',
];

function variables(
  colours: readonly string[],
  text: string,
  quiet: string,
  grid: string,
  ground: string,
): string {
  const series = colours.map((colour, i) => `--chart-${i}:${colour}`).join(';');
  return `${series};--chart-text:${text};--chart-quiet:${quiet};--chart-grid:${grid};--chart-ground:${ground}`;
}
const lightVariables = variables(light, '#1b2430', '#566270', '#dde3ea', '#ffffff');
const darkVariables = variables(dark, '#e8edf3', '#a7b3c0', '#36424f', '#131a22');

const dashes = [
  ['none', '7 4', '2 3', '9 3 2 3'],
  ['12 4', '4 2', '1 4', '14 3 3 3'],
  ['3 3 10 3', '6 2 1 2', '16 5', '5 5 1 5'],
].flat();

const rules = Array.from(
  { length: seriesStyles },
  (_, i) => `.chart .s${i}{--c:var(--chart-${i})}.chart .s${i}.line{stroke-dasharray:${dashes[i]}}`,
).join('');

/** Style sheet of every chart; `chart` is the class of the SVG element. Follows the reader's light or dark setting. */
export const chartStyle = `.chart{${lightVariables};font:13px system-ui,sans-serif;max-width:100%;height:auto;background:var(--chart-ground)}
@media (prefers-color-scheme:dark){.chart{${darkVariables}}}
@media print{.chart{${lightVariables}}}
.chart text{fill:var(--chart-text)}.chart .quiet{fill:var(--chart-quiet)}.chart .grid{stroke:var(--chart-grid)}
.chart .axis{stroke:var(--chart-quiet)}.chart .heading{font-weight:600;font-size:15px}
.chart .line{fill:none;stroke:var(--c);stroke-width:2.2;stroke-linejoin:round}.chart .band{fill:var(--c);opacity:.16}
.chart .whisker{stroke:var(--c);stroke-width:1.3}.chart .mark{fill:var(--c);stroke:var(--chart-ground);stroke-width:1}
.chart .bar{fill:var(--c)}.chart .spread{stroke:var(--chart-text);stroke-width:1.3}
.chart .reference{stroke:var(--chart-quiet);stroke-width:1.5;stroke-dasharray:5 4}
.chart .r1{stroke-dasharray:2 3}.chart .r2{stroke-dasharray:10 4}.chart .r3{stroke-dasharray:8 3 2 3}
${rules}`;
