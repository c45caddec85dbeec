import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeOnServer } from '../testing/describe-on-server.test.data.js';
import { becomeOperator, spendOnce, visit } from '../testing/page-visits.test.data.js';
import { startRun } from '../testing/test-server.test.data.js';

describeOnServer('the ledger in Chromium', { graceMs: 300 }, (opened) => {
  it('says that nothing was spent, then shows budget and entries', async () => {
    const page = await visit(opened, 'ledger');
    await page.getByText('Nothing has been spent').waitFor();
    await spendOnce();
    await page.reload();
    await page.getByText('of ε = 4 spent').waitFor();
    expect(await page.locator('tbody tr').count()).toBe(2);

    await page.evaluate(
      (token) => sessionStorage.setItem('hushrec.token', token),
      opened.server.operatorToken!,
    );
    await page.goto(`${opened.server.url}/#/train`);
    await page.getByText('All settings').click();
    await page.getByLabel('Method').selectOption('dpals');
    await page.getByLabel('4. Privacy, ε').fill('2');
    await page.getByText(/Account after this run: \S+ → \S+ of 4/).waitFor();
    await page.getByLabel('4. Privacy, ε').fill('6');
    await page.getByText('This run would be refused').waitFor();
    expect(await page.getByRole('button', { name: 'Train with this promise' }).isDisabled()).toBe(true);
    const asked = {
      dataset: 'sample',
      method: 'dpals',
      epsilon: 6,
      delta: 1e-6,
      settings: {},
      model: 'too-much',
    };
    expect((await startRun(opened.server.post, asked)).status).toBe(409);

    // What a budget cannot hold is made only where someone says so.
    await page.getByRole('radio', { name: /Nobody/ }).check();
    await page.getByText('Outside of the budget.').waitFor();
    const start = page.getByRole('button', { name: 'Train without a promise' });
    expect(await start.isDisabled()).toBe(true);
    await page.getByLabel('Make it anyway, and record it in the ledger').check();
    const [posted] = await Promise.all([
      page.waitForRequest((request) => request.url().endsWith('/api/runs') && request.method() === 'POST'),
      start.click(),
    ]);
    expect(posted.postDataJSON()).toMatchObject({ recordUnprotected: true });
    await page.locator('li[data-run]').first().getByText('done', { exact: true }).waitFor();
    await page.context().close();
  });

  it('gives a plan that fits as a line for a timer', async () => {
    const page = await visit(opened, 'ledger');
    await page.getByText('That fits the grant').waitFor();
    await page.getByRole('button', { name: 'Use as refresh plan' }).click();
    const line = page.locator('.refresh-plan code');
    expect(await line.textContent()).toMatch(
      /^0 3 1 \* \* hushrec refresh sample --model models\/\S+ --epsilon 0\.5$/,
    );
    await page.getByText('quarterly').click();
    await page.getByRole('button', { name: 'Use as refresh plan' }).click();
    expect(await line.textContent()).toContain('0 3 1 */3 * ');
    await page.getByText('weekly').click();
    await page.getByText('the next would be refused').waitFor();
    expect(await page.getByRole('button', { name: 'Use as refresh plan' }).count()).toBe(0);
    await page.context().close();
  });

  it('goes on by keyboard at the first entry that was not shown', async () => {
    const page = await visit(opened, 'ledger');
    await page.route('**/api/ledger', async (route) => {
      const response = await route.fetch();
      const { ledgers } = (await response.json()) as { ledgers: { entries: object[] }[] };
      for (const ledger of ledgers) ledger.entries = Array.from({ length: 10 }, () => ledger.entries.at(-1)!);
      await route.fulfill({ json: { ledgers } });
    });
    await page.reload();
    await page.getByRole('button', { name: 'Show all 10' }).focus();
    await page.keyboard.press('Enter');
    const focused = page.locator('tbody tr:focus');
    await focused.waitFor();
    expect(await focused.evaluate((row) => (row as HTMLTableRowElement).sectionRowIndex)).toBe(8);
    await page.context().close();
  });

  it.each([
    ['wide', 1280, 800],
    ['a phone', 390, 844],
  ])(
    'draws a year of refreshes with 30 runs on one day, no word over another: %s',
    async (_, width, height) => {
      const page = await visit(opened, 'ledger', { viewport: { width, height } });
      await page.route('**/api/ledger', async (route) => {
        const response = await route.fetch();
        const { ledgers } = (await response.json()) as { ledgers: { entries: object[]; spent: object[] }[] };
        const day = 86_400_000;
        const noon = Math.floor(Date.now() / day) * day - day / 2;
        const weekly = Array.from({ length: 52 }, (_, week) => noon - (52 - week) * 7 * day);
        const oneDay = Array.from({ length: 30 }, (_, minute) => weekly[30] + 60_000 * (minute + 1));
        const entries = [...weekly, ...oneDay]
          .sort((a, b) => a - b)
          .map((at, before) => ({
            ...{ number: before, hash: String(before).padStart(64, '0'), kind: 'spend', detail: 'hush' },
            ...{ at: new Date(at).toISOString(), finished: true },
            cost: { epsilon: 0.3, after: 0.3 * Math.sqrt(before + 1) },
          }));
        for (const ledger of ledgers) {
          ledger.entries = entries.toReversed();
          ledger.spent = [{ epsilon: 0.3 * Math.sqrt(82), delta: 1e-6 }];
        }
        await route.fulfill({ json: { ledgers } });
      });
      await page.reload();
      const chart = page.locator('.fitted svg');
      // The 30 and the refresh of that day.
      await chart.getByText('31 runs', { exact: true }).waitFor();
      expect(await chart.locator('.s0 [data-x] circle.mark').count()).toBe(52);
      const crossing = await chart.locator('text').evaluateAll((texts) => {
        const boxes = texts.map((text) => ({ said: text.textContent, box: text.getBoundingClientRect() }));
        return boxes.flatMap(({ said, box }, at) =>
          boxes
            .slice(at + 1)
            .filter(
              ({ box: other }) =>
                box.left < other.right &&
                other.left < box.right &&
                box.top + 3 < other.bottom &&
                other.top + 3 < box.bottom,
            )
            .map((other) => `${said} over ${other.said}`),
        );
      });
      expect(crossing).toEqual([]);
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await page.context().close();
    },
  );

  it('says why a run has another ε here than in its certificate, where the account has another δ', async () => {
    const page = await visit(opened, 'ledger');
    const entry = 'f'.repeat(64);
    await page.route('**/api/ledger', async (route) => {
      const response = await route.fetch();
      const { ledgers } = (await response.json()) as {
        ledgers: { grant: { delta: number }; entries: object[] }[];
      };
      for (const ledger of ledgers) {
        ledger.grant = { ...ledger.grant, delta: 1e-5 };
        const run = { number: 9, at: '2026-11-17', kind: 'spend', detail: 'dpals', finished: null };
        ledger.entries = [{ ...run, hash: entry, cost: { epsilon: 0.8712, after: 1.2 } }];
      }
      await route.fulfill({ json: { ledgers } });
    });
    await page.route('**/api/models', async (route) => {
      const response = await route.fetch();
      const { models, broken } = (await response.json()) as { models: object[]; broken: object[] };
      const paid = { ...models[0], epsilon: 1, delta: 1e-6, ledgerEntry: entry };
      await route.fulfill({ json: { models: [paid], broken } });
    });
    await page.reload();
    await page.getByText('The account counts at δ = 1e-5: ε = 1 at δ = 1e-6 is 0.872 there.').waitFor();
    await page.getByRole('cell', { name: '0.872 (1 at δ = 1e-6)' }).waitFor();
    expect(await page.getByRole('columnheader', { name: 'Outcome' }).count()).toBe(0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.context().close();
  });

  describe('decisions in the ledger', () => {
    it('are made by operators, with a reason, and the entries can be taken away', async () => {
      expect((await opened.server.ask('/api/ledger/sample/refuse', { method: 'POST' })).status).toBe(403);
      const page = await visit(opened, 'ledger', { acceptDownloads: true });
      await page
        .getByText(/Operators set and stop budgets here|Nothing has been spent/)
        .first()
        .waitFor();
      await becomeOperator(page, opened.server);
      await page.reload();
      await page.getByLabel('New grant, ε').fill('7');
      await page.getByText('At ε = 7, 50% becomes at most > 99.9%: weak.').waitFor();
      await page.getByRole('button', { name: 'Grant 7' }).click();
      await page.getByRole('alert').getByText('Say why').waitFor();
      await page.getByLabel('Reason').fill('agreed by the members, 3 May');
      await page.getByRole('button', { name: 'Grant 7' }).click();
      await page.getByText('of ε = 7 spent').waitFor();
      await page.getByText('agreed by the members, 3 May').waitFor();
      await page.getByLabel('Reason').fill('erasure under way');
      await page.getByRole('button', { name: 'Refuse all further runs' }).click();
      await page.getByText('Spending is stopped until a new grant.').waitFor();
      for (const [kind, start] of [
        ['CSV', 'entry,at,kind,'],
        ['JSON', '{'],
      ] as const) {
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('button', { name: `Export as ${kind}` }).click(),
        ]);
        const text = readFileSync(await download.path(), 'utf8');
        expect(text.startsWith(start)).toBe(true);
        expect(text).toContain('erasure under way');
      }
      await page.context().close();
    });
  });
});
