import { afterAll, beforeAll, describe } from 'vitest';
import { findChromium, launchChromium } from './chromium.mjs';

const { reason } = await findChromium();
if (reason !== undefined && process.env.CI !== undefined)
  throw new Error(`Nothing may be skipped in CI: ${reason}.`);

/**
 * Tests that need a real browser: skipped, with the reason, where there is none. `opened.browser` is there
 * once they run, and closed before what they close themselves.
 */
export function describeInChromium(name, tests) {
  describe.skipIf(reason !== undefined)(
    `${name}${reason === undefined ? '' : ` (skipped: ${reason})`}`,
    () => {
      const opened = { browser: undefined };
      beforeAll(async () => {
        opened.browser = await launchChromium();
      }, 60_000);
      tests(opened);
      // Of what is said to be done after all, the last is done first.
      afterAll(() => opened.browser?.close());
    },
  );
}
