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
  const { certify } = await import('@hushrec/model');
  const { writeModelFolder } = await import('@hushrec/model/folder');
  const { head } = await auditLog(charter, log);
  const federated = await federatedStatement(charter, head, result.record);
  const certificate = certify(result.record, {
    method: charter.method,
    dataset: federated.charter,
    ledgerEntry: null,
    codeVersion: version,
    tuning: 'settings stand in the charter, which was written before any data was touched',
    federated,
  });
  const { itemIds, titles, links, images, scale } = catalogue;
  const published = await writeModelFolder(
    out,
    {
      manifest: {
        format: 'hushrec-model-1',
        method: charter.method,
        settings: charter.settings,
        ...(result.model.feedback === 'explicit' && { scale }),
        itemIds,
        ...(titles && { titles }),
        ...(links && { links }),
        ...(images && { images }),
        versions: { hushrec: version },
        ...(result.notes && { notes: result.notes }),
      },
      model: result.model,
      certificate,
    },
    { overwrite },
  );
  return published.certificate;
}
