import { describe, expect, it } from 'vitest';
import { firstChoice, groupModels } from './model-groups.js';
import type { ModelSummary } from './server-interface.js';

const model = (
  id: string,
  epsilon: number | null,
  account = 'a',
  feedback: 'explicit' | 'implicit' = 'explicit',
) => ({ id, epsilon, account, feedback, method: epsilon === null ? 'als' : 'dpals' }) as ModelSummary;

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
  it('takes the two ends of privacy and one without', () => {
    const models = [
      model('one', 1),
      model('three', 3),
      model('ten', 10),
      model('open', null),
      model('open-2', null),
    ];
    expect([...firstChoice(models)]).toEqual(['one', 'ten', 'open']);
    expect([...firstChoice([model('only', 1)])]).toEqual(['only']);
  });
});
