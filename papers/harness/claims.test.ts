import { describe, expect, it } from 'vitest';
import { experiments } from '../list-of-experiments.js';
import { findingsOf, judged, measuresOf } from './claim.js';
import { claims } from './claims.js';
import type { Finding } from './experiment.js';

const finding = (what: string, holds: Finding['holds']): Finding => ({ what, measured: 1, holds });

describe('claims of the papers', () => {
  it('are decided by experiments that exist, and every experiment of the papers decides one', () => {
    const ids = experiments.map(({ id }) => id);
    expect(claims.filter(({ experiment }) => !ids.includes(experiment))).toEqual([]);
    const deciding = new Set(claims.map(({ experiment }) => experiment));
    const beyond = /^(?:hush|federated|baselines|refresh)\/|^dpimf\/gowalla$/;
    expect(ids.filter((id) => !deciding.has(id) && !beyond.test(id))).toEqual([]);
  });

  it('are judged by the findings whose words they name, reported ones left out', () => {
    const [claim] = claims.filter(({ says }) => says === 'tail sampling beats uniform sampling');
    const all = [
      finding('ε = 10: tail beats uniform sampling', true),
      finding('ε = 10: tail beats uniform sampling, reported', null),
      finding('adaptive weights beat uniform sampling', false),
    ];
    expect(findingsOf(claim, all)).toEqual([all[0]]);
  });

  it('say what their numbers are: by themselves, or by the words that all their findings end with', () => {
    const [claim] = claims.filter(({ measures }) => measures === undefined);
    const gains = [finding('a beats b (gain in rmse)', true), finding('a beats c (gain in rmse)', true)];
    expect(measuresOf(claim, gains)).toBe('gain in rmse');
    expect(measuresOf(claim, [...gains, finding('a beats d', true)])).toBeUndefined();
    expect(measuresOf({ ...claim, measures: 'true ε' }, gains)).toBe('true ε');
  });

  it('are neither refuted nor confirmed by what is not comparable', () => {
    const [cast] = claims.filter(({ says }) => says === 'cast tells most');
    expect(judged([finding('', false)], cast.cause)).toBe('not comparable');
    expect(judged([finding('', false)], { kind: 'cause found', why: '' })).toBe('does not hold');
  });

  it('are quoted in few words, unless asked here or shown by a figure or table alone', () => {
    const quoted = claims.flatMap(({ quote }) => (quote === undefined ? [] : [quote]));
    expect(quoted.filter((quote) => quote.split(' ').length > 25 || /[“”]/.test(quote))).toEqual([]);
    const others = claims.filter(({ quote }) => quote === undefined).map(({ where }) => where);
    expect(others.filter((where) => !/asked here|^(?:Figure|Table) /.test(where))).toEqual([]);
  });

  it.each([
    [[true, true], 'holds'],
    [[false], 'does not hold'],
    [['tie', 'tie'], 'a tie'],
    [[true, false, 'tie', true], 'holds in 2, does not in 1, a tie in 1 of 4'],
    [[], 'reported only'],
  ] as const)('%j: %s', (verdicts, words) => {
    expect(judged(verdicts.map((holds) => finding('', holds)))).toBe(words);
  });
});
