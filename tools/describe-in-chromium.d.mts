import type { Browser } from 'playwright-core';

export interface InChromium {
  readonly browser: Browser;
}

export function describeInChromium(name: string, tests: (opened: InChromium) => void): void;
