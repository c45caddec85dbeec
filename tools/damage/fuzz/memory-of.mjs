// node memory-of.mjs import|model|releases <file>: reads one hostile input in a process of its own and prints
// how far memory rose by it, in bytes.
import { readFileSync, rmSync } from 'node:fs';

const [what, file] = process.argv.slice(2);
const readers = {
  async import() {
    const { importSource } = await import('@hushrec/ratings');
    const options = { scale: { min: 1, max: 5, step: 1 }, skipBadRows: 1e9, reader: 'typescript' };
    return () =>
      importSource(file, `${file}.set`, options).finally(() =>
        rmSync(`${file}.set`, { recursive: true, force: true }),
      );
  },
  async model() {
    const { decodePublished, fileNames } = await import('@hushrec/model');
    const { decodeTensors } = await import('@hushrec/model/making');
    const bytes = readFileSync(file);
    return async () => {
      const asTensors = () => decodeTensors(bytes);
      const [, tensors] = await Promise.allSettled([
        decodePublished(new Map([[fileNames.certificate, bytes]])),
        new Promise((done) => done(asTensors())),
      ]);
      if (tensors.status === 'rejected') throw tensors.reason;
    };
  },
  async releases() {
    const { readReleaseLog } = await import('../../../packages/train/dist/replay/release-log.js');
    const bytes = readFileSync(file);
    return async () => [...readReleaseLog(bytes)];
  },
};
const read = await readers[what]();
const before = process.memoryUsage.rss();
const outcome = await read().then(
  () => 'read',
  (error) => `refused: ${error.message}`,
);
process.stdout.write(JSON.stringify({ outcome, rose: 1024 * process.resourceUsage().maxRSS - before }));
