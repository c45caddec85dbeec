// One training call in a process of its own, killed by itself at a step, or some time after it.
import { openLedger } from '@hushrec/ledger';
import { openDataset, readManifest } from '@hushrec/ratings';
import { trainAndPublish } from './train-and-publish.js';
import type { TrainingSource } from './training-request.js';

const [out, ledger, directory, killAtStep, laterMs] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
];

async function sourceIn(folder: string): Promise<TrainingSource> {
  const { account, contentHash, items, scale } = await readManifest(folder);
  return {
    account,
    identity: contentHash,
    itemCount: items,
    scale,
    catalogue: 'declared',
    features: [],
    async open() {
      const { manifest, ratings, userIds, itemIds } = await openDataset(folder);
      return {
        identity: manifest.contentHash,
        account: manifest.account.id,
        ratings,
        personIds: userIds,
        features: [],
        items: { itemIds },
      };
    },
  };
}

await trainAndPublish({
  source: await sourceIn(directory),
  method: 'hush',
  epsilon: 0.1,
  delta: 1e-6,
  out,
  resume: true,
  withReleases: true,
  ledger: () => openLedger(ledger, { create: true }),
  threads: 1,
  codeVersion: '0',
  show: ({ hash }) => hash,
  step: (step) => {
    if (step !== killAtStep) return;
    if (Number(laterMs) === 0) process.kill(process.pid, 'SIGKILL');
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), Number(laterMs));
  },
});
