// Pictures of every view and state of the page, light and dark, wide and on a phone, from data that is made
// up on the spot: `npm run screenshots [folder] [name …]`. Without names all are made, into docs/pictures,
// and listed in docs/pictures.md. Needs the Chromium that the tests use.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchChromium } from './chromium.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [folder = join(root, 'docs', 'pictures'), ...wanted] = process.argv.slice(2);
const out = resolve(folder);
mkdirSync(out, { recursive: true });
const work = process.env.HUSHREC_SCREENSHOT_DATA ?? mkdtempSync(join(tmpdir(), 'hushrec-screenshots-'));
const state = { ...process.env, XDG_STATE_HOME: join(work, 'state') };
const bin = join(root, 'apps/cli/bin/hushrec.js');
const at = (...names) => join(work, ...names);

function hushrec(...args) {
  const run = spawnSync(process.execPath, [bin, ...args], { env: state, encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`hushrec ${args.join(' ')}\n${run.stderr}`);
}

/**
 * Data, models, what was measured on them and a sweep; kept where `HUSHREC_SCREENSHOT_DATA` names a folder.
 */
function makeData() {
  mkdirSync(at('data'), { recursive: true });
  hushrec(
    'generate',
    at('data', 'lantern'),
    '--users',
    '6000',
    '--items',
    '600',
    '--ratings',
    '480000',
    '--seed',
    '4',
  );
  hushrec(
    'ledger',
    'grant',
    at('data', 'lantern'),
    '--epsilon',
    '6',
    '--delta',
    '1e-6',
    '--note',
    'agreed with the members’ council',
  );
  for (const [name, epsilon] of [
    ['lantern-mute', '0.05'],
    ['lantern-one', '1'],
    ['lantern-wide', '3'],
  ])
    hushrec(
      'train',
      at('data', 'lantern'),
      '--epsilon',
      epsilon,
      '--delta',
      '1e-6',
      '--people',
      '6000',
      '--threads',
      '1',
      '--out',
      at('models', name),
    );
  hushrec(
    'train',
    at('data', 'lantern'),
    '--method',
    'als',
    '--threads',
    '1',
    '--record-unprotected',
    '--note',
    'to compare with, never published',
    '--out',
    at('models', 'lantern-open'),
  );
  // Quality is measured on people: it lies beside the models that protect them, for operators.
  for (const name of ['lantern-mute', 'lantern-one', 'lantern-wide', 'lantern-open'])
    hushrec('evaluate', at('models', name), at('data', 'lantern'), '--save');
  hushrec(
    'compare',
    at('data', 'lantern'),
    '--methods',
    'item-average,als,hush,dpals',
    '--epsilons',
    '0.25,1,3,8',
    '--repeats',
    '2',
    '--delta',
    '1e-6',
    '--people',
    '6000',
    '--seed',
    '1',
    '--out',
    at('reports', 'lantern'),
  );
  writeFileSync(at('made'), '');
}
if (!existsSync(at('made'))) makeData();

const port = 7790 + (process.pid % 100);
const server = spawn(
  process.execPath,
  [
    bin,
    'serve',
    '--models',
    at('models'),
    '--data',
    at('data'),
    '--reports',
    at('reports'),
    '--port',
    String(port),
  ],
  { env: state, stdio: ['ignore', 'pipe', 'pipe'] },
);
process.on('exit', () => server.kill());
let said = '';
for (const stream of [server.stdout, server.stderr]) stream.on('data', (bytes) => (said += bytes));
const url = `http://127.0.0.1:${port}`;
for (let tries = 0; ; tries++) {
  if (
    await fetch(`${url}/api/models`).then(
      (answer) => answer.ok,
      () => false,
    )
  )
    break;
  if (tries > 600) throw new Error(`The server does not answer.\n${said}`);
  await new Promise((done) => setTimeout(done, 100));
}

const token = /token=([A-Za-z0-9._~+/=-]+)/.exec(said)?.[1] ?? '';
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
  ['take-part-light', 'take-part', wide, (page) => page.getByText('Nobody invites').waitFor()],
  [
    'try-loading',
    'try',
    phone,
    async (page) => {
      await page.getByText('Loading 3 models').waitFor();
      await page.waitForTimeout(500);
    },
    { held: '**/models/lantern-open/model.json' },
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
      await page.locator('.running .figure').first().waitFor();
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
    page.on(
      'console',
      (message) => message.type() === 'error' && !answers && console.error(name, message.text()),
    );
    page.on('pageerror', (error) => console.error(name, error.message));
    if ('models' in answers)
      await page.route('**/api/models', (route) =>
        answers.models === null ? route.abort() : route.fulfill({ json: answers.models }),
      );
    if ('held' in answers) await page.route(answers.held, () => {});
    if ('ledger' in answers)
      await page.route('**/api/ledger', (route) => route.fulfill({ json: answers.ledger }));
    await page.goto(`${url}/#/${address}`);
    await ready(page);
    await page.evaluate(() => document.fonts.ready);
    await page.waitForTimeout(150);
    const isSheet = /phone-(rated|sheet)|try-phone$/.test(name);
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
  server.kill();
  if (!process.env.HUSHREC_SCREENSHOT_DATA) rmSync(work, { recursive: true, force: true });
}
if (wanted.length === 0) writeFileSync(join(out, '..', 'pictures.md'), listOf(made));

/** A document that shows all pictures, by view. */
function listOf(names) {
  const views = new Map();
  for (const name of names) {
    const [view] = name.split('-');
    views.set(view, [...(views.get(view) ?? []), name]);
  }
  const sections = [...views].map(([view, own]) =>
    [
      `## ${view.charAt(0).toUpperCase()}${view.slice(1)}`,
      ...own.map((name) => {
        const words = name.replaceAll('-', ' ');
        return `**${words}**: \`npm run screenshots docs/pictures ${name}\`\n\n![${words}](pictures/${name}.webp)`;
      }),
    ].join('\n\n'),
  );
  return `# Pictures of the page

Made by \`npm run screenshots\`, from data that is made up on the spot (\`tools/screenshots.mjs\` says how each state is reached);
each has the command that makes it again. The models are called lantern-mute (ε = 0.05: too noisy, on purpose), lantern-one,
lantern-wide and lantern-open (no privacy).

${sections.join('\n\n')}
`;
}
