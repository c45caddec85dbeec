// Run by npm before it packs one of the published packages: puts beside its package.json what the tarball
// needs.
import { copyFileSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleClient, bundleHushrec } from './bundle.mjs';

const folder = process.cwd();
const root = fileURLToPath(new URL('..', import.meta.url));
if (!existsSync(join(root, 'apps/cli/dist/index.d.ts'))) {
  console.error('Nothing is built yet. Run `npm run build` in the repository first.');
  process.exit(1);
}
copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
// The compiler leaves what it once made of files that are gone.
for (const file of existsSync(join(folder, 'dist'))
  ? readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' })
  : []) {
  const source = /^(.*?)(?:\.d\.ts|\.js)(?:\.map)?$/.exec(file)?.[1];
  if (source !== undefined && !existsSync(join(folder, 'src', `${source}.ts`)))
    rmSync(join(folder, 'dist', file));
}
if (basename(folder) === 'cli') await bundleHushrec();
if (basename(folder) === 'client') await bundleClient();
