import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { openLedger } from '@hushrec/ledger';
import { describe, expect, it } from 'vitest';
import { ServerMetrics } from './server-metrics.js';
import { parseStrictly } from './testing/prometheus-text.test.data.js';
import { writeUsefulModel } from './testing/sample-models.test.data.js';
import { startTestServer } from './testing/test-server.test.data.js';

describe('ServerMetrics', () => {
  it('counts by route and status and keeps a cumulative histogram', () => {
    const metrics = new ServerMetrics();
    metrics.observe('GET', '/api/models', 200, 0.002);
    metrics.observe('GET', '/api/models', 200, 0.2);
    metrics.observe('GET', 'unknown', 404, 9);
    const text = metrics.text({ models: 3 });
    expect(text).toContain('hushrec_requests_total{method="GET",route="/api/models",status="200"} 2');
    expect(text).toContain('hushrec_request_seconds_bucket{le="0.0025"} 1');
    expect(text).toContain('hushrec_request_seconds_bucket{le="0.25"} 2');
    expect(text).toContain('hushrec_request_seconds_bucket{le="+Inf"} 3');
    expect(text).toContain('hushrec_models 3');
  });
});

it('escapes names that people chose, and says what has no bound', () => {
  const name = 'a "b" \\ c\nd';
  const family = {
    name: 'model_epsilon',
    help: 'Epsilon.',
    type: 'gauge' as const,
    samples: [{ labels: { model: name }, value: Infinity }],
  };
  const parsed = parseStrictly(new ServerMetrics().text({}, [family]));
  expect(parsed.get('hushrec_model_epsilon')!.samples).toEqual([
    { name: 'hushrec_model_epsilon', labels: { model: name }, value: Infinity },
  ]);
});

describe('/metrics and /readyz of a server', () => {
  it('says age, guarantee, verdict, budgets and ends of refreshes, in a text that Prometheus reads', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hushrec-metrics-'));
    const place = join(folder, 'ledger.sqlite');
    const server = await startTestServer({ ledger: place });
    try {
      const [dataset] = readdirSync(join(server.folder, 'data'));
      const { account } = JSON.parse(
        readFileSync(join(server.folder, 'data', dataset, 'dataset.json'), 'utf8'),
      );
      const ledger = await openLedger(place, { create: true });
      await ledger.nameAccount(account.id, account.name);
      const protection = { unit: 'user', relation: 'add-remove' } as const;
      await ledger.grant(account.id, { epsilon: 2, delta: 1e-6, protection });
      await ledger.close();
      const model = join(server.folder, 'models', 'sample-eps-1');
      const certificate = JSON.parse(readFileSync(join(model, 'certificate.json'), 'utf8'));
      const made = new Date(Date.now() - 10 * 86_400_000);
      utimesSync(join(model, 'certificate.json'), made, made);
      writeFileSync(
        `${model}.refreshes.json`,
        '{"ends":{"refused":2,"failed":1},"last":{"end":"refused","at":"2030-01-01T00:00:00.000Z"}}',
      );
      await writeUsefulModel(join(server.folder, 'models', 'useful'));
      mkdirSync(`${model}.versions`);
      cpSync(model, join(`${model}.versions`, 'a'.repeat(64)), { recursive: true });
      await expect
        .poll(async () => {
          const families = parseStrictly(await (await server.asOperator('/metrics')).text());
          const of = (family: string, labels: object) =>
            families
              .get(`hushrec_${family}`)
              ?.samples.find((sample) => isDeepStrictEqual(sample.labels, labels))?.value;
          const shown = { model: 'sample-eps-1' };
          return {
            isOld: Math.abs(of('model_age_seconds', shown)! - 864_000) < 600,
            epsilon: of('model_epsilon', shown),
            noPrivacy: of('model_epsilon', { model: 'sample-no-privacy' }),
            verdicts: ['worth-it', 'weak', 'same-for-all', 'too-noisy'].map((verdict) =>
              of('model_verdict', { model: 'useful', verdict }),
            ),
            aboveNoise: of('model_items_above_noise', { model: 'useful' }),
            refused: of('refreshes_total', { ...shown, end: 'refused' }),
            last: of('last_refresh_timestamp_seconds', shown),
            granted: of('account_epsilon_granted', { account: account.name, id: account.id }),
            spent: of('account_epsilon_spent', { account: account.name, id: account.id }),
            left: of('account_epsilon_left', { account: account.name, id: account.id })! > 1.9,
            failedRuns: of('runs', { status: 'failed' }),
            // Kept versions are not served.
            models: of('models', {}),
          };
        })
        .toEqual({
          isOld: true,
          epsilon: certificate.epsilon,
          noPrivacy: Infinity,
          verdicts: [1, 0, 0, 0],
          aboveNoise: 30,
          refused: 2,
          last: 1_893_456_000,
          granted: 2,
          spent: 0,
          left: true,
          failedRuns: 0,
          models: 4,
        });
    } finally {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('is not ready where a model is too old, if the operator set a limit', async () => {
    const server = await startTestServer({ maxModelAgeMs: 8 * 86_400_000, publishedNow: 'sample-eps-1' });
    try {
      expect((await server.ask('/readyz')).status).toBe(200);
      const age = async (name: string, days: number) => {
        const made = new Date(Date.now() - days * 86_400_000);
        utimesSync(join(server.folder, 'models', name, 'certificate.json'), made, made);
      };
      await age('sample-eps-5', 30);
      await age('sample-eps-1', 9);
      await expect.poll(async () => (await server.ask('/readyz')).status).toBe(503);
      expect(await (await server.ask('/readyz')).json()).toEqual({
        ok: false,
        reasons: ['a model is too old'],
      });
      expect((await server.ask('/healthz')).status).toBe(200);
      await age('sample-eps-1', 1);
      await expect.poll(async () => (await server.ask('/readyz')).status).toBe(200);
    } finally {
      await server.close();
    }
  });
});
