import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeOnServer } from '../testing/describe-on-server.test.data.js';
import { readySelector, visit } from '../testing/page-visits.test.data.js';

describeOnServer('Train in Chromium', { graceMs: 300, limits: { accountingMs: 60_000 } }, (opened) => {
  // The first plan loads the accountants, which takes seconds on a busy machine.
  beforeAll(async () => {
    const body = { dataset: 'sample', model: 'm', method: 'dpals', epsilon: 1, delta: 1e-6, settings: {} };
    expect((await opened.server.post('/api/plans', body)).status).toBe(200);
  });
  const signIn = async (page: Page, token: string) => {
    await page.getByLabel('Operator token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };

  it('refuses a wrong token, then shows the promise before the start and follows the run to its end', async () => {
    const page = await visit(opened, 'train', { allowErrors: true });
    await signIn(page, 'not-the-token-not-the-token');
    await page.getByText('This token is not valid.').waitFor();
    await signIn(page, opened.server.operatorToken!);
    await page.getByText('All settings').waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
    await page.getByText('All settings').click();
    await page.getByLabel('Method').selectOption('dpals');
    await page.getByText('that you are in the data').first().waitFor();
    await page.getByLabel('4. Privacy, ε').fill('3');
    await page.getByText('ε = 3, δ = 1e-6').first().waitFor();
    await page.getByLabel('4. Privacy, ε').fill('9');
    await page.getByText('can become more than 99.9% sure by studying this model').waitFor();
    await page.getByLabel('4. Privacy, ε').fill('3');
    await page.getByText('ε = 3, δ = 1e-6').first().waitFor();
    await page.getByLabel('Name of the model').fill('page-made');
    await page.getByRole('button', { name: 'Train with this promise' }).click();
    const run = page.locator('li[data-run]').first();
    await run.getByText('done', { exact: true }).waitFor();
    expect(await run.textContent()).toContain('Quality: rmse 0.9 (0.8 to 1)');
    // The run has an address, and the next one like it says how long it took.
    await page.reload();
    await page.getByRole('heading', { name: 'A run' }).waitFor();
    await page.locator('li[data-run]').getByText('page-made').waitFor();
    expect(await page.locator('li[data-run]').count()).toBe(1);
    await page.getByRole('link', { name: 'To all runs' }).click();
    await page.getByText('All settings').click();
    await page.getByLabel('Method').selectOption('dpals');
    await page.getByText(/^The last run like it took \d+ s\.$/).waitFor();
    await page.context().close();
  });

  it('starts nothing under a promise that is not its own: while typing, by Enter, or before there is one', async () => {
    const page = await visit(opened, 'train');
    const starts: { epsilon: number; plan: string }[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/runs') && request.method() === 'POST')
        starts.push(request.postDataJSON());
    });
    // Plans come only when they are let through.
    let letThrough = () => {};
    let held = new Promise<void>((resolve) => (letThrough = resolve));
    await page.route('**/api/plans', async (route) => {
      await held;
      await route.continue();
    });
    await signIn(page, opened.server.operatorToken!);
    await page.getByText('All settings').click();
    await page.getByLabel('Method').selectOption('dpals');
    const start = page.getByRole('button', { name: 'Train with this promise' });
    const privacy = page.getByLabel('4. Privacy, ε');
    const promised = page.getByText('ε = 1, δ = 1e-6').first();
    // No promise yet: an empty card.
    expect(await start.isDisabled()).toBe(true);
    await privacy.press('Enter');
    letThrough();
    await promised.waitFor();
    await page.waitForFunction(() => !document.querySelector<HTMLButtonElement>('button.primary')!.disabled);
    expect(await page.locator('.of-before').count()).toBe(0);

    held = new Promise<void>((resolve) => (letThrough = resolve));
    await page.getByLabel('Name of the model').fill('typed');
    await privacy.fill('8');
    // In the pause after typing, and while the plan is on its way.
    for (const waited of [false, true]) {
      if (waited) await page.waitForRequest((request) => request.url().endsWith('/api/plans'));
      expect(await start.isDisabled()).toBe(true);
      await promised.waitFor();
      expect(await page.locator('.of-before').count()).toBe(1);
      await privacy.press('Enter');
      await start.click({ force: true });
      await start.evaluate((button: HTMLButtonElement) => button.form!.requestSubmit());
    }
    letThrough();
    await page.getByText('ε = 8, δ = 1e-6').first().waitFor();
    await privacy.press('Enter');
    await page.getByLabel('Name of the model').press('Enter');
    expect(await page.locator('.of-before').count()).toBe(0);
    expect(starts).toEqual([]);

    // Back and forth faster than answers come: only the plan of what stands there counts.
    await privacy.fill('3');
    await privacy.fill('8');
    const [planned] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/api/plans')),
      privacy.fill('2'),
    ]);
    await page.getByText('ε = 2, δ = 1e-6').first().waitFor();
    await start.click();
    await page.locator('li[data-run]').first().getByText('done', { exact: true }).waitFor();
    expect(starts).toEqual([
      expect.objectContaining({ epsilon: 2, model: 'typed', plan: (await planned.json()).hash }),
    ]);
    await page.context().close();
  });

  it('holds a model back where too few titles stand out, until an operator publishes it', async () => {
    const page = await visit(opened, 'train');
    await signIn(page, opened.server.operatorToken!);
    await page.getByText('All settings').click();
    await page.getByLabel('Method').selectOption('dpals');
    await page.getByLabel('Name of the model').fill('page-held');
    expect(await page.getByLabel('Titles that must stand out').isVisible()).toBe(false);
    await page.getByLabel('Publish only if enough titles stand out').check();
    await page.getByLabel('Titles that must stand out').fill('31');
    await page.getByText('ε = 1, δ = 1e-6').first().waitFor();
    await page.getByRole('button', { name: 'Train with this promise' }).click();
    const run = page.locator('li[data-run]').first();
    await run.getByText('not published').waitFor();
    expect(await run.textContent()).toContain('fewer than 31 titles stand out');
    expect(await run.getByRole('link', { name: 'Try it' }).count()).toBe(0);
    await run.getByRole('button', { name: 'Publish page-held' }).click();
    await run.getByRole('link', { name: 'Try it' }).waitFor();
    await page.context().close();
  });

  it('opens Try it when the model is there, where that was asked for', async () => {
    const page = await visit(opened, 'train');
    await signIn(page, opened.server.operatorToken!);
    await page.getByText('All settings').click();
    await page.getByLabel('Method').selectOption('dpals');
    await page.getByLabel('Name of the model').fill('page-tried');
    await page.getByLabel('Open Try it with the new model').check();
    await page.getByText('ε = 1, δ = 1e-6').first().waitFor();
    await page.getByRole('button', { name: 'Train with this promise' }).click();
    // The stand-in for training writes no model, so Try it says that there is none of this name.
    await page.waitForURL(/#\/try\/page-tried$/);
    await page.getByText('There is no model “page-tried”').waitFor();
    await page.context().close();
  });

  it('learns lists unless stars are asked for, with methods that can', async () => {
    const page = await visit(opened, 'train');
    await signIn(page, opened.server.operatorToken!);
    await page.getByText('All settings').click();
    expect(await page.getByLabel('Method').inputValue()).toBe('hush');
    expect(await page.locator('option[value="als"]').isDisabled()).toBe(true);
    const planned = (goal: string) =>
      page.waitForRequest(
        (request) => request.url().endsWith('/api/plans') && request.postDataJSON().goal === goal,
      );
    const [forStars] = await Promise.all([planned('stars'), page.getByText('Predict stars').click()]);
    expect(forStars.postDataJSON()).toMatchObject({ method: 'hush', goal: 'stars' });
    await page.getByLabel('Method').selectOption('als');
    await page.getByText('Rank titles').click();
    expect(await page.getByLabel('Method').inputValue()).toBe('ials');
    const [forLists] = await Promise.all([planned('rank'), page.getByLabel('The whole person').check()]);
    expect(forLists.postDataJSON()).toMatchObject({ goal: 'rank' });
    expect(forLists.postDataJSON()).not.toHaveProperty('liked');
    await page.getByText('ε = 1, δ = 1e-6').first().waitFor();
    await page.context().close();
  });

  it('goes on as a reader when the server no longer knows the token', async () => {
    const page = await visit(opened, 'try', { allowErrors: true });
    await page.waitForSelector(readySelector.try);
    await page.evaluate(() => sessionStorage.setItem('hushrec.token', 'token-of-an-earlier-server'));
    await page.reload();
    await page.waitForSelector(readySelector.try);
    await page.goto(`${opened.server.url}/#/train`);
    await page.getByText('Operators only').waitFor();
    await page.context().close();
  });

  // Nothing is asked of the server that it must refuse: no line in the console.
  it('says what is wrong with settings and does not start', async () => {
    const page = await visit(opened, 'train');
    await signIn(page, opened.server.operatorToken!);
    await page.getByText('All settings').click();
    await page.getByLabel('Method').selectOption('dpals');
    await page.locator('input[name="rank"]').fill('100000');
    await page.getByText('This run is not possible. rank is 100000; expected a number from').waitFor();
    const start = page.getByRole('button', { name: 'Train with this promise' });
    expect(await start.isDisabled()).toBe(true);
    await page.locator('input[name="rank"]').fill('8');
    await page.getByText('ε = 1, δ = 1e-6').first().waitFor();
    for (const typed of ['', '1e-', '2']) {
      await page.getByLabel('δ', { exact: false }).first().fill(typed);
      await page.getByText(`δ is ${typed === '' ? 'empty' : typed}; expected more than 0`).waitFor();
      expect(await start.isDisabled()).toBe(true);
    }
    await page.context().close();
  });

  it('stops a run and resumes it', async () => {
    const page = await visit(opened, 'train');
    await signIn(page, opened.server.operatorToken!);
    await page.getByRole('radio', { name: /Nobody/ }).check();
    await page.getByText('All settings').click();
    await page.getByLabel('Method').selectOption('ials');
    await page.getByText('No privacy: nobody is protected.').first().waitFor();
    await page.getByLabel('Name of the model').fill('slow-page');
    await page.getByRole('button', { name: 'Train without a promise' }).click();
    await page.getByText(/training \(\d+ of 2000\)/).waitFor();
    await page.getByText('30 of 40', { exact: true }).waitFor();
    // What was released, with the seconds that each took.
    const taste = page.locator('.running .steps li', { hasText: 'Taste, title by title' });
    expect(await taste.textContent()).toMatch(/^Taste, title by title\d+\.\d s$/);
    await page
      .getByRole('img', { name: /Signal over noise by popularity.*none, 0.7, 1.6, 2.9, 4.1/ })
      .waitFor();
    await page.getByRole('button', { name: 'Stop slow-page' }).click();
    await page.getByRole('button', { name: 'Resume slow-page' }).click();
    await page.locator('li[data-run]').first().getByText('done', { exact: true }).waitFor();
    await page.context().close();
  });
});
