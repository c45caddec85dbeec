import { describe, expect, it } from 'vitest';
import { exitCodes } from '../exit-codes.js';
import { runCommand } from '../run-command.test.data.js';

const run = async (...args: string[]) => {
  const { text: out, errors: err, code } = await runCommand('privacy', ...args);
  return { out, err, code };
};
const json = async (...args: string[]) => (await runCommand('privacy', ...args, '--json')).json;

describe('hushrec privacy', () => {
  it('calibrate prints noise, μ and accountant', async () => {
    const answer = await json('calibrate', '--epsilon', '5', '--delta', '1e-5');
    expect(answer.noise).toBeCloseTo(0.89186826, 7);
    expect(answer.mu).toBeCloseTo(1.12124182, 7);
    expect(answer.accountant).toBe('gaussian-dp');
  });

  it('calibrate knows other mechanisms and rules', async () => {
    const laplace = await json(
      'calibrate',
      '--epsilon',
      '2',
      '--mechanism',
      'laplace',
      '--count',
      '4',
      '--sensitivity',
      '3',
    );
    expect(laplace).toMatchObject({ noise: 6, mu: null, accountant: 'pure' });
    const loose = await json('calibrate', '--epsilon', '1', '--delta', '1e-5', '--accounting', 'rdp');
    expect(loose.noise).toBeCloseTo(4.04513, 4);
  });

  it('epsilon inverts it and lists every accountant', async () => {
    const answer = await json('epsilon', '--noise', '5', '--count', '10', '--delta', '1e-5');
    expect(answer).toMatchObject({ delta: 1e-5, accountant: 'gaussian-dp' });
    expect(answer.epsilon).toBeCloseTo(2.594383, 5);
    expect(answer.others.map((each: { accountant: string }) => each.accountant)).toContain('pld');
  });

  it('epsilon composes different releases', async () => {
    const both = await json(
      'epsilon',
      '--delta',
      '1e-5',
      '--release',
      'gaussian,noise=5,count=10',
      '--release',
      'laplace,noise=20',
    );
    expect(both.accountant).toBe('pld');
    expect(both.epsilon).toBeGreaterThan(2.5944);
    expect(both.epsilon).toBeLessThan(2.7);
  });

  it('explain speaks to people', async () => {
    const { out } = await run('explain', '--epsilon', '1', '--delta', '1e-5');
    expect(out).toContain('at most 73.11% sure');
    expect((await json('explain', '--epsilon', '1')).groupOfTwo).toBeGreaterThan(2);
  });

  it('explain says nothing of Gaussian noise where δ = 0, which it cannot have', async () => {
    const answer = await json('explain', '--epsilon', '1', '--delta', '0');
    expect(answer).toMatchObject({ mu: null, curve: [], groupOfTwo: 2 });
    expect((await run('explain', '--epsilon', '1', '--delta', '0')).out).not.toContain('Gaussian noise at');
  });

  it('plan says what is weak in the words of certificates', async () => {
    const shop = ['plan', '--people', '10000', '--items', '500', '--ratings-per-person', '50'];
    expect((await json(...shop, '--epsilon', '1')).weak).toEqual([]);
    const { weak } = await json(...shop, '--epsilon', '30', '--delta', '1e-3');
    expect(weak).toEqual([
      expect.stringContaining('promises next to nothing'),
      expect.stringContaining('above one in ten times the about 10,000 people (as declared)'),
    ]);
    const { out } = await run(...shop, '--delta', '1e-3');
    expect(out.match(/Weak: δ/g)).toHaveLength(1);
  });

  it.each([
    [['calibrate', '--epsilon', '1e-6']],
    [['explain', '--epsilon', '1e-6']],
    [['epsilon', '--noise', '5']],
    [['plan', '--people', '1000', '--items', '500', '--ratings-per-person', '50']],
  ])('%j refuses a δ that promises nothing, in the same words', async (args) => {
    const { err, code, out } = await run(...args, '--delta', '0.9');
    expect(err).toContain(
      'delta is 0.9; expected a number from 0 to 0.01. Use less than 1 / (10 × number of people). Were ε and δ exchanged?',
    );
    expect(code).toBe(exitCodes.wrongUsage);
    expect(out).toBe('');
  });

  it.each([
    [['epsilon', '--delta', '1e-5'], 'Give --noise'],
    [['epsilon', '--noise', '-1'], 'Noise is -1'],
    [['epsilon', '--noise', '1', '--release', 'gaussian,noise=1'], 'not both'],
    [['epsilon', '--release', 'gauss,noise=1'], 'must start with'],
    [['epsilon', '--release', 'gaussian,sigma=1'], 'known: noise'],
    [['epsilon', '--release', 'gaussian,count=1'], 'needs noise'],
    [['calibrate', '--epsilon', '0'], 'epsilon is 0'],
    [['calibrate', '--epsilon', '1', '--mechanism', 'laplace', '--rate', '0.1'], '--rate is for Gaussian'],
    [['calibrate', '--epsilon', '1', '--rate', '2'], 'at most 1'],
  ])('refuses %j as wrong usage', async (args, message) => {
    const { err, code, out } = await run(...args);
    expect(err).toContain(message);
    expect(code).toBe(exitCodes.wrongUsage);
    expect(out).toBe('');
  });
});
