import { weakWords } from '@hushrec/model/words';
import { fingerprint } from './card.js';
import { bytesOf, type Charter, mostExchanges, noiseOnLook, noiseOnSum } from './charter.js';
import { reachOfLiar } from './screening.js';

/** One thing that a charter says: what it is about, and what it says about it. */
export interface CharterFact {
  readonly about: string;
  readonly words: string;
}

/**
 * A charter for those who decide whether to take part: who adds up, who must be honest, what it costs, how
 * often.
 */
export function charterFacts(charter: Charter): CharterFact[] {
  const { plan, noise, aggregators, admission, pace, leastReports } = charter;
  const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name).join(', ');
  const { sent, read } = bytesOf(charter);
  const alone = aggregators.length === 1;
  const facts: readonly (readonly [string, string])[] = [
    [
      'What is worked out',
      `Method ${charter.method}: ${plan.released}. (ε, δ) = (${plan.epsilon}, ${plan.delta}) for everything about one person, in all exchanges together.`,
    ],
    ...weakWords({
      epsilon: plan.epsilon,
      delta: plan.delta,
      people: { about: charter.mostPeople, from: 'declaration' },
    }).map((words) => ['Weak', words] as const),
    [
      'Who adds up',
      alone
        ? `${aggregators[0].name} adds up alone and can read what everyone hands in: believe it, or do not take part.`
        : `What you hand in is split among ${names(aggregators)}; they can read it only if all of them work together.`,
    ],
    [
      'Where they are',
      `${aggregators.map(({ name, url, publicKey }) => `${name}${url === '' ? '' : ` is at ${url},`} key ${fingerprint(publicKey)}`).join('; ')}. Compare with what they say of themselves.`,
    ],
    [
      'Who must be honest',
      noise.by === 'aggregators'
        ? `Noise is added by each of them. The guarantee holds if at least ${noise.honestNeeded} of ${aggregators.length} add it as they signed.`
        : `Noise is added by the parties. The guarantee holds if at least ${noise.honestNeeded} of those in every sum do, and at least one aggregator keeps its shares to itself; sums of fewer than ${leastReports} parties are never published.`,
    ],
    [
      'Noise',
      `Noise on the published sums is ${Number(noiseOnSum(charter).toFixed(3))} times what one trusted curator would add.`,
    ],
    [
      'How much',
      `${plan.later === undefined ? '' : 'At most '}${mostExchanges(charter)} exchanges, ${amount(sent)} to send and ${amount(read)} to read.`,
    ],
    [
      'How often',
      pace.kind === 'windows'
        ? visitWords(pace)
        : `An exchange ends when ${pace.count} reports are in, or after ${pace.longestSeconds} seconds.`,
    ],
    [
      'Who may take part',
      admission.kind === 'parties'
        ? `Parties: ${names(admission.parties)}.`
        : admission.kind === 'issuer'
          ? `Whom ${admission.issuer.name} has invited, once each: it signs tokens that it cannot recognize, one an exchange. Addresses and times can still be compared.`
          : 'Everyone may take part, also many times.',
    ],
    [
      'What a liar can do',
      admission.kind === 'parties'
        ? 'A party that lies can spoil the result. It learns nothing by that.'
        : liarWords(charter),
    ],
    ...(charter.simulation
      ? [['Simulation', 'One owner has the secrets of all roles: this protects nobody.'] as const]
      : []),
    ['Not hidden', 'That you take part is not hidden from the aggregators and the coordinator.'],
  ];
  return facts.map(([about, words]) => ({ about, words }));
}

/** How far one device can move a result. Noise of later stages follows from what the first one publishes. */
function liarWords(charter: Charter): string {
  const people = Math.ceil(reachOfLiar(charter, noiseOnLook(charter)));
  const end = 'It learns nothing by that.';
  if (charter.normProofs)
    return `One device that lies can move a result as far as one person can: every report proves that it holds no more. ${end}`;
  if (charter.screening === undefined)
    return `One device that lies can move a published number as far as ${people} people can, or end the run. ${end}`;
  const [number, later] =
    charter.plan.later === undefined
      ? ['published number', '']
      : ['number published in the first stage', ', and a later one as far as the noise on it hides'];
  return `One device that lies can move a ${number} as far as ${people} people can${later}; whatever hands in more is left out. ${end}`;
}

/** How often a device has to come, and what it means to come less often. */
function visitWords({ windows, visitSeconds }: Extract<Charter['pace'], { kind: 'windows' }>): string {
  const [{ opens, closes }] = windows;
  const open = (Date.parse(closes) - Date.parse(opens)) / 1000;
  const visits =
    visitSeconds === undefined
      ? 'A device has to come once in each.'
      : `Devices are expected about every ${duration(visitSeconds)}: each is in about one sum of ${Number((visitSeconds / open).toFixed(1))}, and the settings are chosen for that.`;
  return `${windows.length} exchanges, each open for ${duration(open)}, from ${opens} to ${windows.at(-1)!.closes}. ${visits} Whoever misses one is missing in that sum alone, and pays the same.`;
}

function duration(seconds: number): string {
  const [unit, name] =
    seconds >= 2 * 86_400
      ? [86_400, 'days']
      : seconds >= 7200
        ? [3600, 'hours']
        : seconds >= 120
          ? [60, 'minutes']
          : [1, 'seconds'];
  return `${Number((seconds / unit).toFixed(1))} ${name}`;
}

/** The same as sentences. */
export function charterWords(charter: Charter): string[] {
  return charterFacts(charter).map(({ words }) => words);
}

function amount(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
