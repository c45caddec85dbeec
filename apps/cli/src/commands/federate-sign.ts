import type { Command } from 'commander';
import { addCommand, type Outcome } from '../command.js';
import { writeWhole } from '../whole-file.js';
import {
  publicKnowledge,
  readCharterFile,
  readIdentity,
  refuseStaleCertificates,
  runFolder,
  withCharter,
} from './federate-role.js';

interface SignOptions {
  readonly identity: string;
}

export function registerSign(group: Command): void {
  addCommand<SignOptions>(group, {
    usage: 'sign <charter>',
    summary: 'check a charter by a dry run and sign it as one of its aggregators, or as its issuer',
    examples: ['hushrec federate sign run/charter.json --identity north'],
    fields: ['charter', 'hash', 'signatures', 'missing'],
    configure: (command) =>
      command.requiredOption('--identity <folder>', 'folder of the aggregator or issuer who signs'),
    run: ([file], { identity }) => withCharter(file, () => sign(file, identity)),
  });
}

async function sign(file: string, identity: string): Promise<Outcome> {
  const { charterWords, checkCharterByDryRun, checkOwnCard, openSealingKey, seatOf, signCharter } =
    await import('@hushrec/federate');
  const { office, key } = await readIdentity(identity);
  const { signed, catalogue } = await readCharterFile(file);
  const { admission } = signed.charter;
  const issuer = admission.kind === 'issuer' ? admission.issuer : undefined;
  const isIssuer = issuer?.publicKey === office.publicKey;
  if (isIssuer) checkOwnCard(issuer, office);
  else seatOf(signed.charter, office);
  await refuseStaleCertificates(signed.charter);
  const knowledge = await publicKnowledge(signed, catalogue);
  try {
    await checkCharterByDryRun(signed.charter, knowledge);
  } finally {
    await knowledge.engine.close();
  }
  const kept = await runFolder(identity, signed.charter);
  const { signAsIssuer } = await import('@hushrec/federate/node');
  const more = isIssuer
    ? await signAsIssuer(signed, key, kept)
    : await signCharter(signed, key, (await openSealingKey(kept)).publicKey);
  await writeWhole(file, `${JSON.stringify(more, null, 1)}\n`);
  const missing = more.charter.aggregators
    .filter(({ publicKey }) => !more.signatures.some((each) => each.publicKey === publicKey))
    .map(({ name }) => name)
    .concat(issuer !== undefined && more.tokens === undefined ? [issuer.name] : []);
  return {
    json: { charter: file, hash: more.hash, signatures: more.signatures.length, missing },
    text: [
      ...charterWords(more.charter),
      '',
      `${office.name} signed. ${missing.length === 0 ? 'All have signed.' : `Missing: ${missing.join(', ')}.`}`,
    ].join('\n'),
  };
}
