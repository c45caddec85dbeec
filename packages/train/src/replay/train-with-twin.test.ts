import { createEngine, type Engine } from '@hushrec/numerics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countingMethod, type Leak, plannedRun } from './leaky-method.test.data.js';
import { NotFromReleasesError, trainWithTwin } from './train-with-twin.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ kernel: 'scalar', threads: 1 });
});
afterAll(() => engine.close());

describe('training beside a twin that sees no data', () => {
  it('gives what follows from releases', async () => {
    const { run, request } = plannedRun(countingMethod('nothing'), engine);
    const { model, record } = await trainWithTwin(run, request);
    expect(model.kind).toBe('baseline');
    expect(record.releases).toEqual([expect.objectContaining({ name: 'counts', count: 2 })]);
  });

  it.each<Leak>([
    'exact count in the model',
    'exact count in a fact',
    'length follows the data',
    'public start follows the data',
    'a release for each person',
    'fewer releases',
    'coins of people in public numbers',
  ])('gives nothing at all where something went round the recorder: %s', async (leak) => {
    const { run, request } = plannedRun(countingMethod(leak), engine);
    await expect(trainWithTwin(run, request)).rejects.toThrow(NotFromReleasesError);
  });

  it('passes on what the run on data failed of', async () => {
    const { run, request } = plannedRun(countingMethod('nothing'), engine);
    const failing = {
      ...request,
      released: () => {
        throw new Error('disk full');
      },
    };
    await expect(trainWithTwin(run, failing)).rejects.toThrow('disk full');
  });

  it('stops when it is told to', async () => {
    const { run, request } = plannedRun(countingMethod('nothing'), engine);
    const controller = new AbortController();
    const released = () => controller.abort();
    await expect(trainWithTwin(run, { ...request, released, signal: controller.signal })).rejects.toThrow(
      /abort/,
    );
  });

  it('is told every release in order', async () => {
    const { run, request } = plannedRun(countingMethod('nothing'), engine);
    const seen: string[] = [];
    await trainWithTwin(run, {
      ...request,
      released: (asked) => void seen.push(`${asked.release} ${asked.occurrence}`),
    });
    expect(seen).toEqual(['counts 0', 'counts 1']);
  });
});
