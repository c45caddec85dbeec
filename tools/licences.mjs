// Licences of the third-party packages whose code is in a bundle.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {string} where what holds the code, in words
 * @param {string} base the folder that paths of the bundler start from
 * @param {readonly import('esbuild').Metafile[]} metafiles
 */
export function licences(where, base, metafiles) {
  const folders = new Set();
  for (const { inputs } of metafiles.flatMap(({ outputs }) => Object.values(outputs)))
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
      if (folder !== undefined && bytesInOutput > 0) folders.add(folder);
    }
  return [
    `Parts of these packages are included in ${where}, under their licences:`,
    ...[...folders].sort().map((folder) => {
      const read = (name) => readFileSync(join(base, folder, name), 'utf8');
      const { name, version, license } = JSON.parse(read('package.json'));
      const file = readdirSync(join(base, folder)).find((each) => /^licen[cs]e/i.test(each));
      const text = file === undefined ? `Licence: ${license}` : read(file).trim();
      return `${'-'.repeat(72)}\n${name} ${version} (${license})\n\n${text}`;
    }),
    '',
  ].join('\n\n');
}
