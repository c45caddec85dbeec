import type { Method } from '@hushrec/factorize';
import type { TrainingSource } from '@hushrec/train';
import { addFeatureFiles, unusedSources } from './feature-files.js';
import { trainingScale } from './feedback.js';
import { type ProtocolFlags, protocolRecord, trainingPart } from './protocol.js';
import { trainedUserIds } from './trained-user-ids.js';

/** A data set folder as the training call takes it: what is public first, ratings when it asks for them. */
export async function trainingSource(
  directory: string,
  method: Method,
  flags: ProtocolFlags & { readonly features?: readonly string[]; readonly kind?: readonly string[] },
  say: (line: string) => void,
): Promise<TrainingSource> {
  const { openDataset, publishedItems, readManifest } = await import('@hushrec/ratings');
  const manifest = await readManifest(directory);
  const trainedOn = protocolRecord(flags);
  return {
    account: manifest.account,
    identity: manifest.contentHash,
    itemCount: manifest.items,
    scale: trainingScale(manifest.scale, flags.liked),
    catalogue: manifest.provenance['items'] === 'from a catalogue' ? 'declared' : 'rated items',
    ...(trainedOn && { trainedOn }),
    async open() {
      const dataset = await openDataset(directory);
      const given = await addFeatureFiles(flags, dataset, say);
      for (const line of unusedSources([method], given)) say(line);
      return {
        ratings: await trainingPart(dataset, flags),
        personIds: await trainedUserIds(dataset, flags),
        features: [...dataset.features, ...given],
        items: publishedItems(dataset),
      };
    },
  };
}
