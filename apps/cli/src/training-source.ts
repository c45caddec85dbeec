import { basename, resolve } from 'node:path';
import type { Method } from '@hushrec/factorize';
import type { Engine } from '@hushrec/numerics';
import type { Dataset, FeatureSource, RatingScale } from '@hushrec/ratings';
import type { TrainingSource } from '@hushrec/train';
import { featureFiles, leavesOutFeatures } from './feature-files.js';
import { type ProtocolFlags, protocolRecord, trainingPart } from './protocol.js';
import { trainedUserIds } from './trained-user-ids.js';

/** A data set folder as the training call takes it: what is public first, ratings when it asks for them. */
export async function trainingSource(
  directory: string,
  method: Method,
  given: ProtocolFlags & {
    readonly features?: readonly string[];
    readonly kind?: readonly string[];
    /** Bytes: keeps people on disk, and reads them in blocks that fit. */
    readonly memory?: number;
  },
  say: (line: string) => void,
): Promise<TrainingSource> {
  const { openDataset, publishedItems, readManifest, readPublicPart } = await import('@hushrec/ratings');
  const { likesForGoal, trainingScale } = await import('@hushrec/factorize');
  const manifest = await readManifest(directory);
  const liked = likesForGoal(method, manifest.scale, given);
  const flags = { ...given, ...(liked !== undefined && { liked }) };
  const trainedOn = await protocolRecord(flags);
  const scale = trainingScale(manifest.scale, flags.liked);
  const files = await featureFiles(directory, method, flags, say);
  const withFiles = (stored: readonly FeatureSource[]) =>
    leavesOutFeatures(flags) ? [] : [...stored, ...files];
  const catalogueOf = (dataset: Omit<Dataset, 'ratings'>) => ({
    identity: dataset.manifest.contentHash,
    account: dataset.manifest.account.id,
    features: withFiles(dataset.features),
    items: publishedItems(dataset),
  });
  const { memory } = flags;
  const known = await readPublicPart(directory, manifest);
  return {
    name: basename(resolve(directory)),
    account: manifest.account,
    identity: manifest.contentHash,
    itemCount: manifest.items,
    scale,
    ...known,
    features: withFiles(known.features),
    ...(trainedOn && { trainedOn }),
    async open() {
      if (memory !== undefined) return fromDisk(directory, { ...flags, memory }, scale, catalogueOf);
      const dataset = await openDataset(directory);
      return {
        ...catalogueOf(dataset),
        ratings: await trainingPart(dataset, flags),
        personIds: await trainedUserIds(dataset, flags),
      };
    },
  };
}

/** The same without ever holding all ratings: blocks of people, as many at a time as fit. */
async function fromDisk<Catalogue>(
  directory: string,
  { memory, liked }: Pick<ProtocolFlags, 'liked'> & { readonly memory: number },
  scale: RatingScale,
  catalogueOf: (dataset: Omit<Dataset, 'ratings'>) => Catalogue,
) {
  const { openPeople } = await import('@hushrec/ratings');
  const { FilePeople, ratingsPerBlock } = await import('@hushrec/statistics');
  const people = await openPeople(directory, {
    ratingsPerBlock: ratingsPerBlock(memory),
    ...(liked !== undefined && { liked }),
  });
  return {
    ...catalogueOf(people),
    people: (engine: Engine) => new FilePeople(people.rows, scale, engine, people.userIds),
    close: () => people.rows.close(),
  };
}
