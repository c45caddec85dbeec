import { describe, expect, it } from 'vitest';
import { groupModels } from './model-groups.js';
import type { ModelSummary } from './server-interface.js';

const model = (
  id: string,
  epsilon: number | null,
  account = 'a',
  feedback: 'explicit' | 'implicit' = 'explicit',
) =>
  ({
    ...{ id, epsilon, account, feedback },
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
