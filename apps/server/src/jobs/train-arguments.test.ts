import { describe, expect, it } from 'vitest';
import { parseProgressLine } from './progress-line.js';
import { evaluateArguments, trainArguments } from './train-arguments.js';

describe('trainArguments', () => {
  it('passes every value as one argument, so that none can become an option of its own', () => {
    const args = trainArguments(
      {
        dataset: 'd',
        method: 'dpals',
        epsilon: 1,
        delta: 1e-6,
        settings: { rank: 8, mode: '--out=/elsewhere' },
        model: 'm',
        plan: 'abc',
      },
      { dataset: '/data/d', model: '/models/m', resume: true },
    );
    expect(args).toEqual([
      'train',
      '/data/d',
      '--method=dpals',
      '--epsilon=1',
      '--delta=0.000001',
      '--set=rank=8',
      '--set=mode=--out=/elsewhere',
      '--plan=abc',
      '--out=/models/m',
      '--resume',
      '--json',
    ]);
  });

  it('write down a run without a guarantee, and who started it', () => {
    const request = { dataset: 'd', method: 'als', settings: {}, model: 'm' };
    const places = { dataset: '/data/d', model: '/models/m', resume: false };
    const told = trainArguments({ ...request, recordUnprotected: true }, places, 'Noor K.');
    expect(told).toContain('--record-unprotected');
    expect(told).toContain('--note=Noor K.');
    expect(trainArguments(request, places).join(' ')).not.toMatch(/note|unprotected/);
  });

  it('train and measure on likes where they were asked for', () => {
    const request = { dataset: 'd', method: 'ials', liked: 4, settings: {}, model: 'm' };
    const places = { dataset: '/data/d', model: '/models/m', resume: false };
    expect(trainArguments(request, places)).toContain('--liked=4');
    expect(evaluateArguments(request, places)).toContain('--liked=4');
    const { liked: _, ...stars } = request;
    for (const args of [trainArguments(stars, places), evaluateArguments(stars, places)])
      expect(args.join(' ')).not.toContain('liked');
  });
});

describe('parseProgressLine', () => {
  it('reads progress and nothing else', () => {
    expect(parseProgressLine('{"stage":"round 1","done":1,"total":4,"more":1}')).toEqual({
      stage: 'round 1',
      done: 1,
      total: 4,
    });
    for (const line of ['', 'Reading …', '{"stage":1}', '{', '{"stage":"x","done":"1","total":2}']) {
      expect(parseProgressLine(line)).toBeUndefined();
    }
  });
});
