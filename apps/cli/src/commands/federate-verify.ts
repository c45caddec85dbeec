import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { AuditedLog, Catalogue, LogReader, SignedCharter } from '@hushrec/federate';
import type { Certificate, ItemModel, VerificationCheck } from '@hushrec/model';
import { publicKnowledge, readCharterFile } from './federate-role.js';

interface Published {
  readonly certificate: Certificate;
  readonly model: ItemModel;
}

interface OpenedLog {
  readonly signed: SignedCharter;
  readonly catalogue: Catalogue;
  readonly log: LogReader & AuditedLog;
}

/**
 * What a log says about a federated model: that its charter is the one certified and signed, that every entry
 * follows and is signed by all aggregators, that sums are sums of what they published, and that charter and
 * log give this very model on nobody's ratings.
 */
export async function checkFederatedLog(
  published: Published,
  location: string,
): Promise<readonly VerificationCheck[]> {
  const { auditLog, signedCharter } = await import('@hushrec/federate');
  const checks: VerificationCheck[] = [];
  const check = async (name: string, detail: string, test: () => Promise<string | undefined>) => {
    const fault = await test().catch((error: unknown) => (error as Error).message);
    checks.push({ name, ok: fault === undefined, detail: fault ?? detail });
    return fault === undefined;
  };
  const { federated } = published.certificate;
  if (federated === undefined)
    return [{ name: 'federated log', ok: false, detail: 'the certificate is not of a federated run.' }];
  let opened: OpenedLog | undefined;
  const there = await check('federated log can be read', location, async () => {
    opened = await openLog(location);
    return undefined;
  });
  if (!there || opened === undefined) return checks;
  const { signed, log } = opened;
  const { charter } = signed;
  await check(
    'charter is signed by all aggregators',
    `${charter.aggregators.length} signatures`,
    async () => {
      await signedCharter(signed);
      return signed.hash === federated.charter ? undefined : 'it is another charter than the certified one.';
    },
  );
  await check(
    'log is complete, signed, and its sums are sums',
    `last entry ${federated.log.slice(0, 16)}…`,
    async () => {
      const { head } = await auditLog(charter, log);
      return head === federated.log ? undefined : 'its last entry is not the certified one.';
    },
  );
  const { log: head } = federated;
  await check('model follows from the log', 'recomputed without any ratings, equal to the byte', () =>
    faultInReplay(published, opened!, head),
  );
  return checks;
}

/** What charter and log give on nobody's ratings that is not what was published; undefined where nothing. */
async function faultInReplay(
  { certificate, model }: Published,
  { signed, catalogue, log }: OpenedLog,
  head: string,
): Promise<string | undefined> {
  const { asItStands, federatedStatement, replayRun } = await import('@hushrec/federate');
  const { certifiedCost } = await import('@hushrec/train');
  const { charter } = signed;
  const knowledge = await publicKnowledge(signed, catalogue);
  try {
    const { model: again, record } = await replayRun(charter, asItStands(log), knowledge);
    if (!isDeepStrictEqual(plain(again), plain(model))) return 'the log gives another model.';
    const { releases, epsilon } = certifiedCost(record);
    const statement = await federatedStatement(charter, head, record);
    return isDeepStrictEqual(plain(releases), plain(certificate.releases)) &&
      epsilon === certificate.epsilon &&
      isDeepStrictEqual(plain(statement), plain(certificate.federated))
      ? undefined
      : 'the certificate says something else than the log.';
  } finally {
    await knowledge.engine.close();
  }
}

/** Compared by value: whether a list is a view into a larger one does not matter. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, each: unknown) =>
      ArrayBuffer.isView(each) ? Array.from(each as unknown as ArrayLike<number>) : each,
    ),
  );
}

async function openLog(location: string): Promise<OpenedLog> {
  if (/^https?:/.test(location)) {
    const { catalogueHash, patient, remoteCharter, remoteLog, usualPatience } = await import(
      '@hushrec/federate'
    );
    const { tlsClient } = await import('@hushrec/federate/node');
    const line = patient(tlsClient(), location, { ...usualPatience, attempts: 3 });
    const { signed, catalogue } = await remoteCharter(location, line);
    if ((await catalogueHash(catalogue as Catalogue)) !== signed.charter.catalogue.hash)
      throw new Error('its catalogue is not the one that its charter names.');
    return { signed, catalogue: catalogue as Catalogue, log: remoteLog(location, signed.charter.run, line) };
  }
  const { Board } = await import('@hushrec/federate');
  const { FileFolder } = await import('@hushrec/federate/node');
  const { signed, catalogue } = await readCharterFile(join(location, 'charter.json'));
  return { signed, catalogue, log: await Board.open(new FileFolder(location)) };
}
