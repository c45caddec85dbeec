import { expect, it } from 'vitest';
import { decidingMetric, mainMetrics, metricWords } from './metric-words.js';

it('takes one metric of each kind, the one that decides first', () => {
  const metrics = ['mae', 'ndcg@10', 'ndcg@20', 'recall@10', 'rmse'];
  expect(mainMetrics(metrics)).toEqual(['recall@10', 'ndcg@10', 'rmse']);
  expect(mainMetrics(metrics, 'rmse')).toEqual(['rmse', 'recall@10', 'ndcg@10']);
  expect(mainMetrics(metrics, 'ndcg@20')).toEqual(['ndcg@20', 'recall@10', 'rmse']);
  expect(mainMetrics(['auc', 'mae'])).toEqual(['auc', 'mae']);
});

it('decides by stars where they are predicted, by favourites where titles are ranked', () => {
  expect(decidingMetric('explicit', ['recall@10', 'rmse'])).toBe('rmse');
  expect(decidingMetric('implicit', ['recall@10', 'rmse'])).toBe('recall@10');
  expect(decidingMetric('explicit', ['auc'])).toBe('');
});

it('tells favourites out of a hundred and knows of what less is better', () => {
  expect(metricWords('recall@20')).toMatchObject({ times: 100, isError: false });
  expect(metricWords('recall@20').title).toContain('top 20, of 100');
  expect(metricWords('rmse')).toMatchObject({ times: 1, isError: true });
  expect(metricWords('mae').isError).toBe(true);
});
