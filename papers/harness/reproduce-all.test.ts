import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryOutcomeStore } from '@hushrec/evaluate';
import { renderReport } from '@hushrec/report';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findingsOf, judged, measuresOf } from './claim.js';
import type { Experiment } from './experiment.js';
import { reproduceAll } from './reproduce-all.js';

let out: string;
beforeEach(async () => {
  out = await mkdtemp(join(tmpdir(), 'hushrec-reproduce-'));
});
afterEach(() => rm(out, { recursive: true, force: true }));

/** Two experiments, one on data that is not there, and what they decide. */
function papers(run: Experiment['run']) {
  const experiment = (id: string, needs: readonly string[]): Experiment => ({
    id,
    title: `Title of ${id}`,
    paper: 'A paper',
    needs,
    minutes: 10,
    quickMinutes: 3,
    run,
  });
  const claim = { paper: 'A paper', where: 'Figure 1', says: 'a beats b', by: /beats/ };
  return {
    experiments: [experiment('one/figure1', []), experiment('one/figure2', ['netflix'])],
    claims: [
      { ...claim, experiment: 'one/figure1' },
      { ...claim, experiment: 'one/figure2', where: 'Figure 2' },
    ],
    isThere: () => false,
    howToGet: (name: string) => `Get ${name}.`,
    findingsOf,
    judged,
    measuresOf,
  };
}

const asked = async (run: Experiment['run'], signal = new AbortController().signal, said: string[] = []) => {
  const context = {
    say: (line: string) => void said.push(line),
    progress: () => undefined,
    signal,
    draw: (report: Parameters<typeof renderReport>[0]) => renderReport(report),
    write: (path: string, text: string) => writeFile(path, text),
  };
  const options = { quick: true, seed: 1, out };
  const outcome = await reproduceAll(papers(run), options, undefined as never, memoryOutcomeStore(), context);
  const report = await readFile(join(out, 'all.quick.html'), 'utf8');
  return { said, outcome, report };
};

const claimsOf = ({ json }: { readonly json: object }) => (json as { claims: unknown }).claims;

const result = async () => ({
  findings: [
    {
      what: 'a beats b',
      published: 0.5,
      measured: Number.POSITIVE_INFINITY,
      error: 0.01,
      holds: true as const,
    },
    { what: 'only reported', measured: 1, holds: null },
  ],
  guarantee: 'None.',
  sections: [],
});

describe('all experiments of the papers', () => {
  it('says what it will take, runs what has its data, and says what is to be downloaded for the rest', async () => {
    const { said, outcome, report } = await asked(result);
    expect(said[0]).toContain('1 of 2 experiments are to be run: about 3 minutes of processor time');
    expect(claimsOf(outcome)).toMatchObject([
      { where: 'Figure 1', verdict: 'holds', command: 'hushrec reproduce one/figure1 --quick' },
      { where: 'Figure 2', verdict: 'not run: needs netflix' },
    ]);
    expect(report).toContain('2 claims: 1 hold');
    expect(report).toContain('Infinity ± 0.01 (published 0.5)');
    expect(report).toContain('Get netflix.');
  });

  it('shows of many findings those with a published number, and how far all reach', async () => {
    const { report } = await asked(async () => ({
      findings: [3, 1, 4, 1, 5, 2].map((measured) => ({
        what: 'a beats b (gain in rmse)',
        measured,
        ...(measured === 4 && { published: 2 }),
        holds: measured > 1,
      })),
      guarantee: 'None.',
      sections: [],
    }));
    expect(report).toContain('gain in rmse: 4 (published 2); 6 in all, from 1 to 5');
    expect(report).toContain('0 hold, 0 do not hold, 0 tie, 1 hold in part');
    expect(report).toContain('Paper by paper');
    expect(report).toMatch(/What does not hold, and why.*cause not found/s);
  });

  it('shows what is only reported, and says what a quick run leaves out', async () => {
    const finding = { what: 'share by which a beats b', measured: 0.7, error: 0.1, holds: null };
    const only = await asked(async () => ({ findings: [finding], guarantee: 'None.', sections: [] }));
    expect(claimsOf(only.outcome)).toMatchObject([{ verdict: 'reported only' }, {}]);
    expect(only.report).toContain('0.7 ± 0.1');
    await rm(join(out, 'one-figure1.quick.json'));
    const none = await asked(async () => ({ findings: [], guarantee: 'None.', sections: [] }));
    expect(claimsOf(none.outcome)).toMatchObject([{ verdict: 'not run: in the full run only' }, {}]);
  });

  it('goes on where it was: what is finished is not run again', async () => {
    await asked(result);
    const { said, outcome } = await asked(() => Promise.reject(new Error('run twice')));
    expect(said[0]).toContain('0 of 2 experiments are to be run: about 0 minutes');
    expect(claimsOf(outcome)).toMatchObject([{ verdict: 'holds' }, { verdict: 'not run: needs netflix' }]);
  });

  it('says how to go on where it is stopped', async () => {
    const stop = new AbortController();
    const said: string[] = [];
    const run = asked(
      async () => {
        stop.abort();
        throw new Error('stopped');
      },
      stop.signal,
      said,
    );
    await expect(run).rejects.toThrow('stopped');
    expect(said.at(-1)).toContain('Stopped at one/figure1. The same command goes on from there;');
    expect((await asked(result)).said[0]).toContain('1 of 2 experiments are to be run');
  });

  it('names an experiment that failed and goes on with the others', async () => {
    const { outcome, report } = await asked(() => Promise.reject(new Error('out of luck')));
    expect(claimsOf(outcome)).toMatchObject([{ verdict: 'failed' }, {}]);
    expect(report).toContain('out of luck');
  });
});
