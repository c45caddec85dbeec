import { afterAll, beforeAll } from 'vitest';
import { describeInChromium, type InChromium } from '../../../../tools/describe-in-chromium.mjs';
import type { ServerOptions } from '../start-server.js';
import { startTestServer, type TestServer } from './test-server.test.data.js';

/** Tests in a real browser that visit a test server: both are there once they run. */
export function describeOnServer(
  name: string,
  options: Partial<ServerOptions>,
  tests: (opened: InChromium & { readonly server: TestServer }) => void,
): void {
  describeInChromium(name, (opened) => {
    const both = opened as InChromium & { server: TestServer };
    beforeAll(async () => {
      both.server = await startTestServer(options);
    });
    afterAll(() => both.server?.close());
    tests(both);
  });
}
