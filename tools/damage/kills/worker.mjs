// Work to be killed in: `node worker.mjs importing|publishing|spending|training <folder> <round>`. Tells on
// standard output what it says is done; goes on until it is killed, but for training, which comes to an end.
import { join } from 'node:path';
import { account, protection, ratingsFile, scale } from './content.mjs';
import { trainingArguments } from './training-arguments.mjs';

const [what, folder, round] = process.argv.slice(2);
const tell = (text) => new Promise((done) => process.stdout.write(`${text}\n`, done));
const works = {
  async importing() {
    const { importSource } = await import('@hushrec/ratings');
    for (let k = 0; ; k++) {
      const source = ratingsFile(folder, (k + Number(round)) % 2);
      await importSource(source, join(folder, 'set'), { scale, overwrite: true, reader: 'typescript' });
      await tell(k);
    }
  },
  async publishing() {
    const { models } = await import('./models.mjs');
    const { writeModelFolder } = await import('../../../packages/train/dist/publish/write-folder.js');
    for (let k = 0; ; k++) {
      await writeModelFolder(join(folder, 'model'), models[k % 2], { overwrite: true });
      await tell(k);
    }
  },
  async spending() {
    const { openLedger } = await import('@hushrec/ledger');
    const ledger = await openLedger(join(folder, 'ledger.sqlite'), { create: true });
    if ((await ledger.entries()).length === 0)
      await ledger.grant(account, { epsilon: 1000, delta: 1e-5, protection });
    for (let k = 0; ; k++) {
      const charge = { kind: 'event', event: { kind: 'gaussian', sensitivity: 1, noise: 5000 } };
      const jobKey = `round ${round} job ${k}`;
      const { entry } = await ledger.spend({ account, jobKey, method: 'dpals', protection, charge });
      await tell(entry);
    }
  },
  async training() {
    const { main } = await import('../../../apps/cli/dist/main.js');
    await tell('ready');
    process.exitCode = await main(trainingArguments(folder, join(folder, `model-${round}`)));
  },
};
await works[what]();
