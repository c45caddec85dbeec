// What we ask of whole trainings and of kernels beside the libraries in use, and what a run showed: one table
// after all others.
import { printTable } from './measure.mjs';

/** At most this share of the better C loop's time on rows of 600 ratings (openblas-loop.c), by rank. */
const denseStep = {
  simd: { 32: 1.16, 64: 1.36, 128: 1.59 },
  'relaxed-simd': { 32: 1, 64: 1.1, 128: 1.3 },
};
/** At most this share of the time of implicit as it comes, by rank, with at least its Recall@20. */
const wholeIals = { 32: 0.8, 64: 0.9, 128: 1.1 };
/** At most this many times the processor seconds of one DuckDB query. */
const importOverQuery = 1.5;
/** At most this share of the time of `sgemm` alone for 1,024 rows, top 20 and all. */
const scoring = 2.5;

/** At most this many processor seconds for lists of 20 for 37,000 people among 10,000 items. */
const listsSeconds = 60;
/** At most this many milliseconds a person by `recommend_all`. */
const recommendAllMs = 1;

const isMet = (figure, most) => (figure <= most ? 'yes' : 'no');

function* kernelAims(results = []) {
  const steps = results.filter(({ kernel }) => kernel === 'user step, 600 a row');
  for (const { d, userStep, ...times } of steps) {
    if (userStep === undefined) continue;
    for (const [build, aims] of Object.entries(denseStep)) {
      const figure = times[build] / userStep;
      const most = aims[d];
      yield {
        what: 'dense user step / C loop on OpenBLAS',
        build,
        d,
        figure,
        'at most': most,
        met: isMet(figure, most),
      };
    }
  }
  for (const { d, scoring: peer, ...times } of results.filter(({ kernel }) =>
    kernel.startsWith('score 1024'),
  )) {
    if (peer === undefined) continue;
    for (const build of Object.keys(denseStep)) {
      const figure = times[build] / peer;
      yield {
        what: 'top 20 of 10,000 for 1,024 / sgemm',
        build,
        d,
        figure,
        'at most': scoring,
        met: isMet(figure, scoring),
      };
    }
  }
}

function* ialsAims(rows = []) {
  const peerOf = (d) => rows.find((row) => row.d === d && row.training === 'implicit, its defaults');
  for (const row of rows.filter(({ training }) => training.startsWith('ials, cg'))) {
    const peer = peerOf(row.d);
    if (peer === undefined) continue;
    const figure = row['over implicit, its defaults'];
    const most = wholeIals[row.d];
    const sameQuality = row['Recall@20'] >= peer['Recall@20'];
    yield {
      what: 'whole ials / implicit as it comes',
      build: row.training.replace('ials, cg, ', ''),
      d: row.d,
      figure,
      'at most': most,
      met: sameQuality ? isMet(figure, most) : 'worse Recall@20',
    };
  }
}

function* importAims(best) {
  if (best === undefined) return;
  const secondsOf = (start) =>
    Math.min(
      ...Object.entries(best).flatMap(([name, { seconds }]) => (name.startsWith(start) ? [seconds] : [])),
    );
  const query = secondsOf('one DuckDB query');
  for (const name of ['import of text', 'import of Parquet with DuckDB']) {
    const figure = secondsOf(name) / query;
    yield {
      what: `${name} / one query`,
      figure,
      'at most': importOverQuery,
      met: isMet(figure, importOverQuery),
    };
  }
}

function* browserAims({ rows } = { rows: [] }) {
  for (const row of rows) {
    const figure = row['processor ms, least mean'];
    const most = row['asked for, ms'];
    yield {
      what: `top 20 of 100,000 in Chromium, ${row.feedback}, ms`,
      d: 64,
      figure,
      'at most': most,
      met: isMet(figure, most),
    };
  }
}

function* listsAims(rows = []) {
  for (const { by, ...row } of rows.filter(({ by }) => !by.startsWith('implicit'))) {
    const [unit, most] = by.startsWith('recommend_all')
      ? ['ms a person', recommendAllMs]
      : ['processor seconds', listsSeconds];
    yield {
      what: `lists by ${by}, ${unit}`,
      figure: row[unit],
      'at most': most,
      met: isMet(row[unit], most),
    };
  }
}

/** The aims of those parts that ran, with peers where there are peers. */
export function compareWithAims(results) {
  const rows = [
    ...kernelAims(results.kernels),
    ...ialsAims(results.ials),
    ...importAims(results.import),
    ...browserAims(results.browser),
    ...listsAims(results.lists),
  ].map(({ what, build, d, ...rest }) => ({ what, build, d, ...rest }));
  if (rows.length > 0) printTable('What was asked for', rows);
  return rows;
}
