import type { LeftMemory } from '@hushrec/factorize';
import type { ItemModel, TrainingFacts } from '@hushrec/model';
import { encodeItemModel, encodeTensors } from '@hushrec/model/making';
import { canonicalJson } from '@hushrec/model/signing';
import { contentDigest } from '@hushrec/ratings';

interface Trained {
  readonly model: ItemModel;
  readonly facts?: TrainingFacts;
  readonly memory?: LeftMemory;
}

/** What differs between two trained models, in words; undefined where they are equal to the last bit. */
export function modelDifference(a: Trained, b: Trained, itemCount: number): string | undefined {
  const [one, other] = [a, b].map(({ model }) => encodeItemModel(model, itemCount)) as [
    ReturnType<typeof encodeItemModel>,
    ReturnType<typeof encodeItemModel>,
  ];
  if (canonicalJson(one.description) !== canonicalJson(other.description))
    return `its description (${differingKeys(sorted(one.description), sorted(other.description))})`;
  if (Buffer.compare(encodeTensors(one.tensors), encodeTensors(other.tensors)) !== 0) {
    const names = Object.keys(one.tensors).filter(
      (name) => contentDigest(one.tensors[name]) !== contentDigest(other.tensors[name]),
    );
    return `its tensors (${names.join(', ')})`;
  }
  if (contentDigest(a.facts ?? {}) !== contentDigest(b.facts ?? {}))
    return `facts about the run (${differingKeys(a.facts ?? {}, b.facts ?? {})})`;
  if (contentDigest(a.memory ?? {}) !== contentDigest(b.memory ?? {})) return 'its memory';
  return undefined;
}

/** The same in the order that files have: which field came first is no difference. */
function sorted(description: object): object {
  return JSON.parse(canonicalJson(description)) as object;
}

function differingKeys(a: object, b: object): string {
  const [one, other] = [a, b] as Record<string, unknown>[] as [
    Record<string, unknown>,
    Record<string, unknown>,
  ];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((key) => contentDigest(one[key]) !== contentDigest(other[key]))
    .join(', ');
}
