#!/usr/bin/env node
import { existsSync } from 'node:fs';

// In the repository what the build made of the sources; in the published package the bundle.
const main = ['../dist/main.js', '../bundle/main.js']
  .map((place) => new URL(place, import.meta.url))
  .find((place) => existsSync(place));
if (main === undefined) {
  process.stderr.write('hushrec is not built yet. Run `npm run build` in the repository first.\n');
  process.exit(1);
}
// Whoever reads may stop early (`| head`): the work goes on, only the text is lost.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error;
});
// Words to people likewise, and whatever else becomes of where they go (a full disk): a server goes on.
process.stderr.on('error', () => {});
// A process ends when nothing keeps it busy, also while something is waited for: never as if all were done.
let isDone = false;
process.once('beforeExit', () => {
  if (isDone) return;
  process.stderr.write(
    'hushrec: it ended before its work was done. This is a fault of ours; please report it.\n',
  );
  process.exitCode = 1;
});
const { main: run } = await import(main.href);
process.exitCode = await run(process.argv.slice(2));
isDone = true;
