// One training call in a process of its own, killed by itself at a step, or some time after it.
import { openLedger } from '@hushrec/ledger';
import { generateCatalogue } from '@hushrec/ratings';
import { catalogueSource } from './catalogue-source.test.data.js';
import { trainAndPublish } from './train-and-publish.js';

const [out, ledger, identity, killAtStep, laterMs] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
];
const { ratings } = generateCatalogue({ users: 80, items: 16, ratings: 600, seed: identity.length });

await trainAndPublish({
  source: catalogueSource(ratings, { id: 'a'.repeat(32), name: 'killed' }, identity),
  method: 'hush',
  epsilon: 0.1,
  delta: 1e-6,
  out,
  resume: true,
  withReleases: true,
  ledger: () => openLedger(ledger, { create: true }),
  threads: 1,
  codeVersion: '0',
  step: (step) => {
    if (step !== killAtStep) return;
    if (Number(laterMs) === 0) process.kill(process.pid, 'SIGKILL');
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), Number(laterMs));
  },
});
