import { readFileSync } from 'node:fs';
import { launchChromium } from './tools/chromium.mjs';

const [out, w, ...files] = process.argv.slice(2);
const b = await launchChromium();
const p = await b.newPage({ viewport: { width: 2000, height: 1200 } });
const imgs = files
  .map(
    (f) =>
      `<img style="width:${w}px;margin:6px;vertical-align:top" src="data:image/webp;base64,${readFileSync(f).toString('base64')}">`,
  )
  .join('');
await p.setContent(`<body style="margin:0;background:#777">${imgs}`);
await p.waitForFunction(() => [...document.images].every((i) => i.complete));
await p.screenshot({ path: out, fullPage: true });
await b.close();
