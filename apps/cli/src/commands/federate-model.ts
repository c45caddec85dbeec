import type { AuditedLog, Catalogue, Charter, FederatedResult } from '@hushrec/federate';
import type { Certificate } from '@hushrec/model';
import { version } from '../version.js';

/** Writes the model folder of a run that has ended, with its certificate. */
export async function writeFederatedModel(
  out: string,
  charter: Charter,
  log: AuditedLog,
  result: FederatedResult,
  catalogue: Catalogue,
  overwrite: boolean,
): Promise<Certificate> {
  const { auditLog, federatedStatement } = await import('@hushrec/federate');
  const { publishFederated } = await import('@hushrec/train');
  const { head } = await auditLog(charter, log);
  const federated = await federatedStatement(charter, head, result.record);
  const { itemIds, titles, links, images, scale } = catalogue;
  const published = await publishFederated(
    result.record,
    {
      manifest: {
        format: 'hushrec-model-2',
        method: charter.method,
        settings: charter.settings,
        ...(result.model.feedback === 'explicit' && { scale }),
        itemIds,
        ...(titles && { titles }),
        ...(links && { links }),
        ...(images && { images }),
        versions: { hushrec: version },
        ...(result.facts && { facts: result.facts }),
      },
      model: result.model,
    },
    {
      method: charter.method,
      catalogue: 'declared',
      codeVersion: version,
      tuning: 'Settings stand in the charter, which was written before any data was touched.',
      federated,
    },
    { out, overwrite },
  );
  return published.certificate;
}
