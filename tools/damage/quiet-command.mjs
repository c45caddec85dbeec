import { main } from '../../apps/cli/dist/main.js';

/** Runs one command in this process and gives what it would have printed. */
export async function runQuietly(args) {
  const streams = { text: process.stdout, errors: process.stderr };
  const said = { text: '', errors: '' };
  const kept = {};
  for (const [name, stream] of Object.entries(streams)) {
    kept[name] = stream.write;
    stream.write = (text, ...rest) => {
      said[name] += text;
      const done = rest.at(-1);
      if (typeof done === 'function') done();
      return true;
    };
  }
  try {
    return { code: await main(args), ...said };
  } finally {
    for (const [name, stream] of Object.entries(streams)) stream.write = kept[name];
    process.exitCode = 0;
  }
}
