import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeOnServer } from '../testing/describe-on-server.test.data.js';
import { readySelector, visit } from '../testing/page-visits.test.data.js';

describeOnServer('the certificate in Chromium', { graceMs: 300 }, (opened) => {
  it('shows every release and recomputes the guarantee in the browser', async () => {
    const page = await visit(opened, 'certificate/sample-eps-1');
    await page.waitForSelector(readySelector.certificate);
    expect(await page.locator('.checks li.failed').count()).toBe(0);
    await page.getByText('Everything adds up').waitFor();
    expect(await page.locator('table').last().textContent()).toContain('item-statistics');
    await page.getByLabel('Model').selectOption('sample-no-privacy');
    await page.getByText('This model gives no privacy guarantee.').waitFor();
    await page.context().close();
  });

  it('goes from model to model by arrow keys, and back', async () => {
    const page = await visit(opened, 'certificate/sample-eps-1');
    await page.waitForSelector(readySelector.certificate);
    for (const [key, model] of [
      ['ArrowDown', 'sample-eps-5'],
      ['ArrowUp', 'sample-eps-1'],
    ]) {
      await page.getByLabel('Model').focus();
      await page.keyboard.press(key);
      await page.getByRole('article', { name: `Certificate of ${model}` }).waitFor();
      expect(await page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Model');
    }
    await page.context().close();
  });

  it('prints on one sheet of A4', async () => {
    const page = await visit(opened, 'certificate/sample-eps-1');
    await page.waitForSelector(readySelector.certificate);
    const sheet = (await page.pdf({ format: 'A4' })).toString('latin1');
    expect(sheet.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
    await page.context().close();
  });

  it('shows no other certificate at an unknown address', async () => {
    const page = await visit(opened, 'certificate/sample-eps-11');
    await page.getByText('There is no model “sample-eps-11”').waitFor();
    expect(await page.locator('.promise').count()).toBe(0);
    await page.getByRole('link', { name: /Did you mean sample-eps-1/ }).waitFor();
    await page.context().close();
  });

  it('marks a missing signature as missing, never as passed', async () => {
    const page = await visit(opened, 'certificate/sample-eps-1');
    await page.waitForSelector(readySelector.certificate);
    expect(await page.locator('.checks li.missing').first().textContent()).toMatch(/Not signed/);
    expect(await page.locator('.checks li.ok').filter({ hasText: 'ignature' }).count()).toBe(0);
    await page.context().close();
  });

  it('says which folder the server does not publish, and why', async () => {
    const damaged = join(opened.server.folder, 'models', 'damaged');
    mkdirSync(damaged);
    writeFileSync(join(damaged, 'certificate.json'), '{}');
    await new Promise((resolve) => setTimeout(resolve, 1100)); // the server looks once a second
    const page = await visit(opened, 'certificate');
    await page.getByText('damaged is not published.').waitFor();
    await page.context().close();
    rmSync(damaged, { recursive: true });
  });

  it('refuses a model whose bytes were changed on the way', async () => {
    const page = await visit(opened, 'ledger');
    await page.route('**/models/sample-eps-1/model.json', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace('Harbour', 'Harvour') });
    });
    await page.goto(`${opened.server.url}/#/certificate/sample-eps-1`);
    await page.getByText('its content is not what the certificate was issued for').waitFor();
    await page.context().close();
  });
});
