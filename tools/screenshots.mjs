// Pictures of every view and state of the page, light and dark, wide and on a phone, from data that is made
// up on the spot: `npm run screenshots [folder] [name …]`. Without names all are made, into docs/pictures,
// and listed in docs/pictures.md. Needs the Chromium that the tests use.
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from '../apps/server/dist/index.js';
import { openOffices } from '../packages/federate/dist/open-offices.test.data.js';
import { createEngine } from '../packages/numerics/dist/index.js';
import { launchChromium } from './chromium.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [folder = join(root, 'docs', 'pictures'), ...wanted] = process.argv.slice(2);
const out = resolve(folder);
mkdirSync(out, { recursive: true });
const work = mkdtempSync(join(tmpdir(), 'hushrec-screenshots-'));
const state = { ...process.env, XDG_STATE_HOME: join(work, 'state') };
const bin = join(root, 'apps/cli/bin/hushrec.js');
const at = (...names) => join(work, ...names);

function hushrec(...args) {
  const run = spawnSync(process.execPath, [bin, ...args], { env: state, encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`hushrec ${args.join(' ')}\n${run.stderr}`);
}

/** The same with a clock that is so many days behind: an account that was spent from over some months. */
function hushrecBefore(days, ...args) {
  const clock = `const now = Date.now; const behind = () => now() - ${days * 86_400_000}; globalThis.Date = class extends Date { constructor(...given) { super(...(given.length > 0 ? given : [behind()])); } static now() { return behind(); } };`;
  const preload = `data:text/javascript,${encodeURIComponent(clock)}`;
  const run = spawnSync(process.execPath, ['--import', preload, bin, ...args], {
    env: state,
    encoding: 'utf8',
  });
  if (run.status !== 0) throw new Error(`hushrec ${args.join(' ')}\n${run.stderr}`);
}

/**
 * Data, models, what was measured on them and a sweep; kept where `HUSHREC_SCREENSHOT_DATA` names a folder.
 * Pictures are taken of a copy, so that what they do (one trains a model) is in none that are taken later.
 * Where some are wanted by name, the sweep is made for those that show it.
 */
const isWhole = wanted.length === 0;
function makeData() {
  mkdirSync(at('data'), { recursive: true });
  hushrec(
    'generate',
    at('data', 'lantern'),
    '--recipe',
    'classics',
    '--people',
    '6000',
    '--ratings',
    '360000',
    '--seed',
    '4',
  );
  const lantern = at('data', 'lantern');
  hushrecBefore(
    ...[170, 'ledger', 'grant', lantern, '--epsilon', '6', '--delta', '1e-6'],
    ...['--note', 'agreed with the members’ council'],
  );
  const [guarded, open] = [
    ['--delta', '1e-6', '--people', '6000'],
    ['--record-unprotected', '--note', 'to compare with, never published'],
  ];
  for (const [days, name, ...how] of [
    [160, 'lantern-jun', '--epsilon', '0.5', ...guarded],
    [130, 'lantern-jul', '--epsilon', '0.5', ...guarded],
    [105, 'lantern-wide', '--epsilon', '3', ...guarded],
    [104, 'lantern-open', '--epsilon', 'inf', ...open],
    [103, 'lantern-popular', '--method', 'popularity', ...open],
    [70, 'lantern-sep', '--epsilon', '0.5', ...guarded],
    [38, 'lantern-mute', '--epsilon', '0.05', ...guarded],
    [6, 'lantern-one', '--epsilon', '1', ...guarded],
  ]) {
    hushrecBefore(days, 'train', lantern, ...how, '--threads', '1', '--out', at('models', name));
    // A model is as old as its certificate.
    const then = Date.now() / 1000 - days * 86_400;
    utimesSync(at('models', name, 'certificate.json'), then, then);
  }
  // Those of past months are not offered any more; what they cost stays in the account.
  for (const name of ['lantern-jun', 'lantern-jul', 'lantern-sep'])
    rmSync(at('models', name), { recursive: true });
  // Quality is measured on people: it lies beside the models that protect them, for operators.
  for (const name of ['lantern-mute', 'lantern-one', 'lantern-wide', 'lantern-open', 'lantern-popular'])
    hushrec(
      ...['evaluate', at('models', name), lantern, '--save'],
      ...['--metrics', 'recall@20,ndcg@10,coverage@20'],
    );
  if (isWhole || wanted.some((name) => /^(compare|overview)/.test(name)))
    hushrec(
      ...['compare', lantern, '--methods', 'popularity,ials,hush,dpals'],
      ...['--epsilons', '0.03,0.1,0.3,1,3,8'],
      ...['--repeats', '2', '--delta', '1e-6', '--people', '6000', '--seed', '1'],
      ...['--metrics', 'recall@20,ndcg@10', '--out', at('reports', 'lantern')],
    );
  // Too few people for ε = 1, by themselves.
  hushrec(
    ...['generate', at('few-data', 'few'), '--people', '610', '--items', '3000', '--ratings', '80000'],
    ...['--seed', '1'],
  );
  hushrec(
    ...['train', at('few-data', 'few'), '--epsilon', '1', '--delta', '1e-6', '--people', '610'],
    ...['--threads', '1', '--out', at('few-models', 'few-people')],
  );
}
const kept = process.env.HUSHREC_SCREENSHOT_DATA;
const whole = { recursive: true, preserveTimestamps: true };
if (kept !== undefined && existsSync(join(kept, 'made'))) cpSync(kept, work, whole);
else {
  makeData();
  if (kept !== undefined && isWhole) {
    cpSync(work, kept, whole);
    writeFileSync(join(kept, 'made'), '');
  }
}

/** A server in a process of its own: where it answers, and the operator's token. */
async function serve(port, ...places) {
  const args = [bin, 'serve', ...places, '--port', String(port)];
  const server = spawn(process.execPath, args, { env: state, stdio: ['ignore', 'pipe', 'pipe'] });
  process.on('exit', () => server.kill());
  let said = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (bytes) => (said += bytes));
  const url = `http://127.0.0.1:${port}`;
  const answers = () =>
    fetch(`${url}/api/models`).then(
      (answer) => answer.ok,
      () => false,
    );
  for (let tries = 0; !(await answers()); tries++) {
    if (tries > 600) throw new Error(`The server does not answer.\n${said}`);
    await new Promise((done) => setTimeout(done, 100));
  }
  return { url, token: /token=([A-Za-z0-9._~+/=-]+)/.exec(said)?.[1] ?? '', stop: () => server.kill() };
}
const port = 7790 + 3 * (process.pid % 100);
const lantern = await serve(
  port,
  ...['--models', at('models'), '--data', at('data'), '--reports', at('reports')],
);
const few = await serve(port + 1, '--models', at('few-models'), '--data', at('few-data'));
const { url, token } = lantern;
const engine = await createEngine({ kernel: 'simd', threads: 1 });
const { itemIds } = JSON.parse(readFileSync(at('models', 'lantern-one', 'model.json'), 'utf8'));
const { scale } = JSON.parse(readFileSync(at('data', 'lantern', 'dataset.json'), 'utf8'));
/** Two who add up and a board, and a server that invites to their run. */
const offices = await openOffices(
  ['Lantern', 'Arden City Library'],
  { format: 'hushrec-catalogue-1', scale, itemIds },
  { engine },
  { epsilon: 1, mostPeople: 6000, pace: { kind: 'reports', count: 2, longestSeconds: 1000 } },
);
const { coordinator, aggregators } = offices.signed.charter;
const inviting = await startServer({
  models: at('models'),
  port: port + 2,
  state: at('inviting.sqlite'),
  writeLog: () => {},
  takePart: { board: coordinator.url, aggregators: aggregators.map((each) => each.url) },
});
const browser = await launchChromium();
const wide = { viewport: { width: 1360, height: 900 } };
const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1, hasTouch: true, isMobile: true };
const dark = { colorScheme: 'dark' };
const signIn = (page) => page.evaluate((given) => sessionStorage.setItem('hushrec.token', given), token);
const rateSome = async (page, stars) => {
  for (const star of stars) {
    await page
      .locator('ul[aria-label="Items to rate"] li')
      .first()
      .locator('.stars label')
      .nth(star - 1)
      .click();
    await page.waitForTimeout(60);
  }
};
const rateCards = async (page, stars) => {
  for (const star of stars) {
    await page
      .locator('.rate-card .stars label')
      .nth(star - 1)
      .click();
    await page.waitForTimeout(1000);
  }
};
/** On a busy machine the server may close a connection just as it is used again. */
const answerOf = (path) => fetch(url + path).then((answer) => answer.json());
const { ledgers } = await answerOf('/api/ledger').catch(() => answerOf('/api/ledger'));
/** The account as it would be shown if its chain of entries had been changed. */
const brokenLedger = {
  ...ledgers[0],
  problem: 'The ledger was tampered with or damaged at entry 17. Nothing is spent until it is restored.',
};
/** Runs of every end that the server tells of. */
const endedRuns = [
  { status: 'done', model: 'lantern-dec', published: false, publishFrom: 500 },
  {
    status: 'failed',
    model: 'lantern-nov',
    error: 'This run was paid for. There is no space left on the disk.',
  },
  { status: 'interrupted', model: 'lantern-oct' },
  { status: 'stopped', model: 'lantern-sep' },
].map(({ status, model, published = null, publishFrom, error = null }) => ({
  id: model,
  request: {
    ...{ dataset: 'lantern', method: 'hush', epsilon: 1, delta: 1e-6, settings: {}, model },
    ...(publishFrom !== undefined && { publishFrom }),
  },
  ...{ status, startedBy: 'Noor K.', published, progress: null, quality: null, error },
  createdAt: '2026-11-02T03:00:00.000Z',
  startedAt: '2026-11-02T03:00:00.000Z',
  endedAt: '2026-11-02T03:01:12.000Z',
  result: status === 'done' ? { usefulness: { itemsAboveNoise: 405, items: 600 } } : null,
}));
const asOperator = async (page) => {
  await signIn(page);
  await page.reload();
};
/** Name, address, window, and what is done before the picture is taken; answers that are made up. */
const pictures = [
  [
    'overview-light',
    'overview',
    wide,
    async (page) => {
      await asOperator(page);
      await page.waitForSelector('table');
    },
  ],
  ['overview-dark', 'overview', { ...wide, ...dark }, (page) => page.waitForSelector('table')],
  ['overview-phone', 'overview', phone, (page) => page.waitForSelector('table')],
  [
    'overview-empty',
    'overview',
    wide,
    (page) => page.getByText('No models yet').waitFor(),
    { models: { models: [], broken: [] } },
  ],
  [
    'try-light',
    'try',
    wide,
    async (page) => {
      await page.waitForSelector('.ranking li');
      await rateSome(page, [5, 4, 1, 5]);
    },
  ],
  [
    'try-dark',
    'try',
    { ...wide, ...dark },
    async (page) => {
      await page.waitForSelector('.ranking li');
      await rateSome(page, [5, 4, 1, 5]);
    },
  ],
  ['try-phone', 'try', phone, (page) => page.waitForSelector('.strip-posters span')],
  [
    'try-phone-rated',
    'try',
    phone,
    async (page) => {
      await page.waitForSelector('.strip-posters span');
      await rateCards(page, [5, 4]);
      await page.locator('.rate-card .stars label').nth(4).click();
      await page.waitForTimeout(200);
    },
  ],
  [
    'try-phone-sheet',
    'try',
    { ...phone, ...dark },
    async (page) => {
      await page.waitForSelector('.strip-posters span');
      await rateCards(page, [5, 4]);
      await page.locator('.strip').click();
      await page.waitForTimeout(200);
    },
  ],
  [
    'try-phone-too-noisy',
    'try',
    phone,
    async (page) => {
      await page.waitForSelector('.strip-posters span');
      await page.locator('select').last().selectOption('lantern-mute');
      await rateCards(page, [5]);
    },
  ],
  [
    'try-phone-nothing-sent',
    'try',
    { ...phone, ...dark },
    async (page) => {
      await page.waitForSelector('.strip-posters span');
      await rateCards(page, [5, 4]);
      await page.getByText('Nothing was sent.').click();
      await page.waitForTimeout(200);
    },
  ],
  [
    'try-empty',
    'try',
    phone,
    (page) => page.getByText('No models yet').waitFor(),
    { models: { models: [], broken: [] } },
  ],
  ['try-failed', 'try', wide, (page) => page.getByRole('alert').waitFor(), { models: null }],
  ['certificate-light', 'certificate/lantern-one', wide, (page) => page.waitForSelector('.checks li')],
  [
    'certificate-dark',
    'certificate/lantern-wide',
    { ...wide, ...dark },
    (page) => page.waitForSelector('.checks li'),
  ],
  ['certificate-phone', 'certificate/lantern-one', phone, (page) => page.waitForSelector('.checks li')],
  [
    'certificate-not-found',
    'certificate/lantern-won',
    wide,
    (page) => page.getByText('There is no model').waitFor(),
  ],
  [
    'certificate-open',
    'certificate/lantern-open',
    wide,
    (page) => page.getByText('This model gives no privacy guarantee.').waitFor(),
  ],
  [
    'certificate-changed',
    'certificate/lantern-one',
    phone,
    (page) => page.getByText('its content is not what the certificate was issued for').waitFor(),
    { changed: '**/models/lantern-one/model.json' },
  ],
  [
    'certificate-print',
    'certificate/lantern-one',
    { viewport: { width: 760, height: 1075 } },
    async (page) => {
      await page.waitForSelector('.checks li');
      await page.emulateMedia({ media: 'print' });
    },
  ],
  ['ledger-light', 'ledger', wide, (page) => page.waitForSelector('table')],
  ['ledger-phone', 'ledger', phone, (page) => page.waitForSelector('table')],
  [
    'ledger-decide',
    'ledger',
    wide,
    async (page) => {
      await asOperator(page);
      await page.getByRole('button', { name: 'Grant 6' }).waitFor();
    },
  ],
  [
    'ledger-plan',
    'ledger',
    phone,
    async (page) => {
      await page.getByRole('button', { name: 'Use as refresh plan' }).click();
      await page.locator('.refresh-plan code').waitFor();
    },
  ],
  [
    'ledger-broken',
    'ledger',
    phone,
    (page) => page.getByRole('alert').waitFor(),
    { ledger: { ledgers: [brokenLedger] } },
  ],
  [
    'ledger-empty',
    'ledger',
    wide,
    (page) => page.getByText('Nothing has been spent').waitFor(),
    { ledger: { ledgers: [] } },
  ],
  ['plan-light', 'plan', wide, (page) => page.waitForSelector('.stand-out')],
  ['plan-phone', 'plan', { ...phone, ...dark }, (page) => page.waitForSelector('.stand-out')],
  [
    'train-light',
    'train',
    wide,
    async (page) => {
      await asOperator(page);
      await page.getByText('The promise you are about to make').waitFor();
    },
  ],
  [
    'train-refused',
    'train',
    { ...wide, ...dark },
    async (page) => {
      await asOperator(page);
      await page.getByLabel('4. Privacy, ε').fill('9');
      await page.getByText('This run would be refused').waitFor();
    },
  ],
  [
    'train-bad-input',
    'train',
    phone,
    async (page) => {
      await asOperator(page);
      await page.getByText('The promise you are about to make').waitFor();
      await page.getByLabel('4. Privacy, ε').fill('-1');
      await page.getByText('ε must be above 0').waitFor();
      await page.getByText('The promise you are about to make').waitFor({ state: 'detached' });
    },
  ],
  [
    'train-unprotected',
    'train',
    wide,
    async (page) => {
      await asOperator(page);
      await page.getByRole('radio', { name: /Nobody/ }).check();
      await page.getByText('Outside of the budget.').waitFor();
    },
  ],
  [
    'train-runs',
    'train',
    wide,
    async (page) => {
      await asOperator(page);
      await page.getByText('not published', { exact: true }).waitFor();
    },
    { runs: { runs: endedRuns } },
  ],
  ['train-sign-in', 'train', phone, (page) => page.getByText('Operators only').waitFor()],
  ['compare-light', 'compare', wide, (page) => page.waitForSelector('figure svg')],
  [
    'compare-dark',
    'compare',
    { ...wide, ...dark },
    async (page) => {
      await asOperator(page);
      await page.waitForSelector('figure svg');
    },
  ],
  ['compare-phone', 'compare', phone, (page) => page.waitForSelector('figure svg')],
  [
    'compare-empty',
    'compare',
    phone,
    async (page) => {
      await asOperator(page);
      await page.getByText('Nothing to compare yet').waitFor();
    },
    { comparisons: { comparisons: [] }, models: { models: [], broken: [] } },
  ],
  [
    'few-people-try',
    'try',
    wide,
    async (page) => {
      await page.waitForSelector('.ranking li');
      await rateSome(page, [5, 4, 1]);
    },
    { server: few },
  ],
  [
    'few-people-phone',
    'try',
    { ...phone, ...dark },
    (page) => page.waitForSelector('.strip-posters span'),
    { server: few },
  ],
  [
    'few-people-overview',
    'overview',
    wide,
    (page) => page.getByText('Plan for more people').waitFor(),
    { server: few },
  ],
  [
    'few-people-certificate',
    'certificate/few-people',
    { ...wide, ...dark },
    (page) => page.waitForSelector('.checks li'),
    { server: few },
  ],
  ['take-part-light', 'take-part', wide, (page) => page.getByText('No invitation here yet').waitFor()],
  [
    'try-loading',
    'try',
    phone,
    async (page) => {
      await page.getByText('Loading a model').waitFor();
      await page.waitForTimeout(500);
    },
    { held: '**/models/lantern-one/model.json' },
  ],
  [
    'take-part-charter',
    'take-part',
    wide,
    async (page) => {
      await page.goto(`${inviting.url}/take-part`);
      await page.getByText('What you agree to').waitFor();
    },
    { server: inviting },
  ],
  [
    'take-part-on',
    'take-part',
    { ...phone, ...dark },
    async (page) => {
      await page.goto(`${inviting.url}/take-part`);
      await page.locator('#believed label').last().click();
      await page.getByRole('switch', { name: 'Take part' }).click();
      await page.locator('#sent tbody tr').nth(1).waitFor({ timeout: 60_000 });
    },
    { server: inviting },
  ],
  [
    'take-part-invited',
    'take-part',
    { ...phone, ...dark },
    (page) => page.getByText('You are invited').waitFor(),
    { 'take-part': { open: true } },
  ],
  ['not-found', 'nowhere', wide, (page) => page.getByText('There is no such page').waitFor()],
  ['more-phone', 'more', phone, (page) => page.waitForSelector('.links li')],
  // The last: it makes a model.
  [
    'train-running',
    'train',
    { ...wide, ...dark },
    async (page) => {
      await asOperator(page);
      await page.getByText('Account after this run').waitFor();
      await page.getByRole('button', { name: 'Train with this promise' }).click();
      await page.locator('.running .chart').first().waitFor();
      await page.getByText(/rounds \([1-9] of/).waitFor({ timeout: 120_000 });
    },
  ],
  [
    'train-finished',
    'train',
    wide,
    async (page) => {
      await asOperator(page);
      await page.locator('li[data-run]').first().getByText('Quality:').waitFor({ timeout: 300_000 });
    },
  ],
];
const made = [];
try {
  for (const [name, address, options, ready, answers = {}] of pictures) {
    if (wanted.length > 0 && !wanted.some((each) => name.startsWith(each))) continue;
    const context = await browser.newContext({ ...options, reducedMotion: 'reduce' });
    const page = await context.newPage();
    page.setDefaultTimeout(120_000); // beside other work
    page.on(
      'console',
      (message) => message.type() === 'error' && !answers && console.error(name, message.text()),
    );
    page.on('pageerror', (error) => console.error(name, error.message));
    for (const asked of ['models', 'ledger', 'runs', 'comparisons', 'take-part'])
      if (asked in answers)
        await page.route(`**/api/${asked}`, (route) =>
          answers[asked] === null ? route.abort() : route.fulfill({ json: answers[asked] }),
        );
    if ('held' in answers) await page.route(answers.held, () => {});
    if ('changed' in answers)
      await page.route(answers.changed, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: (await response.text()).replace('The ', 'Thy ') });
      });
    await page.goto(`${(answers.server ?? lantern).url}/#/${address}`);
    await ready(page);
    await page.evaluate(() => document.fonts.ready);
    await page.waitForTimeout(150);
    const isSheet = /phone-(rated|sheet)|try-phone$|few-people-phone/.test(name);
    const session = await context.newCDPSession(page);
    const { cssContentSize } = await session.send('Page.getLayoutMetrics');
    const size = isSheet ? page.viewportSize() : cssContentSize;
    // As tall as the page, so that what keeps to the window's edge stands at the picture's.
    const height = Math.max(Math.ceil(size.height), options.viewport.height);
    await page.setViewportSize({ width: options.viewport.width, height });
    await page.waitForFunction((wanted) => innerHeight === wanted, height);
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    await page.waitForTimeout(500);
    // Now and then this Chromium keeps styles of a phone while its window grows: see that it let go of them.
    for (let tries = 0; tries < 20; tries++) {
      const top = await page.evaluate(() => getComputedStyle(document.querySelector('main')).paddingTop);
      if (top === (options.viewport.width > 760 ? '32px' : '8px') || name.endsWith('print')) break;
      await page.setViewportSize({ width: options.viewport.width + 1 + (tries % 2), height });
      await page.waitForTimeout(200);
      await page.setViewportSize({ width: options.viewport.width, height });
      await page.waitForTimeout(200);
    }
    const { data } = await session.send('Page.captureScreenshot', {
      format: 'webp',
      quality: 80,
      captureBeyondViewport: false,
      clip: { x: 0, y: 0, width: options.viewport.width, height, scale: 1 },
    });
    writeFileSync(join(out, `${name}.webp`), Buffer.from(data, 'base64'));
    console.log(name);
    made.push(name);
    await context.close();
  }
} finally {
  await browser.close();
  lantern.stop();
  few.stop();
  await inviting.close();
  await offices.close();
  await engine.close();
  rmSync(work, { recursive: true, force: true });
}
if (wanted.length === 0) writeFileSync(join(out, '..', 'pictures.md'), listOf(made));

/** A document that shows all pictures, by view. */
function listOf(names) {
  const views = new Map();
  for (const name of names) {
    const view = name.split('-')[0];
    views.set(view, [...(views.get(view) ?? []), name]);
  }
  const headings = {
    try: 'Try it',
    few: '610 people at ε = 1',
    take: 'Take part',
    not: 'An unknown address',
  };
  const sections = [...views].map(([view, own]) =>
    [
      `## ${headings[view] ?? `${view.charAt(0).toUpperCase()}${view.slice(1)}`}`,
      ...own.map((name) => {
        const words = name.replaceAll('-', ' ');
        return `**${words}**: \`npm run screenshots docs/pictures ${name}\`\n\n![${words}](pictures/${name}.webp)`;
      }),
    ].join('\n\n'),
  );
  return `# Pictures of the page

Made by \`npm run screenshots\`, from data that is made up on the spot (\`tools/screenshots.mjs\` says how each state is reached);
each has the command that makes it again. The models are called lantern-mute (ε = 0.05: too noisy, on purpose), lantern-one,
lantern-wide, lantern-open (no privacy) and lantern-popular (what most people like); few-people has 610 people, 3,000 titles and ε = 1.

${sections.join('\n\n')}
`;
}
