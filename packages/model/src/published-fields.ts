import type { Certificate } from './certificate.js';
import { faultInCertificateFields } from './certificate-check.js';
import {
  amount,
  type FieldFault,
  fieldsOf,
  hash,
  is,
  listOf,
  number,
  oneOf,
  optional,
  optionalWhere,
  orNull,
  type Rule,
  recordOf,
  text,
  whole,
} from './closed-fields.js';
import { fileNames } from './file-names.js';
import type {
  BaselineModel,
  FactorModel,
  FoldInSettings,
  NeighbourModel,
  RatingRange,
} from './item-model.js';
import type { Described } from './item-model-encoding.js';
import type { ModelLoss } from './loss.js';
import type { PersonFeatures } from './person-features.js';
import type { PublishedMemory, PublishedRun, StoredManifest, TrainedOn } from './published-model.js';
import type { TrainingFacts } from './training-facts.js';

/** What a certificate says that decides what may stand in `model.json`. */
type Stated = Pick<Certificate, 'unit' | 'simulation' | 'people' | 'peopleListed'>;

/**
 * The first field of `model.json` or `certificate.json` that has no place there, in words; undefined where
 * there is none. Everything about people that a model folder may hold is a release, and stands in a field
 * that is made for it: a field that nobody knows could hold an exact count, and no accountant would see it.
 * Which fields there may be depends on the unit: who is in the data is public where the unit is a rating, and
 * not where it is a person. All fields: docs/certificate.md.
 */
export function faultInPublishedFields(manifest: unknown, certificate: Certificate): string | undefined {
  return (
    inWords(fileNames.certificate, certificate, faultInCertificateFields(certificate)) ??
    inWords(fileNames.manifest, certificate, manifestRule(certificate)(manifest, '', 'closed')) ??
    faultInPeople(manifest as StoredManifest, certificate)
  );
}

function inWords(file: string, { unit, simulation }: Stated, fault: FieldFault | undefined) {
  if (fault === undefined) return undefined;
  const kind = simulation ? 'a simulation' : unit === 'none' ? 'a model without privacy' : `unit ${unit}`;
  return fault.isUnknown
    ? `${file} holds "${fault.place}", which has no place in it (${kind}).`
    : `"${fault.place}" of ${file} is missing or not what it must be.`;
}

/** How many people there are is what was declared, or what was released: the manifest says which. */
function faultInPeople(
  { run, facts }: StoredManifest,
  { people, peopleListed, unit }: Stated,
): string | undefined {
  if (peopleListed !== undefined && unit !== 'rating-presence')
    return `${fileNames.certificate} says where its list of people is from (peopleListed), which is for unit rating-presence.`;
  if (people === undefined) return undefined;
  const stated =
    people.from === 'declaration'
      ? run?.declaredPeople
      : facts?.people === undefined
        ? undefined
        : Math.max(1, Math.round(facts.people));
  return people.about === stated
    ? undefined
    : `${fileNames.certificate} says about ${people.about} people, which is not what was ${people.from === 'declaration' ? 'declared' : 'released'} by ${fileNames.manifest}.`;
}

const range = fieldsOf<RatingRange>({ min: number, max: number, step: number });
const texts = listOf(text);

const trainedOn = fieldsOf<TrainedOn>({
  protocol: optional(text),
  splitSeed: optional(number),
  division: optional(oneOf('by-rating', 'by-person')),
  candidates: optional(text),
  liked: optional(number),
});

const source = fieldsOf<PublishedRun['sources'][number]>({ name: text, kind: text, sha256: hash });

const memory = fieldsOf<PublishedMemory>({
  before: optional(hash),
  after: hash,
  day: text,
  kept: optional(amount),
});

const facts = fieldsOf<TrainingFacts>({
  people: optional(number),
  residualVariance: optional(number),
  meanRating: optional(number),
  directions: optional(whole),
  encoderParameters: optional(whole),
  eigenvalues: optional(listOf(number)),
  path: optional(
    listOf(
      fieldsOf<NonNullable<TrainingFacts['path']>[number]>({ direction: listOf(number), strength: number }),
    ),
  ),
  listedItems: optional(whole),
  itemsWithPopularityAlone: optional(whole),
});

function runRule({ unit, simulation }: Stated): Rule {
  return fieldsOf<PublishedRun>({
    epsilon: orNull(amount),
    delta: amount,
    accounting: text,
    declaredPeople: optional(whole),
    scale: range,
    publicSeed: number,
    kernel: text,
    node: text,
    sources: listOf(source),
    // Who is in the data is what a guarantee for whole persons hides.
    listedPeople: optionalWhere(unit !== 'user', whole),
    simulatedParties: optionalWhere(simulation, whole),
    trainedOn: optional(trainedOn),
    memory: optional(memory),
  });
}

const foldIn = fieldsOf<FoldInSettings>({
  ridge: number,
  ridgeExponent: number,
  ridgeCountOffset: optional(number),
  interceptRidge: optional(number),
  unobservedWeight: number,
  grades: optional(fieldsOf<NonNullable<FoldInSettings['grades']>>({ min: number, max: number })),
});

const personFeatures = fieldsOf<Omit<PersonFeatures, 'factors'>>({ names: texts, weights: listOf(number) });

const loss: Rule = (value, place, look) =>
  (value as ModelLoss | null)?.kind === 'logistic'
    ? fieldsOf<Extract<ModelLoss, { kind: 'logistic' }>>({ kind: text, likedFrom: number })(
        value,
        place,
        look,
      )
    : fieldsOf<Extract<ModelLoss, { kind: 'poisson' }>>({ kind: text })(value, place, look);

/** By its kind: a field of one kind has no place in another. */
function descriptionRule({ unit }: Stated): Rule {
  const feedback = oneOf('explicit', 'implicit');
  const userIds = optionalWhere(unit !== 'user', texts);
  const kinds: Readonly<Record<string, Rule>> = {
    factors: fieldsOf<Described<FactorModel>>({
      kind: text,
      feedback,
      loss: optional(loss),
      rank: whole,
      offset: number,
      foldIn,
      userIds,
      personFeatures: optional(personFeatures),
    }),
    neighbours: fieldsOf<Described<NeighbourModel>>({
      kind: text,
      feedback,
      k: whole,
      offset: number,
      userShrinkage: number,
      userIds: optionalWhere(false, texts),
    }),
    baseline: fieldsOf<Described<BaselineModel>>({
      kind: text,
      feedback,
      offset: number,
      userShrinkage: optional(number),
      userIds,
    }),
  };
  return (value, place, look) => {
    const kind = (value as { kind?: unknown } | null)?.kind;
    return typeof kind === 'string' && Object.hasOwn(kinds, kind)
      ? kinds[kind](value, place, look)
      : { place: `${place}.kind`, isUnknown: false };
  };
}

function manifestRule(stated: Stated): Rule {
  return fieldsOf<StoredManifest>({
    format: oneOf('hushrec-model-2', 'hushrec-model-3'),
    method: text,
    // Their names are the method's, which `verify` knows where methods are.
    settings: recordOf(is((value) => ['number', 'string', 'boolean'].includes(typeof value))),
    scale: optional(range),
    itemIds: texts,
    titles: optional(texts),
    links: optional(texts),
    images: optional(texts),
    versions: fieldsOf<StoredManifest['versions']>({ hushrec: text }),
    run: optional(runRule(stated)),
    facts: optional(facts),
    model: descriptionRule(stated),
    hashes: fieldsOf<StoredManifest['hashes']>({ [fileNames.tensors]: hash }),
  });
}
