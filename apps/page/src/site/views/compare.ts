import { formatNumber } from '@hushrec/report';
import { element, listening } from '../build-element.js';
import {
  metricNames,
  modelsChart,
  noiseTable,
  slicesChart,
  sweepChart,
  sweepSlicesChart,
  unitsOf,
} from '../comparison-charts.js';
import { listModels } from '../model-list.js';
import { metricsOf } from '../model-metrics.js';
import { chartFigure } from '../parts/chart-figure.js';
import { dataTable } from '../parts/data-table.js';
import { empty, loading } from '../parts/states.js';
import {
  askJson,
  type Comparison,
  type ComparisonRow,
  type ModelSummary,
  type Run,
} from '../server-interface.js';

interface CertificateReleases {
  readonly releases: readonly {
    readonly name: string;
    readonly sensitivity: number;
    readonly noise: number;
  }[];
}

/** What privacy costs in quality: sweeps, published models, popularity slices, noise against signal. */
export async function compareView(place: HTMLElement, signal: AbortSignal): Promise<void> {
  place.append(element('h1', {}, 'What privacy costs in quality'));
  const lead = element('p', { class: 'lead' });
  place.append(lead);
  const waiting = loading('Loading results');
  place.append(waiting);
  const [{ comparisons }, published, { runs }] = await Promise.all([
    askJson<{ comparisons: Comparison[] }>('/api/comparisons'),
    listModels(),
    askJson<{ runs: Run[] }>('/api/runs'),
  ]);
  // Operators also see what was measured after a run; it is not part of the published model.
  const measured = new Map(runs.map(({ request, quality }) => [request.model, quality]));
  const models = published.map((model) => ({
    ...model,
    metrics: model.metrics ?? measured.get(model.id) ?? null,
  }));
  const guarded = models.filter(({ epsilon }) => epsilon !== null);
  const certificates = await Promise.all(
    guarded.map(async ({ id }) => ({
      model: id,
      ...(await askJson<CertificateReleases>(`/api/models/${encodeURIComponent(id)}/certificate`)),
    })),
  );
  waiting.remove();
  if (signal.aborted) return;
  lead.textContent =
    `${comparisons.map(({ rows }) => finding(rows)).find((each) => each !== undefined) ?? ''} The further right, the less private; dashed lines need no privacy, or nobody’s taste.`.trim();
  const sections = [
    ...comparisons.flatMap(sweepSections),
    ...modelSections(models),
    ...noiseSection(certificates),
  ];
  place.append(
    ...(sections.length > 0
      ? sections
      : [
          empty(
            'Nothing to compare yet',
            'Run ',
            element('code', {}, 'hushrec compare'),
            ' or evaluate a model with ',
            element('code', {}, 'hushrec evaluate'),
            '; results appear here.',
          ),
        ]),
  );
}

/** The finding in a sentence: how much of what is possible is kept at the ε nearest to 1. */
function finding(rows: readonly ComparisonRow[]): string | undefined {
  const metric = rows[0]?.metric;
  const of = rows.filter((row) => row.metric === metric);
  const open = of.filter(({ epsilon }) => epsilon === null).map(({ mean }) => mean);
  const guarded = of.filter(({ epsilon, method }) => epsilon !== null && method === 'hush');
  const one = guarded.toSorted((a, b) => Math.abs(Math.log(a.epsilon!)) - Math.abs(Math.log(b.epsilon!)))[0];
  if (one === undefined || open.length < 2) return undefined;
  const isError = /rmse|mae|error|mse|loss/i.test(one.metric);
  const [best, plain] = isError
    ? [Math.min(...open), Math.max(...open)]
    : [Math.max(...open), Math.min(...open)];
  const part = Math.round((100 * (one.mean - plain)) / (best - plain));
  return `At ε = ${formatNumber(one.epsilon!)}, hush goes ${part} % of the way from what needs nobody’s taste (${one.metric} ${formatNumber(plain)}) to no privacy (${formatNumber(best)}).`;
}

function sweepSections({ id, title, rows, slices, hasReport }: Comparison): HTMLElement[] {
  const metrics = [...new Set(rows.map(({ metric }) => metric))];
  if (metrics.length === 0) return [];
  const section = withMetricChoice(title, metrics, (metric) => {
    const byPopularity = sweepSlicesChart(slices, metric);
    return [
      ...unitsOf(rows).map((unit) => chartFigure(sweepChart(rows, metric, unit))),
      ...(byPopularity === undefined ? [] : [chartFigure(byPopularity)]),
      element(
        'details',
        {},
        element('summary', {}, 'All runs as a table'),
        dataTable(
          {
            columns: [
              { label: 'method' },
              { label: 'protects' },
              { label: 'ε', align: 'right' },
              { label: 'mean' },
              { label: 'sd' },
              { label: 'runs' },
            ],
            rows: rows
              .filter((row) => row.metric === metric)
              .map(({ method, unit, epsilon, mean, sd, runs }) => [
                method,
                unit,
                epsilon ?? '∞',
                mean,
                sd,
                runs,
              ]),
          },
          `${title}: ${metric}`,
        ),
      ),
    ];
  });
  if (hasReport) {
    section.append(
      element(
        'p',
        {},
        element('a', { href: `/reports/${encodeURIComponent(id)}` }, 'The same as one page to keep or print'),
      ),
    );
  }
  return [section];
}

function modelSections(models: readonly ModelSummary[]): HTMLElement[] {
  // A model without privacy alone, which is all that viewers see measured, has nothing to stand beside.
  const metrics = models.some((model) => model.epsilon !== null && metricsOf(model).length > 0)
    ? metricNames(models)
    : [];
  if (metrics.length === 0) return [];
  return [
    withMetricChoice('Published models', metrics, (metric) => {
      const slices = slicesChart(models, metric);
      return [
        chartFigure(modelsChart(models, metric)),
        ...(slices === undefined ? [] : [chartFigure(slices)]),
      ];
    }),
  ];
}

function noiseSection(certificates: Parameters<typeof noiseTable>[0]): HTMLElement[] {
  const table = noiseTable(certificates);
  return table === undefined
    ? []
    : [
        element(
          'section',
          { class: 'card' },
          element('h2', {}, 'How much noise, release by release'),
          element(
            'p',
            { class: 'small quiet' },
            'So many times as large as the most that one person can change. More protects more.',
          ),
          dataTable(table, 'Noise over what one person can change'),
        ),
      ];
}

function withMetricChoice(
  title: string,
  metrics: readonly string[],
  draw: (metric: string) => HTMLElement[],
): HTMLElement {
  const choice = element(
    'select',
    {},
    metrics.map((metric) => element('option', { value: metric }, metric)),
  );
  const body = element('div');
  const show = () => body.replaceChildren(...draw(choice.value));
  listening(choice, { change: show });
  show();
  return element(
    'section',
    { class: 'card' },
    element('h2', {}, title),
    element('label', { class: 'field' }, 'Metric', choice),
    body,
  );
}
