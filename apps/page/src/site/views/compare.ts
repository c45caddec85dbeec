import { isTooNoisy, verdictWords } from '@hushrec/model/usefulness';
import { element, listening } from '../build-element.js';
import {
  metricNames,
  modelsChart,
  noiseTable,
  slicesChart,
  sweepChart,
  sweepFinding,
  sweepSlicesChart,
  unitsOf,
} from '../comparison-charts.js';
import { mainMetrics, metricWords } from '../metric-words.js';
import { listModels } from '../model-list.js';
import { metricsOf } from '../model-metrics.js';
import { cardHead } from '../parts/card-head.js';
import { chartFigure } from '../parts/chart-figure.js';
import { dataTable } from '../parts/data-table.js';
import { rankingTable } from '../parts/ranking-table.js';
import { segments } from '../parts/segments.js';
import { sortedTable } from '../parts/sorted-table.js';
import { empty, failure, loading } from '../parts/states.js';
import { whoseTaste } from '../parts/whose-taste.js';
import { type Ranking, rankedMethods, rankedModels } from '../ranking.js';
import {
  addressOf,
  askJson,
  type Comparison,
  type ComparisonRow,
  isSignedIn,
  type ModelSummary,
  type Run,
} from '../server-interface.js';

/**
 * What privacy costs in quality: sweeps, who is best, whose taste comes through, noise against one person.
 */
export async function compareView(
  place: HTMLElement,
  asked: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const lead = element('p', { class: 'lead' });
  const waiting = loading('Loading results');
  place.append(element('h1', {}, 'What privacy costs in quality'), lead, waiting);
  const [{ comparisons }, published, { runs }] = await Promise.all([
    askJson('/api/comparisons'),
    listModels(),
    askJson('/api/runs'),
  ]);
  const models = withMeasured(published, runs);
  waiting.remove();
  if (signal.aborted) return;
  lead.textContent = comparisons.map(sweepFinding).find((each) => each !== undefined) ?? '';
  const sections = [
    ...comparisons.flatMap((comparison, at) => [
      ...sweepCard(comparison, asked),
      ...besideSweep(comparison, at === 0 ? models : []),
    ]),
    ...(comparisons.length === 0 ? modelCards(models) : []),
  ];
  if (sections.length === 0) sections.push(isSignedIn() ? nothingYet() : forOperators(models));
  place.append(...sections, ...noiseCard(models));
}

/** For viewers of private data: why no quality is shown, and what is public in its place. */
function forOperators(models: readonly ModelSummary[]): HTMLElement {
  const judged = models.flatMap(({ id, epsilon, usefulness }) =>
    usefulness === null ? [] : [{ id, epsilon, usefulness }],
  );
  return element(
    'section',
    { class: 'card' },
    element('h2', {}, 'Quality is for operators'),
    element(
      'p',
      {},
      'It is measured on people, and no certificate covers that. ',
      judged.length === 0
        ? 'What each model promises is in its certificate.'
        : 'What is public is how much of each model stands out from the noise.',
    ),
    judged.length === 0
      ? null
      : dataTable(
          {
            columns: [
              { label: 'Model' },
              { label: 'ε', align: 'right' },
              { label: 'Titles that stand out', align: 'right' },
              { label: 'of', align: 'right' },
              { label: 'Verdict' },
            ],
            rows: judged.map(({ id, epsilon, usefulness }) => [
              id,
              epsilon,
              usefulness.itemsAboveNoise,
              usefulness.items,
              verdictWords(isTooNoisy(usefulness) ? { verdict: 'too-noisy' } : usefulness),
            ]),
          },
          'What stands out from the noise',
        ),
    element('p', {}, element('a', { class: 'button', href: '#/train' }, 'Sign in')),
  );
}

function nothingYet(): HTMLElement {
  return empty(
    'Nothing to compare yet',
    'Run ',
    element('code', {}, 'hushrec compare'),
    ' or evaluate a model with ',
    element('code', {}, 'hushrec evaluate'),
    '; results appear here.',
  );
}

/** Operators also see what was measured after a run; it is not part of the published model. */
function withMeasured(published: readonly ModelSummary[], runs: readonly Run[]): ModelSummary[] {
  const measured = new Map(runs.map(({ request, quality }) => [request.model, quality]));
  return published.map((model) => ({ ...model, metrics: model.metrics ?? measured.get(model.id) ?? null }));
}

function releasesOf(models: readonly ModelSummary[]) {
  return Promise.all(
    models
      .filter(({ epsilon }) => epsilon !== null)
      .map(async ({ id }) => ({
        model: id,
        ...(await askJson(`/api/models/${encodeURIComponent(id)}/certificate`)),
      })),
  );
}

/** Quality against ε: one metric at a time under its own title. */
function sweepCard(comparison: Comparison, asked: string | undefined): HTMLElement[] {
  const { id, title, rows, slices, hasReport } = comparison;
  const metrics = mainMetrics([...new Set(rows.map(({ metric }) => metric))], comparison.metric);
  if (metrics.length === 0) return [];
  return [
    cardByMetric(metrics, asked, title, (metric) => {
      const [first, ...others] = unitsOf(rows).map((unit) => sweepChart(comparison, metric, unit));
      const byPopularity = sweepSlicesChart(slices, metric);
      return [
        chartFigure(first, 'untitled'),
        ...others.map((chart) => chartFigure(chart)),
        ...(byPopularity === undefined
          ? []
          : [folded('By popularity of titles', () => chartFigure(byPopularity))]),
        folded('All runs as a table', () => runTable(rows, title)),
        ...(hasReport
          ? [
              element(
                'p',
                { class: 'small' },
                element(
                  'a',
                  { href: addressOf(`/reports/${encodeURIComponent(id)}`) },
                  'The same as one page to keep or print',
                ),
              ),
            ]
          : []),
      ];
    }),
  ];
}

/** Who is best, beside whose taste comes through. */
function besideSweep(comparison: Comparison, models: readonly ModelSummary[]): HTMLElement[] {
  const isMeasured = models.some((model) => model.epsilon !== null && metricsOf(model).length > 0);
  const ranking = isMeasured
    ? rankingCard(rankedModels(models), 'Model', modelCharts(models))
    : rankingCard(rankedMethods(comparison), 'Method', []);
  const taste = whoseTaste(comparison);
  if (taste === undefined) return [ranking];
  return [element('div', { class: 'grid level compared' }, ranking, taste)];
}

function rankingCard(ranking: Ranking, what: 'Model' | 'Method', below: readonly HTMLElement[]): HTMLElement {
  return element(
    'section',
    { class: 'card' },
    element('h2', {}, 'Ranking'),
    rankingTable(ranking, what),
    below,
  );
}

/** Where there is no sweep. A model without privacy alone has nothing to stand beside. */
function modelCards(models: readonly ModelSummary[]): HTMLElement[] {
  if (!models.some((model) => model.epsilon !== null && metricsOf(model).length > 0)) return [];
  return [rankingCard(rankedModels(models), 'Model', modelCharts(models))];
}

/** Quality of the published models against ε and by popularity, one metric after the other. */
function modelCharts(models: readonly ModelSummary[]): HTMLElement[] {
  return [
    folded('Against ε, and by popularity of titles', () =>
      element(
        'div',
        {},
        mainMetrics(metricNames(models)).flatMap((metric) => {
          const slices = slicesChart(models, metric);
          return [
            chartFigure(modelsChart(models, metric)),
            ...(slices === undefined ? [] : [chartFigure(slices)]),
          ];
        }),
      ),
    ),
  ];
}

/** Fetched when somebody looks: there may be many certificates. */
function noiseCard(models: readonly ModelSummary[]): HTMLElement[] {
  if (models.every(({ epsilon }) => epsilon === null)) return [];
  const draw = async (place: HTMLElement) => {
    try {
      const table = noiseTable(await releasesOf(models));
      place.replaceChildren(
        ...(table === undefined
          ? [element('p', { class: 'small quiet' }, 'No release has noise that is one person’s.')]
          : [
              element(
                'p',
                { class: 'small quiet' },
                'How many times as large as the most that one person can change. More protects more.',
              ),
              dataTable(table, 'Noise over what one person can change'),
            ]),
      );
    } catch (error) {
      place.replaceChildren(failure(error, () => void draw(place)));
    }
  };
  return [
    element(
      'section',
      { class: 'card' },
      folded('How much noise, release by release', () => {
        const place = element('div', {}, loading('Loading certificates'));
        void draw(place);
        return place;
      }),
    ),
  ];
}

function runTable(rows: readonly ComparisonRow[], title: string): HTMLElement {
  const columns = [
    { label: 'metric' },
    { label: 'method' },
    { label: 'protects' },
    { label: 'ε', align: 'right' as const },
    { label: 'mean' },
    { label: 'standard deviation' },
    { label: 'runs' },
  ];
  return sortedTable(
    {
      columns,
      rows: rows.map(({ metric, method, unit, epsilon, mean, sd, runs }) => [
        metric,
        method,
        unit,
        epsilon ?? Infinity,
        mean,
        sd,
        runs,
      ]),
    },
    title,
  );
}

/** What is only made when it is asked for. */
function folded(title: string, make: () => HTMLElement): HTMLElement {
  const details = element('details', {}, element('summary', { class: 'small' }, title));
  return listening(details, {
    toggle: () => {
      if (details.open && details.childElementCount === 1) details.append(make());
    },
  });
}

/** A card whose title and content follow a choice of metric. */
function cardByMetric(
  metrics: readonly string[],
  asked: string | undefined,
  label: string,
  draw: (metric: string) => HTMLElement[],
): HTMLElement {
  const choice = segments(
    'Quality',
    metrics.map((metric) => [metric, metricWords(metric).choice] as const),
    metrics.find((metric) => metric === asked),
  );
  const head = cardHead('', metrics.length > 1 ? choice.element : null);
  const body = element('div');
  const show = () => {
    head.firstElementChild!.textContent = metricWords(choice.value()).title;
    body.replaceChildren(...draw(choice.value()));
  };
  listening(choice.element, {
    change: () => {
      show();
      // The metric has an address.
      history.replaceState(null, '', `#/compare/${encodeURIComponent(choice.value())}`);
    },
  });
  show();
  return element('section', { class: 'card', 'aria-label': label }, head, body);
}
