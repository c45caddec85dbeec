import { describe, expect, it } from 'vitest';
import { firstChoice, groupModels } from './model-groups.js';
import type { ModelSummary } from './server-interface.js';

const model = (
  id: string,
  epsilon: number | null,
  account = 'a',
  feedback: 'explicit' | 'implicit' = 'explicit',
  publishedAt = '2026-11-01',
) =>
  ({
    ...{ id, epsilon, account, feedback, publishedAt },
    usefulness: null,
    method: epsilon === null ? 'als' : 'dpals',
  }) as ModelSummary;

describe('groupModels', () => {
  it('keeps apart what one history cannot serve, the largest group first, the most private model first', () => {
    const groups = groupModels([
      model('other', 1, 'b'),
      model('likes', 1, 'a', 'implicit'),
      model('open', null),
      model('ten', 10),
      model('one', 1),
    ]);
    expect(groups.map(({ models }) => models.map(({ id }) => id))).toEqual([
      ['one', 'ten', 'open'],
      ['other'],
      ['likes'],
    ]);
  });
});

describe('firstChoice', () => {
  const newest = (id: string, epsilon: number) => model(id, epsilon, 'a', 'explicit', '2026-11-02');
  const open = [model('open', null), model('open-2', null)];

  it('takes the most private, the newest and one without privacy', () => {
    expect([...firstChoice([model('one', 1), newest('three', 3), model('ten', 10), ...open])]).toEqual([
      'one',
      'three',
      'open',
    ]);
    expect([...firstChoice([model('only', 1)])]).toEqual(['only']);
  });

  it('takes the two ends of privacy where the newest is the most private', () => {
    const models = [newest('one', 1), model('three', 3), model('ten', 10), ...open];
    expect([...firstChoice(models)]).toEqual(['one', 'ten', 'open']);
  });

  it('takes the one that was asked for', () => {
    const models = [model('one', 1), newest('three', 3), model('ten', 10), ...open];
    expect([...firstChoice(models, 'ten')]).toEqual(['one', 'ten', 'open']);
    expect([...firstChoice(models, 'open-2')]).toEqual(['one', 'ten', 'open-2']);
    expect([...firstChoice(models, 'gone')]).toEqual(['one', 'three', 'open']);
  });
});
