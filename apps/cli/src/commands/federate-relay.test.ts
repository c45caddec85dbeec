// Whoever writes a charter puts a relay of their own in the place of an aggregator, beside its right key.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { charterHash, type Office, type SignedCharter, signCharter } from '@hushrec/federate';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from '../run-command.test.data.js';
import { readIdentity } from './federate-role.js';
import { SmallFederation } from './small-federation.test.data.js';

const federation = new SmallFederation();
const at = (...path: string[]) => federation.at(...path);
beforeAll(async () => {
  await federation.prepare();
  await federation.charter('run');
  await federation.hushrec(
    ...['federate', 'identity', at('relay'), '--name', 'north', '--url', 'https://127.0.0.1:4444'],
  );
});
afterAll(() => federation.end());

it('neither sign nor aggregator nor party follow a charter with a relay', async () => {
  const { charter } = JSON.parse(readFileSync(at('run', 'charter.json'), 'utf8')) as SignedCharter;
  const { url, certificate } = JSON.parse(readFileSync(federation.card('relay'), 'utf8')) as Office;
  for (const [name, change, words] of [
    ['address', { url }, 'it says that north is at https://127.0.0.1:4444, and north’s card says https://'],
    [
      'certificate',
      { certificate: certificate! },
      'it gives north another TLS certificate than north’s card.',
    ],
  ] as const) {
    const [north, south] = charter.aggregators;
    const relayed = { ...charter, aggregators: [{ ...north, ...change }, south] };
    let signed: SignedCharter = { charter: relayed, hash: await charterHash(relayed), signatures: [] };
    cpSync(at('run'), at(name), { recursive: true });
    const file = at(name, 'charter.json');
    writeFileSync(file, JSON.stringify(signed));
    const refused = async (reason: string, ...command: string[]) => {
      const { code, errors } = await runCommand('federate', ...command);
      expect(code, errors).toBe(4);
      expect(errors).toContain(`The charter ${file} is refused: `);
      expect(errors).toContain(reason);
    };
    await refused(words, 'sign', file, '--identity', at('north'));
    // As if both had signed all the same.
    const unsigned = 'the card of north in it is not signed by north’s key.';
    for (const signer of ['north', 'south'])
      signed = await signCharter(signed, (await readIdentity(at(signer))).key, '0'.repeat(64));
    writeFileSync(file, JSON.stringify(signed));
    await refused(unsigned, 'aggregator', at('north'), '--charter', file);
    const own = ['--ratings', at('a.csv')];
    await refused(unsigned, 'party', at('a'), '--charter', file, ...own, '--trust', federation.card('north'));
  }
});
