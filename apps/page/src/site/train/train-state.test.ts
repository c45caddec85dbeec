import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { DatasetSummary, MethodSummary, PlanRequest, RunRequest } from '../server-interface.js';
import { RunsState } from './runs-state.js';
import { TrainState } from './train-state.js';

const method = (id: string, feedback: string[], unit?: string): MethodSummary => ({
  ...{ id, title: id, paper: 'its own', feedback },
  protects: unit === undefined ? [] : [{ unit, relation: 'add-or-remove' }],
  settings: { rank: { type: 'integer', default: 8, min: 1, max: 64 } },
});
const methods = [
  method('ials', ['implicit']),
  method('als', ['explicit']),
  method('hush', ['explicit', 'implicit'], 'user'),
  method('private-als', ['explicit'], 'rating'),
];
const data = (id: string, max: number): DatasetSummary => ({
  ...{ id, name: id, people: 100, items: 45, ratings: 900, contentHash: id, counted: [] },
  scale: { min: 1, max, step: 1 },
});

type Asked = PlanRequest & Partial<RunRequest>;
/** Plans that were asked for and not answered yet, and runs that were started. */
const plans: { readonly body: Asked; readonly answer: (json: object) => void }[] = [];
const runs: Asked[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('sessionStorage', { getItem: () => null });
  vi.stubGlobal('fetch', (path: string, { body }: RequestInit) => {
    const asked = JSON.parse(String(body)) as Asked;
    return new Promise((resolve) => {
      if (path.endsWith('/runs')) runs.push(asked);
      else plans.push({ body: asked, answer: (json) => resolve({ ok: true, json: async () => json }) });
    });
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function opened() {
  const left = new AbortController();
  const state = new TrainState(
    [data('stars', 5), data('clicks', 1)],
    methods,
    [],
    new RunsState([], true, left.signal),
  );
  state.follow(left.signal);
  return { state, left };
}

type Action = (state: TrainState) => unknown;
const typedInto = (field: 'epsilon' | 'delta' | 'ownName', texts: readonly string[]): fc.Arbitrary<Action> =>
  fc.constantFrom(...texts).map((text) => (state) => {
    state[field].value = { text };
  });
const answering = (isOldest: boolean) => async () => {
  const next = isOldest ? plans.shift() : plans.pop();
  const { epsilon = null, delta = 0 } = next?.body ?? {};
  next?.answer({ hash: JSON.stringify(next.body), epsilon, delta, budget: null, isUnprotected: false });
  await vi.advanceTimersByTimeAsync(0);
};
const action: fc.Arbitrary<Action> = fc.oneof(
  typedInto('epsilon', ['1', '8', '0', '']),
  typedInto('delta', ['1e-6', '1e-5', '2']),
  typedInto('ownName', ['', 'a', 'b']),
  fc.constantFrom('stars', 'clicks').map((text) => (state: TrainState) => {
    state.datasetId.value = { text };
  }),
  fc.constantFrom(...methods).map(({ id }) => (state: TrainState) => {
    state.methodId.value = { text: id };
  }),
  fc.constantFrom('rank' as const, 'stars' as const).map((goal) => (state: TrainState) => {
    state.goal.value = goal;
  }),
  fc.constantFrom('', '4', '9').map((text) => (state: TrainState) => {
    state.setting('rank').value = { text };
  }),
  { weight: 4, arbitrary: fc.constant<Action>(() => vi.advanceTimersByTime(300)) },
  // The oldest and the newest question: answers overtake each other, or never come.
  { weight: 4, arbitrary: fc.boolean().map((isOldest): Action => answering(isOldest)) },
  { weight: 4, arbitrary: fc.constant<Action>((state) => void state.start()) },
);

it('starts no run under a plan that is not its own, whatever is typed and whenever answers come', async () => {
  let started = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 8, maxLength: 40 }), async (actions) => {
      [plans.length, runs.length] = [0, 0];
      const { state, left } = opened();
      for (const act of actions) {
        const shown = state.planned.value?.answer?.hash;
        await act(state);
        for (const { plan, evaluate: _, publishFrom: _from, ...own } of runs.splice(0)) {
          expect(plan).toBe(JSON.stringify(own));
          expect(plan).toBe(shown);
          started++;
        }
      }
      left.abort();
    }),
    { numRuns: 300 },
  );
  expect(started).toBeGreaterThan(50); // so there was something to go wrong
});
