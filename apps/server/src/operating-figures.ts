import { type RefreshCounts, readRefreshCounts } from '@hushrec/train';
import type { BudgetFigures } from './accounting/budget-figures.js';
import type { ModelSummary } from './catalogue/model-summary.js';
import type { ServerContext } from './server-context.js';
import type { MetricFamily } from './server-metrics.js';
import { type RunStatus, runStatuses } from './state/run.js';

const verdicts = ['worth-it', 'weak', 'same-for-all', 'too-noisy'] as const;
/** Budgets take an accountant's work: they are looked at no more often. */
const budgetsAgainAfterMs = 30_000;
const runsLookedAt = 1000;

/**
 * How the models, their budgets and their runs are doing: what an operator who sleeps lets a monitor watch.
 */
export class OperatingFigures {
  readonly #context: ServerContext;
  #budgets: Promise<readonly MetricFamily[]> | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(context: ServerContext) {
    this.#context = context;
  }

  async families(): Promise<readonly MetricFamily[]> {
    if (this.#budgets === undefined || performance.now() - this.#lookedAt > budgetsAgainAfterMs) {
      this.#lookedAt = performance.now();
      this.#budgets = this.#budgetFamilies();
    }
    const entries = [...(await this.#context.models.entries()).values()];
    const refreshed = await Promise.all(
      entries.map(async ({ summary, folder }) => ({
        model: summary.id,
        counts: await readRefreshCounts(folder),
      })),
    );
    return [
      ...modelFamilies(
        entries.map(({ summary }) => summary),
        Date.now(),
      ),
      ...refreshFamilies(refreshed),
      await this.#runFamily(),
      ...(await this.#budgets),
    ];
  }

  async #runFamily(): Promise<MetricFamily> {
    const runs = await this.#context.store.list(runsLookedAt).catch(() => []);
    const count = (status: RunStatus) => runs.filter((run) => run.status === status).length;
    return {
      name: 'runs',
      help: `The latest ${runsLookedAt} runs started from the page or the HTTP interface, by where they stand.`,
      type: 'gauge',
      samples: runStatuses.map((status) => ({ labels: { status }, value: count(status) })),
    };
  }

  async #budgetFamilies(): Promise<readonly MetricFamily[]> {
    const { datasets, accounting, ledger } = this.#context;
    const found = new Map<string, BudgetFigures>();
    let unread = 0;
    for (const dataset of (await datasets?.list()) ?? []) {
      const figures = await accounting.ask('budgetFigures', dataset, ledger).catch(() => null);
      if (figures === null) unread++;
      else if (figures !== undefined) found.set(dataset.manifest.account.id, figures);
    }
    const gauge = (name: string, help: string, value: (figures: BudgetFigures) => number | null) => ({
      ...{ name, help, type: 'gauge' as const },
      samples: [...found].flatMap(([id, figures]) => {
        const known = value(figures);
        return known === null ? [] : [{ labels: { account: figures.account, id }, value: known }];
      }),
    });
    return [
      gauge('account_epsilon_granted', 'Limit on epsilon; absent where none is set.', (each) => each.granted),
      gauge('account_epsilon_spent', 'Epsilon of all counted runs together.', (each) => each.spent),
      gauge('account_epsilon_left', 'Largest epsilon of one more run.', (each) => each.left),
      gauge('account_runs', 'Runs that were paid for.', (each) => each.runs),
      gauge(
        'account_runs_unfinished',
        'Runs that were paid for and did not report their end.',
        (each) => each.unfinishedRuns,
      ),
      {
        name: 'accounts_unreadable',
        help: 'Data sets whose budget cannot be read now.',
        type: 'gauge',
        samples: [{ labels: {}, value: unread }],
      },
    ];
  }
}

function modelFamilies(models: readonly ModelSummary[], now: number): readonly MetricFamily[] {
  const gauge = (name: string, help: string, value: (model: ModelSummary) => number | undefined) => ({
    ...{ name, help, type: 'gauge' as const },
    samples: models.flatMap((model) => {
      const known = value(model);
      return known === undefined ? [] : [{ labels: { model: model.id }, value: known }];
    }),
  });
  return [
    gauge('model_age_seconds', 'Time since the live model was made.', ({ publishedAt }) =>
      Math.max(0, (now - Date.parse(publishedAt)) / 1000),
    ),
    gauge('model_epsilon', 'Epsilon of the certificate; +Inf without a guarantee.', ({ epsilon }) =>
      epsilon === null ? Infinity : Number(epsilon),
    ),
    gauge('model_delta', 'Delta of the certificate.', ({ delta }) => Number(delta)),
    {
      name: 'model_verdict',
      help: 'Whether the model is worth using, from released numbers: 1 at its verdict.',
      type: 'gauge',
      samples: models.flatMap(({ id, usefulness }) =>
        usefulness === null
          ? []
          : verdicts.map((verdict) => ({
              labels: { model: id, verdict },
              value: usefulness.verdict === verdict ? 1 : 0,
            })),
      ),
    },
    gauge(
      'model_items_above_noise',
      'About how many items stand out from the noise.',
      ({ usefulness }) => usefulness?.itemsAboveNoise,
    ),
  ];
}

function refreshFamilies(
  models: readonly { readonly model: string; readonly counts: RefreshCounts | undefined }[],
): readonly MetricFamily[] {
  return [
    {
      name: 'refreshes_total',
      help: 'Ends of hushrec refresh: done, nothing-new, held-back, refused, failed.',
      type: 'counter',
      samples: models.flatMap(({ model, counts }) =>
        Object.entries(counts?.ends ?? {}).map(([end, value]) => ({ labels: { model, end }, value })),
      ),
    },
    {
      name: 'last_refresh_timestamp_seconds',
      help: 'When hushrec refresh ended last, however it ended.',
      type: 'gauge',
      samples: models.flatMap(({ model, counts }) => {
        const at = Date.parse(counts?.last?.at ?? '');
        return Number.isNaN(at) ? [] : [{ labels: { model }, value: at / 1000 }];
      }),
    },
  ];
}
