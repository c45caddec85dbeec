import { type DeltaInput, roundedUp } from '@hushrec/privacy';
import type { CertificateStatement, CertifiedRelease } from './certificate.js';
import {
  deltaWords,
  exceptionSentence,
  guessingBound,
  promiseSentence,
  protectionSentence,
  strengthOf,
} from './guarantee-words.js';
import { enoughWords, noiseWords, usefulnessWords } from './usefulness/usefulness-words.js';

/**
 * CERTIFICATE.md: the certificate in plain words. A function of the certificate alone, so it cannot say other
 * things.
 */
export function certificateText(certificate: CertificateStatement): string {
  return [
    '# Privacy certificate',
    ...warning(certificate),
    '## What is promised',
    ...promise(certificate),
    ...pluginParagraph(certificate),
    ...chainWords(certificate),
    ...federatedWords(certificate),
    ...paperClaim(certificate),
    '## What was released',
    ...releases(certificate),
    ...worth(certificate),
    '## What is not covered',
    ...notCovered(certificate),
    '## Where it comes from',
    provenance(certificate),
    'This page repeats `certificate.json` in words. `hushrec verify` recomputes the numbers from the releases ' +
      'above with a second method, and checks that no file of the model was changed.',
  ]
    .join('\n\n')
    .concat('\n');
}

function warning(certificate: CertificateStatement): string[] {
  const { simulation, epsilon } = certificate;
  if (simulation) {
    return [
      '> **Simulation: nothing is protected.** A seed was used, so anyone who knows it can recompute the noise ' +
        'and take it away. Every number below says what the same run would guarantee without a seed.',
    ];
  }
  if (epsilon === null) return ['> **No privacy guarantee.** This model may reveal who rated what.'];
  return weakWords(certificate).map((words) => `> **Weak.** ${words}`);
}

/** ε beyond this says next to nothing. */
export const weakEpsilon = 20;

/** Why a guarantee is weak, in words; none where it is not. From stated and released numbers alone. */
export function weakWords({
  epsilon,
  delta,
  people,
}: Pick<CertificateStatement, 'epsilon' | 'delta' | 'people'>): string[] {
  const words: string[] = [];
  if (epsilon !== null && epsilon > weakEpsilon)
    words.push(
      `With ε = ${epsilon} the bound on what can be learned about someone is so wide that it promises next to nothing.`,
    );
  if (people !== undefined && isWeakDelta(delta, people.about))
    words.push(
      `δ = ${deltaWords(delta)} is above one in ten times the about ${people.about.toLocaleString('en')} people (${people.from === 'release' ? 'as released' : 'as declared'}): publishing one of them whole would be within it.`,
    );
  return words;
}

/** Above one in ten times the number of people, δ leaves room for publishing one of them whole. */
export function isWeakDelta(delta: DeltaInput, people: number): boolean {
  return delta * 10 * people > 1;
}

/** How much a promise is worth, in a sentence: by its ε, and by its δ where that is weak. */
export function strengthWords({
  epsilon,
  delta,
  people,
}: Pick<CertificateStatement, 'delta' | 'people'> & { readonly epsilon: number }): string {
  const byEpsilon = `a ${strengthOf(epsilon)} promise`;
  return people !== undefined && isWeakDelta(delta, people.about)
    ? `By its ε that would be ${byEpsilon}; with this δ it is a weak one.`
    : `That is ${byEpsilon}.`;
}

function promise(certificate: CertificateStatement): string[] {
  const { unit, relation, epsilon, delta, released, method } = certificate;
  if (epsilon === null || unit === 'none' || relation === 'none') {
    return [
      `The method \`${method}\` made ${released} public without a finite guarantee. Treat them like the data.`,
    ];
  }
  const paragraphs = [
    `**${promiseSentence(certificate)}** ${exceptionSentence(delta)} ${strengthWords({ ...certificate, epsilon })}`,
    `Made public: ${released}. ${protectionSentence(certificate)}`,
    `The guarantee is **(ε, δ)-differential privacy with ε = ${epsilon} and δ = ${deltaWords(delta)}**: whatever anyone ` +
      'computes from the published files, and whatever else they know, the protected change makes no result more ' +
      `than e^ε = ${boundText(Math.exp(epsilon))} times as likely as before` +
      (delta > 0 ? `, except with probability at most ${deltaWords(delta)}.` : '.'),
    `Someone who would otherwise give even odds to the two cases can, after seeing everything, be right with ` +
      `probability at most ${boundText(guessingBound(epsilon, delta))} (0.5 is guessing).`,
  ];
  if (unit !== 'user') {
    paragraphs.push(
      `**One rating is protected, not one person.** A person with k ratings is protected k times less: ε grows to about k × ${epsilon}.`,
    );
  }
  return paragraphs;
}

function pluginParagraph(certificate: CertificateStatement): string[] {
  const words = pluginWords(certificate);
  return words === undefined ? [] : [`**The method is not Hushrec’s.** ${words}`];
}

/** What a promise rests on where a plug-in brought the method; undefined where none did. */
export function pluginWords({
  plugin,
  epsilon,
}: Pick<CertificateStatement, 'plugin' | 'epsilon'>): string | undefined {
  if (plugin === undefined) return undefined;
  const from = `It comes from the plug-in ${plugin.name} (SHA-256 ${plugin.sha256} of the file that was loaded).`;
  if (epsilon === null) return from;
  return (
    `${from} Hushrec drew the noise, added up what the releases cost, and published what a second run without data made from them. ` +
    'How far one person can move a release (its sensitivity) is declared by the plug-in and not proved here; ' +
    'nor is it checked that its code told nobody else of the ratings. The promise holds if both are true.'
  );
}

/** That the promise is for all runs that the model remembers; nothing where it remembers none. */
function chainWords({ chain, epsilon, delta }: CertificateStatement): string[] {
  if (chain === undefined || epsilon === null) return [];
  const runs = chain.earlier.reduce((sum, { count }) => sum + count, 1);
  return [
    `**The model remembers.** It was made of what ${runs} runs released, one after the other, so the promise is for all of them together: ε = ${epsilon}. The last run alone cost ε = ${chain.lastRun} at δ = ${deltaWords(delta)}. What is old counts less, but costs no less.`,
  ];
}

function federatedWords(certificate: CertificateStatement): string[] {
  const [condition, ...more] = trustWords(certificate);
  return condition === undefined ? [] : [`**Nobody held all ratings.** ${condition}`, ...more];
}

/** Who has to be believed, where nobody held all ratings; nothing where one curator did. */
export function trustWords({
  federated,
  epsilon,
}: Pick<CertificateStatement, 'federated' | 'epsilon'>): string[] {
  if (federated === undefined || epsilon === null) return [];
  const { noiseBy, honestNeeded, aggregators, parties = [], leastReports, outside } = federated;
  const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name).join(', ');
  const makers = noiseBy === 'aggregators' ? aggregators : parties;
  const condition =
    noiseBy === 'aggregators'
      ? `at least ${honestNeeded} of these did what they signed: ${names(aggregators)}`
      : `at least ${honestNeeded} of the parties in every sum added their noise (${names(parties)}; sums of fewer than ${leastReports} were never published), ` +
        `and at least one of these did what they signed: ${names(aggregators)}`;
  return [
    `This holds against everyone, also the coordinator and the other participants, as long as ${condition}.` +
      (makers.length === honestNeeded || outside.epsilon === null
        ? ''
        : ` If all of them did, ε is ${boundText(outside.epsilon)} against those who see what was published and nothing else.`),
    'A person is one record with one participant; whoever is with s of them is protected by s times the μ only. That somebody took part is not ' +
      'hidden from the aggregators and the coordinator. If all aggregators work together, they can read what was handed in.',
  ];
}

function paperClaim({ claimedByPaper }: CertificateStatement): string[] {
  if (claimedByPaper === undefined) return [];
  return [
    '## Where the paper says something else',
    `The paper claims: ${claimedByPaper.claim}. That is not what this certificate states. ${claimedByPaper.why}`,
  ];
}

function releases({ releases: lines, accountant, delta, staged, chain }: CertificateStatement): string[] {
  if (lines.length === 0) return ['No noised release is on record.'];
  const rows = lines.map(
    (line) =>
      `| ${cell(line.name)} | ${cell(line.mechanism)} | ${sensitivityCell(line)} | ${shortNumber(line.noise)} | ${line.count} | ${cell(detail(line))} |`,
  );
  return [
    'Every statistic about people that left the curator, with the noise added to it. `Noise` is the standard ' +
      'deviation (Gaussian) or the scale (Laplace, K-norm); `sensitivity` is the most that the protected change can ' +
      'move the statistic; `count` releases of the same kind were made.',
    [
      '| release | mechanism | sensitivity | noise | count | notes |',
      '| --- | --- | ---: | ---: | ---: | --- |',
      ...rows,
    ].join('\n'),
    ...(chain === undefined
      ? []
      : [
          `These are the releases of the last run. The runs before had μ = ${chain.earlier.map(({ mu, count }) => `${shortNumber(mu)}${count === 1 ? '' : ` (${count} times)`}`).join(', ')}, and the memory that they left has the hash \`${chain.memory}\`.`,
        ]),
    ...(staged === undefined
      ? []
      : [
          `The total of μ = ${shortNumber(staged.mu)} was fixed before any data was read; later releases follow from earlier ones by a published rule (${staged.rule}), and a filter kept them within it. The promise is for the whole total, even if less was used.`,
        ]),
    `Together they cost what is promised above, by the accountant “${accountant}” at δ = ${deltaWords(delta)}. Everything else in the model was computed from them and from public data: it was made by a second run that saw nothing else.`,
  ];
}

function sensitivityCell(line: CertifiedRelease): string {
  return line.provedSensitivity === undefined
    ? shortNumber(line.sensitivity)
    : `${shortNumber(line.sensitivity)} (proved: ${shortNumber(line.provedSensitivity)})`;
}

function detail(line: CertifiedRelease): string {
  const parts: string[] = [];
  if (line.rate !== undefined) parts.push(`sampled at rate ${line.rate}`);
  if (line.dimension !== undefined) parts.push(`${line.dimension} dimensions`);
  if (line.epsilon !== undefined) parts.push(`pure ε = ${boundText(line.epsilon)}`);
  if (line.gridSigma !== undefined || line.gridScale !== undefined) parts.push('noise on a grid');
  if (line.perPart) parts.push('relative to each vector’s own public bound');
  if (line.totalVariation !== undefined)
    parts.push(`distance ${line.totalVariation.toExponential(1)} charged to δ`);
  if (line.because !== undefined) parts.push(line.because);
  return parts.join('; ');
}

function worth({ usefulness, epsilon, delta }: CertificateStatement): string[] {
  if (usefulness === undefined) return [];
  return [
    '## Whether it is worth using',
    [usefulnessWords(usefulness), enoughWords(usefulness, epsilon, delta)].filter(Boolean).join(' '),
    `${noiseWords(usefulness)} This comes from the released numbers alone: it says how much of them is noise, not how well people like what is recommended.`,
  ];
}

/** That other models of the same people add up, with what the account knew when this was issued. */
function otherModels({ accountAtIssue, account, federated, epsilon }: CertificateStatement): string[] {
  const addsUp = '- Other models of the same people: their cost adds to that of this one.';
  if (federated !== undefined && epsilon !== null)
    return [
      `${addsUp} Nobody knows the sum for everyone: each participant’s own ledger holds what was granted to its people and what they have spent, and was charged for this run before anything was handed in.`,
    ];
  if (accountAtIssue === undefined) return [];
  const { granted, spent, unprotectedRuns = 0 } = accountAtIssue;
  const limit =
    granted === null
      ? 'no limit was granted'
      : `ε = ${granted.epsilon}${granted.period === undefined ? '' : ` a ${granted.period}`} at δ = ${deltaWords(granted.delta)} was granted`;
  const total = spent.epsilon === null ? 'an unbounded ε' : `ε = ${spent.epsilon}`;
  const unprotected =
    unprotectedRuns === 0
      ? ''
      : `, beside ${unprotectedRuns} that this ε does not cover: without protection, or protecting less`;
  return [
    `${addsUp} When this was issued, ${limit} to account \`${account}\`, and all its runs together, this one included, had spent ${total} at δ = ${deltaWords(spent.delta)}${unprotected}.`,
  ];
}

function notCovered(certificate: CertificateStatement): string[] {
  const { unit, tuning, catalogue, peopleListed } = certificate;
  const lines = [
    catalogue === 'declared'
      ? '- Item names, their number and public features: a declared list, taken to be public.'
      : '- Which items somebody rated: the list of items is that of the ratings, and is not protected. Declare a catalogue if the mere presence of an item is sensitive.',
    '- What people reveal by what they do with recommendations, and histories on devices that are not secure.',
    '- Facts about everyone that hold with or without any one person (that is what a model is for).',
    ...otherModels(certificate),
    `- Choice of settings: ${sentence(tuning)}`,
  ];
  if (peopleListed === 'rated')
    lines.unshift(
      '- Who is in the data: the list of people, and how many they are, is that of those who rated something, and is not protected. It shows that someone with a single rating has one.',
    );
  if (peopleListed === 'declared')
    lines.unshift('- Who is on the list of people: a declared one, taken to be public.');
  if (unit === 'rating-value') lines.unshift('- Who rated what: only the values are protected.');
  if (unit === 'user') lines.push('- Groups: for k people acting together ε is about k times as large.');
  return [lines.join('\n')];
}

function provenance(certificate: CertificateStatement): string {
  return [
    `- Method: \`${certificate.method}\``,
    certificate.federated === undefined
      ? `- Account in the privacy ledger: \`${certificate.account}\` (a random name; it says nothing about the data)`
      : `- Charter of the federated run: \`${certificate.federated.charter}\`; last entry of its log: \`${certificate.federated.log}\``,
    `- Entry in the privacy ledger: ${certificate.ledgerEntry !== null ? `\`${certificate.ledgerEntry}\`` : certificate.federated === undefined ? 'none: no budget was kept' : 'one in the ledger of each participant'}`,
    `- Code version: ${certificate.codeVersion}`,
  ].join('\n');
}

/** A bound: also where it is long, not smaller than it is. */
function boundText(value: number): string {
  return shortNumber(roundedUp(value, value >= 1e6 || value < 1e-4 ? 4 : 5));
}

function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return 'unbounded';
  if (value !== 0 && (Math.abs(value) < 1e-4 || Math.abs(value) >= 1e6)) return value.toExponential(3);
  return String(Number(value.toPrecision(5)));
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
