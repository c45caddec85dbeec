import {
  type AccountedEpsilon,
  type PrivacyEvent,
  pldAccountant,
  pldEpsilon,
  pureAccountant,
  rdpAccountant,
  squaredMu,
  tightestEpsilon,
} from '@hushrec/privacy';
import type { CertificateStatement, ChainStatement } from './certificate.js';
import { eventOfReleases } from './certified-release.js';
import type { VerificationCheck } from './verify.js';

/**
 * Certificates state ε rounded up to six digits, which adds at most 1e-5 of it; the rest is room for a host
 * whose `Math.exp` differs in the last digit.
 */
const roundingRoom = 1.2e-5;
const hostRoom = 1e-9;

/** What a second accountant, on another mathematical road, says of the same releases. */
interface SecondOpinion {
  readonly accountant: string;
  /** No ε below this can be true. */
  readonly lower: number;
  /** This ε is proved; a claim above it says that the first accountant was not the tightest. */
  readonly upper: number;
}

/**
 * Recomputes the promised ε from the recorded releases.
 *
 * First, by the tightest accountant: the claim must be its value rounded up, no less and no more. Second, by
 * one that shares no code with the first: closed-form claims (Gaussian curve, sums of pure ε) are checked by
 * numerical composition of privacy-loss distributions, which gives an interval [optimistic, pessimistic];
 * numerical claims by Rényi or pure composition, which give an upper end, with the optimistic distribution as
 * the lower end. At a δ too small for numerical composition (pure mechanisms), Rényi composition checks the
 * sum of ε within 1%. The claim must lie in the interval.
 */
export function accountingChecks(certificate: CertificateStatement): readonly VerificationCheck[] {
  const { unit, epsilon, delta, accountant, releases, staged, chain } = certificate;
  const question = JSON.stringify({ unit, epsilon, delta, accountant, releases, staged, chain });
  if (question !== latest?.question) latest = { question, checks: recomputed(certificate) };
  return latest.checks;
}

/**
 * Numerical composition is the slow part of a verification; whoever watches one folder asks the same again.
 */
let latest: { readonly question: string; readonly checks: readonly VerificationCheck[] } | undefined;

function recomputed(certificate: CertificateStatement): VerificationCheck[] {
  const first = 'promised ε follows from the releases';
  const second = 'a second accountant agrees';
  try {
    const event = certificate.staged ? totalOf(certificate) : eventOfReleases(certificate.releases);
    const fault = faultInStages(certificate) ?? faultInChain(certificate) ?? faultInClaim(certificate, event);
    const claimed = certificate.epsilon;
    const checks = [
      {
        name: first,
        ok: fault === undefined,
        detail: fault ?? (claimed === null ? 'none is promised, and none is proved' : claimText(certificate)),
      },
    ];
    if (claimed === null || fault !== undefined) return checks;
    const opinion = secondOpinion(event, certificate.delta, tightestEpsilon(event, certificate.delta));
    const inside = claimed >= opinion.lower * (1 - hostRoom) && claimed <= opinion.upper * (1 + roundingRoom);
    checks.push({
      name: second,
      ok: inside,
      detail: `${opinion.accountant} puts ε between ${shown(opinion.lower)} and ${shown(opinion.upper)}${inside ? '' : `; ${claimed} is claimed`}`,
    });
    return checks;
  } catch (error) {
    return [{ name: first, ok: false, detail: (error as Error).message }];
  }
}

/**
 * What a plan in stages costs: one release of its total μ, whatever part of it was used; and with it those of
 * the runs that the model remembers.
 */
function totalOf({ staged, chain, releases }: CertificateStatement): PrivacyEvent {
  const distance = releases.filter(({ mechanism }) => mechanism === 'sampler-distance');
  return {
    kind: 'composed',
    events: [
      ...eventsOfChain(chain),
      { kind: 'gaussian', sensitivity: staged!.mu, noise: 1 },
      ...distance.map(({ totalVariation = 1 }) => ({ kind: 'sampler-distance', totalVariation }) as const),
    ],
  };
}

/** Lines of a plan in stages must be plain Gaussian ones that stay within the total together: Σμ² ≤ μ². */
function faultInStages({ staged, releases }: CertificateStatement): string | undefined {
  if (staged === undefined) return undefined;
  if (!(staged.mu > 0 && staged.mu < Infinity)) return 'the total of its stages is no finite number > 0.';
  const lines = releases.filter(({ mechanism }) => mechanism !== 'sampler-distance');
  if (!lines.every(({ mechanism, noise, count }) => mechanism === 'gaussian' && noise > 0 && count >= 1))
    return 'a plan in stages has other lines than Gaussian ones.';
  const spent = squaredMu(
    lines.map((line) => ({ ...line, sensitivity: line.provedSensitivity ?? line.sensitivity })),
  );
  return spent <= staged.mu ** 2
    ? undefined
    : `its stages spent Σμ² = ${shown(spent)} of a total of ${shown(staged.mu ** 2)}.`;
}

/** What the runs before the last cost: their releases, and the distances of their samplers. */
export function eventsOfChain(chain: Pick<ChainStatement, 'earlier'> | undefined): PrivacyEvent[] {
  return (chain?.earlier ?? []).flatMap(({ mu, count, totalVariation }): PrivacyEvent[] => [
    { kind: 'repeated', event: { kind: 'gaussian', sensitivity: mu, noise: 1 }, count },
    { kind: 'sampler-distance', totalVariation },
  ]);
}

/** Runs of a chain are plans in stages with a finite μ, and the last one's own ε is that of its total. */
function faultInChain(certificate: CertificateStatement): string | undefined {
  const { chain, staged, delta } = certificate;
  if (chain === undefined) return undefined;
  if (staged === undefined) return 'it remembers earlier runs, but states no total of its own.';
  if (
    chain.earlier.length === 0 ||
    !chain.earlier.every(({ mu, count }) => mu > 0 && mu < Infinity && count >= 1)
  )
    return 'it remembers earlier runs whose cost is no finite number > 0.';
  const { chain: _chain, ...alone } = certificate;
  const { epsilon } = tightestEpsilon(totalOf(alone), delta);
  return chain.lastRun >= epsilon * (1 - hostRoom) && chain.lastRun <= epsilon * (1 + roundingRoom)
    ? undefined
    : `ε = ${chain.lastRun} is stated for the last run alone, which cost ${shown(epsilon)}.`;
}

function faultInClaim(certificate: CertificateStatement, event: PrivacyEvent): string | undefined {
  const { epsilon: claimed, delta, unit, releases } = certificate;
  if (claimed === null) {
    if (releases.length === 0) return undefined;
    return tightestEpsilon(event, delta).epsilon === Infinity
      ? undefined
      : 'no guarantee is stated although the releases have one.';
  }
  if (unit === 'none' || releases.length === 0)
    return 'an ε is stated without any release or anyone to protect.';
  if (!releases.every(({ count }) => Number.isInteger(count) && count >= 1))
    return 'a release was made a number of times that is no whole number.';
  const { epsilon, accountant } = tightestEpsilon(event, delta);
  if (claimed < epsilon * (1 - hostRoom))
    return `ε = ${claimed} is promised, but the releases cost ${shown(epsilon)} (${accountant}).`;
  if (claimed > epsilon * (1 + roundingRoom))
    return `ε = ${claimed} is stated, but the releases cost only ${shown(epsilon)} (${accountant}): not what was issued.`;
  return accountant === certificate.accountant
    ? undefined
    : `the accountant is said to be "${certificate.accountant}"; it is "${accountant}".`;
}

/** Below this δ, rounding errors of numerical composition (about 1e-15) are no longer small beside it. */
const leastNumericalDelta = 1e-12;
/**
 * How much Rényi composition may lose at such δ, by what it is compared with: next to nothing for sums of
 * pure ε, which its large orders approach; a few per cent for Gaussian noise (10.3% at most for δ from 1e-5
 * to 1e-30 and ε from 0.1 to 20).
 */
const renyiSlack: Readonly<Record<string, number>> = { pure: 0.01, 'gaussian-dp': 0.15 };

function secondOpinion(event: PrivacyEvent, delta: number, first: AccountedEpsilon): SecondOpinion {
  if (delta >= leastNumericalDelta && first.accountant !== 'pld') {
    return {
      accountant: 'pld',
      lower: pldEpsilon(event, delta, 'optimistic'),
      upper: pldAccountant.epsilon(event, delta),
    };
  }
  const others = [rdpAccountant, pureAccountant].filter(
    (each) => each.id !== first.accountant && each.knows(event),
  );
  const upper = Math.min(...others.map((each) => each.epsilon(event, delta)));
  const lower =
    delta >= leastNumericalDelta
      ? pldEpsilon(event, delta, 'optimistic')
      : upper * (1 - (renyiSlack[first.accountant] ?? 1));
  return { accountant: others.map(({ id }) => id).join(' or '), lower, upper };
}

function claimText({ epsilon, delta, accountant, releases, chain }: CertificateStatement): string {
  const runs = (chain?.earlier ?? []).reduce((sum, each) => sum + each.count, 0);
  const before =
    runs === 0 ? '' : ` and the ${runs} earlier ${runs === 1 ? 'run' : 'runs'} that it remembers`;
  const count = releases.reduce(
    (sum, each) => sum + (each.mechanism === 'sampler-distance' ? 0 : each.count),
    0,
  );
  return `${count} releases${before} cost ε = ${epsilon} at δ = ${delta < 1e-3 ? Number(delta.toPrecision(4)).toExponential() : delta} (${accountant})`;
}

function shown(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(7))) : 'no finite value';
}
