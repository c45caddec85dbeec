import {
  deltaWords,
  exceptionSentence,
  guaranteeSentences,
  paperSentence,
  promiseSentence,
  protectionSentence,
} from '@hushrec/model/words';
import type { CalibratedPlan } from '@hushrec/privacy';

/** The guarantee of a plan, in words a privacy officer reads before anything happens. */
export function guaranteeText(
  plan: CalibratedPlan,
  simulation: boolean,
  asked: { readonly epsilon: number; readonly accounting: string } = {
    epsilon: plan.epsilon,
    accounting: 'exact',
  },
): string {
  if (!Number.isFinite(plan.epsilon)) return guaranteeSentences(plan).join('\n');
  const paper = paperSentence(plan);
  const lines = releaseLines(plan.releases);
  const width = Math.max(...lines.map(([name]) => name.length));
  return [
    protectionSentence(plan),
    `ε = ${plan.epsilon}, δ = ${deltaWords(plan.delta)} (${plan.accountant}). Released: ${plan.released}.`,
    `${promiseSentence(plan)} ${exceptionSentence(plan.delta)}`.trim(),
    ...(asked.accounting === 'exact'
      ? []
      : [
          `Noise was calibrated to a nominal ε = ${asked.epsilon} by ${asked.accounting} accounting; the true ε of that noise is ${plan.epsilon}.`,
        ]),
    ...(simulation
      ? ['SIMULATION: a seed was given, so the noise can be recomputed and nobody is protected.']
      : []),
    ...(paper === undefined ? [] : [paper]),
    'Planned releases:',
    ...lines.map(([name, what]) => `  ${name.padEnd(width)}  ${what}`),
    ...(plan.later === undefined
      ? []
      : [
          `  and up to ${plan.later.lines} more, whose noise follows from these by a published rule, all within the same ε.`,
        ]),
  ].join('\n');
}

/** One line per kind of release; rounds whose noise differs share one. */
function releaseLines(releases: CalibratedPlan['releases']): [name: string, what: string][] {
  const kinds = new Map<string, CalibratedPlan['releases'][number][]>();
  for (const release of releases) {
    const kind = release.name.replace(/-round-\d+$/, '');
    kinds.set(kind, [...(kinds.get(kind) ?? []), release]);
  }
  return [...kinds].map(([kind, group]) => {
    const first = group[0];
    const last = group.at(-1)!;
    const count = group.reduce((sum, release) => sum + release.count, 0);
    const noise =
      first.noise === last.noise
        ? short(first.noise)
        : `${short(first.noise)} falling to ${short(last.noise)}`;
    return [
      kind,
      `${String(count).padStart(3)} ×  ${first.mechanism.kind}, noise ${noise} against sensitivity ${short(first.sensitivity)}`,
    ];
  });
}

function short(value: number): string {
  return Number(value.toPrecision(4)).toString();
}
