/** How many series are told apart by colour, dash and marker before the cycle repeats. */
export const seriesStyles = 12;

/**
 * Colours by the roles of a chart's parts. The twelve series colours differ in lightness as well as hue, so
 * that they survive colour blindness and a grey printer; dash and marker differ besides. Each keeps a
 * contrast of at least 3:1 against its background.
 */
const light = [
  '#3f37c9',
  '#b8480a',
  '#0b3d2e',
  '#c92bad',
  '#8a6100',
  '#0e7490',
  '#be123c',
  '#4b5563',
  '#3f6212',
  '#7c2d12',
  '#0b62c1',
  '#86198f',
];
const dark = [
  '#aaa5ff',
  '#f0904a',
  '#4deaa5',
  '#fde7f1',
  '#f2c14e',
  '#4dd6f0',
  '#ff8fa8',
  '#b6c0cd',
  '#c6e377',
  '#e0a184',
  '#6cb2ff',
  '#ff7ab8',
];

function variables(
  colours: readonly string[],
  text: string,
  quiet: string,
  grid: string,
  ground: string,
  noise: readonly [dots: string, ground: string, word: string],
): string {
  const series = colours.map((colour, i) => `--chart-${i}:${colour}`).join(';');
  return `${series};--chart-text:${text};--chart-quiet:${quiet};--chart-grid:${grid};--chart-ground:${ground};--chart-noise:${noise[0]};--chart-noise-ground:${noise[1]};--chart-noise-word:${noise[2]}`;
}
const lightVariables = variables(light, '#17181c', '#66676e', '#e3e0d7', '#ffffff', [
  '#b07a2e',
  '#f6ead6',
  '#845000',
]);
const darkVariables = variables(dark, '#eeeef3', '#969aaa', '#2a2d38', '#181a21', [
  '#d9a45a',
  '#2e2618',
  '#f2c063',
]);

const dashes = [
  ['none', '7 4', '2 3', '9 3 2 3'],
  ['12 4', '4 2', '1 4', '14 3 3 3'],
  ['3 3 10 3', '6 2 1 2', '16 5', '5 5 1 5'],
].flat();

const rules = Array.from(
  { length: seriesStyles },
  (_, i) => `.chart .s${i}{--c:var(--chart-${i})}.chart .s${i}.line{stroke-dasharray:${dashes[i]}}`,
).join('');

/**
 * Style sheet of every chart; `chart` is the class of the SVG element. Follows the reader's light or dark
 * setting.
 */
export const chartStyle = `.chart{${lightVariables};font:13px Inter,system-ui,sans-serif;max-width:100%;height:auto;background:var(--chart-ground)}
@media screen and (prefers-color-scheme:dark){.chart{${darkVariables}}}
.chart text{fill:var(--chart-text)}.chart .quiet{fill:var(--chart-quiet)}.chart .grid{stroke:var(--chart-grid)}
.chart .axis{stroke:var(--chart-quiet)}.chart .heading{font-weight:600;font-size:15px}
.chart .line{fill:none;stroke:var(--c);stroke-width:2.2;stroke-linejoin:round}.chart .band{fill:var(--c);opacity:.16}
.chart .whisker{stroke:var(--c);stroke-width:1.3}.chart .mark{fill:var(--c);stroke:var(--chart-ground);stroke-width:1}
.chart .name{font-weight:600;fill:var(--c,var(--chart-text))}.chart .unseen{opacity:0}.chart .start{stroke:var(--chart-text);stroke-width:3}.chart .bar{fill:var(--c)}.chart .spread{stroke:var(--chart-text);stroke-width:1.3}
.chart .noisy{fill:var(--chart-noise)}.chart .noisy rect{fill:var(--chart-noise-ground)}.chart .plate{fill:var(--chart-ground)}
.chart .noisy-word{fill:var(--chart-noise-word);font-weight:600}.chart .reference{stroke:var(--chart-quiet);stroke-width:1.5;stroke-dasharray:5 4;fill:none}
.chart .limit{stroke:var(--chart-text);stroke-width:1.6}.chart .beyond{fill:var(--chart-6);opacity:.08}.chart .r1{stroke-dasharray:2 3}.chart .r2{stroke-dasharray:10 4}.chart .r3{stroke-dasharray:8 3 2 3}
${rules}`;
