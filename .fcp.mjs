import { launchChromium } from './tools/chromium.mjs';

const url = process.argv[2];
const b = await launchChromium();
async function paint(path) {
  const c = await b.newContext({ viewport: { width: 390, height: 844 }, isMobile: true });
  const p = await c.newPage();
  const s = await c.newCDPSession(p);
  await s.send('Network.enable');
  await s.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: 200000,
    uploadThroughput: 100000,
  });
  await s.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await p.goto(url + path);
  await p.waitForTimeout(1500);
  const t = await p.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
  await c.close();
  return Math.round(t);
}
for (let i = 0; i < 5; i++) console.log(await paint('/healthz'), await paint('/#/overview'));
await b.close();
