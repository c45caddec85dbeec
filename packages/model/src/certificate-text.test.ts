import { describe, expect, it } from 'vitest';
import type { AccountStatement } from './certificate.js';
import { certificateText } from './certificate-text.js';
import { exampleStatement } from './example-model.test.data.js';

describe('the certificate in words', () => {
  it('says who is protected, by how much, and what that means', () => {
    const text = certificateText(exampleStatement);
    expect(text).toMatch(/Protected: the presence or absence of one person with all of her data/);
    expect(text).toMatch(/ε = 9\.99726 and δ = 1e-5/);
    // (e^ε + δ)/(1 + e^ε) at ε = 9.99726.
    expect(text).toMatch(/right with probability at most 0\.99996/);
    expect(text).not.toMatch(/Simulation|No privacy/);
  });

  it('says that the list of people is not covered, where it is that of those who rated', () => {
    const ofRatings = { ...exampleStatement, unit: 'rating-presence' } as const;
    expect(certificateText(ofRatings)).not.toContain('list of people');
    expect(certificateText({ ...ofRatings, peopleListed: 'rated' })).toMatch(
      /## What is not covered\n\n- Who is in the data: the list of people, and how many they are, is that of those who rated/,
    );
    expect(certificateText({ ...ofRatings, peopleListed: 'declared' })).toContain('a declared one');
  });

  it('lists every release, and keeps the table whole whatever its names are', () => {
    const text = certificateText({
      ...exampleStatement,
      releases: [
        { name: 'a | b\nc', mechanism: 'gaussian', sensitivity: 1, noise: 2.5, count: 3, gridSigma: 2048 },
        { name: 'l', mechanism: 'laplace', sensitivity: 2, noise: 1e-7, count: 1, provedSensitivity: 4 },
        { name: 'p', mechanism: 'randomised response', sensitivity: 1, noise: 2, count: 1, epsilon: 0.5 },
      ],
    });
    const rows = text.split('\n').filter((line) => line.startsWith('|'));
    expect(rows).toHaveLength(5);
    expect(rows[2]).toBe('| a \\| b c | gaussian | 1 | 2.5 | 3 | noise on a grid |');
    expect(rows[3]).toContain('2 (proved: 4) | 1.000e-7');
    expect(rows[4]).toContain('pure ε = 0.5');
  });

  it('does not let a rating-level promise pass for one about people', () => {
    const text = certificateText({ ...exampleStatement, unit: 'rating-value', relation: 'replace' });
    expect(text).toMatch(/One rating is protected, not one person/);
    expect(text).toMatch(/Who rated what: only the values are protected/);
  });

  it('names the entry that it was charged by', () => {
    expect(certificateText(exampleStatement)).toContain('ledger: none: no budget was kept');
    expect(certificateText({ ...exampleStatement, ledgerEntry: 'ab12' })).toContain('ledger: `ab12`');
  });

  it('says that other models of the same people add up, and where the account stood', () => {
    const spent = { epsilon: 1.46, delta: 1e-6 };
    const text = (accountAtIssue: AccountStatement) =>
      certificateText({ ...exampleStatement, accountAtIssue });
    expect(certificateText(exampleStatement)).not.toContain('Other models');
    expect(text({ granted: null, spent })).toMatch(
      /no limit was granted to account .*, and all its runs together, this one included, had spent ε = 1\.46 at δ = 1e-6\./,
    );
    expect(text({ granted: { epsilon: 2, delta: 1e-6, period: 'year' }, spent })).toContain(
      'ε = 2 a year at δ = 1e-6 was granted',
    );
    expect(text({ granted: null, spent: { epsilon: null, delta: 1e-6 }, unprotectedRuns: 2 })).toContain(
      'had spent an unbounded ε at δ = 1e-6, beside 2 that this ε does not cover: without protection, or protecting less.',
    );
  });

  it('says of a federated run that each participant’s ledger knows what was spent', () => {
    const federated = {
      ...{ charter: 'a'.repeat(64), log: 'b'.repeat(64), noiseBy: 'aggregators' as const, honestNeeded: 1 },
      ...{ aggregators: [{ name: 'north', publicKey: 'k' }], leastReports: 5, outside: { epsilon: null } },
    };
    const text = certificateText({ ...exampleStatement, epsilon: 1, federated });
    expect(text).toContain('each participant’s own ledger holds what was granted to its people');
    expect(text).toContain('ledger: one in the ledger of each participant');
    expect(text).not.toContain('no budget was kept');
  });

  it('rounds a tiny δ up and shows it short', () => {
    expect(certificateText({ ...exampleStatement, delta: 2 ** -100 })).toMatch(/δ = 7\.889e-31\*\*/);
  });

  it('calls no promise strong whose δ is weak for so many people', () => {
    const small = { ...exampleStatement, epsilon: 1, delta: 1e-3 };
    const about = (people: number) =>
      certificateText({ ...small, people: { about: people, from: 'release' } as const });
    expect(about(100)).toContain('That is a strong promise.');
    expect(about(100)).not.toContain('**Weak.**');
    expect(about(101)).toContain('By its ε that would be a strong promise; with this δ it is a weak one.');
    expect(about(101)).toContain('**Weak.** δ = 0.001 is above one in ten times the about 101 people');
  });

  it('says plainly when there is no guarantee', () => {
    const text = certificateText({
      ...exampleStatement,
      epsilon: null,
      delta: 0,
      unit: 'none',
      relation: 'none',
    });
    expect(text).toMatch(/No privacy guarantee/);
    expect(text).not.toMatch(/differential privacy/);
  });

  it('puts what a paper claims beside what is proved', () => {
    const claimedByPaper = { claim: 'ε = 1 per user', why: 'The private item matrix is read without noise.' };
    expect(certificateText({ ...exampleStatement, claimedByPaper })).toMatch(
      /claims: ε = 1 per user\. That is not what this certificate states\. The private item matrix/,
    );
  });
});
