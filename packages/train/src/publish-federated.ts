import {
  type AuditedLog,
  auditLog,
  type Catalogue,
  CharterError,
  catalogueHash,
  checkCharterByDryRun,
  decodeFeatures,
  federatedStatement,
  type LogReader,
  replayRun,
  type SignedCharter,
  signedCharter,
} from '@hushrec/federate';
import { type CertificateStatement, modelFormat, type PublishedModel } from '@hushrec/model';
import type { Engine } from '@hushrec/numerics';
import type { PrivacyRecord } from '@hushrec/privacy';
import { certify } from './publish/certify.js';
import { writeModelFolder } from './publish/write-folder.js';

/** A federated run that has ended: what anybody can read of it. Nothing else goes into its model. */
export interface EndedRun {
  readonly signed: SignedCharter;
  readonly log: LogReader & AuditedLog;
  readonly catalogue: Catalogue;
  /** With the charter's kernel. */
  readonly engine: Engine;
  readonly codeVersion: string;
}

/**
 * Publishes the model of a federated run. It takes neither a model nor a record: both are recomputed from the
 * signed log, on nobody's ratings. So nothing is published that the aggregators have not signed entry by
 * entry for a charter they have all signed, with the plan its method gives; participants are charged before
 * they hand in anything, and the charter's hash takes the place of an account.
 *
 * @throws CharterError, LogError when charter, catalogue or log are not what they must be
 */
export async function publishFederated(
  { signed, log, catalogue, engine, codeVersion }: EndedRun,
  options: { readonly out: string; readonly overwrite: boolean },
): Promise<PublishedModel> {
  const charter = await signedCharter(signed);
  if ((await catalogueHash(catalogue)) !== charter.catalogue.hash)
    throw new CharterError(
      'the catalogue is not the one it names.',
      'Give the catalogue that came with the charter.',
    );
  const knowledge = { engine, features: decodeFeatures(catalogue.features) };
  await checkCharterByDryRun(charter, knowledge);
  const { model, record, facts } = await replayRun(charter, log, knowledge);
  const { head } = await auditLog(charter, log);
  const { itemIds, titles, links, images, scale } = catalogue;
  const certificate = certify(record, {
    method: charter.method,
    catalogue: 'declared',
    codeVersion,
    tuning: 'Settings stand in the charter, which was written before any data was touched.',
    federated: await federatedStatement(charter, head, record),
    account: signed.hash,
    ledgerEntry: null,
  });
  const manifest = {
    format: modelFormat(model),
    method: charter.method,
    settings: charter.settings,
    ...(model.feedback === 'explicit' && { scale }),
    itemIds,
    ...(titles && { titles }),
    ...(links && { links }),
    ...(images && { images }),
    versions: { hushrec: codeVersion },
    ...(facts && { facts }),
  } as const;
  return writeModelFolder(options.out, { manifest, model, certificate }, { overwrite: options.overwrite });
}

/** What a record costs, as a certificate states it; nothing is published. */
export function certifiedCost(
  record: PrivacyRecord,
): Pick<CertificateStatement, 'releases' | 'epsilon' | 'delta'> {
  const { releases, epsilon, delta } = certify(record, {
    method: '',
    account: '',
    catalogue: 'declared',
    ledgerEntry: null,
    codeVersion: '',
    tuning: '',
  });
  return { releases, epsilon, delta };
}
