import type { SweepRow } from '@hushrec/evaluate';
import { describe, expect, it } from 'vitest';
import { privacyPanels } from './privacy-panels.js';

const row = (method: string, unit: string, epsilon: number | null): SweepRow => ({
  method,
  unit,
  epsilon,
  delta: unit === 'user' ? 1e-5 : 0,
  metric: 'rmse',
  mean: 1,
  sd: 0,
  runs: 1,
  seconds: 1,
});
const dataset = { people: 943, ratings: 100_000 };

describe('privacyPanels', () => {
  const panels = privacyPanels(
    [
      row('als', 'none', null),
      row('hush', 'user', 1),
      row('private-als', 'rating-presence', 1),
      row('private-sgd', 'rating-value', 10),
      row('input-perturbation', 'rating-presence', 0.5),
    ],
    dataset,
  );

  it('never puts two units into one panel', () => {
    expect(panels.map(({ unit, rows }) => [unit, rows.map(({ method }) => method)])).toEqual([
      ['none', ['als']],
      ['user', ['hush']],
      ['rating-presence', ['private-als', 'input-perturbation']],
      ['rating-value', ['private-sgd']],
    ]);
  });

  it('says what ε for one rating comes to for a person with as many as the mean', () => {
    // 100,000 ratings of 943 people: 106 each.
    expect(panels[2].meaning).toContain('mean of 106 ratings trained on, ε = 1 is 106, ε = 0.5 is 53');
    expect(panels[3].meaning).toContain('ε = 10 is 1060');
    expect(panels[1].meaning).not.toContain('group privacy');
  });

  it('translates nothing where nothing is proved', () => {
    const [panel] = privacyPanels([row('private-als', 'rating-presence', null)], dataset);
    expect(panel.meaning).toMatch(/has k·ε\.$/);
  });
});
